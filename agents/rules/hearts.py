"""Rule-based hearts: weighs the points that a card takes in this trick, by sampled hands, against the danger of keeping it.

Three questions decide. What does the card cost now? The player deals the unseen cards to the others a few times, consistent
with known voids and passed cards, and lets each of them duck or discard their worst card, as players do. What is it worth to
get rid of the card? A card is dangerous if few unseen ones beat it, above all the Queen of Spades, and the Ace and King while
she is out. Is somebody shooting the moon? Then it pays to let another player win points. Jokers and specials are kept for
expensive tricks: a Joker can lose any trick in which its suit was played, a revealed Skip skips the turn, a revealed Reverse
makes it the last one.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits, highest_bit, lowest_bit
from ...envs.core.cards import DECK_66, STANDARD, SUITS
from ...envs.core.extended.sets import (
    AT_SPECIALS,
    BIT,
    FIRST_SPECIAL,
    KIND_BITS,
    ONE,
    PLACE,
    REVERSE,
    SKIP,
    SPECIALS,
    STANDARD_CARDS,
    SUIT_CARDS,
    WORD,
    ZERO,
)
from ...envs.core.extended.tricks import COMMIT_AT, DECLARE_AT, LOSE_AT, REVEAL_AT, WIN_AT
from ...envs.core.jit import device_function
from ...envs.core.rng import GOLDEN, mix
from ...envs.games.hearts.state import (
    CLAIM_AT,
    HEARTS,
    OBSERVATION,
    PLAYERS,
    QUEEN_OF_SPADES,
    QUEEN_POINTS,
    SPADES,
)
from .reading import hand_size, whole

_HAND, _PILE, _ASIDE = OBSERVATION.places("hand", "pile", "aside", num_players=PLAYERS)
_DIRECTION, _SKIPPED, _OVER, _TRICK = OBSERVATION.places(
    "direction", "pending_skip", "turn_over", "trick_cards", num_players=PLAYERS
)
_PLAYED, _LED, _NUMBER, _VOID = OBSERVATION.places("played", "led_suit", "trick_number", "seen_void", num_players=PLAYERS)
_PHASE, _PASS, _PASSED, _POINTS = OBSERVATION.places("phase", "pass_dir", "passed", "points", num_players=PLAYERS)

_HEARTS, _QUEEN = SUIT_CARDS[HEARTS], BIT[QUEEN_OF_SPADES]
_PENALTIES = _HEARTS | _QUEEN
_TRICKS, _POINT = 13, 26.0
_S32 = np.uint64(32)
NO_ONE, NO_PLACE = -1, -1

# Weights, in points. Found by playing variants against each other, with both decks.
SAMPLES = 20
W = np.array(
    [
        0.5,  # RID: of the danger of a card, what it is worth to be rid of it
        0.3,  # LEAD: what it costs to win a trick without points
        9.0,  # QUEEN: danger of the Queen of Spades in the hand
        4.0,  # ABOVE: of the Ace or King of Spades while she is out
        1.9,  # HIGH: of the highest card of a suit
        1.3,  # HEART: times as much in hearts
        0.8,  # COVER: how much a low card of the suit takes off
        2.5,  # JOKER: worth of a Joker in the hand
        0.3,  # DRAW: of a Draw
        0.5,  # REVERSE: of a Reverse
        1.1,  # SKIP: of a Skip
        0.15,  # STAKE: of the danger of a card, what remains though few points are out
        1.7,  # SHORT: to pass a card of a short suit
        4.0,  # MOON_AT: points in one hand at which a moon is feared
        20.0,  # MOON: what it is worth to break one, for sure to come
    ]
)
RID, LEAD, QUEEN, ABOVE, HIGH, HEART, COVER, JOKER, DRAW_WORTH, REVERSE_WORTH, SKIP_WORTH = range(11)
STAKE, SHORT, MOON_AT, MOON = range(11, 15)


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, noise, W)


@device_function
def decide(observation, mask, noise, w):
    """What to do, by weights as above."""
    hand = read_cards(observation, _HAND)
    if observation[_PHASE] > 0:
        return card_to_pass(mask, hand, w)
    if mask[CLAIM_AT]:
        return CLAIM_AT + 1  # the Joker is worth more later
    if mask[COMMIT_AT]:
        return COMMIT_AT
    table = np.zeros(_TABLE_SIZE, np.int64)
    unseen = read_table(observation, hand, table)
    if mask[WIN_AT]:
        return settle(table, w)
    if mask_has_declaration(mask):
        return declaration(mask, unseen)
    return card_to_play(observation, mask, noise, w, hand, unseen, table)


# --- what is seen ---


@device_function
def read_cards(observation, offset):
    """The cards with a suit of a block of 66."""
    cards = ZERO
    for card in range(DECK_66):
        if observation[offset + card] > 0 and WORD[card] == 0:
            cards |= BIT[card]
    return cards


# Of the table, and what is at stake. Seats are counted clockwise from the player.
_LED_SUIT, _BEST, _WINNER, _SPECIALS, _JOKER_SEAT, _TRICK_POINTS, _TRICKS_LEFT, _THREAT, _FEAR = range(9)
_TABLE_SIZE = 9


@device_function
def read_table(observation, hand, table):
    """Fill in the current trick and who may shoot the moon; returns the suited cards that others or the pile hold."""
    gone, total = hand, np.int64(0)
    for seat in range(PLAYERS):
        played = read_cards(observation, _PLAYED + seat * DECK_66)
        gone |= played
        total += hand_size(observation, seat)
    number = np.int64(0)
    while observation[_NUMBER + number] == 0:
        number += 1
    table[_TRICKS_LEFT] = _TRICKS - number
    table[_LED_SUIT] = NO_PLACE
    for suit in range(SUITS):
        if observation[_LED + suit] > 0:
            table[_LED_SUIT] = suit
    clear_trick(table)
    for seat in range(PLAYERS):
        for card in range(DECK_66):
            if observation[_TRICK + seat * DECK_66 + card] > 0:
                if WORD[card] == 0:
                    gone |= BIT[card]
                    lay(table, seat, PLACE[card])
                else:
                    table[_JOKER_SEAT] = seat
    for special in range(SPECIALS):
        if observation[_ASIDE + special] > 0:
            gone |= BIT[FIRST_SPECIAL + special]
    fear_moon(observation, table)
    standard = total + count_bits(gone & ~hand) <= STANDARD and observation[_PILE] == 0
    return (STANDARD_CARDS if standard else ~ZERO) & ~gone


@device_function
def clear_trick(table):
    table[_BEST], table[_WINNER], table[_SPECIALS], table[_JOKER_SEAT] = NO_PLACE, NO_ONE, 0, NO_ONE
    table[_TRICK_POINTS] = 0


@device_function
def lay(table, seat, place):
    """Add a suited card to the trick."""
    bit = ONE << np.uint64(place)
    table[_TRICK_POINTS] += points_of(bit)
    if table[_LED_SUIT] == NO_PLACE:
        table[_LED_SUIT] = place & 3
    if place & 3 != table[_LED_SUIT]:
        return
    if place >= STANDARD:
        table[_SPECIALS] += 1
        if table[_BEST] == NO_PLACE:  # a special wins only alone
            table[_WINNER] = seat if table[_SPECIALS] == 1 else NO_ONE
    elif place > table[_BEST]:
        table[_BEST], table[_WINNER] = place, seat


@device_function
def points_of(cards):
    return count_bits(cards & _HEARTS) + QUEEN_POINTS * count_bits(cards & _QUEEN)


@device_function
def winner_of(table):
    """The winner of the trick if Jokers lose where they can."""
    if table[_BEST] == NO_PLACE and table[_SPECIALS] == 0:
        return table[_JOKER_SEAT]
    return table[_WINNER]


@device_function
def fear_moon(observation, table):
    """The only player with points so far, and these points."""
    table[_THREAT], table[_FEAR] = NO_ONE, 0
    for seat in range(PLAYERS):
        points = whole(observation, _POINTS + seat, _POINT)
        if points > 0:
            if table[_FEAR] > 0:
                table[_THREAT], table[_FEAR] = NO_ONE, 0
                return
            table[_THREAT], table[_FEAR] = seat, points


# --- passing ---


@device_function
def card_to_pass(mask, hand, w):
    """The card whose loss leaves the best hand; never a Joker."""
    unseen = STANDARD_CARDS & ~hand
    best, choice = 1.0e9, np.int64(-1)
    for card in range(DECK_66):
        if mask[card]:
            suit, left = PLACE[card] & 3, hand
            value = w[JOKER]
            if WORD[card] == 0:
                left = hand & ~BIT[card]
                value = 0.0 if suit == SPADES else -w[SHORT] / (1 + count_bits(left & SUIT_CARDS[suit]))  # nearer to a void
            value += danger_of_hand(left, unseen, STANDARD_CARDS, w, 1.0)
            if value < best:
                best, choice = value, np.int64(card)
    return choice


# --- what is dangerous to keep ---


@device_function
def danger_of_hand(hand, unseen, out, w, share):
    """Points that the cards with a suit of a hand may bring, `out` being all those not yet played. `share`: of the thirteen
    tricks that is still to be played."""
    stake = min(1.0, w[STAKE] + points_of(out) / _POINT) if out & _PENALTIES != ZERO else 0.0
    total = 0.0
    for suit in range(SUITS):
        cards = hand & SUIT_CARDS[suit]
        if cards != ZERO:
            total += stake * danger_of_suit(cards, unseen & SUIT_CARDS[suit] & STANDARD_CARDS, suit, out, w)
    for kind in range(3):
        total -= share * w[DRAW_WORTH + kind] * count_bits((hand >> AT_SPECIALS) & KIND_BITS[kind])
    return total


@device_function
def danger_of_suit(cards, unseen, suit, out, w):
    """A card is dangerous if few unseen ones beat it and few cards of the hand can be played instead; specials can."""
    total, cover = 0.0, np.float64(count_bits(cards >> AT_SPECIALS))
    cards &= STANDARD_CARDS
    while cards != ZERO:
        bit = cards & ~(cards - ONE)
        cards &= cards - ONE
        under, over = count_bits(unseen & (bit - ONE)), count_bits(unseen & ~(bit - ONE))
        value = 0.0
        if bit == _QUEEN:
            value = w[QUEEN]
        elif under > 0 or over == 0:
            value = w[HIGH] * (under + 1) / (under + over + 2) * (w[HEART] if suit == HEARTS else 1.0)
        if suit == SPADES and bit > _QUEEN and out & _QUEEN != ZERO:
            value += w[ABOVE]
        total += value / (1.0 + w[COVER] * cover)
        cover += over / (under + over + 1)
    return total


# --- Jokers ---


@device_function
def settle(table, w):
    """Declare a Joker to lose, unless that lets somebody shoot the moon."""
    if table[_TRICK_POINTS] > 0 and winner_of(table) == table[_THREAT] and fear(table, w) > 0.3 and table[_THREAT] > 0:
        return WIN_AT
    return LOSE_AT


@device_function
def fear(table, w):
    """An estimate, 0 to 1, that the only player with points shoots the moon."""
    if table[_THREAT] == NO_ONE:
        return 0.0
    return min(1.0, max(0.0, (table[_FEAR] - w[MOON_AT]) / (_POINT - w[MOON_AT])))


@device_function
def mask_has_declaration(mask):
    for card in range(STANDARD):
        if mask[DECLARE_AT + card]:
            return True
    return False


@device_function
def declaration(mask, unseen):
    """The lowest card of the suit of which most cards are out, so that others have to win the trick; hearts last."""
    best, choice = -100, np.int64(-1)
    for suit in range(SUITS):
        value = count_bits(unseen & SUIT_CARDS[suit]) - 20 * (suit == HEARTS) + 3 * (suit == SPADES)
        if mask[DECLARE_AT + suit] and value > best:
            best, choice = value, np.int64(DECLARE_AT + suit)
    return choice


# --- playing a card ---


@device_function
def card_to_play(observation, mask, noise, w, hand, unseen, table):
    cost = np.zeros(DECK_66)
    order = np.full(PLAYERS, NO_ONE)
    followers = read_followers(observation, order)
    hands = np.zeros(PLAYERS, np.uint64)
    trick = np.zeros(_TABLE_SIZE, np.int64)
    held = count_bits(hand)
    share = table[_TRICKS_LEFT] / _TRICKS
    out = hand | unseen
    kept = danger_of_hand(hand, unseen, out, w, share)
    samples = SAMPLES if followers > 0 else 1
    for k in range(samples):
        if followers > 0:
            deal_unseen(observation, unseen, hands, mix(noise + GOLDEN * np.uint64(k + 1)))
        for card in range(DECK_66):
            if mask[card]:
                cost[card] += trick_cost(card, hands, order, followers, trick, table, w) / samples
    best, choice = 1.0e9, np.int64(-1)
    for card in range(DECK_66):
        if mask[card]:
            if WORD[card] == 0:
                cost[card] += w[RID] * danger_of_hand(hand & ~BIT[card], unseen, out & ~BIT[card], w, share)
            else:
                cost[card] += w[RID] * kept + (w[JOKER] * share if held > 0 else 0.0)
            if cost[card] < best:
                best, choice = cost[card], np.int64(card)
    for special in range(SPECIALS):
        if mask[REVEAL_AT + special]:
            value = w[RID] * kept + cost_of_reveal(special >> 2, best - w[RID] * kept, followers, w, share)
            if value < best:
                best, choice = value, np.int64(REVEAL_AT + special)
    return choice


@device_function
def cost_of_reveal(kind, best, followers, w, share):
    """A Skip skips the turn; a Reverse makes it the last; a Draw gives more cards to choose from."""
    if kind == SKIP:
        return w[SKIP_WORTH] * share
    if kind == REVERSE:
        return w[REVERSE_WORTH] * share + (0.4 * best if followers > 1 else best)
    return w[DRAW_WORTH] * share + 0.7 * best


@device_function
def read_followers(observation, order):
    """List the players who act after the player in the trick, in order; returns their number."""
    count = 0
    for step in range(1, PLAYERS):
        seat = step if observation[_DIRECTION] > 0 else PLAYERS - step
        if observation[_OVER + seat] == 0 and observation[_SKIPPED + seat] == 0:
            order[count] = seat
            count += 1
    return count


@device_function
def deal_unseen(observation, unseen, hands, noise):
    """Deal the unseen cards randomly to the others' hands and the pile."""
    room = np.zeros(PLAYERS, np.int64)
    left = count_bits(unseen)
    for seat in range(1, PLAYERS):
        hands[seat] = ZERO
        room[seat] = hand_size(observation, seat)
    receiver = np.int64(0)
    for direction in range(1, PLAYERS):
        if observation[_PASS + direction] > 0:
            receiver = np.int64(direction)
    cards = unseen
    while cards != ZERO:
        place = lowest_bit(cards)
        cards &= cards - ONE
        card = place if place < STANDARD else place + FIRST_SPECIAL - STANDARD
        seat = receiver
        if receiver == 0 or observation[_PASSED + card] == 0 or room[receiver] == 0:
            noise = mix(noise + GOLDEN)
            seat = random_seat(observation, place & 3, room, left, noise)
        left -= 1
        if seat > 0:
            hands[seat] |= ONE << np.uint64(place)
            room[seat] -= 1


@device_function
def random_seat(observation, suit, room, left, noise):
    """The hand that gets a card of a suit, in proportion to its room; 0 for the pile."""
    slots = np.int64(0)
    for seat in range(1, PLAYERS):
        if observation[_VOID + seat * SUITS + suit] == 0:
            slots += room[seat]
    point = np.int64(((noise >> _S32) * np.uint64(max(left, slots))) >> _S32)
    for seat in range(1, PLAYERS):
        if observation[_VOID + seat * SUITS + suit] == 0:
            if point < room[seat]:
                return seat
            point -= room[seat]
    return 0


@device_function
def trick_cost(card, hands, order, followers, trick, table, w):
    """The player's cost with these hands if they play this card and the others play as usual."""
    for k in range(_TABLE_SIZE):
        trick[k] = table[k]
    first = 0
    if WORD[card] == 0:
        lay(trick, 0, PLACE[card])
        if PLACE[card] >= STANDARD and (PLACE[card] - STANDARD) >> 2 == SKIP:
            first = 1
    elif trick[_JOKER_SEAT] == NO_ONE:
        trick[_JOKER_SEAT] = 0
    for k in range(first, followers):
        seat = order[k]
        place = reply(hands[seat], trick, k == followers - 1)
        if place != NO_PLACE:
            lay(trick, seat, place)
    return cost_of_trick(trick, w)


@device_function
def cost_of_trick(trick, w):
    winner, points, threat = winner_of(trick), trick[_TRICK_POINTS], trick[_THREAT]
    cost = 0.0
    if winner == 0:
        cost = w[LEAD] + points
    if threat == NO_ONE or points == 0 or winner == NO_ONE:
        return cost
    worry = w[MOON] * fear(trick, w)
    if threat == 0:  # their own moon
        return cost if winner == 0 and worry < 0.5 * w[MOON] else cost - points if winner == 0 else worry
    if winner == threat:
        return cost + 0.3 * worry
    return cost - (worry if winner == 0 else 0.3 * worry)


@device_function
def reply(hand, trick, last):
    """The place of the card that a player with this hand is likely to play; NO_PLACE if they have none with a suit."""
    led = trick[_LED_SUIT]
    if led == NO_PLACE:
        return NO_PLACE if hand == ZERO else lowest_bit(hand)
    same = hand & SUIT_CARDS[led]
    if same == ZERO:
        return discard(hand, trick)
    ordered = same & STANDARD_CARDS
    if trick[_BEST] != NO_PLACE:
        below = ordered & ((ONE << np.uint64(trick[_BEST])) - ONE)
        if below & _QUEEN != ZERO:
            return np.int64(QUEEN_OF_SPADES)
        if below != ZERO:
            return highest_bit(below)
    if same >> AT_SPECIALS != ZERO:
        return highest_bit(same)
    if ordered & ~_QUEEN != ZERO:
        ordered &= ~_QUEEN
    return highest_bit(ordered) if last else lowest_bit(ordered)


@device_function
def discard(hand, trick):
    """The discard: the Queen of Spades, the highest heart, the highest card."""
    if trick[_TRICKS_LEFT] == _TRICKS and hand & ~_PENALTIES != ZERO:
        hand &= ~_PENALTIES
    if hand & _QUEEN != ZERO:
        return np.int64(QUEEN_OF_SPADES)
    if hand & _HEARTS & STANDARD_CARDS != ZERO:
        return highest_bit(hand & _HEARTS & STANDARD_CARDS)
    if hand & STANDARD_CARDS != ZERO:
        return highest_bit(hand & STANDARD_CARDS)
    return NO_PLACE if hand == ZERO else highest_bit(hand)
