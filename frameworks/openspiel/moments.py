"""The immutable content of OpenSpiel states: before the deal (`Deal`), and between two actions (`Moment`)."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel

from ...envs.core.aec import IllegalActionError
from ...envs.core.batch import game_kernels, row_seeds
from ...envs.core.deck import checked_deck
from ...envs.core.events import Event, perceived
from ...envs.core.facts import status
from ...envs.core.game import Game, Options, as_record, as_records, copied
from ...envs.core.kernels import BEGIN, BEGIN_AS_IT_LIES
from ...envs.core.tokens import MAX_HISTORY, Log, history_kernels, read_rows
from .past import Past, digest_after

SEED_BYTES = 4  # the number of chance nodes that draw a deal
MAX_DEALS = 10_000  # the maximal number of outcomes of a single chance node
MAX_SEARCHED = 5_000  # the maximal number of moments tried for a sample among given deals
HISTORY = 64  # the default number of tokens in an information state tensor
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
GAMES: dict[str, Game] = {}  # the games registered with OpenSpiel, by id


@dataclass(frozen=True)
class Rules:
    """A game with its options, its chance, and the number of history tokens in tensors.

    Raises:
        ValueError: the number of deals is out of range or not a multiple of the number of decks, a deck cannot be dealt, or the
            number of tokens is out of range.
    """

    game: Game
    options: Options
    decks: tuple[tuple[int, ...], ...] = ()
    deals: int = 0
    step_rewards: bool = False
    history: int = HISTORY

    def __post_init__(self) -> None:
        for deck in self.decks:
            checked_deck(self.game, self.options, deck)
        if not 0 <= self.deals <= MAX_DEALS or len(self.decks) > MAX_DEALS:
            raise ValueError(f"deals={self.deals} is not allowed; allowed: 0..{MAX_DEALS}, and no more decks")
        if self.decks and self.deals % len(self.decks):
            raise ValueError(f"deals={self.deals} is not a multiple of the {len(self.decks)} decks")
        if not 1 <= self.history <= MAX_HISTORY:
            raise ValueError(f"history={self.history} is not allowed; allowed: 1..{MAX_HISTORY}")

    @functools.cached_property
    def kernels(self) -> dict[str, Any]:
        return game_kernels(self.game)

    @functools.cached_property
    def template(self) -> np.ndarray:
        return self.game.template(self.options)

    @functools.cached_property
    def num_players(self) -> int:
        return self.options.num_players

    @functools.cached_property
    def num_actions(self) -> int:
        return self.game.num_actions(self.options)

    @functools.cached_property
    def observation_size(self) -> int:
        return self.game.observation_size(self.options)

    @functools.cached_property
    def reward_sum(self) -> float | None:
        return self.game.reward_sum(self.options)

    @functools.cached_property
    def return_range(self) -> tuple[float, float]:
        return self.game.return_range(self.options)

    @functools.cached_property
    def layout(self) -> dict[str, slice]:
        return self.game.observation.slices(self.num_players)

    @functools.cached_property
    def outcomes(self) -> tuple[int, ...]:
        """The number of outcomes of each chance node."""
        only = self.deals or len(self.decks)
        return (only,) if only else (256,) * SEED_BYTES

    @functools.cached_property
    def is_finite(self) -> bool:
        """Whether a single chance node draws one of finitely many given deals."""
        return len(self.outcomes) == 1

    def deals_heard(self, player: int, digests: Sequence[bytes]) -> list[int]:
        """The deals of a finite game after which the player's past has one of these digests."""
        deals = self._first_pasts.get(player)
        if deals is None:
            deals = self._first_pasts[player] = {}
            for number in range(self.outcomes[0]):
                deals.setdefault(self.deal(number).past(player).digest, []).append(number)
        return [number for digest in digests for number in deals.get(digest, [])]

    @functools.cached_property
    def _first_pasts(self) -> dict[int, dict[bytes, list[int]]]:
        return {}

    @functools.cached_property
    def _step(self) -> Any:
        return history_kernels(self.game)["step_logged"]

    @functools.cached_property
    def _log(self) -> Log:
        return Log(self.game)

    def buffers(self) -> tuple[np.ndarray, np.ndarray]:
        """Buffers for an observation and a mask; kernels clear them."""
        return np.empty(self.observation_size, np.float32), np.empty(self.num_actions, np.uint8)

    def deal(self, number: int) -> Moment:
        """The first moment of a deal, with a player to move."""
        record = self.template.copy()
        record["seed"][0] = number
        if self.decks:
            deck = self.decks[number % len(self.decks)]
            record["deck"][0][: len(deck)] = deck
        return self.play(record, BEGIN_AS_IT_LIES if self.decks else BEGIN)

    def play(self, record: np.ndarray, action: int, before: Moment | None = None) -> Moment:
        """The moment after an action, or after the deal that begins the game; it takes over the record."""
        observation, mask = self.buffers()
        log = self._log
        count = self._step(record, *log.arrays, action, observation, mask)
        return Moment(self, record, observation, mask, log.rows(count), before, action)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rules, (self.game.id, self.options, self.decks, self.deals, self.step_rewards, self.history)


@functools.lru_cache(maxsize=64)
def shared(rules: Rules) -> Rules:
    """Deduplicate: equal rules are one object."""
    return rules


def _rules(game_id: str, *parts: Any) -> Rules:
    return shared(Rules(GAMES[game_id], *parts))


class Deal:
    """A state before the deal: `drawn` are the outcomes of the chance nodes so far. Immutable."""

    __slots__ = ("drawn", "rules")
    player = CHANCE
    legal: Sequence[int] = ()
    choosing: Mapping[int, Moment] = {}

    def __init__(self, rules: Rules, drawn: tuple[int, ...] = ()) -> None:
        self.rules, self.drawn = rules, drawn

    @property
    def returns(self) -> list[float]:
        return [0.0] * self.rules.num_players

    rewards = returns

    def play(self, action: int) -> Deal | Moment:
        outcomes, drawn = self.rules.outcomes, (*self.drawn, action)
        if not 0 <= action < outcomes[len(self.drawn)]:
            raise IllegalActionError(f"outcome {action} of the deal is out of range; there are {outcomes[len(self.drawn)]}")
        if len(drawn) < len(outcomes):
            return Deal(self.rules, drawn)
        return self.rules.deal(functools.reduce(lambda number, byte: number * 256 + byte, drawn))

    def resample(self, player: int, sampler: Callable[[], float]) -> Deal:
        return Deal(self.rules, tuple(_below(count, sampler) for count in self.rules.outcomes[: len(self.drawn)]))

    def observation(self, player: int) -> np.ndarray:
        return np.zeros(self.rules.observation_size, np.float32)

    def past(self, player: int) -> Past:
        return Past()

    def information(self, player: int) -> bytes:
        return b""

    def __str__(self) -> str:
        return f"{self.rules.game.id}, before the deal {' '.join(map(str, self.drawn))}".rstrip()

    def __deepcopy__(self, memo: Any) -> Deal:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Deal, (self.rules, self.drawn)


class Moment:
    """A game in progress, between two actions. Immutable.

    `before` is the previous moment, `action` the action played there, `rows` its events, for `tokens.read_rows`. If the history
    begins with a sampled position, `heard` is the player for whom it was sampled, and their past.
    """

    __slots__ = (
        "_pasts",
        "action",
        "before",
        "heard",
        "legal",
        "player",
        "record",
        "returns",
        "rewards",
        "rows",
        "rules",
        "view",
    )

    def __init__(
        self,
        rules: Rules,
        record: np.ndarray,
        view: np.ndarray,
        mask: np.ndarray,
        rows: bytes,
        before: Moment | None = None,
        action: int = BEGIN,
    ) -> None:
        self.rules, self.record, self.view, self.rows, self.before, self.action = rules, record, view, rows, before, action
        self.legal: list[int] = np.flatnonzero(mask).tolist()  # empty only after the end
        self.player = record["current_player"].item(0) if self.legal else TERMINAL
        self.rewards: list[float] = record["rewards"][0][: rules.num_players].tolist()
        self.returns = self.rewards.copy()
        if before is not None:
            self.returns = [total + reward for total, reward in zip(before.returns, self.rewards, strict=True)]
        if not self.legal:
            self._balance()
        self.heard: tuple[int, Past] | None = None
        self._pasts: dict[int, Past] = {}

    def _balance(self) -> None:
        """Correct the rounding of all rewards in the last ones, within bounds: OpenSpiel requires exact sums of returns."""
        low, high = self.rules.return_range
        seats = [seat for seat, total in enumerate(self.returns) if low < total < high]
        if seats and self.rules.reward_sum is not None:
            excess = (sum(self.returns) - self.rules.reward_sum) / len(seats)
            for amounts in (self.rewards, self.returns):
                for seat in seats:
                    amounts[seat] -= excess

    @property
    def choosing(self) -> dict[int, Moment]:
        """The players who choose simultaneously now, each with a moment at which they are to move."""
        if self.rules.game.at_once is None or self.player == TERMINAL:
            return {self.player: self}
        moment = self
        asked: dict[int, Moment] = {}
        for player in self.rules.game.choosing(as_record(self.record)):
            moment = moment.play(moment.legal[0]) if asked else moment
            asked[player] = moment
        return asked

    def play(self, action: int) -> Moment:
        """The next moment.

        Raises:
            IllegalActionError: the action is not legal.
        """
        if action not in self.legal:
            raise IllegalActionError(f"player {self.player} cannot play action {action}; legal: {self.legal}")
        return self.rules.play(copied(self.record), action, self)

    def resample(self, player: int, sampler: Callable[[], float]) -> Moment:
        """A moment that `player` cannot distinguish from this one, with all hidden information resampled; its history is lost.

        In a finite game it comes from one of the given deals, unless none is found within `MAX_SEARCHED` moments.
        """
        if self.player == TERMINAL:
            return self
        if self.rules.is_finite:
            moment = _among_deals(self, player, sampler)
            if moment is not None:
                return moment
        record = copied(self.record)
        number = _below(2**32, sampler) << 32 | _below(2**32, sampler)
        self.rules.kernels["determinize_games"](record, player, row_seeds(number, 1))
        return _begin(self.rules, record, self.returns, b"", (player, self.past(player)))

    def observation(self, player: int) -> np.ndarray:
        """float32 [D], a seat's observation; do not write into it."""
        if player == self.player:
            return self.view
        observation = np.empty((1, self.view.size), np.float32)
        self.rules.kernels["observe_seats"](self.record, np.zeros(1, np.int64), np.array([player]), observation)
        return observation[0]

    def past(self, player: int) -> Past:
        """The events that a player has perceived, as in `env.history`."""
        waiting: list[Moment] = []
        moment: Moment | None = self
        while moment is not None and player not in moment._pasts:
            waiting.append(moment)
            moment = moment.before
        last = Past() if moment is None else moment._pasts[player]
        for moment in reversed(waiting):
            last = last.then(perceived(read_rows(moment.rows), player, self.rules.game, self.rules.options))
            moment._pasts[player] = last
        return last

    def information(self, player: int) -> bytes:
        """A digest of all that a player knows: their past and, as some games' events are incomplete, their observation."""
        return hashlib.blake2b(self.past(player).digest + self.observation(player).tobytes(), digest_size=8).digest()

    def __str__(self) -> str:
        game, record = self.rules.game, self.record.view(np.ndarray)
        digest = hashlib.blake2b(record.tobytes(), digest_size=8).hexdigest()
        said = status(game.facts(self.rules.options, as_record(record), None))
        return f"{game.id}, move {record['move_count'][0]}, {said}, state {digest}"

    def __deepcopy__(self, memo: Any) -> Moment:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        actions, moment = [], self
        while moment.before is not None:
            actions.append(moment.action)
            moment = moment.before
        heard = None if moment.heard is None else (moment.heard[0], moment.heard[1].all_events())
        return _replay, (self.rules, moment.record.tobytes(), moment.returns, moment.rows, heard, actions[::-1])


def _among_deals(true: Moment, player: int, sampler: Callable[[], float]) -> Moment | None:
    """A moment, after one of the given deals, in which `player` has the same information and the same player is to move.

    Deals and actions are tried in random order, depth first. The search uses only what the player knows of the true game, so
    the result depends only on that and the sampler. None if no moment is found within the limit.
    """
    rules, known = true.rules, true.information(player)
    digests = list(itertools.accumulate(true.past(player).all_events(), digest_after, initial=b""))
    waiting: list[tuple[Moment | None, int]] = [(None, number) for number in rules.deals_heard(player, digests)]
    waiting = _shuffled(waiting, sampler)
    for _ in range(MAX_SEARCHED):
        if not waiting:
            return None
        before, action = waiting.pop()
        moment = rules.deal(action) if before is None else before.play(action)
        heard = moment.past(player)
        if heard.length >= len(digests) or heard.digest != digests[heard.length]:
            continue  # they would have perceived something else
        if moment.player == true.player and moment.information(player) == known:
            return moment
        waiting += _shuffled([(moment, choice) for choice in moment.legal], sampler)
    return None


def _shuffled(items: list[Any], sampler: Callable[[], float]) -> list[Any]:
    for last in range(len(items) - 1, 0, -1):
        other = _below(last + 1, sampler)
        items[last], items[other] = items[other], items[last]
    return items


def _begin(rules: Rules, record: np.ndarray, returns: list[float], rows: bytes, heard: tuple[int, Past] | None) -> Moment:
    """A moment without history, with a player to move."""
    observation, mask = rules.buffers()
    rules.kernels["view_games"](record, observation[None], mask[None], np.zeros(1, np.int64))
    moment = Moment(rules, record, observation, mask, rows)
    moment.returns, moment.heard = returns, heard
    if heard is not None:
        moment._pasts[heard[0]] = heard[1]
    return moment


def _replay(
    rules: Rules,
    record: bytes,
    returns: list[float],
    rows: bytes,
    heard: tuple[int, list[Event]] | None,
    actions: list[int],
) -> Moment:
    """Restore a pickled moment."""
    past = None if heard is None else (heard[0], Past().then(heard[1]))
    first = as_records(np.frombuffer(record, rules.game.state).copy())
    return functools.reduce(Moment.play, actions, _begin(rules, first, returns, rows, past))


def _below(count: int, sampler: Callable[[], float]) -> int:
    return min(int(sampler() * count), count - 1)
