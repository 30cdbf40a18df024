"""Tricks for four players: following suit, Jokers, winners, and the sequence of tricks (ED-65 to ED-79).

CONTRIBUTING.md describes the order of calls. A trick is a cycle; `state.turn` is the seat to act, NOBODY once all have had
their turn. Trumps are a suit, or NO_SUIT.
"""

from __future__ import annotations

import numpy as np

from .. import events
from ..bits import count_bits, highest_bit, lowest_bit
from ..cards import DECK_66, STANDARD, SUITS
from ..events import CLAIM, EVERYBODY, SET_ASIDE, TRICK_WON, emit, emit_card, emit_list
from ..jit import device_function
from .reveal import commit, mark_reveals, reveal
from .sets import (
    BIT,
    NO_CARD,
    NO_SUIT,
    SPECIALS,
    STANDARD_CARDS,
    SUIT,
    SUIT_CARDS,
    ZERO,
    add,
    id_at,
    is_joker,
    mark_cards,
    remove,
)
from .state import NOBODY, TRICK_PLAYERS, TRICKS
from .turns import CYCLE, end_turn, note_effect, start_cycle

PLAY, DECLARE, SETTLE = range(1, 4)  # the question to the player
OPEN, WINS, LOSES, FIXED = range(4)  # the status of a Joker; a FIXED one is the declared card in any case

# The shared actions, see view.py.
DECLARE_AT = DECK_66
REVEAL_AT = DECLARE_AT + STANDARD
COMMIT_AT = REVEAL_AT + SPECIALS
WIN_AT, LOSE_AT = COMMIT_AT + 1, COMMIT_AT + 2
MAX_STEPS = 115  # in the play of a deal (ED-86)

_RANKS = STANDARD // SUITS
_ACES = STANDARD - SUITS


@device_function
def clear_tricks(state):
    """Clear the state of tricks: no cards played, no question pending."""
    for seat in range(TRICK_PLAYERS):
        state.played[seat, 0] = ZERO
        state.played[seat, 1] = ZERO
    state.dead[0] = ZERO
    state.dead[1] = ZERO
    state.question = 0
    state.tricks_done = 0
    clear_trick(state)


@device_function
def clear_trick(state):
    for k in range(TRICK_PLAYERS):
        state.trick_card[k] = 0
        state.trick_seat[k] = 0
        state.claim[k] = OPEN
    state.trick_size = 0
    state.declared = NO_CARD


@device_function
def start_tricks(state, leader):
    """Begin the play of cards: `leader` leads the first trick."""
    state.question = PLAY
    state.leader_due = leader
    start_cycle(state, leader, 0)


# --- a player's turn ---


@device_function
def led_suit(state):
    """The suit led (ED-67, ED-71); NO_SUIT before a lead, and until a led Joker is declared."""
    if state.trick_size == 0:
        return NO_SUIT
    card = np.int64(state.trick_card[0])
    if is_joker(card):
        card = np.int64(state.declared)
        if card == NO_CARD:
            return NO_SUIT
    return SUIT[card]


@device_function
def following(state):
    """The suited cards that the player in turn may play by ED-68; Jokers may always be played (ED-69)."""
    held, led = state.hand[np.int64(state.turn), 0], led_suit(state)
    if led != NO_SUIT and held & SUIT_CARDS[led] != ZERO:
        return held & SUIT_CARDS[led]
    return held


@device_function
def suits_of(cards):
    """The suits of a set of cards, as four bits."""
    suits = 0
    for suit in range(SUITS):
        if cards & SUIT_CARDS[suit] != ZERO:
            suits |= 1 << suit
    return suits


@device_function
def mark_trick(state, mask, cards, jokers, suits):
    """Mark the actions of the player in turn, according to the question.

    Args:
        cards: the suited cards that they may play: `following`, minus those that the game forbids.
        jokers: the Jokers that they may play.
        suits: the suits, as four bits, that they may declare for a led Joker (ED-70).
    """
    if state.question == SETTLE:
        mask[WIN_AT] = 1
        mask[LOSE_AT] = 1
    elif state.question == DECLARE:
        for card in range(STANDARD):
            mask[DECLARE_AT + card] = suits >> (card & 3) & 1
    elif not mark_reveals(state, mask, REVEAL_AT):
        mark_cards(mask, 0, cards, jokers)


@device_function
def step_trick(state, action):
    """Apply a shared action. Afterwards `state.turn` is the next seat to act; NOBODY if the trick is to be settled."""
    if action < DECLARE_AT:
        play_card(state, action)
    elif action < REVEAL_AT:
        state.declared = action - DECLARE_AT
        emit_card(state, events.DECLARE, np.int64(state.turn), action - DECLARE_AT, EVERYBODY, NOBODY)
        state.question = PLAY
        end_turn(state, CYCLE)
    elif action < COMMIT_AT:
        reveal(state, action - REVEAL_AT, CYCLE)
    elif action == COMMIT_AT:
        commit(state, CYCLE)
    else:
        settle(state, WINS if action == WIN_AT else LOSES)


@device_function
def play_card(state, card):
    """Play a card of the player in turn. If it is a Joker that leads, they must declare it next (ED-70); otherwise their turn
    ends."""
    seat, size, led = np.int64(state.turn), np.int64(state.trick_size), led_suit(state)
    remove(state.hand[seat], card)
    if size > 0 and not is_joker(card) and SUIT[card] != led:
        state.seen_void[seat] = np.int64(state.seen_void[seat]) | 1 << led
    state.trick_card[size] = card
    state.trick_seat[size] = seat
    state.trick_size = size + 1
    emit_card(state, events.PLAY, seat, card, EVERYBODY, NOBODY)
    if size == 0 and is_joker(card):
        state.question = DECLARE
        return
    note_effect(state, seat, card)
    end_turn(state, CYCLE)


@device_function
def settle(state, claim):
    """ED-74: apply the player's answer whether their Joker wins."""
    k = 0
    while not is_open(state, k):
        k += 1
    state.claim[k] = claim
    emit(state, CLAIM, state.trick_seat[k], claim, NOBODY)
    state.question = PLAY
    state.turn = NOBODY


@device_function
def is_open(state, k):
    """Whether card k of the trick is an unsettled Joker."""
    return is_joker(np.int64(state.trick_card[k])) and state.claim[k] == OPEN


# --- the end of a trick ---


@device_function
def stands_for(state, k):
    """Card k of the trick; for a FIXED Joker the declared card."""
    return np.int64(state.declared) if state.claim[k] == FIXED else np.int64(state.trick_card[k])


@device_function
def trick_cards(state):
    """The suited cards in the trick, including FIXED Jokers."""
    cards = ZERO
    for k in range(np.int64(state.trick_size)):
        card = stands_for(state, k)
        if not is_joker(card):
            cards |= BIT[card]
    return cards


@device_function
def ask_jokers(state, trump, banned):
    """ED-72 to ED-74: settle the Jokers of a finished trick, in the order played. Returns whether a player must answer;
    `state.turn` is then that player.

    Args:
        banned: whether the game forbids Jokers to win this trick.
    """
    if state.standard:
        return False
    for k in range(np.int64(state.trick_size)):
        if is_open(state, k):
            can_win, can_lose = outcomes(state, k, trump, banned)
            if can_win and can_lose:
                state.question = SETTLE
                state.turn = state.trick_seat[k]
                return True
            state.claim[k] = WINS if can_win else LOSES
            emit(state, CLAIM, state.trick_seat[k], state.claim[k], NOBODY)
    return False


@device_function
def outcomes(state, k, trump, banned):
    """ED-73: whether the Joker that is card k may win, and whether it may lose."""
    cards, led, won, later = trick_cards(state), led_suit(state), False, False
    for other in range(np.int64(state.trick_size)):
        if state.claim[other] == WINS:
            won = True
        elif other > k and is_open(state, other):
            later = True
    ace = BIT[_ACES + (led if trump == NO_SUIT else trump)]
    can_win = not banned and not won and cards & ace == ZERO
    rivals = cards & SUIT_CARDS[led]
    if trump != NO_SUIT:
        rivals |= cards & SUIT_CARDS[trump]
    return can_win, won or rivals != ZERO or (later and can_win)


@device_function
def trick_winner(state, trump):
    """ED-75: the winner of the trick once its Jokers are settled; NOBODY if it is disregarded (ED-76)."""
    cards, best = trick_cards(state), NO_CARD
    suited = cards & SUIT_CARDS[led_suit(state)]
    if trump != NO_SUIT and cards & SUIT_CARDS[trump] != ZERO:
        suited = cards & SUIT_CARDS[trump]
    if suited & STANDARD_CARDS != ZERO:
        best = highest_bit(suited & STANDARD_CARDS)  # the highest rank of one suit
    elif count_bits(suited) == 1:
        best = id_at(lowest_bit(suited))
    winner = NOBODY
    for k in range(np.int64(state.trick_size)):
        if state.claim[k] == WINS or stands_for(state, k) == best:
            winner = np.int64(state.trick_seat[k])
            if state.claim[k] == WINS:
                break
    return winner


@device_function
def takes(state, trump):
    """The suited cards that would win a trick with a led suit if they were played next and its Jokers lost (ED-75)."""
    cards, led = trick_cards(state), led_suit(state)
    if trump != NO_SUIT and trump != led:
        trumps = cards & SUIT_CARDS[trump]
        return better(trumps, trump) if trumps != ZERO else SUIT_CARDS[trump] | better(cards, led)
    return better(cards, led)


@device_function
def better(cards, suit):
    """The cards of a suit that would win among those of it in `cards`: any if there are none; else the standard cards above
    all of these."""
    rivals = cards & SUIT_CARDS[suit]
    if rivals == ZERO:
        return SUIT_CARDS[suit]
    above = highest_bit(rivals & STANDARD_CARDS) + 1
    return SUIT_CARDS[suit] & (STANDARD_CARDS >> np.uint64(above) << np.uint64(above))


@device_function
def unplayed(state):
    """The standard cards that have not been played in this deal."""
    cards = ZERO
    for seat in range(TRICK_PLAYERS):
        cards |= state.played[seat, 0]
    for k in range(np.int64(state.trick_size)):
        card = np.int64(state.trick_card[k])
        if not is_joker(card):
            cards |= BIT[card]
    return STANDARD_CARDS & ~cards


@device_function
def end_trick(state, winner):
    """Move the cards of the trick to the played cards (dead if nobody won it), and begin the next trick. After the last one
    `state.tricks_done` is TRICKS and `state.turn` NOBODY (ED-65, ED-77)."""
    size = np.int64(state.trick_size)
    emit_list(state, SET_ASIDE if winner == NOBODY else TRICK_WON, winner, state.trick_card, 0, size, EVERYBODY, NOBODY)
    leader = winner
    if winner == NOBODY:
        leader = np.int64(state.trick_seat[0]) if size > 0 else np.int64(state.leader_due)
    for k in range(size):
        card = np.int64(state.trick_card[k])
        add(state.played[np.int64(state.trick_seat[k])], card)
        if winner == NOBODY:
            add(state.dead, card)
    clear_trick(state)
    state.tricks_done += 1
    if state.tricks_done < TRICKS:
        state.leader_due = leader
        start_cycle(state, leader, 0)
    else:
        state.leader_due = 0  # as before play: the next leader is no longer visible
        state.question = 0
