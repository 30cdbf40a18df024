"""Replays of the hand in progress with other hidden cards: the decisions that other players would have made.

`determinize` samples hidden cards for a seat, and the hand so far is replayed in each of these worlds: deals, draws and actions
are the same, but with other cards wherever the seat saw none. From the decisions of the other players on the way, search
estimates the likelihood of each world (`agents/belief.py`). Where others chose cards unseen, such as those to put on a heap or
to pass, they choose anew from what they hold in the world.

Replays reveal nothing hidden. The correspondence between true cards and cards of a world is fixed backwards from the present,
turn by turn (`redraw`): cards that the seat knows correspond to themselves; all others are paired at random, so no card is
closer to the truth than another. For hands, the pairing is redrawn before and after every hidden move: each card of a hand is
equally likely to be the one drawn, passed or dealt, except that a card has to come from where the seat last knew it to be
(`_allowed`). A replayed past therefore depends only on the world, on the seat's perceptions, and on the public numbers of cards
moved between zones.

Worlds that are inconsistent with the course of the hand are dropped. In games with many announcements (Go Fish) hardly any
remains. The outcome of chance within a hand, such as reshuffled discards, is not public, so nothing after it is replayed. Games
with repeated card ids, or with ids beyond the built-in ones, are not replayed either, nor is a determinized game before its
determinization.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import kernels
from .cards import DECK_66, rank_number
from .events import DECLARE, LOG_ROWS, NOBODY, REVEAL, SELECT, Row, inside, logged_dtype, secret_kinds
from .game import Game, Options, as_record, as_records
from .jit import bind, device_function, kernel
from .rng import GOLDEN, mix, start_stream
from .zones import ZoneRole

if TYPE_CHECKING:  # bound to a game's functions
    from .kernels import deal, legal_actions, play_action, play_deck, reseed_for_sample, view

Choose = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
NOWHERE = -1  # no zone: the card is not in the game, or the seat does not know its place
TRIES = 8  # for each world
_ENOUGH = 0.5  # of the worlds; others are not tried any more
_TRIAL = 32  # worlds that tell whether most are possible
_DEAL = -1  # in place of an action
_HIGH = np.uint64(32)
_WORD = 64
_RANK = np.array([rank_number(card) for card in range(DECK_66)], np.int64)


# --- the correspondence of cards ---


@device_function
def draw_below(noise, i, bound):
    """A random number below `bound` from row i's counter."""
    noise[i] += GOLDEN
    return np.int64(((mix(noise[i]) >> _HIGH) * np.uint64(bound)) >> _HIGH)


@device_function
def redraw_world(known, groups, before, allowed, card_of, noise, i, is_shuffled):
    true_card = np.empty(DECK_66, np.int64)
    for card in range(DECK_66):
        true_card[card_of[card]] = card
    for card in known:
        partner = true_card[card]
        true_card[card_of[card]] = partner
        exchange(card_of, card, partner)
    for group in groups:
        number = 0
        while number < group.shape[0] and group[number] >= 0:
            number += 1
        for k in range(number - 1 if is_shuffled else 0, 0, -1):
            exchange(card_of, group[k], group[draw_below(noise, i, k + 1)])
        for k in range(number):
            one, start = group[k], draw_below(noise, i, number)
            for j in range(number):
                other = group[(start + j) % number]
                if allowed[card_of[one], before[one]]:
                    break
                if allowed[card_of[one], before[other]] and allowed[card_of[other], before[one]]:
                    exchange(card_of, one, other)


@kernel
def redraw(known, groups, before, allowed, maps, noise, is_shuffled):
    """In each world, let the `known` cards correspond to themselves, and exchange the partners of the other true cards within
    the groups (rows of cards; -1 ends one): all at random if `is_shuffled`, then those that cannot have been in the zone of
    the true card `before`, as far as possible."""
    for i in range(maps.shape[0]):
        redraw_world(known, groups, before, allowed, maps[i], noise, i, is_shuffled)


@device_function
def exchange(cards, j, k):
    cards[j], cards[k] = cards[k], cards[j]


# --- replaying ---


@device_function
def follow(state, rows, at, card_of):
    """The index after the rows that the log of a record repeats from row `at` on, with the world's cards; -1 if it differs."""
    differing, differing_above = np.uint64(0), np.uint64(0)
    if at + state.logged > rows.shape[0]:
        return -1
    for k in range(state.logged):
        row, other = rows[at + k], state.log[k]
        for column in (0, 1, 3, 4, 5, 6):
            if row[column] != other[column]:
                return -1
        if (row[2] == NOBODY) != (other[2] == NOBODY):
            return -1
        if row[2] != NOBODY:
            expected = row[2] if row[0] == DECLARE else card_of[row[2]]  # a card that labels name, but not in the deck
            for card in (np.int64(expected), np.int64(other[2])):  # sets: the cards of an event are unordered
                if card < _WORD:
                    differing ^= np.uint64(1) << np.uint64(card)
                else:
                    differing_above ^= np.uint64(1) << np.uint64(card - _WORD)
        if row[6] == 0 and (differing or differing_above):
            return -1
    return at + state.logged


@device_function
def choice_of_card(state, rows, at, card_of, viewer, free):
    """The first card chosen unseen by the viewer that differs from the expected one, if the viewer never learns where the two
    are: both cards, otherwise -1, -1."""
    for k in range(min(np.int64(state.logged), rows.shape[0] - at)):
        row = rows[at + k]
        if row[0] == SELECT and state.log[k, 0] == SELECT and not row[5] >> viewer & 1:
            one, other = np.int64(card_of[row[2]]), np.int64(state.log[k, 2])
            if one != other:
                return (one, other) if free[one] and free[other] else (-1, -1)
    return -1, -1


@device_function
def swap_alike(state, rows, card_of, swaps):
    """Where the log of a record has cards that differ from these rows, but have the same ranks, exchange them (`swaps`)."""
    if rows.shape[0] != state.logged:
        return
    first = 0
    for k in range(rows.shape[0]):
        last = k + rows[k, 6]  # of an event's cards
        for j in range(first, last + 1 if rows[k, 2] != NOBODY else first):
            card, other = np.int64(card_of[rows[k, 2]]), np.int64(state.log[j, 2])
            if other == NOBODY or _RANK[card] != _RANK[other]:
                continue
            both = 0  # whether the log has the expected card, and whether the other card is expected too
            for i in range(first, last + 1):
                both += state.log[i, 2] == card
                both += rows[i, 2] != NOBODY and card_of[rows[i, 2]] == other
            if both == 0:
                swap(card_of, card, other)
                swap(swaps, card, other)
        if k == last:
            first = k + 1


@device_function
def swap(cards, one, other):
    for k in range(cards.shape[0]):
        if cards[k] == one:
            cards[k] = other
        elif cards[k] == other:
            cards[k] = one


class _Scratch(NamedTuple):
    """Room to play in: a record with a log, the record inside it, and another record."""

    logged: np.ndarray
    within: np.ndarray
    before: np.ndarray


def shuffle_past(states):
    """Put the deck of the requested deal into the record."""
    start_stream(states[0], np.uint64(2) * np.uint64(states[0].deals))
    deal(states[0])


def play_logged(scratch, action):
    """Play an action (or the deal) from the record in `before` in the one with a log."""
    logged = scratch.logged
    scratch.within[0] = scratch.before[0]
    logged[0].logged = 0
    logged[0].hand_logged = 0
    if action == _DEAL:
        play_deck(logged[0])
    else:
        play_action(logged[0], action)


def play_past(states, scratch, actions, rows, ends):
    """Deal the deck in `states[0]` and play the actions: `states[k]` becomes the record before action k, and `rows[:ends[k]]`
    the events up to then. Returns False if there is not enough room."""
    end = 0
    for k in range(states.shape[0]):
        scratch.before[0] = states[max(k - 1, 0)]
        play_logged(scratch, _DEAL if k == 0 else actions[k - 1])
        states[k] = scratch.within[0]
        logged = scratch.logged
        if end + logged[0].logged > rows.shape[0]:
            return False
        for j in range(logged[0].logged):
            for column in range(rows.shape[1]):
                rows[end + j, column] = logged[0].log[j, column]
        end += logged[0].logged
        ends[k] = end
    return True


def deal_worlds(states, scratch, rows, maps, possible):
    """Deal in all worlds, from the decks in their records."""
    for i in range(states.shape[0]):
        if possible[i]:
            scratch.before[0] = states[i]
            play_logged(scratch, _DEAL)
            states[i] = scratch.within[0]
            possible[i] = follow(scratch.logged[0], rows, np.int64(0), maps[i]) == rows.shape[0]


def try_action(scratch, action, told):
    """Play an action from the record in `before`. Returns the row after its events if they are the next ones of `told` (the
    rows of the turn, the first that the world has not had, the correspondence of cards, the viewer, and the cards of which the
    viewer learns nothing later), otherwise -1; and two cards that swap places if another card was chosen than expected."""
    rows, at, card_of, viewer, free = told
    logged = scratch.logged
    play_logged(scratch, action)
    one, other = choice_of_card(logged[0], rows, at, card_of, viewer, free)
    swap(card_of, one, other)
    end = follow(logged[0], rows, at, card_of)
    swap(card_of, one, other)
    return end if end > at or end == rows.shape[0] else -1, one, other


def find_action(scratch, action, told, mask, swaps, is_told):
    """Find and play the legal action in the record in `before` that does with the expected cards what the true action did.
    Returns the action, -1 if there is none, the row after its events, and whether cards swapped places.

    An action such as "play a Seven" plays a card picked by the rules. If the action picks another card of the same rank than in
    truth, the two cards are exchangeable and swap places in this world from then on (`swaps`), except if the action was partly
    secret, because secret actions must not matter."""
    rows, at, card_of, _, _ = told
    likely = action
    if at < rows.shape[0] and rows[at, 2] != NOBODY and rows[at, 0] != DECLARE:
        likely += card_of[rows[at, 2]] - rows[at, 2]  # where actions have the numbers of their cards
    for number in range(-2, mask.shape[0]):
        other = number if number >= 0 else action if number == -1 else likely
        if 0 <= other < mask.shape[0] and mask[other]:
            end, card, _ = try_action(scratch, other, told)
            if end >= 0 and card < 0:
                return other, end, False
    if is_told and mask[action]:
        play_logged(scratch, action)
        swap_alike(scratch.logged[0], rows, card_of, swaps)
        if follow(scratch.logged[0], rows, at, card_of) == rows.shape[0]:
            return action, rows.shape[0], True
    return np.int64(-1), at, False


def offer_worlds(states, scratch, move, told, possible, shown, exact):
    """Show the player to move what they see in all worlds that have not had all events of a turn, and mark the actions that
    look to the viewer like the true one. `move` has the true action, its seat, whether all of it is public, and the viewer;
    `shown` has the observation, the mask, the marks and the actions to play, -1 where it is the expected one; `exact` is 0
    where other cards than in truth have been seen."""
    action, mover, is_told, viewer = move
    rows, at, maps, swaps, card_of, free = told  # `card_of`: room for one world's
    observation, mask, alike, _ = shown
    for i in range(states.shape[0]):
        mask[i, :] = 0
        alike[i, :] = 0
        if possible[i] and not 0 < rows.shape[0] == at[i] and states[i].current_player == mover:
            scratch.before[0] = states[i]
            view(scratch.before[0], observation[i], mask[i])
            for card in range(DECK_66):
                card_of[card] = swaps[i, maps[i, card]]
            now = rows, at[i], card_of, viewer, free
            if at[i] < rows.shape[0] and rows[at[i], 0] == SELECT and not rows[at[i], 5] >> viewer & 1:
                for other in range(mask.shape[1]):
                    if mask[i, other]:
                        end, _, _ = try_action(scratch, other, now)
                        alike[i, other] = end >= 0
            else:
                same, _, has_swapped = find_action(scratch, action, now, mask[i], swaps[i], is_told)
                exact[i] &= not has_swapped
                if same >= 0:
                    alike[i, same] = 1


def step_worlds(states, scratch, move, told, possible, shown, exact):
    """Play the next action of a turn in all worlds that have not had all of its events."""
    action, mover, is_told, viewer = move
    rows, at, maps, swaps, card_of, free = told
    _, mask, _, chosen = shown
    for i in range(states.shape[0]):
        if not possible[i] or 0 < rows.shape[0] == at[i]:
            continue
        if states[i].current_player != mover:
            possible[i] = 0
            continue
        scratch.before[0] = states[i]
        for card in range(DECK_66):
            card_of[card] = swaps[i, maps[i, card]]
        now = rows, at[i], card_of, viewer, free
        end, one, other = np.int64(-1), -1, -1
        if chosen[i] >= 0:
            end, one, other = try_action(scratch, chosen[i], now)
        if end < 0:
            mask[i, :] = 0
            legal_actions(scratch.before[0], mask[i])
            same, end, has_swapped = find_action(scratch, action, now, mask[i], swaps[i], is_told)
            possible[i] = same >= 0
            exact[i] &= not has_swapped
        if possible[i]:
            states[i] = scratch.within[0]
            at[i] = end
            swap(swaps[i], one, other)


def keep_worlds(states, truth, noise, observation, mask, same):
    """Drop the worlds that look different to the player to move than the true record, and give the others a new future."""
    view(truth[0], observation[0], mask[0])
    for i in range(states.shape[0]):
        if same[i]:
            view(states[i], observation[1], mask[1])
            for k in range(observation.shape[1]):
                same[i] &= observation[0, k] == observation[1, k]
            for k in range(mask.shape[1]):
                same[i] &= mask[0, k] == mask[1, k]
        if same[i]:
            reseed_for_sample(states[i], (noise[i], np.uint64(0)))


_RULES = ("play_deck", "play_action", "view", "over", "reseed_for_sample")
_PARTS = (shuffle_past, play_logged, play_past, deal_worlds, try_action, find_action, offer_worlds, step_worlds, keep_worlds)
_KERNELS = {function.__name__: function for function in _PARTS}


@functools.cache
def past_kernels(game: Game) -> dict[str, Any]:
    """The kernels for replays, bound to a game's functions."""
    return bind({**{name: kernels.SHARED[name] for name in _RULES}, **_KERNELS}, game.functions, f"{game.id}.past")


class _Played(NamedTuple):
    """The hand as it was played, in turns.

    Attributes:
        turns: the actions of each.
        told: the events of the deal and of each turn.
        movers: the player who was to move before each action.
        deck: the shuffled deck.
        place: int64 [1 + turns, 66], the zone of each card after the deal and each turn.
        known: the same as far as the viewer knows.
        now: the record now.
    """

    turns: list[range]
    told: list[np.ndarray]
    movers: list[int]
    deck: np.ndarray
    place: np.ndarray
    known: np.ndarray
    now: np.ndarray


class Past:
    """The hand in progress as it was truly played.

    Args:
        start: the bytes of the record before the deal.
        deck: the given deck; None if it was shuffled.
        actions: the actions since the deal.
    """

    def __init__(self, game: Game, options: Options, start: bytes, deck: np.ndarray | None, actions: list[int]) -> None:
        self.game, self.options, self.start, self.deck, self.actions = game, options, start, deck, actions
        self._secret = secret_kinds(game)
        self._numbers: dict[tuple[str, int], int] = {}  # of zones and of places in them
        self._lists: dict[tuple[str, int], list[int]] = {}  # the numbers of a zone of this size

    def replay(self, samples: np.ndarray, viewer: int, seed: int, last: int, choose: Choose) -> np.ndarray | None:
        """Replay in worlds that `determinize` sampled for the viewer; see `View.replay`."""
        count, ids = len(samples), self.game.deck(self.options)
        played = self._play(viewer) if self.actions and len(set(ids)) == len(ids) and max(ids) < DECK_66 else None
        if played is None:
            return None
        there = np.array([self._numbered(self.game.zones(as_record(samples, i), None)) for i in range(count)])
        noise = np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)
        maps, end = self._maps(played, there, viewer, noise), len(self.actions)
        possible, *_ = self._play_worlds(played, maps[:, :_TRIAL], noise[:_TRIAL], viewer, end, choose)
        left = np.arange(count if possible.mean() < _ENOUGH else 0)
        for _ in range(TRIES):  # others may have held the world's cards at other times
            if len(left) <= (1 - _ENOUGH) * count:
                break
            possible, *_ = self._play_worlds(played, maps[:, left], noise[left], viewer, end, choose)
            left = left[possible == 0]
            noise[left] = mix(noise[left])
            maps[:, left] = self._maps(played, there[left], viewer, noise[left])
        others = [k for k, turn in enumerate(played.turns) if played.movers[turn.start] != viewer]
        first = others[-last] if len(others) > last else 0
        possible, same, worlds = self._play_worlds(played, maps, noise, viewer, first, choose)
        samples[same > 0] = worlds[same > 0]
        return possible

    def _play_worlds(
        self, played: _Played, maps: np.ndarray, noise: np.ndarray, viewer: int, first: int, choose: Choose
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play the hand in all worlds, given the correspondence of cards; `choose` makes the decisions of other players from
        turn `first` on. Returns which worlds are possible, which of these the viewer cannot tell from the truth, and all.

        A turn is played as a whole, because worlds may divide it into other actions: who puts their highest card on a heap need
        not say that they are done."""
        count = len(noise)
        worlds = as_records(np.repeat(np.frombuffer(self.start, self.game.state), count))
        worlds["deck"][:, : len(played.deck)] = maps[0][:, played.deck]
        bound, scratch = past_kernels(self.game), self._scratch()
        possible = np.ones(count, np.uint8)
        bound["deal_worlds"](worlds, scratch, played.told[0], maps[0], possible)
        swaps, card_of = np.tile(np.arange(DECK_66, dtype=np.uint8), (count, 1)), np.zeros(DECK_66, np.uint8)
        observation = np.zeros((count, self.game.observation_size(self.options)), np.float32)
        mask, alike = np.zeros((2, count, self.game.num_actions(self.options)), np.uint8)
        chosen, free, exact = np.full(count, -1), _free(played, viewer), np.ones(count, np.uint8)
        for number, turn in enumerate(played.turns):
            rows, mover = played.told[number + 1], played.movers[turn.start]
            seen = _sees(rows, viewer)
            cards = rows[seen & (rows[:, 2] != NOBODY) & (rows[:, 0] != DECLARE), 2]
            possible &= (maps[number + 1][:, cards] == cards).all(axis=1)  # cards that the viewer saw correspond to themselves
            now = rows, np.zeros(count, np.int64), maps[number + 1], swaps, card_of, free[number]
            is_told = len(turn) == 1 and bool(seen.all()) and len(rows) > 0
            for k in range(turn.start, turn.stop + 1):  # worlds may need an action more
                if k == turn.stop and (len(rows) == 0 or (now[1] == len(rows))[possible > 0].all()):
                    break
                move, shown = (self.actions[min(k, turn.stop - 1)], mover, is_told, viewer), (observation, mask, alike, chosen)
                chosen[:] = -1
                if mover != viewer and number >= first:
                    bound["offer_worlds"](worlds, scratch, move, now, possible, shown, exact)
                    deciding = np.flatnonzero(alike.any(axis=1) & (mask.sum(axis=1, dtype=np.int64) > 1))
                    if len(deciding):
                        chosen[deciding] = choose(deciding, observation[deciding], mask[deciding], alike[deciding])
                bound["step_worlds"](worlds, scratch, move, now, possible, shown, exact)
            possible &= now[1] == len(rows)
        same, both = possible & exact, [np.zeros((2, part.shape[1]), part.dtype) for part in (observation, mask)]
        bound["keep_worlds"](worlds, played.now, noise, *both, same)
        return possible, same, worlds

    def _play(self, viewer: int) -> _Played | None:
        """The hand as the viewer perceived it; None if chance was used within the hand, or if there are too many events."""
        bound, scratch = past_kernels(self.game), self._scratch()
        states = as_records(np.repeat(np.frombuffer(self.start, self.game.state), 1 + len(self.actions)))
        if self.deck is None:
            bound["shuffle_past"](states)
        else:
            states["deck"][0, : len(self.deck)] = self.deck
        deck = states["deck"][0, : len(self.game.deck(self.options))].copy()
        rows, ends = np.zeros((LOG_ROWS, len(Row._fields)), np.int32), np.zeros(len(states), np.int64)
        has_room = bound["play_past"](states, scratch, np.array(self.actions, np.int64), rows, ends)
        if not has_room or (states["rng"] != states["rng"][0]).any():
            return None
        told, movers = np.split(rows[: ends[-1]], ends[:-1]), states["current_player"].tolist()
        turns = list(self._turns(movers, told, viewer))
        told = [told[0], *(np.concatenate([told[k + 1] for k in turn]) for turn in turns)]
        zones = [as_record(states, k) for k in (0, *(turn.stop for turn in turns))]
        place, known = (np.array([self._numbered(self.game.zones(state, seat)) for state in zones]) for seat in (None, viewer))
        return _Played(turns, told, movers, deck, place, known, states[-1:])

    def _turns(self, movers: list[int], told: list[np.ndarray], viewer: int) -> Iterator[range]:
        """The actions in turns: of a player as many as it takes until the viewer perceives something. Specials are revealed one
        by one, but who holds no others need not say that they are done."""
        first = 0
        for k, mover in enumerate(movers[:-1]):
            rows = told[k + 1]
            goes_on = (rows[:, 0] == REVEAL) | (self._secret[rows[:, 0]] & ~_sees(rows, viewer))
            if not len(rows) or not goes_on.all() or movers[k + 1] != mover or k + 2 == len(movers):
                yield range(first, k + 1)
                first = k + 1

    def _scratch(self) -> _Scratch:
        logged = np.zeros(1, logged_dtype(self.game.state))
        parts = logged, inside(logged, self.game.state), np.zeros(1, self.game.state)
        return _Scratch(*map(as_records, parts))

    def _maps(self, played: _Played, there: np.ndarray, viewer: int, noise: np.ndarray) -> np.ndarray:
        """The correspondences of cards in worlds whose cards are in the zones `there` [S, 66]: uint8 [1 + turns, S, 66], for
        the deal and each turn."""
        place, known, noise = played.place, played.known, noise.copy()
        is_hand = np.array([self.game.zone_role(name).is_held for name, _ in self._numbers] + [False])
        hidden = [not _sees(rows, viewer).all() for rows in played.told] + [False]
        (chosen, moved), allowed = _chosen(played, viewer), _allowed(place, known, len(self._numbers))
        maps = np.empty((len(played.told), len(there), DECK_66), np.uint8)
        maps[-1] = _paired(place[-1], known[-1], there, int(noise[0] >> _HIGH))
        unknown = np.flatnonzero((known[-1] == NOWHERE) & (place[-1] != NOWHERE))
        redraw(np.flatnonzero(known[-1] != NOWHERE), unknown[None], place[-1], allowed[-1], maps[-1], noise, False)
        for k in range(len(maps) - 1, -1, -1):
            if k < len(maps) - 1:
                maps[k] = maps[k + 1]
            if hidden[k] or hidden[k + 1]:
                groups = _groups(place[k], (known[k] == NOWHERE) & ~chosen[k] & is_hand[place[k]])
                before = max(k - 1, 0)
                redraw(np.flatnonzero(known[k] != NOWHERE), groups, place[before], allowed[before], maps[k], noise, True)
                for group in _groups(place[before], (known[k] == NOWHERE) & moved[k]):
                    cards = group[group >= 0]  # cards are chosen in ascending order
                    maps[k][:, cards] = np.sort(maps[k][:, cards], axis=1)
        return maps

    def _numbered(self, zones: dict[str, list[int]]) -> np.ndarray:
        """The number of each card's zone. Where everybody sees in which order cards lie, each place is a zone of its own."""
        cards, numbers = list[int](), list[int]()
        for name, ids in zones.items():
            cards += ids
            key = name, len(ids)
            if key not in self._lists:
                role = self.game.zone_role(name)
                is_ordered = not role.is_held and role is not ZoneRole.STOCK
                places = [(name, k if is_ordered else 0) for k in range(len(ids))]
                self._lists[key] = [self._numbers.setdefault(place, len(self._numbers)) for place in places]
            numbers += self._lists[key]
        found = np.full(DECK_66 + 1, NOWHERE)
        found[cards] = numbers  # the last is that of hidden cards, -1
        return found[:DECK_66]


def _paired(place: np.ndarray, known: np.ndarray, there: np.ndarray, seed: int) -> np.ndarray:
    """A random partner of each card in the same zone of a world."""
    maps, rng = np.tile(np.arange(DECK_66, dtype=np.uint8), (len(there), 1)), np.random.default_rng(seed)
    free = np.flatnonzero((known == NOWHERE) & (place != NOWHERE))
    slots = (place[free] + rng.random((len(there), len(free)))).argsort(axis=1)
    cards = (there[:, free] + rng.random((len(there), len(free)))).argsort(axis=1)
    np.put_along_axis(maps, free[slots], free[cards].astype(np.uint8), axis=1)
    return maps


def _groups(place: np.ndarray, free: np.ndarray) -> np.ndarray:
    """The free cards of each zone: int64 [zones, cards], -1 after the last."""
    groups = [np.flatnonzero(free & (place == zone)) for zone in np.unique(place[free])]
    rows = np.full((len(groups), max(map(len, groups), default=0)), -1)
    for row, group in zip(rows, groups, strict=True):
        row[: len(group)] = group
    return rows


def _chosen(played: _Played, viewer: int) -> tuple[np.ndarray, np.ndarray]:
    """After each turn the cards that were chosen in secret and have not moved yet, such as those to pass, and those that moved
    in it: bool [1 + turns, 66]. In the end none waits, because the choice is not known."""
    chosen, moved = np.zeros((2, *played.place.shape), np.bool_)
    for k in range(1, len(chosen)):
        rows = played.told[k]
        chosen[k] = chosen[k - 1]
        chosen[k, rows[~_sees(rows, viewer) & (rows[:, 0] == SELECT), 2]] = True
        moved[k] = chosen[k] & (played.place[k] != played.place[k - 1])
        chosen[k] &= ~moved[k]
    chosen[-1] = False
    return chosen, moved


def _allowed(place: np.ndarray, known: np.ndarray, zones: int) -> np.ndarray:
    """Where each card can have been, as far as the viewer knows: bool [1 + turns, 66, zones + 1]. A card is where it was last
    known to be, or where hidden cards went from there."""
    allowed = np.zeros((*place.shape, zones + 1), np.bool_)
    reached = np.ones(allowed.shape[1:], np.bool_)
    for k in range(len(place)):
        free = (known[k] == NOWHERE) & (place[k] != NOWHERE)
        if k:
            moved = free & (place[k] != place[k - 1])
            before = reached.copy()
            for start, end in set(zip(place[k - 1, moved].tolist(), place[k, moved].tolist(), strict=True)):
                reached[:, end] |= before[:, start]
        reached &= np.isin(np.arange(zones + 1), place[k, free])
        cards = np.flatnonzero(known[k] != NOWHERE)
        reached[cards] = False
        reached[cards, known[k, cards]] = True
        reached[:, NOWHERE] = True
        allowed[k] = reached
    return allowed


def _free(played: _Played, viewer: int) -> np.ndarray:
    """For each turn the cards of which the viewer learns nothing from then on: uint8 [turns, 66]."""
    free = np.ones((len(played.turns), DECK_66), np.uint8)
    learned = np.zeros(DECK_66, np.bool_)
    for k in range(len(free) - 1, -1, -1):
        rows = played.told[k + 1]
        learned |= played.known[k + 1] != NOWHERE
        learned[rows[_sees(rows, viewer) & (rows[:, 2] != NOBODY), 2]] = True
        free[k] = ~learned
    return free


def _sees(rows: np.ndarray, viewer: int) -> np.ndarray:
    """The rows that a seat perceives completely."""
    return (rows[:, 5] >> viewer & 1).astype(np.bool_)
