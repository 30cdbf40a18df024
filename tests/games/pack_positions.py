"""Positions of the games of packs, written as cards."""

from __future__ import annotations

from typing import Any

from support import see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import set_of

PLACE, PLAY = 13, 79
RANKS = "23456789TJQKA"
parse = cards.parse


def arranged(game_id: str, packs: list[str], stack: str = "", pile: str = "", **values: Any) -> CardGameEnv:
    """A game in which the packs and the pile lie like this, top first, and the stack like this, first card first. Other cards
    are nowhere. `values` are options and fields of the record; `seen` are cards turned up before besides those of the stack,
    `burned` cards under the stack, the one burned first first."""
    game = find_game(game_id)
    known = {name for name, *_ in game.options.table()}
    fields = {name: values.pop(name) for name in list(values) if name not in known}
    env = raw_env(game_id, num_players=len(packs), **values)
    env.reset(seed=0)
    record = env.record[0]
    for name in (
        "pack",
        "head",
        "pack_size",
        "stack",
        "deck",
        "plays",
        "queue",
        "draw",
        "skip",
        "owed",
        "placing",
        "terminated",
    ):
        record[name] = 0
    record["declared"], record["owner"], record["direction"] = -1, -1, 1
    record["last_action"] = record["last_player"] = -1
    record["turn"] = record["current_player"] = fields.pop("turn", 0)
    for name in ("leads", "mark", "mark_packs", "burned", "asked", "wrong", "muted", "banned"):
        if name in record.dtype.names:
            record[name] = 0
    for seat, pack in enumerate(packs):
        ids = parse(pack)
        record["head"][seat] = 60  # so that most of them go round
        record["pack_size"][seat] = len(ids)
        for k, card in enumerate(ids):
            record["pack"][seat][(60 + k) % 66] = card
    played, burned = parse(stack), parse(fields.pop("burned", ""))
    record["stack"][: len(burned + played)] = burned[::-1] + played
    record["stack_size"], record["burned"] = len(burned + played), len(burned)
    record["seen"] = set_of(played + parse(fields.pop("seen", "")))
    record["plays"] = len(played)
    drawn = parse(pile)
    record["deck"][: len(drawn)] = drawn
    record["pile_at"], record["pile_end"] = 0, len(drawn)
    record["phase"] = PLAY_PHASE
    for name, value in fields.items():
        record[name] = value
    see_anew(env)
    return env


def from_here_on(env: CardGameEnv) -> CardGameEnv:
    """The game, whose history begins with the position as it stands."""
    env.__setstate__({**env.__getstate__(), "start": env.record.tobytes()})
    return env


def told(env: CardGameEnv, seat: int | None = None) -> list[str]:
    """What happened, as a seat perceived it; without one, all."""
    return [event.text() for event in env.history(None if seat is None else f"player_{seat}")]


PLAY_PHASE = 2


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; a card is the one that lies on top of the pack of the player to move, who plays it."""
    for text in texts:
        if text in TEXTS:
            assert pack(env, env.current_player)[0] == text
            env.step(PLAY)
        else:
            env.step(env.action_from_label(text))


TEXTS = set(cards.text(range(66), joker_kinds=True).split())


def labels(env: CardGameEnv) -> list[str]:
    return [env.action_label(action) for action in env.legal_actions()]


def declarations(env: CardGameEnv) -> str:
    """The ranks that a Joker may be declared."""
    assert all(action < PLACE for action in env.legal_actions())
    return "".join(RANKS[action] for action in env.legal_actions())


def zone(env: CardGameEnv, name: str) -> list[str]:
    return cards.text(env.zones()[name], joker_kinds=True).split()


def pack(env: CardGameEnv, seat: int) -> list[str]:
    return zone(env, f"pack/{seat}")


def stack(env: CardGameEnv) -> str:
    return " ".join(zone(env, "stack"))


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def debt(env: CardGameEnv) -> tuple[int, int, int] | None:
    """Who owes how much to whom."""
    return (field(env, "turn"), field(env, "owed"), field(env, "owner")) if field(env, "owed") else None


def returns(env: CardGameEnv) -> list[float]:
    assert env.legal_actions() == []
    return list(env.rewards.values())
