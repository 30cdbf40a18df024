"""What the fields of a record of Wild Escape must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import DECK_54, STANDARD
from ...core.fields import need
from ...core.kernel import plain
from . import combinations
from .combinations import ABOVE, FAMILY, SIZE
from .state import (
    ACTIONS,
    ANSWER,
    CARDS,
    HAND,
    HIGHER,
    HIGHEST_LEVEL,
    MATCH,
    NO_CARD,
    NOBODY,
    OFFER,
    OFFER_TWO,
    PLAY,
    PLAYERS,
    RETURN,
    TRIBUTE,
)

_CARD = ACTIONS.slices(PLAYERS)["card"].start
_OF_GIVER = (TRIBUTE, ANSWER, HIGHER)
_rank_of = plain(combinations.rank_of)


def check(state: Any, legal: Any) -> None:
    for player in range(PLAYERS):
        need(state.hand_size[player] == sum(state.hand[player]), "a hand has not its size")
        for card in range(DECK_54):
            need(state.known[player][card] <= state.hand[player][card], "more of a hand is known than there is")
            shown = state.last[player][: state.last_size[player]].count(card)
            need(shown <= state.played[player][card], "a card lies on the table that its player has not played")
    need(state.round_number == state.deals and (state.episode == MATCH or state.deals == 1), "the rounds are not those dealt")
    check_exchanges(state)
    if state.over:
        return
    check_places(state)
    level = min(state.levels[state.leader % 2], HIGHEST_LEVEL)
    need(state.trump == level, "the trump rank is not the level of the offense")
    need(state.episode != MATCH or max(state.levels) < state.target_level, "the match is over")
    need((state.kind > 0) == (state.stage == CARDS), "a play is named whose cards are not chosen")
    if state.stage in (PLAY, CARDS):
        check_trick(state)
    else:
        check_exchange(state)
    check_choice(state, legal)


def check_places(state: Any) -> None:
    """Who is out of cards has escaped, one after the other; no team is out (WE-02)."""
    out = [not size for size in state.hand_size]
    need([place > 0 for place in state.place] == out, "not just those out have places")
    need(sorted(filter(None, state.place)) == [*range(1, state.escaped + 1)], "places are not 1, 2, ...")
    need(not all(out[::2]) and not all(out[1::2]), "a team is out")


def check_trick(state: Any) -> None:
    need(state.exchange == state.exchanges, "not all tributes were paid")
    need(state.hand_size[state.current_player] > 0, "the player to move has no cards")
    if state.owner == NOBODY:
        need(state.beat == 0 and state.passes == 0 and not any(state.last_size), "there is nothing to beat, but it was played")
        return
    owner = state.owner
    need(owner != state.current_player, "a player is to beat himself")
    need(state.beat > 0 and state.last_size[owner] == SIZE[FAMILY[state.beat]], "the play to beat is not what was played")
    since = [(owner + k) % PLAYERS for k in range(1, (state.current_player - owner) % PLAYERS)]
    need(
        state.passes == sum(state.hand_size[player] > 0 for player in since), "not just those since the latest play have passed"
    )


# --- tributes ---


def check_exchanges(state: Any) -> None:
    """Who gives to whom, and that he held nothing higher (WE-25), which `determinize` relies on."""
    count = state.exchanges
    givers, receivers = state.giver[:count], state.receiver[:count]
    need(len({*givers, *receivers} - {NOBODY}) == 2 * count, "a tribute has not two players of its own")
    paying, paid = {seat % 2 for seat in givers}, {seat % 2 for seat in receivers}
    need(len(paying) <= 1 and not paying & paid, "a tribute stays in a team")
    for k in range(count):
        kept, offered = state.kept[k], NO_CARD not in state.answer[k]
        need((kept == 3) == (state.higher[k] != NO_CARD) and (offered or not kept), "cards were kept that nobody offered")
        tribute = state.tribute[k]
        if tribute == NO_CARD:
            continue
        above = int(ABOVE[state.trump, _rank_of(tribute)])
        hand, known = state.hand[givers[k]], state.known[givers[k]]
        higher = [card for card in range(DECK_54) if hand[card] > known[card] and above >> 4 * int(_rank_of(card)) & 1]
        need(not higher, "a player kept a higher card than his tribute")


def check_exchange(state: Any) -> None:
    """The tribute, return or offer at work."""
    k, stage = state.exchange, state.stage
    need(k < state.exchanges, "there is no such tribute")
    paid = [card != NO_CARD for card in state.tribute[: state.exchanges]]
    need(paid == [j < k or stage != TRIBUTE for j in range(state.exchanges)], "the tributes were not paid in their order")
    need(state.current_player == (state.giver if stage in _OF_GIVER else state.receiver)[k], "the player to move is not asked")
    need(state.owner == NOBODY and not (state.beat or state.passes or any(state.last_size)), "there is a trick already")
    need(not any(map(any, state.played)), "cards were played before tributes")
    need(min(state.hand_size) >= HAND - PLAYERS, "a hand is too small for a tribute")
    if stage in (RETURN, OFFER, ANSWER, HIGHER):
        joker = state.tribute[k] >= STANDARD
        need(joker == (stage != RETURN), "a tribute has not the answer it calls for")
        need(not joker or state.joker_tribute == OFFER_TWO, "a Joker is not answered")


# --- the choice under way ---


def check_choice(state: Any, legal: Any) -> None:
    """What has been chosen so far could be, one card after the other: then it can be completed."""
    if state.stage in (PLAY, ANSWER):
        need(state.chosen_size == 0, "cards are chosen that nobody asked for")
        return
    if state.stage == CARDS:
        need(legal(stage=PLAY, kind=0, chosen_size=0, chosen=0)[state.kind], "the play that was named is not to be had")
    for size in range(state.chosen_size):
        before = state.chosen[:size] + [0] * (len(state.chosen) - size)
        need(legal(chosen_size=size, chosen=before)[_CARD + state.chosen[size]], "a card was chosen that could not be")
