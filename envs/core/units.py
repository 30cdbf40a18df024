"""The units in which people count results: tricks, points, chips, wins, places."""

from __future__ import annotations

from typing import Any, NamedTuple

# Words for a good, even or bad result.
_FORMS = {
    "ahead": ("{} ahead", "even", "{} behind"),
    "gain": ("+{}", "±{}", "−{}"),
    "count": ("{}", "{}", "−{}"),
}
_OF_A_GAME = {"1 win": "won", "0 wins": "lost", "1 loss": "lost", "0 losses": "safe"}  # units counted in words


class Unit(NamedTuple):
    """A unit of returns: a return of r is `base + each * r` units, and several games add up.

    Attributes:
        name: the singular: "trick".
        each: the number of units of a return of 1.
        form: how amounts are worded: "ahead": 2 tricks ahead (of the others); "gain": +2 chips; "count": 2 wins; "place": place
            2, the mean over several games.
        base: the number of units of a return of 0.
    """

    name: str
    each: float = 1.0
    form: str = "gain"
    base: float = 0.0

    def amount(self, returned: float, games: int = 1) -> float:
        """The number of units for this number of games with this total return."""
        return self.base * games + self.each * returned

    def text(self, returned: float, games: int = 1) -> str:
        """The amount in words."""
        amount = self.amount(returned, games)
        if self.form == "place":
            return f"{self.name} {_number(amount / games)}{' on average' if games > 1 else ''}"
        number = _number(abs(amount))
        plural = "" if number == "1" else "es" if self.name.endswith("s") else "s"
        sign = 1 if number == "0" else 0 if amount > 0 else 2
        said = _FORMS[self.form][sign].format(f"{number} {self.name}{plural}")
        return _OF_A_GAME.get(said, said) if games == 1 else said


def _number(amount: float) -> str:
    """To two decimals, without trailing zeros: returns are rounded to float32."""
    return f"{amount:.2f}".rstrip("0").rstrip(".")


def wins(options: Any) -> Unit:
    """The unit of a game whose losers each pay an equal part of 1 to the winners."""
    n = options.num_players
    return Unit("win", (n - 1) / n, "count", 1 / n)
