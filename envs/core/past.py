"""Replays of the hand in progress with other hidden cards: the observations and choices that other players would have had.

`determinize` samples hidden cards for a seat, and the hand so far is replayed in each of these worlds: deals, draws and actions
are the same, but with other cards wherever the seat saw none. `Past.decisions` are the decisions of the other players on the
way, from which search estimates the likelihood of each world (`agents/belief.py`).

Replays reveal nothing hidden. The correspondence between true cards and cards of a world is fixed backwards from the present,
state by state (`pair`): cards that the seat knows in a zone correspond to themselves; all others in the zone of the world are
paired at random with those truly there, so no card is closer to the truth than another. For hands, the pairing is redrawn
before and after every hidden move: each card of a hand is equally likely to be the one drawn, passed or dealt. Worlds that are
inconsistent with the course of the hand are dropped. In games with many hidden draws and many announcements (Go Fish, Bluff,
Old Maid) hardly any world remains, because samples agree with present knowledge, not with the time at which each card moved. A
replayed past therefore depends only on the world, on the seat's perceptions, and on the public numbers of cards moved between
zones. The outcome of chance within a hand, such as reshuffled discards, is not public, so nothing after it is replayed. Games
with repeated card ids, or with ids beyond the built-in ones, are not replayed either, nor is a determinized game before its
determinization.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import kernels
from .cards import DECK_66, rank_number
from .events import DECLARE, LOG_ROWS, NOBODY, Row, inside, logged_dtype, secret_kinds
from .game import Game, Options, as_record, as_records
from .jit import bind, device_function, kernel
from .rng import GOLDEN, mix, start_stream

if TYPE_CHECKING:  # bound to a game's functions
    from .kernels import deal, legal_actions, play_action, play_deck, view

NOWHERE = -1  # no zone: the card is not in the game, or the seat does not know its place
TRIES = 8  # for each world
_ENOUGH = 0.5  # of the worlds; others are not tried any more
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
def match(zone, there, facts, card_of, noise, i):
    """Pair the cards truly in a zone (`place`) with those in the zone in a world (`there`). If their numbers differ, the world
    is inconsistent: a card is missing, or would show when played.

    Cards known to be there correspond to themselves, and cards `chosen` for a later move keep their partners. Cards known to be
    elsewhere before the last move (`known_origin`) are among those that came from there (`origin`). All others are paired at
    random.
    """
    place, known, chosen, origin, known_origin = facts
    slots, members, is_chosen = np.empty(DECK_66, np.int64), np.empty(DECK_66, np.int64), np.zeros(DECK_66, np.uint8)
    num_slots, num_members = 0, 0
    for card in range(DECK_66):
        if chosen[card] and place[card] == zone and known[card] != zone:
            is_chosen[card_of[card]] = 1
    for card in range(DECK_66):
        known_here = known[card] == zone
        if known_here:
            card_of[card] = card
        if place[card] == zone and not known_here and not chosen[card]:
            slots[num_slots] = card
            num_slots += 1
        if there[card] == zone and not known_here and not is_chosen[card]:
            members[num_members] = card
            num_members += 1
    if num_slots != num_members:
        return
    for k in range(num_slots - 1, 0, -1):
        other = draw_below(noise, i, k + 1)
        slots[k], slots[other] = slots[other], slots[k]
    for has_origin in (True, False):
        for k in range(num_members):
            card = members[k]
            if (known_origin[card] != NOWHERE) == has_origin:
                slot = 0
                while has_origin and slot < num_slots - 1 and origin[slots[slot]] != known_origin[card]:
                    slot += 1
                card_of[slots[slot]] = card
                num_slots -= 1
                slots[slot] = slots[num_slots]


@kernel
def pair(zones, there, facts, maps, noise):
    """For each world the correspondence of true cards to its cards: `maps` [S, 66]. See `match`; `there` [S, 66] has the zones
    of the world's cards."""
    for i in range(there.shape[0]):
        for k in range(zones.shape[0]):
            match(zones[k], there[i], facts, maps[i], noise, i)


# --- replaying ---


@device_function
def says(state, rows, card_of, viewer, secret):
    """Whether the log of a record has these rows with the world's cards, as a seat perceives them; NOBODY: exactly these
    rows."""
    k = 0
    differing, differing_above = np.uint64(0), np.uint64(0)
    for number in range(rows.shape[0]):
        row = rows[number]
        sees = viewer == NOBODY or row[5] >> viewer & 1
        if secret[row[0]] and not sees:
            continue
        k = next_perceived(state, k, viewer, secret)
        if k == state.logged:
            return False
        other = state.log[k]
        k += 1
        for column in (0, 1, 3, 4, 6):
            if row[column] != other[column]:
                return False
        other_sees = viewer == NOBODY or other[5] >> viewer & 1
        if (row[5] != other[5] if viewer == NOBODY else sees != other_sees) or (row[2] == NOBODY) != (other[2] == NOBODY):
            return False
        if row[2] != NOBODY and sees:
            expected = row[2] if row[0] == DECLARE else card_of[row[2]]  # a card that labels name, but not in the deck
            for card in (np.int64(expected), np.int64(other[2])):  # sets: the cards of an event are unordered
                if card < _WORD:
                    differing ^= np.uint64(1) << np.uint64(card)
                else:
                    differing_above ^= np.uint64(1) << np.uint64(card - _WORD)
        if row[6] == 0 and (differing or differing_above):
            return False
    return next_perceived(state, k, viewer, secret) == state.logged


@device_function
def next_perceived(state, k, viewer, secret):
    """The index of the first row from k on that a seat perceives."""
    while viewer != NOBODY and k < state.logged and secret[state.log[k, 0]] and not state.log[k, 5] >> viewer & 1:
        k += 1
    return k


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


def shuffle_past(states):
    """Put the deck of the requested deal into the record."""
    start_stream(states[0], np.uint64(2) * np.uint64(states[0].deals))
    deal(states[0])


def play_logged(logged, within, before, action):
    """Play an action (or the deal) from the record in `before` in the one with a log."""
    within[0] = before[0]
    logged[0].logged = 0
    logged[0].hand_logged = 0
    if action == _DEAL:
        play_deck(logged[0])
    else:
        play_action(logged[0], action)


def play_past(states, logged, within, actions, rows, ends):
    """Deal the deck in `states[0]` and play the actions: `states[k]` becomes the record before action k, and `rows[:ends[k]]`
    the events up to then. Returns False if there is not enough room."""
    end = 0
    for k in range(states.shape[0]):
        play_logged(logged, within, states[max(k - 1, 0) :], _DEAL if k == 0 else actions[k - 1])
        states[k] = within[0]
        if end + logged[0].logged > rows.shape[0]:
            return False
        for j in range(logged[0].logged):
            for column in range(rows.shape[1]):
                rows[end + j, column] = logged[0].log[j, column]
        end += logged[0].logged
        ends[k] = end
    return True


def deal_worlds(states, logged, within, before, rows, maps, secret, possible):
    """Deal in all worlds, from the decks in their records."""
    for i in range(states.shape[0]):
        if possible[i]:
            before[0] = states[i]
            play_logged(logged, within, before, _DEAL)
            states[i] = within[0]
            possible[i] = says(logged[0], rows, maps[i], NOBODY, secret)


def find_action(logged, within, before, action, told, mask, swaps, is_told):
    """Find and play the legal action in the record in `before` that corresponds to the true `action`; -1 if there is none.
    `told` has the rows of the true action, the correspondence of cards, and the secret kinds.

    An action such as "play a Seven" plays a card picked by the rules. If the action picks another card of the same rank than in
    truth, the two cards are exchangeable and swap places in this world from then on (`swaps`), except if the action was partly
    secret, because secret actions must not matter."""
    rows, card_of, secret = told
    if mask[action]:
        play_logged(logged, within, before, action)
        if says(logged[0], rows, card_of, NOBODY, secret):
            return action
    for other in range(mask.shape[0]):
        if mask[other] and other != action:
            play_logged(logged, within, before, other)
            if says(logged[0], rows, card_of, NOBODY, secret):
                return other
    if is_told and mask[action]:
        play_logged(logged, within, before, action)
        swap_alike(logged[0], rows, card_of, swaps)
        if says(logged[0], rows, card_of, NOBODY, secret):
            return action
    return -1


def mark_alike(logged, within, before, action, told, viewer, mask, alike):
    """Mark the legal actions that the viewer cannot tell from `action`."""
    rows, card_of, secret = told
    for other in range(mask.shape[0]):
        if mask[other] and other != action:
            play_logged(logged, within, before, other)
            alike[other] = says(logged[0], rows, card_of, viewer, secret)


def step_worlds(states, logged, within, before, move, told, possible, shown):
    """Play the true action in all worlds. `move` has the action, its seat, the viewer, whether the viewer is to be shown the
    decision, and whether all of it is public; `shown` has the observation, the mask and the indistinguishable actions."""
    action, mover, viewer, is_shown, is_told = move
    rows, maps, swaps, card_of, secret = told  # `card_of`: room for one world's
    observation, mask, alike = shown
    for i in range(states.shape[0]):
        mask[i, :] = 0
        alike[i, :] = 0
        if possible[i] and states[i].current_player == mover:
            before[0] = states[i]
            if is_shown:
                view(before[0], observation[i], mask[i])
            else:
                legal_actions(before[0], mask[i])
            for card in range(DECK_66):
                card_of[card] = swaps[i, maps[i, card]]
            same = find_action(logged, within, before, action, (rows, card_of, secret), mask[i], swaps[i], is_told)
            if same >= 0:
                states[i] = within[0]
                alike[i, same] = 1
                if is_shown and not is_told:
                    mark_alike(logged, within, before, same, (rows, card_of, secret), viewer, mask[i], alike[i])
            possible[i] = same >= 0
        else:
            possible[i] = 0


_RULES = ("play_deck", "play_action", "view", "over")
_PARTS = (shuffle_past, play_logged, play_past, deal_worlds, find_action, mark_alike, step_worlds)
_KERNELS = {function.__name__: function for function in _PARTS}


@functools.cache
def past_kernels(game: Game) -> dict[str, Any]:
    """The kernels for replays, bound to a game's functions."""
    return bind({**{name: kernels.SHARED[name] for name in _RULES}, **_KERNELS}, game.functions, f"{game.id}.past")


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
        self._numbers: dict[str, int] = {}  # of zones
        self._places: dict[tuple[int, int | None], np.ndarray] = {}  # by state and viewer

    def decisions(
        self, samples: np.ndarray, viewer: int, seed: int, last: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Replay in worlds that `determinize` sampled for the viewer; see `View.decisions`."""
        count, ids = len(samples), self.game.deck(self.options)
        played = self._play() if self.actions and len(set(ids)) == len(ids) and max(ids) < DECK_66 else None
        if played is None:
            return
        there = np.array([self._numbered(self.game.zones(as_record(samples, i), None)) for i in range(count)])
        noise = np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)
        maps, numbers = self._maps(*played[:2], there, viewer, noise)
        left = np.arange(count)
        for _ in range(TRIES):  # others may have held the world's cards at other times
            possible = np.ones(len(left), np.uint8)
            for _ in self._play_worlds(*played, [part[left] for part in maps], numbers, viewer, possible, len(self.actions)):
                pass
            left = left[possible == 0]
            if len(left) <= (1 - _ENOUGH) * count:
                break
            for whole, part in zip(maps, self._maps(*played[:2], there[left], viewer, noise[left] + GOLDEN)[0], strict=True):
                whole[left] = part
            noise[left] = mix(noise[left])
        movers = played[0]["current_player"][:-1]
        others = np.flatnonzero(movers != viewer)
        first = int(others[-last]) if len(others) > last else 0
        yield from self._play_worlds(*played, maps, numbers, viewer, np.ones(count, np.uint8), first)

    def _play_worlds(
        self,
        states: np.ndarray,
        told: list[np.ndarray],
        deck: np.ndarray,
        maps: list[np.ndarray],
        numbers: list[int],
        viewer: int,
        possible: np.ndarray,
        first: int,
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Play the hand in all worlds, given the correspondence of cards; returns the decisions of other players from action
        `first` on."""
        count = len(possible)
        worlds = as_records(np.repeat(np.frombuffer(self.start, self.game.state), count))
        possible &= (np.sort(maps[numbers[0]], axis=1) == np.arange(DECK_66)).all(axis=1)
        worlds["deck"][:, : len(deck)] = maps[numbers[0]][:, deck]
        bound, scratch, movers = past_kernels(self.game), self._scratch(), states["current_player"].tolist()
        bound["deal_worlds"](worlds, *scratch, told[0], maps[numbers[0]], self._secret, possible)
        swaps, card_of = np.tile(np.arange(DECK_66, dtype=np.uint8), (count, 1)), np.zeros(DECK_66, np.uint8)
        observation = np.zeros((count, self.game.observation_size(self.options)), np.float32)
        mask, alike = np.zeros((2, count, self.game.num_actions(self.options)), np.uint8)
        for k, action in enumerate(self.actions):
            rows, step_maps = told[k + 1], maps[numbers[k + 1]]
            is_shown = movers[k] != viewer and k >= first
            seen = _sees(rows, viewer)
            cards = rows[seen & (rows[:, 2] != NOBODY) & (rows[:, 0] != DECLARE), 2]
            possible &= (step_maps[:, cards] == cards).all(axis=1)  # cards that the viewer saw correspond to themselves
            move = action, movers[k], viewer, is_shown, bool(seen.all()) and len(rows) > 0
            now = rows, step_maps, swaps, card_of, self._secret
            bound["step_worlds"](worlds, *scratch, move, now, possible, (observation, mask, alike))
            if is_shown:
                yield possible, observation, mask, alike

    def _play(self) -> tuple[np.ndarray, list[np.ndarray], np.ndarray] | None:
        """The records before each action and now, the events of the deal and of each action, and the deck. None if chance was
        used within the hand, or if there are too many events."""
        bound, (logged, within, _) = past_kernels(self.game), self._scratch()
        states = as_records(np.repeat(np.frombuffer(self.start, self.game.state), 1 + len(self.actions)))
        if self.deck is None:
            bound["shuffle_past"](states)
        else:
            states["deck"][0, : len(self.deck)] = self.deck
        deck = states["deck"][0, : len(self.game.deck(self.options))].copy()
        rows, ends = np.zeros((LOG_ROWS, len(Row._fields)), np.int32), np.zeros(len(states), np.int64)
        has_room = bound["play_past"](states, logged, within, np.array(self.actions, np.int64), rows, ends)
        if not has_room or (states["rng"] != states["rng"][0]).any():
            return None
        return states, np.split(rows[: ends[-1]], ends[:-1]), deck

    def _scratch(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A record with a log, the record inside it, and another record."""
        logged = np.zeros(1, logged_dtype(self.game.state))
        return as_records(logged), as_records(inside(logged, self.game.state)), as_records(np.zeros(1, self.game.state))

    def _maps(
        self, states: np.ndarray, told: list[np.ndarray], there: np.ndarray, viewer: int, noise: np.ndarray
    ) -> tuple[list[np.ndarray], list[int]]:
        """The correspondences of cards in worlds whose cards are in the zones `there` [S, 66]: several maps uint8 [S, 66], and
        the index of the map for the deal and each action."""
        count, now = len(there), len(states) - 1
        there, noise = there.copy(), noise.copy()
        hidden = [k > 0 and not _sees(rows, viewer).all() for k, rows in enumerate(told)]
        chosen = self._chosen(states, told, hidden, viewer)
        maps, numbers = [np.tile(np.arange(DECK_66, dtype=np.uint8), (count, 1))], [0] * len(states)
        for k in range(now, -1, -1):
            if k == now or hidden[k] or hidden[k + 1]:
                place, known = self._place(states, k, None), self._place(states, k, viewer)
                if k == now:
                    zones = np.unique(place[place != NOWHERE])
                else:
                    np.put_along_axis(there, maps[-1].astype(np.int64), place[None].repeat(count, 0), axis=1)
                    zones = np.array([number for name, number in self._numbers.items() if self._is_hand(name)], np.int64)
                origin, known_origin = np.full((2, DECK_66), NOWHERE)
                if hidden[k]:
                    origin, known_origin = self._place(states, k - 1, None), self._place(states, k - 1, viewer)
                maps.append(maps[-1].copy())
                pair(zones, there, (place, known, chosen[k], origin, known_origin), maps[-1], noise)
            numbers[k] = len(maps) - 1
        return maps, numbers

    def _is_hand(self, zone: str) -> bool:
        return self.game.zone_role(zone).is_held

    def _chosen(self, states: np.ndarray, told: list[np.ndarray], hidden: list[bool], viewer: int) -> np.ndarray:
        """For each state the cards that were chosen in secret and have not moved yet, such as the first of three to pass: uint8
        [states, 66]. In the last state none, because their choice is not known."""
        chosen = np.zeros((len(states), DECK_66), np.uint8)
        for k in range(1, len(states) - 1):
            chosen[k] = chosen[k - 1]
            if hidden[k]:
                stays = self._place(states, k, None) == self._place(states, k - 1, None)
                chosen[k] &= stays
                cards = told[k][~_sees(told[k], viewer), 2]
                chosen[k][cards[cards != NOBODY]] = 1
                chosen[k] &= stays
        return chosen

    def _place(self, states: np.ndarray, k: int, viewer: int | None) -> np.ndarray:
        """The zone of each card before action k, as far as the viewer knows; None: the truth."""
        if (k, viewer) not in self._places:
            self._places[k, viewer] = self._numbered(self.game.zones(as_record(states, k), viewer))
        return self._places[k, viewer]

    def _numbered(self, zones: dict[str, list[int]]) -> np.ndarray:
        places = np.full(DECK_66, NOWHERE)
        for name, ids in zones.items():
            number = self._numbers.setdefault(name, len(self._numbers))
            places[[card for card in ids if card >= 0]] = number
        return places


def _sees(rows: np.ndarray, viewer: int) -> np.ndarray:
    """The rows that a seat perceives completely."""
    return (rows[:, 5] >> viewer & 1).astype(np.bool_)
