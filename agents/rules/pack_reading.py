"""How the players of Beggar My Neighbor and Egyptian Ratscrew declare Jokers and place drawn cards.

A Jack is the card that is answered least often. All variants that declared another rank because publicly known cards on top of
packs would answer a Jack, or a higher card otherwise, won less often against random players. A higher card is better only if no
answer is possible.
"""

from __future__ import annotations

from ...envs.core.cards import DECK_66, RANKS
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.beggar_my_neighbor import ACTIONS, OBSERVATION
from ...envs.games.packs.rules import DEMAND
from ...envs.games.packs.state import JOKER_TYPE, MOST_OWED, NEXT_CARDS, TYPES, UNKNOWN_TYPE
from .reading import one_hot, whole

PLACE_AT, PLAY_AT = (int(ACTIONS.at(name)[0]) for name in ("place", "play"))
_PACKS, _OWNER, _OWED, _SKIPS, _DIRECTION, _NEXT = OBSERVATION.places(
    "packs", "owner", "owed", "pending_skip", "direction", "next_cards"
)
JACK = 9


@device_function
def pack_size(observation, n, seat):
    return whole(observation, start(_PACKS, n) + seat, DECK_66)


@device_function
def owed(observation, n, shift):
    return whole(observation, start(_OWED, n) + shift, MOST_OWED)


@device_function
def next_type(observation, n, shift, seat, k):
    """The type of card k of a pack."""
    return one_hot(observation, start(_NEXT, n) + shift + (seat * NEXT_CARDS + k) * TYPES, TYPES)


@device_function
def next_payer(observation, n, shift):
    """The next player in order who has cards and is not to be skipped; the viewer if there is none."""
    direction = 1 if observation[start(_DIRECTION, n) + shift] > 0 else n - 1
    seat = direction
    for _ in range(n - 1):
        if observation[start(_PACKS, n) + seat] > 0 and observation[start(_SKIPS, n) + shift + seat] == 0:
            return seat
        seat = (seat + direction) % n
    return 0


@device_function
def demand_of(kind):
    """What a card of a known type demands; a Joker will be a Jack."""
    return 1 if kind == JOKER_TYPE else DEMAND[kind]


@device_function
def cannot_answer(observation, n, shift, seat, cards):
    """Whether all know the first cards of a pack, and none is a pay card."""
    for k in range(min(cards, pack_size(observation, n, seat))):
        kind = next_type(observation, n, shift, seat, k)
        if kind == UNKNOWN_TYPE or demand_of(kind) > 0:
            return False
    return True


@device_function
def best_declaration(observation, mask, n, shift):
    """The highest pay card that the next player surely cannot answer; else a Jack, though they may have the answer on top:
    other cards win less often. If Jacks are barred, the lowest rank."""
    payer = next_payer(observation, n, shift)
    if payer > 0:
        for rank in range(RANKS - 1, JACK, -1):
            if mask[rank] and cannot_answer(observation, n, shift, payer, DEMAND[rank]):
                return rank
    if mask[JACK]:
        return JACK
    rank = 0
    while not mask[rank]:
        rank += 1
    return rank


@device_function
def best_place(observation, n, shift, size):
    """Under how many cards of their own pack, of `size`, a drawn card goes: on top where a payment is due that no known card
    answers, since it may; else to the bottom."""
    due = owed(observation, n, shift)
    if due == 0 or observation[start(_OWNER, n) + shift] > 0:
        return size
    for k in range(min(due, min(size, NEXT_CARDS))):
        kind = next_type(observation, n, shift, 0, k)
        if kind != UNKNOWN_TYPE and demand_of(kind) > 0:
            return size
    return 0
