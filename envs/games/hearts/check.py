"""What the fields of a record of hearts must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.extended.check import check_dealt, check_tricks, is_joker
from ...core.extended.sets import FIRST_SPECIAL, SUIT, ids_of
from ...core.extended.state import NOBODY, TRICKS
from ...core.fields import need
from ...core.match import check_hands
from .state import BY_CLAIM, BY_TWO, CLAIM, CLUBS, HOLD, MATCH, PASS, PASSED, PLAY, PLAYERS, TWO_OF_CLUBS


def check(state: Any, legal: Any) -> None:
    check_tricks(state)
    check_hands(state)
    need(state.match == MATCH or state.totals == [0] * PLAYERS, "a single hand begins with no points")
    need(state.face_up == 0, "a hand lies face up")
    need(sum(state.tricks) <= state.tricks_done, "more tricks were won than played")
    check_won(state)
    if state.over:
        return
    need((state.phase == PLAY) == (state.question > 0), "the phase is not that of the trick")
    need((state.phase == PLAY) == (state.opener != NOBODY), "the first trick has no opener, or one too early")
    if state.phase == PASS:
        check_passing(state)
        return
    check_passed(state)
    hands = [set(ids_of(hand)) for hand in state.hand]
    if state.phase == CLAIM:
        check_dealt(state)
        need(_may_claim(hands, state.current_player), "the player to move may not claim the lead")
    else:
        need(state.current_player == state.turn, "the player to move is not the one whose turn it is")
        check_opening(state, hands)


def check_won(state: Any) -> None:
    """What was won is what was played to tricks that somebody won."""
    seen: set[int] = set()
    for won in state.won:
        cards = set(ids_of(won))
        need(seen.isdisjoint(cards), "a card was won twice")
        seen |= cards
    played = {card for cards in state.played for card in ids_of(cards)}
    need(seen == played - set(ids_of(state.dead)), "the cards won are not those played")


def check_passing(state: Any) -> None:
    need(state.pass_direction != HOLD, "cards are passed in a hand without a pass")
    dealt: set[int] = set()
    for seat in range(PLAYERS):
        passed, hand = ids_of(state.passed[seat]), ids_of(state.hand[seat])
        done = len(passed)
        to_do = seat > state.current_player
        need(
            done < PASSED if seat == state.current_player else done == (0 if to_do else PASSED),
            "not three cards are passed each",
        )
        need(done + len(hand) == TRICKS, "a player was not dealt thirteen cards")
        dealt |= {*passed, *hand}
    need(any(card == TWO_OF_CLUBS or is_joker(card) for card in dealt), "nobody can lead")  # HE-03


def check_passed(state: Any) -> None:
    """Cards that were passed are the receiver's, or have left his hand."""
    for giver in range(PLAYERS):
        passed = set(ids_of(state.passed[giver]))
        need(len(passed) == (0 if state.pass_direction == HOLD else PASSED), "not three cards were passed each")
        receiver = (giver + state.pass_direction) % PLAYERS
        had = {*ids_of(state.hand[receiver]), *ids_of(state.played[receiver]), *_in_trick(state, receiver)}
        had |= {card for card in passed if card >= FIRST_SPECIAL and state.aside >> (card - FIRST_SPECIAL) & 1}
        need(passed <= had, "a card that was passed is not where it went")


def _in_trick(state: Any, seat: int) -> list[int]:
    size = state.trick_size
    return [card for card, player in zip(state.trick_card[:size], state.trick_seat[:size], strict=True) if player == seat]


# --- the opening lead: what determinize relies on ---


def _has_joker(cards: set[int]) -> bool:
    return any(map(is_joker, cards))


def _opens_unclaimed(hands: list[set[int]], seat: int) -> bool:
    """HE-11."""
    if any(TWO_OF_CLUBS in hand for hand in hands):
        return TWO_OF_CLUBS in hands[seat]
    return _has_joker(hands[seat]) and not any(map(_has_joker, hands[seat + 1 :]))


def _may_claim(hands: list[set[int]], seat: int) -> bool:
    """HE-11."""
    return _has_joker(hands[seat]) and TWO_OF_CLUBS not in hands[seat] and not _opens_unclaimed(hands, seat)


def check_opening(state: Any, hands: list[set[int]]) -> None:
    opener = state.opener
    shown = {*ids_of(state.played[opener]), *_in_trick(state, opener)}
    cards = hands[opener] | shown
    two = state.opening != BY_CLAIM and TWO_OF_CLUBS in cards
    need(two or _has_joker(cards), "the opener had no card to lead")
    if state.tricks_done > 0:
        return
    in_trick = list(zip(state.trick_card, state.trick_seat, strict=True))[: state.trick_size]
    if not in_trick and not state.out >> opener & 1:
        need(state.opening != BY_TWO or TWO_OF_CLUBS in hands[opener], "the opener has not the 2 of Clubs")
        need(state.opening == BY_TWO or _has_joker(hands[opener]), "the opener has no Joker")
        if state.aside == 0:  # no card has moved since HE-11
            right = _may_claim(hands, opener) if state.opening == BY_CLAIM else _opens_unclaimed(hands, opener)
            need(right, "the opener is not who leads")
    if state.standard and state.can_lead_any_club:
        return  # HE-10: the opener may keep the 2 of Clubs
    clubs = bool(in_trick) and SUIT[state.declared if is_joker(in_trick[0][0]) else in_trick[0][0]] == CLUBS
    for k, (card, seat) in enumerate(in_trick):
        must = clubs if k else not is_joker(card)  # HE-14, HE-15
        need(not must or TWO_OF_CLUBS not in hands[seat], "the 2 of Clubs was held back in the first trick")
