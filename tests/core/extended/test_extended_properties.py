"""What holds in every random game of both modes; hidden cards dealt again; compiled equals interpreted."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from core.extended import toy_rotation, toy_tricks
from core.extended.positions import tricks, value
from support import output_of
from wilddeck import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.extended import tricks as core
from wilddeck.envs.core.extended.sets import NO_SUIT, SUIT, ids_of
from wilddeck.envs.core.hidden import deal_hidden
from wilddeck.envs.core.jit import device_function

REVEAL, COMMIT = core.REVEAL_AT, core.COMMIT_AT


def counted(game: Any, **options: Any) -> Batch:
    return Batch(game.GAME, game.Options(**options), 400, seed=1)


def bits(numbers: np.ndarray) -> np.ndarray:
    """How many bits are set in each number."""
    return np.unpackbits(np.ascontiguousarray(numbers)[..., None].view(np.uint8), axis=-1).sum(axis=-1, dtype=np.int64)


def held(batch: Batch, name: str) -> np.ndarray:
    """How many cards the sets of a field hold."""
    return bits(batch.states[name]).reshape(len(batch), -1).sum(axis=1)


def weighted(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    """Random legal actions, reveals three times as likely as others."""
    weight = batch.action_mask * rng.random(batch.action_mask.shape)
    reveal = batch.game.actions.slices(batch.num_players)["reveal"]
    weight[:, reveal] *= 3
    return weight.argmax(axis=1)


@pytest.mark.rule("ED-07", "ED-79", "ED-85", "ED-86")
@pytest.mark.parametrize("options", [{}, {"trump": "s"}, {"dummy": 2, "trump": "h"}, {"deck": "standard"}], ids=str)
def test_trick_games(options: dict[str, Any]) -> None:
    """In every state of thousands of deals: each card once, nobody to move without a card, nothing beyond its bound."""
    batch, rng = counted(toy_tricks, **options), np.random.default_rng(1)
    size = 52 if batch.options.deck == "standard" else 66
    steps = np.zeros(len(batch), int)
    reveals, pauses, longest = steps.copy(), steps.copy(), 0
    before = batch.states["paused"].copy()
    for _ in range(400):
        states = batch.states
        pile = states["pile_end"].astype(int) - states["pile_at"]
        aside = bits(states["aside"])
        assert (held(batch, "hand") + pile + aside + states["trick_size"] + held(batch, "played") == size).all()
        hands = bits(states["hand"]).sum(axis=2)
        mover = states["turn"].astype(int)
        playing = states["question"] == core.PLAY
        assert (hands[np.arange(len(batch)), mover][playing] > 0).all()
        assert batch.action_mask.any(axis=1).all()
        actions = weighted(batch, rng)
        reveals += (actions >= REVEAL) & (actions < COMMIT)
        batch.step(actions)
        steps += 1
        paused = batch.states["paused"]
        pauses += bits(paused & ~before)
        before = paused.copy()
        assert (reveals <= 12).all()
        assert (pauses <= 4).all()
        assert (steps <= core.MAX_STEPS).all()
        longest = max(longest, int(steps.max()))
        for count in (steps, reveals, pauses):
            count[batch.terminated] = 0
    assert longest == 52 if size == 52 else longest > 52


@pytest.mark.rule("ED-66", "ED-79")
@pytest.mark.parametrize("options", [{}, {"dummy": 1, "trump": "c"}], ids=str)
def test_each_player_has_one_turn_in_a_trick(options: dict[str, Any]) -> None:
    """Nobody plays two cards to a trick; whoever plays none has been skipped or has revealed a Skip; no turn stays paused."""
    tricks_seen = short = 0
    for seed in range(60):
        env, draw = CardGameEnv(toy_tricks.GAME, toy_tricks.Options(**options)), random.Random(seed)
        env.reset(seed=seed)
        played: Counter[int] = Counter()
        done = 0
        while env.legal_actions():
            legal = env.legal_actions()
            special = [action for action in legal if REVEAL <= action < COMMIT or 54 <= action < 66]
            action = draw.choice(special if special and draw.random() < 0.5 else legal)
            if action < 66:
                played[value(env, "turn")] += 1
            env.step(action)
            if value(env, "tricks_done") > done:
                assert value(env, "tricks_done") == done + 1 or not played
                assert all(count == 1 for count in played.values())
                assert value(env, "paused") == 0
                short += len(played) < 4
                tricks_seen += 1
                done = value(env, "tricks_done")
                played.clear()
    assert tricks_seen > 500
    assert short > 50


ROTATIONS = [{}, {"num_players": 2}, {"num_players": 3, "reshuffle": True}, {"num_players": 6, "open_hands": 0b101010}]


@pytest.mark.rule("ED-07", "ED-09", "ED-63", "ED-85")
@pytest.mark.parametrize("options", ROTATIONS, ids=str)
def test_games_in_rotation(options: dict[str, Any]) -> None:
    """Each card once; a paused turn goes on or is ended before the player has another; no turn is lost or doubled.

    Between two turns that a player begins, each other player who is in the game has as many as the specials allow: here only
    that nobody is passed over for ever.
    """
    for seed in range(40):
        env, draw = CardGameEnv(toy_rotation.GAME, toy_rotation.Options(max_turns=100, **options)), random.Random(seed)
        env.reset(seed=seed)
        n = env.num_players
        waiting, paused, pauses = [0] * n, 0, 0
        while env.legal_actions():
            held = [card for zone in env.zones().values() for card in zone]
            assert sorted(held) == list(range(66))
            legal = env.legal_actions()
            special = [action for action in legal if 54 <= action < 79]
            action = draw.choice(special if special and draw.random() < 0.6 else legal)
            seat, turns = value(env, "turn"), value(env, "turns")
            env.step(action)
            after = value(env, "paused")
            pauses += bin(after & ~paused).count("1")
            assert not after >> value(env, "turn") & 1, "who acts is not paused"
            if not env.legal_actions():
                break
            if value(env, "turns") > turns or value(env, "turn") != seat:
                waiting = [count + 1 for count in waiting]
                waiting[value(env, "turn")] = 0
                left = [other for other in range(n) if not value(env, "out", other)]
                assert max(waiting[other] for other in left) < 8 * n
                assert value(env, "turn") in left
            assert value(env, "turns") - turns <= 1
            paused = after
        assert pauses <= 4


def test_a_plain_rotation_and_a_plain_cycle() -> None:
    """With the standard deck turns go round in order, each player once."""
    env = CardGameEnv(toy_rotation.GAME, toy_rotation.Options(deck="standard", num_players=5))
    env.reset(seed=1)
    order = []
    for _ in range(15):
        order.append(value(env, "turn"))
        env.step(env.action_from_label("end"))
    assert order == list(range(5)) * 3


# --- hidden cards dealt again ---


@device_function
def deal_again(states, kinds, room, allowed, places):  # type: ignore[no-untyped-def]
    deal_hidden(states[0], kinds, kinds.shape[0], room, allowed, places)


def dealt_again(env: CardGameEnv, kinds: list[int], room: list[int], allowed: list[int]) -> list[int]:
    """The place of each card, by the generator of a game."""
    places = np.empty(len(kinds), np.int64)
    left = np.array(room, np.int64)
    deal_again(env.record.view(type(env._states)), np.array(kinds, np.int64), left, np.array(allowed, np.int64), places)
    assert not left.any()
    return places.tolist()


def test_hidden_cards_fit_their_places_however_tight() -> None:
    """Random problems that have a solution, made from one: every card has room and may be where it is."""
    draw, env = random.Random(1), tricks([""] * 4)
    for _ in range(300):
        places, kinds = draw.randint(2, 5), draw.randint(1, 5)
        where = [draw.randrange(places) for _ in range(draw.randint(1, 30))]
        hidden = [draw.randrange(kinds) for _ in where]
        allowed = [0] * kinds
        for place, kind in zip(where, hidden, strict=True):
            allowed[kind] |= 1 << place
        allowed = [bits | (draw.getrandbits(places) if draw.random() < 0.5 else 0) for bits in allowed]
        room = [where.count(place) for place in range(places)]
        places_dealt = dealt_again(env, hidden, room, allowed)
        assert [places_dealt.count(place) for place in range(places)] == room
        assert all(allowed[kind] >> place & 1 for kind, place in zip(hidden, places_dealt, strict=True))


def test_a_redrawn_hand_holds_nothing_of_a_suit_it_lacks_and_all_that_is_known() -> None:
    seen = 0
    for seed in range(20):
        env, draw = CardGameEnv(toy_tricks.GAME, toy_tricks.Options()), random.Random(seed)
        env.reset(seed=seed)
        while env.legal_actions():
            env.step(draw.choice(env.legal_actions()))
            if not env.legal_actions():
                break
            for agent in (0, 2):
                sample = env.determinize(f"player_{agent}", draw.randrange(1000))
                for seat in range(4):
                    ids = ids_of(sample.record["hand"][0][seat])
                    assert len(ids) == len(ids_of(env.record["hand"][0][seat]))
                    if seat != agent:
                        void = value(env, "seen_void", seat)
                        seen += void > 0
                        assert not any(void >> SUIT[card] & 1 for card in ids if SUIT[card] != NO_SUIT)
    assert seen > 200
    env = tricks(["Dr-c 5c Sk-h", "5d 6d", "", ""], "9h 8h 7h 6h")
    env.step(env.action_from_label("reveal Dr-c"))
    for seed in range(20):
        assert "Dr-c" in cards.text(ids_of(env.determinize("player_1", seed).record["hand"][0][0]))


# --- both modes of the kernels ---

_PLAY = """
import hashlib, random, sys
sys.path.insert(0, {tests!r})
from core.extended import toy_rotation, toy_tricks
from wilddeck.envs.core.aec import CardGameEnv
digest = hashlib.sha256()
for toy, options in ((toy_tricks, dict(trump="s")), (toy_tricks, dict(dummy=3)), (toy_rotation, dict(reshuffle=True)),
                     (toy_rotation, dict(open_hands=5, num_players=3))):
    env = CardGameEnv(toy.GAME, toy.Options(**options))
    for seed in range(3):
        env.reset(seed=seed)
        draw = random.Random(seed)
        while env.legal_actions():
            agent = env.agent_selection
            seen = env.observe(agent)
            digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
            env.step(draw.choice(env.legal_actions()))
            digest.update(env.record.tobytes())
            digest.update(env.determinize(agent, seed).record.tobytes())
print(digest.hexdigest())
"""


def test_compiled_equals_interpreted() -> None:
    from support import TESTS

    code = _PLAY.format(tests=str(TESTS))
    assert output_of(code) == output_of(code, NUMBA_DISABLE_JIT="1")
