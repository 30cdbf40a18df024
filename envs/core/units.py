"""What people count results in: tricks, points, chips, wins, places."""

from __future__ import annotations

from typing import Any, NamedTuple

# How a result is said that is good, even or bad.
_FORMS = {
    "ahead": ("{} ahead", "even", "{} behind"),
    "gain": ("+{}", "±{}", "−{}"),
    "count": ("{}", "{}", "−{}"),
}
_OF_A_GAME = {"1 win": "won", "0 wins": "lost", "1 loss": "lost", "0 losses": "safe"}  # counted in words


class Unit(NamedTuple):
    """A return as people count it: a game that returns r brings `base + each * r` of what `name` says, several games add up.

    Attributes:
        name: what one is called: "trick".
        each: how many a return of 1 is.
        form: how they are said: "ahead" of the others, 2 tricks ahead; "gain", +2 chips; "count", 2 wins; "place", place 2, of
            several games the mean.
        base: how many a return of 0 is.
    """

    name: str
    each: float = 1.0
    form: str = "gain"
    base: float = 0.0

    def amount(self, returned: float, games: int = 1) -> float:
        """How many of them so many games brought, which returned so much in all."""
        return self.base * games + self.each * returned

    def text(self, returned: float, games: int = 1) -> str:
        """The same in words."""
        amount = self.amount(returned, games)
        if self.form == "place":
            return f"{self.name} {_number(amount / games)}{' on average' if games > 1 else ''}"
        number = _number(abs(amount))
        plural = "" if number == "1" else "es" if self.name.endswith("s") else "s"
        sign = 1 if number == "0" else 0 if amount > 0 else 2
        said = _FORMS[self.form][sign].format(f"{number} {self.name}{plural}")
        return _OF_A_GAME.get(said, said) if games == 1 else said


def _number(amount: float) -> str:
    """To a hundredth, without zeros that say nothing: returns are rounded to float32."""
    return f"{amount:.2f}".rstrip("0").rstrip(".")


def wins(options: Any) -> Unit:
    """Of a game whose winners share what each loser pays, an equal part of 1."""
    n = options.num_players
    return Unit("win", (n - 1) / n, "count", 1 / n)
