"""Forged saves: genuine ones with altered records, their checksums made right.

Run in a process of its own, as one that is let in and should not have been may end the process, or never end:

    PYTHONPATH=tests python -m battery.forge GAME CASES COUNT SEED

attacks the first CASES sets of options of a game COUNT times each. NUMBA_BOUNDSCHECK=1 finds kernels that leave an array
without a crash.
"""

from __future__ import annotations

import faulthandler
import random
import struct
import sys
import zlib
from collections.abc import Callable

import numpy as np
from support import Case, cases, moments
from wilddeck.envs.core.aec import CardGameEnv

SECONDS = 60  # for one forged game; a hang is reported with the place
BOUNDARIES = (0, 1, 2, 5, 13, 52, 54, 66, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1)


def parts_of(data: bytes) -> tuple[bytes, bytes]:
    """Header and record of a save."""
    start = len(b"WILDDECK1") + 12
    _, text_size, _ = struct.unpack("<III", data[start - 12 : start])
    return data[start : start + text_size], data[start + text_size :]


def save_of(text: bytes, record: bytes) -> bytes:
    """A save with a right checksum."""
    return b"WILDDECK1" + struct.pack("<III", zlib.crc32(text + record), len(text), len(record)) + text + record


# --- ways to alter a record ---


def element(draw: random.Random, record: np.ndarray) -> tuple[str, np.ndarray, int]:
    """A place in a random field: its name, the field's elements as raw integers, the index of one."""
    name = draw.choice([name for name in record.dtype.names if name not in ("padding", "seed", "seed_high", "rng", "rng_key")])
    field = record[name][0]
    flat = record[name].reshape(-1).view(f"u{field.dtype.itemsize}")
    return name, flat, draw.randrange(flat.size)


def any_bytes(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    raw = record.view(np.uint8)
    for _ in range(draw.choice((1, 1, 2, 8))):
        raw[draw.randrange(raw.size)] = draw.randrange(256)


def boundary(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    _, flat, k = element(draw, record)
    flat[k] = draw.choice(BOUNDARIES) % 2 ** (8 * flat.itemsize)


def nudge(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    _, flat, k = element(draw, record)
    flat[k] = (int(flat[k]) + draw.choice((1, -1, 2, -2))) % 2 ** (8 * flat.itemsize)


def flip(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    _, flat, k = element(draw, record)
    flat[k] = int(flat[k]) ^ 1 << draw.randrange(8 * flat.itemsize)


def swap(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    _, flat, k = element(draw, record)
    j = draw.randrange(flat.size)
    flat[k], flat[j] = int(flat[j]), int(flat[k])


def splice(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    """A field as it is at another moment."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        name, _, _ = element(draw, record)
        record[name] = other[name]


def rows(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    """Two seats change places in one field."""
    name, _, _ = element(draw, record)
    field = record[name][0]
    if field.ndim and len(field) > 1:
        one, two = draw.sample(range(len(field)), 2)
        field[[one, two]] = field[[two, one]]


def exchange(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    """Two entries of any two fields change places, two cards say."""
    _, one, k = element(draw, record)
    _, two, j = element(draw, record)
    if one.itemsize == two.itemsize:
        one[k], two[j] = int(two[j]), int(one[k])


def move(draw: random.Random, record: np.ndarray, other: np.ndarray) -> None:
    """A card goes from one set to another, or one of a count to another count."""
    _, one, k = element(draw, record)
    _, two, j = element(draw, record)
    if one.itemsize == two.itemsize == 8:
        bit = 1 << draw.choice([place for place in range(64) if int(one[k]) >> place & 1] or [0])
        one[k], two[j] = int(one[k]) & ~bit, int(two[j]) | bit
    elif one[k] > 0:
        j = draw.randrange(one.size)
        if one[j] < np.iinfo(one.dtype).max:
            one[k] -= 1
            one[j] += 1


WAYS: tuple[Callable[[random.Random, np.ndarray, np.ndarray], None], ...] = (
    any_bytes,
    boundary,
    nudge,
    flip,
    swap,
    splice,
    rows,
    exchange,
    move,
    move,
)


def forge(draw: random.Random, env: CardGameEnv, other: CardGameEnv) -> bytes:
    """A save of a game with its record altered in one to four ways."""
    text, raw = parts_of(env.save())
    record = np.frombuffer(raw, env.game.state).copy()
    for _ in range(draw.choice((1, 1, 1, 2, 3, 4))):
        draw.choice(WAYS)(draw, record, other.record)
    return save_of(text, record.tobytes())


# --- what is let in is played ---


def exercise(env: CardGameEnv, draw: random.Random) -> None:
    """Play a game that was loaded to its end, and ask it everything now and then."""
    ask(env, draw)
    for step in range(4 * env.game.max_length(env.options) + 100):
        legal = env.legal_actions()
        if not legal:
            break
        env.step(draw.choice(legal))
        if step < 4 or step % 29 == 0:
            ask(env, draw)
    else:
        raise AssertionError("the game does not end")
    assert any(env.terminations.values()) or any(env.truncations.values()), "the game is stuck"
    ask(env, draw)


def ask(env: CardGameEnv, draw: random.Random) -> None:
    for agent in env.possible_agents:
        env.observe(agent)
        env.zones(agent)
        env.describe(agent)
        copy = env.determinize(agent, draw.randrange(2**32))
        legal = copy.legal_actions()
        assert legal or env.is_over
        if legal:
            copy.step(draw.choice(legal))
    for action in env.legal_actions()[:40]:
        env.action_label(action)
    env.state()
    env.load(env.save())  # the game goes on within what is let in


def attack(case: Case, count: int, seed: int) -> tuple[int, int]:
    """Load `count` forgeries and play those that are let in, alone and as a batch. Returns how many were refused and let in."""
    draw = random.Random(seed)
    warm(case)
    env, genuine = case.raw(), moments(case)
    refused, admitted = 0, []
    for number in range(count):
        source, other = draw.choice(genuine), draw.choice(genuine)
        data = forge(draw, source, other)
        env.reset(seed=number)
        before = env.save()
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            env.load(data)
        except ValueError:
            refused += 1
            assert env.save() == before, "the game in progress has changed"
        else:
            admitted.append(env.record.copy())
            try:
                exercise(env, draw)
            except BaseException:
                print(f"forgery {number} of seed {seed}:", *differences(source, data), sep="\n  ", flush=True)
                raise
        faulthandler.cancel_dump_traceback_later()
    play_together(case, admitted)
    return refused, len(admitted)


def warm(case: Case) -> None:
    """Compile what will be watched."""
    env = case.raw()
    env.reset(seed=1)
    env.load(env.save())
    ask(env, random.Random(1))
    batch = case.batch(1, seed=1)
    batch.restore(batch.states.copy())
    batch.step(batch.random_actions())
    batch.rollout(1)


def play_together(case: Case, records: list[np.ndarray]) -> None:
    """A batch goes on from the games that were let in and are not over."""
    states = np.concatenate([each for each in records if not each["terminated"][0] and not each["truncated"][0]])
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    batch = case.batch(len(states), seed=1)
    batch.restore(states)
    for _ in range(20):
        batch.step(batch.random_actions())
    batch.rollout(200)
    faulthandler.cancel_dump_traceback_later()


def differences(source: CardGameEnv, data: bytes) -> list[str]:
    """What was altered, as text."""
    record = np.frombuffer(parts_of(data)[1], source.game.state)
    names = [name for name in record.dtype.names if record[name].tobytes() != source.record[name].tobytes()]
    return [f"{name}: {source.record[name][0].tolist()} -> {record[name][0].tolist()}" for name in names]


def main(game_id: str, number: str, count: str, seed: str) -> None:
    faulthandler.enable()
    own = [case for case in cases() if case.game_id == game_id]
    for case in own[: int(number)]:
        print(case, *attack(case, int(count), int(seed)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
