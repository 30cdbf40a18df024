"""Skin: a banking game. Each player bets that the banker's card is matched by rank before the own; side bets among players.

2 to 8 players and 52 cards; every card on the table is face up, only the order of the stock is hidden. An episode is some hands.
Rules: docs/rules/skin.md (clauses SK-01 to SK-57).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import cards
from ..core import options as opt
from ..core.cards import HIDDEN, RANK_TEXT, RANKS, SUITS
from ..core.game import Game, record_dtype
from ..core.kernel import kernel
from ..core.layout import Block, Layout
from ..core.rng import random_below, shuffle
from ..core.seats import clockwise

MAX_PLAYERS = 8
DECK = cards.STANDARD
LEVELS = 8
MOST_CHIPS = 1_000_000
CREDIT_UNIT = 100  # chips are observed in units of the first stack; on credit, of so many times max_bid
NOBODY = NO_CARD = -1

# What is to be decided. TURN is no decision: the banker turns the next card.
OFFER, STAKE, BANK, SIDE_TARGET, SIDE_AMOUNT, SIDE_REPLY, CENTRAL, BANK_NEW, BETWEEN, TURN = range(10)
PHASES = 9
# The banker has had no card yet; turns one now; has one; has lost one and waits for another; has lost one and only reveals.
NONE_YET, DRAWS, HOLDS, WAITS, REVEALS = range(5)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Skin."""

    num_players: int = opt.integer(6, 2, MAX_PLAYERS, "number of players")
    hands: int = opt.integer("num_players", 1, 200, "hands in an episode (SK-55)")
    stack: int = opt.integer(100, 0, MOST_CHIPS, "chips of each player at the start; 0: credit without limit (SK-09)")
    min_bid: int = opt.integer(1, 1, MOST_CHIPS, "least chips of any bet (SK-03)")
    max_bid: int = opt.integer(8, 1, MOST_CHIPS, "most chips of one proposal, at least min_bid (SK-03)")
    side_bets: bool = opt.flag(True, "players may bet with one another (SK-25)")
    take_central: bool = opt.flag(True, "who has lost may take a central card (SK-32)")
    bank_new_card: bool = opt.flag(True, "a banker who has lost may take another card (SK-34)")
    cash_out: bool = opt.flag(False, "players may leave and come back between hands (SK-53)")
    first_banker: Any = opt.seat("random", "banker of the first hand (SK-04)")
    dead_on_fall: bool = opt.flag(True, "the rank of a live card that was matched is dead (SK-43)")

    def check(self) -> None:
        if self.max_bid < self.min_bid:
            raise ValueError(
                f"option max_bid={self.max_bid!r} is not allowed with min_bid={self.min_bid!r}; "
                f"allowed: {self.min_bid}..{MOST_CHIPS}"
            )


# A rank lies in one place: before a player or the banker (a live card), in the centre, among the dead, or nowhere (fresh).
# Cards are kept by rank, for the card meant is the last one turned of its rank; turned are the first cards of the deck. The
# banker's half of a main bet equals the player's, so only this is kept. A hand's number in the episode is `deals`.
STATE = record_dtype(
    MAX_PLAYERS,
    DECK,
    [
        ("hands", "u1"),
        ("stack", "u4"),
        ("min_bid", "u4"),
        ("max_bid", "u4"),
        ("side_bets", "u1"),
        ("take_central", "u1"),
        ("bank_new_card", "u1"),
        ("cash_out", "u1"),
        ("first_banker", "i1"),
        ("dead_on_fall", "u1"),
        ("chips", "i8", (MAX_PLAYERS,)),  # negative only on credit
        ("main", "i4", (MAX_PLAYERS,)),  # each player's stake against the banker
        ("side", "i4", (MAX_PLAYERS, MAX_PLAYERS)),  # each one's stake in the bet between two players; symmetric
        ("in_game", "u1", (MAX_PLAYERS,)),
        ("card", "i1", (MAX_PLAYERS,)),  # rank of the live card by seat, the banker's too
        ("central", "u1", (RANKS,)),
        ("dead", "u1", (RANKS,)),
        ("turned", "u1"),  # cards turned in this hand
        ("phase", "u1"),
        ("banker", "i1"),
        ("bank", "u1"),  # NONE_YET .. REVEALS
        ("last_receiver", "i1"),  # the player who last received a card in this hand
        ("settled", "u1"),  # a bet was settled in this hand
        ("bettor", "i1"),  # whose occasion to bet it is
        ("rebid", "u1"),  # one of a round of bets against the banker's new card (SK-35)
        ("asked", "u1", (MAX_PLAYERS,)),  # whom the bettor has asked for a side bet on this occasion
        ("target", "i1"),  # whom he asks now
        ("proposal", "u1"),  # the level that waits for an answer
    ],
)

ACTIONS = Layout(
    Block("no", 1, "pass, no stake, done with side bets, accept none, no central card, or just reveal"),
    Block("yes", 1, "accept the card offered, or a new card for the bank"),
    Block("level", LEVELS, "stake, bet, propose or accept the chips of level 1..8 (SK-08)"),
    Block("target", MAX_PLAYERS, "propose a side bet to the player 0..7 seats clockwise (0, oneself, never)"),
    Block("central", RANKS, "take the central card of rank 2..A"),
    Block("between", 4, "between hands: stay, leave, join, stay out"),
)
_NO, _YES, _LEVEL, _TARGET, _CENTRAL, _BETWEEN = (int(ACTIONS.at(block.name)[0]) for block in ACTIONS.blocks)
STAY, LEAVE, JOIN, OUT = range(_BETWEEN, _BETWEEN + 4)

SEAT = RANKS + 6  # entries of a seat in the observation
OBSERVATION = Layout(
    Block(
        "phase",
        PHASES,
        "one-hot: offer, stake, bank, side target, side amount, side reply, central, new card for the bank, between hands",
    ),
    Block(
        "seats",
        MAX_PLAYERS * SEAT,
        "8 players clockwise from the viewer, 19 entries each, zero for absent ones: in the game; banker; live card, one-hot by "
        "rank (the banker's too); main bet / max_bid; chips / stack (on credit / 100 max_bid); received a card last; already "
        "asked for a side bet on this occasion",
    ),
    Block(
        "side_bets",
        MAX_PLAYERS * MAX_PLAYERS,
        "side bet between the players i and j, clockwise from the viewer, at 8 i + j, symmetric: chips / max_bid",
    ),
    Block("bank_card", RANKS, "the banker's card: one-hot by rank"),
    Block("bank_state", 3, "the banker without a card: none yet; lost and waiting (also while he chooses); lost and only revealing"),
    Block("central", RANKS, "1 for each rank that is central"),
    Block("dead", RANKS, "1 for each rank that is dead"),
    Block("seen", RANKS, "cards of each rank turned in this hand / 4"),
    Block("offered", RANKS, "rank of the card offered: one-hot"),
    Block("proposal", LEVELS, "level that waits for an answer: one-hot"),
    Block("partner", MAX_PLAYERS, "who proposed it, or whom a side bet is for, clockwise from the viewer: one-hot"),
    Block("counts", 3, "cards left in the stock / 52; hands to come after this one / hands; 1 if this is a rebid (SK-35)"),
)
(
    _PHASE,
    _SEATS,
    _SIDE_BETS,
    _BANK_CARD,
    _BANK_STATE,
    _CENTRAL_RANKS,
    _DEAD_RANKS,
    _SEEN,
    _OFFERED,
    _PROPOSAL,
    _PARTNER,
    _COUNTS,
) = (int(OBSERVATION.at(block.name)[0]) for block in OBSERVATION.blocks)
# Entries of a seat.
IN_GAME, IS_BANKER, LIVE, MAIN, CHIPS, RECEIVED_LAST, ASKED = 0, 1, 2, RANKS + 2, RANKS + 3, RANKS + 4, RANKS + 5

_QUARTER = np.float32(1 / SUITS)
_WITHOUT_LIMIT = np.int64(2**62)


@kernel
def right_of(state, player, steps):
    """The seat `steps` places (0..num_players) to the right of a player, the direction of offers and of the bank."""
    n = np.int64(state.num_players)
    return clockwise(np.int64(player), n - steps, n)


@kernel
def rank_of(card):
    return np.int64(card) >> 2  # // SUITS (SK-07)


# --- a hand ---


@kernel
def deal(state):
    for card in range(DECK):  # SK-02, SK-06
        state.deck[card] = card
    shuffle(state, state.deck, DECK)


@kernel
def begin(state):
    if players_in(state) == 0:
        take_seats(state)
    state.turned = 0
    state.card[:] = NO_CARD
    state.central[:] = 0
    state.dead[:] = 0
    state.bank = NONE_YET
    state.last_receiver = NOBODY
    state.settled = 0
    state.bettor = NOBODY
    state.target = NOBODY
    state.phase = TURN
    play_on(state)


@kernel
def players_in(state):
    count = 0
    for player in range(np.int64(state.num_players)):
        count += state.in_game[player]
    return count


@kernel
def take_seats(state):
    n = np.int64(state.num_players)
    for player in range(n):
        state.in_game[player] = 1
        state.chips[player] = state.stack
    state.banker = state.first_banker
    if state.banker == opt.RANDOM:
        state.banker = random_below(state, n)  # SK-04


@kernel
def play_on(state):
    """The banker turns cards until somebody has to decide or the hand is complete (SK-30)."""
    while state.phase == TURN:
        if is_complete(state) or state.turned == DECK:  # SK-50, SK-52
            end_hand(state)
        else:
            turn_card(state)


@kernel
def is_complete(state):
    """SK-50: a bet was settled, and none is outstanding."""
    return state.settled and not side_bet_outstanding(state) and not main_bet_outstanding(state)


@kernel
def main_bet_outstanding(state):
    for player in range(np.int64(state.num_players)):
        if state.main[player] > 0:
            return True
    return False


@kernel
def side_bet_outstanding(state):
    n = np.int64(state.num_players)
    for player in range(n):
        for other in range(player):
            if state.side[player, other] > 0:
                return True
    return False


@kernel
def turn_card(state):
    rank = rank_of(state.deck[state.turned])
    state.turned += 1
    if state.dead[rank]:
        return  # SK-42: discarded
    if state.central[rank]:
        state.central[rank] = 0  # SK-40, SK-17
        state.dead[rank] = 1  # SK-41: to the end of the hand
        return
    for player in range(np.int64(state.num_players)):
        if state.card[player] == rank:
            state.card[player] = NO_CARD
            if player == state.banker:
                state.dead[rank] = state.dead_on_fall  # SK-43
                banker_falls(state)
            else:
                state.dead[rank] = state.dead_on_fall or state.bank == DRAWS  # SK-43, SK-16
                player_falls(state, player)
            return
    fresh_card(state, rank)


@kernel
def fresh_card(state, rank):
    banker = np.int64(state.banker)
    if state.bank == REVEALS:
        state.central[rank] = 1  # SK-38
    elif state.bank == DRAWS:
        state.card[banker] = rank  # SK-15
        state.bank = HOLDS
        ask_stake(state, np.int64(state.last_receiver))  # SK-20
    elif state.bank == WAITS:
        state.card[banker] = rank  # SK-35
        state.bank = HOLDS
        state.rebid = 1
        ask_rebid(state, right_of(state, banker, 1))
    else:
        offer(state, 1)  # SK-10, SK-14, SK-36


@kernel
def player_falls(state, player):
    """SK-31. Without bets nothing is paid."""
    stake = np.int64(state.main[player])
    state.chips[state.banker] += 2 * stake
    state.main[player] = 0
    if stake > 0:
        state.settled = 1
    for other in range(np.int64(state.num_players)):
        stake = np.int64(state.side[player, other])
        if stake > 0:
            state.chips[other] += 2 * stake
            state.side[player, other] = 0
            state.side[other, player] = 0
            state.settled = 1
    if state.bank == DRAWS:
        state.bank = NONE_YET  # SK-16: dealing goes on as before
    elif state.bank == HOLDS and state.take_central:  # SK-32
        for rank in range(RANKS):
            if state.central[rank]:
                state.phase = CENTRAL
                state.current_player = player
                return


@kernel
def banker_falls(state):
    """SK-33."""
    for player in range(np.int64(state.num_players)):
        stake = np.int64(state.main[player])
        if stake > 0:
            state.chips[player] += 2 * stake
            state.main[player] = 0
            state.settled = 1
    if not side_bet_outstanding(state):
        end_hand(state)  # SK-34, SK-51
    elif state.bank_new_card:
        state.bank = WAITS
        state.phase = BANK_NEW
        state.current_player = state.banker
    else:
        state.bank = REVEALS


# --- offers ---


@kernel
def offer(state, first):
    """Offer the card just turned to the first player entitled to it, from `first` places right of the last receiver on; he
    is the last himself. When nobody is left it becomes central."""
    for steps in range(first, np.int64(state.num_players) + 1):
        player = right_of(state, offers_begin_at(state), steps)
        if state.in_game[player] and player != state.banker and state.card[player] == NO_CARD:  # SK-12, SK-36, SK-39
            state.phase = OFFER
            state.current_player = player
            return
    state.central[rank_of(state.deck[state.turned - 1])] = 1  # SK-13, SK-37
    state.phase = TURN


@kernel
def offers_begin_at(state):
    """Offers begin on the right of this player."""
    return np.int64(state.banker) if state.last_receiver == NOBODY else np.int64(state.last_receiver)


@kernel
def legal_offer(state, mask):
    mask[_NO] = 1  # SK-11
    mask[_YES] = 1


@kernel
def step_offer(state, action):
    player = np.int64(state.current_player)
    if action == _NO:
        n = np.int64(state.num_players)
        passed = (offers_begin_at(state) - player + n) % n
        offer(state, (n if passed == 0 else passed) + 1)  # SK-12
    else:
        receive(state, player, rank_of(state.deck[state.turned - 1]))


@kernel
def receive(state, player, rank):
    state.card[player] = rank
    state.last_receiver = player
    if state.bank == NONE_YET:
        state.bank = DRAWS  # SK-15
        state.phase = TURN
    else:
        ask_stake(state, player)  # SK-20, SK-24, SK-37


# --- bets with the banker ---


@kernel
def level_chips(state, level):
    """SK-08."""
    low, high = np.int64(state.min_bid), np.int64(state.max_bid)
    return low + (high - low) * (level - 1) // (LEVELS - 1)


@kernel
def most_for(state, player, other):
    """SK-09: the chips that both can put up."""
    if state.stack == 0:
        return _WITHOUT_LIMIT
    return min(np.int64(state.chips[player]), np.int64(state.chips[other]))


@kernel
def can_bet(state, player, other):
    return most_for(state, player, other) >= state.min_bid


@kernel
def mark_levels(state, mask, most):
    """The levels of at most `most` chips, each amount once (SK-08)."""
    before = 0
    for level in range(1, LEVELS + 1):
        chips = level_chips(state, level)
        if chips > most:
            return
        if chips > before:
            mask[_LEVEL + level - 1] = 1
        before = chips


@kernel
def only_least(state, most):
    """Whether min_bid is the only amount of at most `most` chips."""
    for level in range(2, LEVELS + 1):
        chips = level_chips(state, level)
        if chips > state.min_bid:
            return chips > most
    return True


@kernel
def level_of(action):
    """The level that an action names; 0 for none."""
    return 0 if action == _NO else action - _LEVEL + 1


@kernel
def ask_stake(state, player):
    """The player's occasion to bet: passed over where no level is legal (SK-23)."""
    if can_bet(state, player, state.banker):
        state.bettor = player
        state.phase = STAKE
        state.current_player = player
    else:
        state.phase = TURN


@kernel
def ask_rebid(state, player):
    """SK-35: the first player from `player` going right who has a live card and can bet."""
    while player != state.banker:
        if state.card[player] != NO_CARD and can_bet(state, player, state.banker):
            ask_stake(state, player)
            return
        player = right_of(state, player, 1)
    state.rebid = 0
    state.phase = TURN


@kernel
def end_bets(state):
    """The bettor's occasion is over."""
    bettor = np.int64(state.bettor)
    state.bettor = NOBODY
    state.asked[:] = 0
    if state.rebid:
        ask_rebid(state, right_of(state, bettor, 1))
    else:
        state.phase = TURN


@kernel
def legal_stake(state, mask):
    mask[_NO] = 1  # SK-20
    mark_levels(state, mask, most_for(state, state.bettor, state.banker))


@kernel
def step_stake(state, action):
    if action == _NO:
        end_bets(state)  # SK-29
        return
    level = level_of(action)
    if only_least(state, level_chips(state, level)):
        bet(state, 1)
        return
    state.proposal = level
    state.phase = BANK
    state.current_player = state.banker


@kernel
def legal_answer(state, mask):
    """The levels up to the one proposed (SK-21, SK-27)."""
    mark_levels(state, mask, level_chips(state, np.int64(state.proposal)))


@kernel
def step_bank(state, action):
    state.proposal = 0
    bet(state, level_of(action))


@kernel
def bet(state, level):
    """SK-22."""
    chips = level_chips(state, level)
    state.chips[state.bettor] -= chips
    state.chips[state.banker] -= chips
    state.main[state.bettor] += chips
    ask_target(state)


# --- side bets ---


@kernel
def may_target(state, player):
    """SK-25, SK-29: another player with a live card, not asked yet on this occasion, if both can bet."""
    return (
        player != state.bettor
        and player != state.banker
        and state.card[player] != NO_CARD
        and not state.asked[player]
        and can_bet(state, state.bettor, player)
    )


@kernel
def ask_target(state):
    if state.side_bets:
        for player in range(np.int64(state.num_players)):
            if may_target(state, player):
                state.phase = SIDE_TARGET
                state.current_player = state.bettor
                return
    end_bets(state)


@kernel
def legal_side_target(state, mask):
    mask[_NO] = 1
    n = np.int64(state.num_players)
    for steps in range(1, n):
        if may_target(state, clockwise(np.int64(state.bettor), steps, n)):
            mask[_TARGET + steps] = 1


@kernel
def step_side_target(state, action):
    if action == _NO:
        end_bets(state)
        return
    state.target = clockwise(np.int64(state.bettor), action - _TARGET, np.int64(state.num_players))
    state.asked[state.target] = 1
    if only_least(state, most_for(state, state.bettor, state.target)):
        propose_side_bet(state, 1)
    else:
        state.phase = SIDE_AMOUNT


@kernel
def legal_side_amount(state, mask):
    mark_levels(state, mask, most_for(state, state.bettor, state.target))  # SK-26


@kernel
def step_side_amount(state, action):
    propose_side_bet(state, level_of(action))


@kernel
def propose_side_bet(state, level):
    state.proposal = level
    state.phase = SIDE_REPLY
    state.current_player = state.target


@kernel
def legal_side_reply(state, mask):
    mask[_NO] = 1
    legal_answer(state, mask)


@kernel
def step_side_reply(state, action):
    if action != _NO:
        bettor, target = np.int64(state.bettor), np.int64(state.target)
        chips = level_chips(state, level_of(action))  # SK-27
        state.chips[bettor] -= chips
        state.chips[target] -= chips
        state.side[bettor, target] += chips  # SK-28
        state.side[target, bettor] += chips
    state.proposal = 0
    state.target = NOBODY
    ask_target(state)


# --- after a fall ---


@kernel
def legal_central(state, mask):
    mask[_NO] = 1
    for rank in range(RANKS):
        mask[_CENTRAL + rank] = state.central[rank]


@kernel
def step_central(state, action):
    """SK-32."""
    if action == _NO:
        state.phase = TURN
        return
    rank = action - _CENTRAL
    state.central[rank] = 0
    receive(state, np.int64(state.current_player), rank)


@kernel
def step_bank_new(state, action):
    """SK-34."""
    state.bank = WAITS if action == _YES else REVEALS
    state.phase = TURN


# --- between hands ---


@kernel
def end_hand(state):
    return_bets(state)
    state.phase = BETWEEN
    solvent = 0
    for player in range(np.int64(state.num_players)):
        if is_broke(state, player):
            state.in_game[player] = 0  # SK-54
        else:
            solvent += 1
    if state.deals >= state.hands or solvent < 2:
        finish(state)  # SK-55
    elif state.cash_out:
        ask_between(state, 0)
    else:
        pass_bank(state)


@kernel
def return_bets(state):
    """SK-52."""
    n = np.int64(state.num_players)
    for player in range(n):
        state.chips[player] += state.main[player]
        state.chips[state.banker] += state.main[player]
        for other in range(n):
            state.chips[player] += state.side[player, other]
    state.main[:] = 0
    state.side[:] = 0


@kernel
def is_broke(state, player):
    return state.stack != 0 and state.chips[player] < state.min_bid


@kernel
def ask_between(state, first):
    """SK-53: one pass by seat."""
    for player in range(first, np.int64(state.num_players)):
        if not is_broke(state, player):
            state.current_player = player
            return
    if players_in(state) < 2:
        finish(state)  # SK-55
    else:
        pass_bank(state)


@kernel
def legal_between(state, mask):
    first = STAY if state.in_game[state.current_player] else JOIN
    mask[first] = 1
    mask[first + 1] = 1


@kernel
def step_between(state, action):
    player = np.int64(state.current_player)
    state.in_game[player] = action == STAY or action == JOIN
    ask_between(state, player + 1)


@kernel
def pass_bank(state):
    state.banker = right_of(state, state.banker, 1)  # SK-05
    while not state.in_game[state.banker]:
        state.banker = right_of(state, state.banker, 1)
    state.deal_pending = 1


@kernel
def finish(state):
    for player in range(np.int64(state.num_players)):
        won = np.int64(state.chips[player]) - np.int64(state.stack)
        state.rewards[player] = np.float32(won / np.int64(state.max_bid))  # SK-01
    state.terminated = 1


# --- dispatch ---


@kernel
def legal_actions(state, mask):
    phase = state.phase
    if phase == OFFER or phase == BANK_NEW:
        legal_offer(state, mask)
    elif phase == STAKE:
        legal_stake(state, mask)
    elif phase == BANK:
        legal_answer(state, mask)
    elif phase == SIDE_TARGET:
        legal_side_target(state, mask)
    elif phase == SIDE_AMOUNT:
        legal_side_amount(state, mask)
    elif phase == SIDE_REPLY:
        legal_side_reply(state, mask)
    elif phase == CENTRAL:
        legal_central(state, mask)
    else:
        legal_between(state, mask)


@kernel
def step(state, action):
    phase = state.phase
    if phase == OFFER:
        step_offer(state, action)
    elif phase == STAKE:
        step_stake(state, action)
    elif phase == BANK:
        step_bank(state, action)
    elif phase == SIDE_TARGET:
        step_side_target(state, action)
    elif phase == SIDE_AMOUNT:
        step_side_amount(state, action)
    elif phase == SIDE_REPLY:
        step_side_reply(state, action)
    elif phase == CENTRAL:
        step_central(state, action)
    elif phase == BANK_NEW:
        step_bank_new(state, action)
    else:
        step_between(state, action)
    play_on(state)


# --- what is seen ---


@kernel
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    out[_PHASE + np.int64(state.phase)] = 1
    for seat in range(n):
        observe_seat(state, viewer, seat, out)
    observe_bank(state, out)
    for rank in range(RANKS):
        out[_CENTRAL_RANKS + rank] = state.central[rank]
        out[_DEAD_RANKS + rank] = state.dead[rank]
    for k in range(np.int64(state.turned)):
        out[_SEEN + rank_of(state.deck[k])] += _QUARTER
    if state.phase == OFFER:
        out[_OFFERED + rank_of(state.deck[state.turned - 1])] = 1
    if state.proposal:
        out[_PROPOSAL + np.int64(state.proposal) - 1] = 1
    if state.phase == BANK or state.phase == SIDE_REPLY:
        out[_PARTNER + clockwise(np.int64(state.bettor), n - viewer, n)] = 1
    elif state.phase == SIDE_AMOUNT:
        out[_PARTNER + clockwise(np.int64(state.target), n - viewer, n)] = 1
    hands = np.int64(state.hands)
    out[_COUNTS] = np.float32((DECK - np.int64(state.turned)) / DECK)
    out[_COUNTS + 1] = np.float32((hands - np.int64(state.deals)) / hands)
    out[_COUNTS + 2] = state.rebid


@kernel
def observe_seat(state, viewer, seat, out):
    n = np.int64(state.num_players)
    player, at = clockwise(viewer, seat, n), _SEATS + SEAT * seat
    max_bid = np.int64(state.max_bid)
    unit = np.int64(state.stack) if state.stack else CREDIT_UNIT * max_bid
    out[at + IN_GAME] = state.in_game[player]
    out[at + IS_BANKER] = player == state.banker
    if state.card[player] != NO_CARD:
        out[at + LIVE + np.int64(state.card[player])] = 1
    out[at + MAIN] = np.float32(np.int64(state.main[player]) / max_bid)
    out[at + CHIPS] = np.float32(np.int64(state.chips[player]) / unit)
    out[at + RECEIVED_LAST] = player == state.last_receiver
    out[at + ASKED] = state.asked[player]
    for other in range(seat):
        chips = np.int64(state.side[player, clockwise(viewer, other, n)])
        if chips:
            share = np.float32(chips / max_bid)
            out[_SIDE_BETS + MAX_PLAYERS * seat + other] = share
            out[_SIDE_BETS + MAX_PLAYERS * other + seat] = share


@kernel
def observe_bank(state, out):
    rank = np.int64(state.card[state.banker])
    if rank != NO_CARD:
        out[_BANK_CARD + rank] = 1
    elif state.bank == NONE_YET:
        out[_BANK_STATE] = 1
    elif state.bank == WAITS:
        out[_BANK_STATE + 1] = 1
    elif state.bank == REVEALS:
        out[_BANK_STATE + 2] = 1


@kernel
def determinize(state, viewer):
    """Shuffle the stock; it is sorted first, so that the true order leaves no trace."""
    turned = np.int64(state.turned)
    hidden = np.ones(DECK, np.uint8)
    for k in range(turned):
        hidden[state.deck[k]] = 0
    at = turned
    for card in range(DECK):
        if hidden[card]:
            state.deck[at] = card
            at += 1
    shuffle(state, state.deck[turned:], DECK - turned)


# --- texts ---

_NO_TEXT = ("pass", "no stake", "no", "no side bet", "no", "accept none", "no central card", "just reveal", "no")
_LEVEL_TEXT = {STAKE: "stake", SIDE_AMOUNT: "propose", SIDE_REPLY: "accept"}
_BETWEEN_TEXT = ("stay", "leave", "join", "stay out")
_LEVEL_CHIPS = getattr(level_chips, "py_func", level_chips)
_WORDS = {False: "card", True: "cards"}


def label(state: Any, action: int) -> str:
    block, place = ACTIONS.find(action, int(state.num_players))
    phase = int(state.phase)
    if block == "no":
        return _NO_TEXT[phase]
    if block == "yes":
        return "new card" if phase == BANK_NEW else "accept"
    if block == "level":
        return f"{_LEVEL_TEXT.get(phase, 'bet')} {_count(_LEVEL_CHIPS(state, place + 1), 'chip')}"
    if block == "target":
        return f"side bet with player_{(int(state.current_player) + place) % int(state.num_players)}"
    if block == "central":
        return f"take the central {RANK_TEXT[place]}"
    return _BETWEEN_TEXT[place]


def _count(number: int, what: str) -> str:
    return f"{int(number)} {what}{'' if number == 1 else 's'}"


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """live/<seat> (the banker's too), offered, central, discard, stock (top first)."""
    turned = [int(card) for card in state.deck[: state.turned]]
    last = {card // SUITS: card for card in turned}  # of a rank on the table, this card lies there
    found = {
        f"live/{player}": [last[int(rank)]] if rank != NO_CARD else []
        for player, rank in enumerate(state.card[: state.num_players])
    }
    found["offered"] = turned[-1:] if state.phase == OFFER else []
    found["central"] = [last[rank] for rank in range(RANKS) if state.central[rank]]
    table = {card for ids in found.values() for card in ids}
    found["discard"] = [card for card in turned if card not in table]
    found["stock"] = [int(card) if viewer is None else HIDDEN for card in state.deck[state.turned :]]
    return found


def describe(state: Any, viewer: int | None = None) -> str:
    n = int(state.num_players)
    head = [f"hand {int(state.deals)} of {int(state.hands)}", f"player_{int(state.banker)} is the banker"]
    if state.phase == BANK or state.phase == SIDE_REPLY:
        proposed = _count(_LEVEL_CHIPS(state, int(state.proposal)), "chip")
        kind = "a stake" if state.phase == BANK else "a side bet"
        head.append(f"player_{int(state.bettor)} proposes {kind} of {proposed}")
    elif state.phase == SIDE_AMOUNT:
        head.append(f"a side bet with player_{int(state.target)}")
    if state.bank == REVEALS:
        head.append("the banker just reveals")
    dead = " ".join(RANK_TEXT[rank] for rank in range(RANKS) if state.dead[rank])
    if dead:
        head.append(f"dead: {dead}")
    return "\n".join(["; ".join(head), *(f"player_{player}: {_describe_player(state, player)}" for player in range(n))])


def _describe_player(state: Any, player: int) -> str:
    parts = [_count(state.chips[player], "chip")]
    if not state.in_game[player]:
        parts.append("out")
    if state.main[player]:
        parts.append(f"{int(state.main[player])} against the bank")
    parts += [
        f"{int(chips)} against player_{other}" for other, chips in enumerate(state.side[player][: state.num_players]) if chips
    ]
    return ", ".join(parts)


# --- bounds ---


def _placements() -> int:
    """Cards that can come onto the table in a hand: of the four of a rank, each needs another to fall."""
    return DECK // 2


def _max_length(options: Options) -> int:
    """Each card that comes onto the table is offered to at most n - 1 players, and may bring a choice for the banker and,
    later, one for a player who takes it from the centre. It brings at most n - 1 occasions to bet (a round of rebids), each
    of a stake, its answer and three decisions for each of n - 2 side bets (SK-56)."""
    others = options.num_players - 1
    hand = _placements() * (others + 2 + others * (2 + 3 * (others - 1)))
    return options.hands * hand + (options.hands - 1) * options.num_players * options.cash_out


def _reward_range(options: Options) -> tuple[float, float]:
    """Nobody can lose more than his stack. On credit he risks at most max_bid in each bet agreed: in a hand, on at most as
    many occasions of each player as cards come onto the table, a main bet and two side bets with each of the others."""
    others = options.num_players - 1
    if options.stack:
        return -options.stack / options.max_bid, others * options.stack / options.max_bid
    most = float(options.hands * _placements() * (1 + 2 * (others - 1)))
    return -most, most


GAME = Game(
    name="skin",
    version=0,
    title="Skin",
    options=Options,
    state=STATE,
    actions=ACTIONS,
    observation=OBSERVATION,
    kernels=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK)),
    label=label,
    describe=describe,
    zones=zones,
    max_length=_max_length,
    reward_range=_reward_range,
    chips=lambda options: options.max_bid,
    observation_range=(-np.inf, np.inf),  # bets add up, and stacks on credit may be negative
)
