"""States as moments of a game: its rules with their chance, the deal that is drawn, and what stands between two actions."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from ...envs.core.aec import ENDED, PENDING_DEAL, IllegalActionError
from ...envs.core.batch import game_kernels, row_seeds
from ...envs.core.deck import checked_deck
from ...envs.core.game import Game, Options, as_record, as_records, copied

SEED_BYTES = 4  # chance nodes that draw a deal
MAX_DEALS = 10_000  # outcomes of one chance node
MAX_SEARCHED = 5_000  # moments tried for a sample among given deals
MAX_TENSOR = 2**16  # entries; a longer history has no information state tensor, only a string
NO_ACTION = -1
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
GAMES: dict[str, Game] = {}  # all that are registered with OpenSpiel, by id


@dataclass(frozen=True)
class Rules:
    """A game with its options and its chance.

    Raises:
        ValueError: the number of deals is out of range or no multiple of that of the decks, or a deck cannot be dealt.
    """

    game: Game
    options: Options
    decks: tuple[tuple[int, ...], ...] = ()
    deals: int = 0
    step_rewards: bool = False

    def __post_init__(self) -> None:
        for deck in self.decks:
            checked_deck(self.game, self.options, deck)
        if not 0 <= self.deals <= MAX_DEALS or len(self.decks) > MAX_DEALS:
            raise ValueError(f"deals={self.deals} is not allowed; allowed: 0..{MAX_DEALS}, and no more decks")
        if self.decks and self.deals % len(self.decks):
            raise ValueError(f"deals={self.deals} is no multiple of the {len(self.decks)} decks")

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
        """How many each chance node has."""
        only = self.deals or len(self.decks)
        return (only,) if only else (256,) * SEED_BYTES

    @functools.cached_property
    def is_finite(self) -> bool:
        """Whether a single chance node draws one of some deals."""
        return len(self.outcomes) == 1

    def deals_seen(self, player: int, seen: bytes) -> list[int]:
        """Of a finite game the deals that show a player this at first, ascending."""
        deals = self._first_views.get(player)
        if deals is None:
            deals = self._first_views[player] = {}
            for number in range(self.outcomes[0]):
                view = self.deal(number).observation(player).tobytes()
                deals.setdefault(_digest(view), []).append(number)
        return deals.get(_digest(seen), [])

    @functools.cached_property
    def _first_views(self) -> dict[int, dict[bytes, list[int]]]:
        return {}

    @functools.cached_property
    def recall_shape(self) -> tuple[int, int] | None:
        """Rows and columns of the information state tensor, None where it would be too large."""
        shape = self.game.max_length(self.options) + 1, self.num_actions + self.observation_size
        return shape if shape[0] * shape[1] <= MAX_TENSOR else None

    def buffers(self) -> tuple[np.ndarray, np.ndarray]:
        """For an observation and a mask; kernels clear them."""
        return np.empty(self.observation_size, np.float32), np.empty(self.num_actions, np.uint8)

    def deal(self, number: int) -> Moment:
        """The moment at which somebody is first to move."""
        record = self.template.copy()
        record["seed"][0] = number
        if self.decks:
            deck = self.decks[number % len(self.decks)]
            record["deck"][0][: len(deck)] = deck
        observation, mask = self.buffers()
        status = self.kernels["start_single"](record, bool(self.decks), observation, mask)
        return self.settle(record, status, observation, mask)

    def settle(self, record: np.ndarray, status: int, observation: np.ndarray, mask: np.ndarray, *before: Any) -> Moment:
        """The moment after the deals that are called for."""
        while status == PENDING_DEAL:
            status = self.kernels["start_single"](record, False, observation, mask)
        return Moment(self, record, status == ENDED, observation, mask, *before)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rules, (self.game.id, self.options, self.decks, self.deals, self.step_rewards)


@functools.lru_cache(maxsize=64)
def shared(rules: Rules) -> Rules:
    """Equal rules are one object."""
    return rules


def _rules(game_id: str, *parts: Any) -> Rules:
    return shared(Rules(GAMES[game_id], *parts))


class Recall(NamedTuple):
    """What a player has seen and done: the last change of their view, the action of theirs that led to it, and all before."""

    digest: bytes
    action: int
    seen: bytes
    before: Recall | None

    @classmethod
    def of(cls, before: Recall | None, action: int, seen: bytes) -> Recall:
        past = b"" if before is None else before.digest
        content = past + action.to_bytes(4, "little", signed=True) + seen
        return cls(hashlib.blake2b(content, digest_size=16).digest(), action, seen, before)

    def entries(self) -> list[tuple[int, bytes]]:
        """Actions and views, oldest first."""
        return [(recall.action, recall.seen) for recall in self.chain()]

    def chain(self) -> list[Recall]:
        """What was recalled after each change, oldest first."""
        recalls: list[Recall] = []
        recall: Recall | None = self
        while recall is not None:
            recalls.append(recall)
            recall = recall.before
        return recalls[::-1]


class Deal:
    """Before the deal: `drawn` are the outcomes of the chance nodes so far. It never changes."""

    __slots__ = ("drawn", "rules")
    player = CHANCE
    legal: Sequence[int] = ()

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

    def recall(self, player: int) -> None:
        return None

    def __str__(self) -> str:
        return f"{self.rules.game.id}, before the deal {' '.join(map(str, self.drawn))}".rstrip()

    def __deepcopy__(self, memo: Any) -> Deal:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Deal, (self.rules, self.drawn)


class Moment:
    """A game in progress, as it stands between two actions; it never changes.

    `before` is the moment before, `action` what was played there. Where a history begins with an imagined position, `heard`
    is the player for whom it was imagined, and what they recall.
    """

    __slots__ = ("_recalls", "action", "before", "heard", "legal", "player", "record", "returns", "rewards", "rules", "view")

    def __init__(
        self,
        rules: Rules,
        record: np.ndarray,
        ended: bool,
        view: np.ndarray,
        mask: np.ndarray,
        before: Moment | None = None,
        action: int = NO_ACTION,
    ) -> None:
        self.rules, self.record, self.view, self.before, self.action = rules, record, view, before, action
        self.player = TERMINAL if ended else record["current_player"].item(0)
        self.legal: list[int] = np.flatnonzero(mask).tolist()
        self.rewards: list[float] = record["rewards"][0][: rules.num_players].tolist()
        self.returns = self.rewards.copy()
        if before is not None:
            self.returns = [total + reward for total, reward in zip(before.returns, self.rewards, strict=True)]
        if ended:
            self._balance()
        self.heard: tuple[int, Recall] | None = None
        self._recalls: dict[int, Recall] = {}

    def _balance(self) -> None:
        """OpenSpiel wants returns to add up exactly: the last rewards make up for the rounding of all, where bounds allow."""
        low, high = self.rules.return_range
        seats = [seat for seat, total in enumerate(self.returns) if low < total < high]
        if seats and self.rules.reward_sum is not None:
            excess = (sum(self.returns) - self.rules.reward_sum) / len(seats)
            for amounts in (self.rewards, self.returns):
                for seat in seats:
                    amounts[seat] -= excess

    def play(self, action: int) -> Moment:
        """The next moment.

        Raises:
            IllegalActionError: the action is not legal.
        """
        if action not in self.legal:
            raise IllegalActionError(f"player {self.player} cannot play action {action}; legal: {self.legal}")
        rules, record = self.rules, copied(self.record)
        observation, mask = rules.buffers()
        status = rules.kernels["step_single"](record, action, observation, mask)
        return rules.settle(record, status, observation, mask, self, action)

    def resample(self, player: int, sampler: Callable[[], float]) -> Moment:
        """A moment that `player` cannot tell from this one, all that they cannot know redrawn; it has no true history.

        Where the deals are given it comes from one of them, unless none is found within `MAX_SEARCHED` moments.
        """
        if self.player == TERMINAL:
            return self
        if self.rules.is_finite:
            moment = _among_deals(self.rules, player, self.recall(player), self.player, sampler)
            if moment is not None:
                return moment
        record = copied(self.record)
        number = _below(2**32, sampler) << 32 | _below(2**32, sampler)
        self.rules.kernels["determinize_games"](record, player, row_seeds(number, 1))
        recall = self.recall(player)
        return _begin(self.rules, record, self.returns, (player, recall))

    def observation(self, player: int) -> np.ndarray:
        """float32 [D], what a seat sees; do not write into it."""
        if player == self.player:
            return self.view
        observation = np.empty((1, self.view.size), np.float32)
        self.rules.kernels["observe_seats"](self.record, np.zeros(1, np.int64), np.array([player]), observation)
        return observation[0]

    def recall(self, player: int) -> Recall:
        """What a player has seen and done until now.

        They look after every action, whoever played it. A look that shows them nothing new leaves no trace, so that they cannot
        count the hidden actions of others.
        """
        waiting: list[Moment] = []
        moment: Moment | None = self
        while moment is not None and player not in moment._recalls:
            waiting.append(moment)
            moment = moment.before
        last = None if moment is None else moment._recalls[player]
        while waiting:
            moment = waiting.pop()
            own = moment.before is not None and moment.before.player == player
            action = moment.action if own else NO_ACTION
            seen = moment.observation(player).tobytes()
            if last is None or own or seen != last.seen:
                last = Recall.of(last, action, seen)
            moment._recalls[player] = last
        assert last is not None
        return last

    def __str__(self) -> str:
        game, record = self.rules.game, self.record.view(np.ndarray)
        digest = hashlib.blake2b(record.tobytes(), digest_size=8).hexdigest()
        return f"{game.id}, move {record['move_count'][0]}, {game.describe(as_record(record), None)}, state {digest}"

    def __deepcopy__(self, memo: Any) -> Moment:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        actions, moment = [], self
        while moment.before is not None:
            actions.append(moment.action)
            moment = moment.before
        heard = None if moment.heard is None else (moment.heard[0], moment.heard[1].entries())
        return _replay, (self.rules, moment.record.tobytes(), moment.returns, heard, actions[::-1])


def _among_deals(rules: Rules, player: int, recall: Recall, mover: int, sampler: Callable[[], float]) -> Moment | None:
    """A moment of a game that begins with one of the given deals, in which `player` recalls the same and `mover` is to move.

    Deals, and what others did unseen, are tried in random order, depth first. Nothing is asked of the true game, so what is
    found depends on the player's knowledge and the sampler alone. None if there is none, or too much is to be tried.
    """
    looks = recall.chain()
    waiting: list[tuple[Moment | None, int, int]] = []  # a moment, an action there, and how many looks came before it
    waiting += _shuffled([(None, number, 0) for number in rules.deals_seen(player, looks[0].seen)], sampler)
    for _ in range(MAX_SEARCHED):
        if not waiting:
            return None
        before, action, had = waiting.pop()
        moment = rules.deal(action) if before is None else before.play(action)
        recalled = moment.recall(player).digest
        if had < len(looks) and recalled == looks[had].digest:
            had += 1
        elif not had or recalled != looks[had - 1].digest:
            continue  # they would have seen something else
        if had == len(looks) and moment.player == mover:
            return moment
        did = looks[had].action if had < len(looks) else NO_ACTION
        possible = [did] if moment.player == player else moment.legal
        waiting += _shuffled([(moment, choice, had) for choice in possible if choice in moment.legal], sampler)
    return None


def _shuffled(items: list[Any], sampler: Callable[[], float]) -> list[Any]:
    for last in range(len(items) - 1, 0, -1):
        other = _below(last + 1, sampler)
        items[last], items[other] = items[other], items[last]
    return items


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _begin(rules: Rules, record: np.ndarray, returns: list[float], heard: tuple[int, Recall] | None) -> Moment:
    """A moment without history, with somebody to move."""
    observation, mask = rules.buffers()
    rules.kernels["view_games"](record, observation[None], mask[None], np.zeros(1, np.int64))
    moment = Moment(rules, record, False, observation, mask)
    moment.returns, moment.heard = returns, heard
    if heard is not None:
        moment._recalls[heard[0]] = heard[1]
    return moment


def _replay(
    rules: Rules, record: bytes, returns: list[float], heard: tuple[int, list[tuple[int, bytes]]] | None, actions: list[int]
) -> Moment:
    """A moment that was pickled."""
    recalled = None
    if heard is not None:
        player, entries = heard
        last: Any = functools.reduce(lambda before, entry: Recall.of(before, *entry), entries, None)
        recalled = player, last
    first = as_records(np.frombuffer(record, rules.game.state).copy())
    return functools.reduce(Moment.play, actions, _begin(rules, first, returns, recalled))


def _below(count: int, sampler: Callable[[], float]) -> int:
    return min(int(sampler() * count), count - 1)
