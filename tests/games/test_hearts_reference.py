"""Whole random games of hearts beside the slow reference: who is asked, what is legal, who wins each trick, points, ends."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.hearts_positions import CLAIM, DECLINE, LOSE, WIN, field
from games.hearts_reference import Hand, claimants, suit_of
from games.saying import Sayings
from support import random_games
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

CHOICES: list[dict[str, Any]] = [
    {},
    {"passing": "left", "jd_bonus": True, "avoid_all_tricks_bonus": True},
    {"passing": "hold", "no_pts_on_first_trick": False, "moon": "self", "jd_bonus": True},
    {"must_break_hearts": False, "reward": "openspiel"},
    {"qs_breaks_hearts": False, "can_lead_hearts_instead_of_qs": True},
    {"deck": "standard", "can_lead_any_club": True, "avoid_all_tricks_bonus": True},
    {"match": "match", "target": 40, "jd_bonus": True},
    {"match": "match", "max_hands": 3, "target": 500, "moon": "self"},
]
PASS, CLAIMING, PLAYING = range(3)


def hands_of(env: CardGameEnv) -> list[set[str]]:
    zones = env.zones()
    return [set(cards.text(zones[f"hand/{seat}"], joker_kinds=True).split()) for seat in range(4)]


def check_mask(env: CardGameEnv, hand: Hand, legal: list[str]) -> None:
    held, seat = hands_of(env)[env.current_player], env.current_player
    plays = {text.removeprefix("play ") for text in legal if text.startswith("play ")}
    others = {text for text in legal if not text.startswith(("play ", "reveal "))}
    if field(env, "trick_size") and hand.trick and not hand.led:
        suits = "cdhs" if hand.may_lead_hearts(held) else "cds"
        assert set(legal) == {f"declare {rank}{suit}" for rank in "23456789TJQKA" for suit in suits}
    elif others == {WIN, LOSE}:
        asked = hand.asked()
        assert asked is not None
        assert asked[0] == seat
        assert len(legal) == 2
    elif field(env, "staged"):
        assert not plays
        assert others == {"redeal"}
    else:
        assert not others
        assert plays == hand.playable(seat, held)


def act(hand: Hand, seat: int, text: str) -> None:
    verb, _, card = text.partition(" ")
    if verb == "play":
        hand.play(seat, card)
    elif verb == "declare":
        hand.declare(card)
    elif text in (WIN, LOSE):
        asked = hand.asked()
        assert asked is not None
        hand.claims[asked[1]] = text == WIN


def play_claims(env: CardGameEnv, hand: Hand, draw: random.Random, seen: Counter[str]) -> None:
    asked, opener = claimants(hands_of(env))
    hand.opener, hand.leads_joker = opener, "2c" not in hands_of(env)[opener]
    for seat in asked:
        assert field(env, "phase") == CLAIMING
        assert env.current_player == seat
        text = draw.choice([CLAIM, DECLINE])
        env.step(env.action_from_label(text))
        seen[text] += 1
        if text == CLAIM:
            hand.opener, hand.leads_joker = seat, True
            break
    assert field(env, "phase") == PLAYING
    assert env.current_player == hand.opener
    seen["wants 2c"] += hand.leads_joker and not asked


@pytest.mark.rule("HE-10", "HE-11", "HE-12", "HE-13", "HE-14", "HE-15", "HE-16", "HE-17", "HE-18", "HE-19", "HE-20", "HE-22")
@pytest.mark.rule("HE-34", "HE-36", "HE-37", "HE-38", "HE-40", "HE-41", "HE-43", "HE-46", "HE-47", "HE-50", "HE-51")
@pytest.mark.parametrize("options", CHOICES, ids=str)
@random_games(4, 12)
def test_random_games(options: dict[str, Any], seeds: range) -> None:
    env, seen = raw_env("hearts_v0", **options), Counter[str]()
    for seed in seeds[::2] if env.options.match == "match" else seeds:
        env.reset(seed=seed)
        draw, totals = random.Random(seed), [0, 0, 0, 0]
        say = Sayings("play", "trick_won", "set_aside", "score")
        while env.legal_actions():
            deals = field(env, "deals")
            left, hand = play_hand(env, draw, seen, say)
            totals = [total + points for total, points in zip(totals, hand.scores(left), strict=True)]
            if env.options.match == "match":
                ends = max(totals) >= env.options.target or deals == env.options.max_hands
                assert ends == (not env.legal_actions())
                assert ends or field(env, "totals") == totals
        unit = env.options.target if env.options.match == "match" else 26
        expected = [(sum(totals) / 4 - total) / unit for total in totals]
        if env.options.reward == "openspiel":
            expected = [26 - total for total in totals]
        assert list(env.rewards.values()) == pytest.approx(expected, abs=1e-6)
        say.compare(env)
    if env.options.deck == "extended" and len(seeds) > 4:
        assert min(seen[text] for text in (CLAIM, DECLINE, WIN, LOSE)) > 0


def play_hand(env: CardGameEnv, draw: random.Random, seen: Counter[str], say: Sayings) -> tuple[list[set[str]], Hand]:
    """One hand, at random; what is left in hands and the reference at its end."""
    deals, hand = field(env, "deals"), Hand(env.options, say=say)
    while field(env, "phase") == PASS:
        env.step(draw.choice(env.legal_actions()))
    play_claims(env, hand, draw, seen)
    steps = 0
    while True:
        legal = [env.action_label(action) for action in env.legal_actions()]
        check_mask(env, hand, legal)
        seat, done, text = env.current_player, field(env, "tricks_done"), draw.choice(legal)
        left = hands_of(env)
        env.step(env.action_from_label(text))
        act(hand, seat, text)
        steps += 1
        seen[text] += 1
        assert steps <= 115
        over = field(env, "deals") != deals or not env.legal_actions()
        if not over and field(env, "tricks_done") == done:
            continue
        if not over:
            left = hands_of(env)
        elif text.startswith("play "):
            left[seat].discard(text.removeprefix("play "))
        elif not env.legal_actions():
            left = hands_of(env)
        for _ in range((13 if over else field(env, "tricks_done")) - done):  # empty tricks too
            assert hand.asked() is None
            hand.end_trick()
        if over:
            return left, hand
        assert field(env, "tricks") == hand.tricks
        assert bool(field(env, "broken")) == hand.broken
        assert all(suit_of(card) for cards in hand.won for card in cards if card not in ("SJ", "BJ"))
