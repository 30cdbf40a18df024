"""Positions of rummy, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from support import see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.games.rummy.hands import set_of
from wilddeck.envs.games.rummy.melds import GROUP, LARGEST, MOST_OF_RUN, RULES, RUN, SHORTEST, is_group, is_run
from wilddeck.envs.games.rummy.state import DRAW, PLAY

GAME = find_game("rummy_v0")
parse = cards.parse
_OPTIONS = {name for name, *_ in GAME.options.table()}


def arranged(
    hands: list[str],
    discards: str = "",
    stock: str | None = None,
    melds: tuple[str, ...] = (),
    turn: int = 0,
    drawn: bool = True,
    only: bool = False,
    **values: Any,
) -> CardGameEnv:
    """A deal in which the seats hold these cards and it is the turn of `turn`, who has drawn, or not. The discard pile has its
    top last; the stock begins with the cards given, and the others follow in ascending order, unless it has these `only`. Melds
    are written as `run 3h 4h 5h`. `values` are options and fields of the record."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS or name == "deals"}
    options = {"num_players": len(hands), **values}
    if options.get("variant") == "contract":
        options["first_deal"] = options.get("first_deal", 1)
    env = raw_env("rummy_v0", **options)
    env.reset(seed=0)
    record = env.record[0]
    held, laid = [parse(hand) for hand in hands], [meld.split(maxsplit=1) for meld in melds]
    heap, top = parse(discards), parse(stock or "")
    named = Counter([*heap, *top, *(card for hand in held for card in hand), *(c for _, m in laid for c in parse(m))])
    rest = [] if only else sorted((Counter(GAME.deck(env.options)) - named).elements())
    for name in ("hand", "known", "meld", "deck", "discard", "aside", "staged", "draw", "skip", "effects", "paused"):
        record[name] = 0
    for name in (
        "drawn",
        "taken",
        "laid_now",
        "laid_before",
        "new_melds",
        "laid",
        "meld_kind",
        "repeated",
        "passes",
        "idle_turns",
    ):
        record[name] = 0
    record["hand"][: len(held)] = np.array([set_of(hand) for hand in held])
    lying = [*top, *rest]
    record["deck"][: len(lying)] = lying
    record["pile_at"], record["pile_end"] = 0, len(lying)
    record["discard"][: len(heap)] = heap
    record["discards"], record["discarder"] = len(heap), -1
    record["melds"] = len(laid)
    for slot, (kind, text) in enumerate(laid):
        record["meld"][slot] = set_of(parse(text))
        record["meld_kind"][slot] = RUN if kind == "run" else GROUP
    record["direction"] = 1
    record["turn"] = record["current_player"] = turn
    record["phase"] = PLAY if drawn else DRAW
    record["drawn"] = 1 << turn if drawn else 0
    for name, value in fields.items():
        record[name] = value
    env.agent_selection = env.possible_agents[int(record["current_player"])]
    see_anew(env)
    return env


def started(first_cards: str, seed: int = 0, **options: Any) -> CardGameEnv:
    """A deal of a deck that begins with these cards; the others follow in ascending order."""
    env = raw_env("rummy_v0", **options)
    first = parse(first_cards)
    rest = sorted((Counter(GAME.deck(env.options)) - Counter(first)).elements())
    env.reset(seed=seed, options={"deck": first + rest})
    return env


def turned_up(upcards: str, **options: Any) -> CardGameEnv:
    """A deal in which these cards lie on the stock when the hands have been dealt, which hold standard cards only."""
    env = raw_env("rummy_v0", **options)
    env.reset(seed=0)
    size = sum(len(ids) for name, ids in env.zones().items() if name.startswith("hand"))
    first = parse(upcards)
    plain = sorted(card for card in (Counter(GAME.deck(env.options)) - Counter(first)).elements() if card < 52)[::-1][:size]
    return started(cards.text([*plain, *first]), **options)


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; a card alone is discarded, added or laid, whichever is asked for."""
    for text in texts:
        for prefix in ("", "discard ", "add ", "lay "):
            if prefix + text in {env.action_label(action) for action in env.legal_actions()}:
                env.step(env.action_from_label(prefix + text))
                break
        else:
            raise AssertionError(f"{text} is not legal: {sorted(labels(env))}")


def labels(env: CardGameEnv) -> set[str]:
    """What is legal; a card to be named is the card alone."""
    words = set()
    for action in env.legal_actions():
        label = env.action_label(action)
        words.add(label.split()[-1] if action < 66 else label)
    return words


def named(env: CardGameEnv) -> set[str]:
    """The cards that may be named."""
    return {env.action_label(action).split()[-1] for action in env.legal_actions() if action < 66}


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def hand(env: CardGameEnv, seat: int) -> str:
    return cards.text(sorted(env.zones()[f"hand/{seat}"]))


def zone(env: CardGameEnv, name: str, viewer: str | None = None) -> str:
    return cards.text(env.zones(viewer)[name])


def sizes(env: CardGameEnv) -> list[int]:
    return [len(env.zones()[f"hand/{seat}"]) for seat in range(env.num_players)]


def payoffs(env: CardGameEnv) -> list[float]:
    return [round(float(reward), 4) for reward in env.rewards.values()]


def is_over(env: CardGameEnv) -> bool:
    return not env.legal_actions()


def is_meld(kind: Any, once: Any, twice: Any, jokers: Any, rules: Any) -> bool:
    """Whether this is a meld as it may lie on the table (RM-10 to RM-19)."""
    if kind == GROUP:
        return bool(is_group(once, twice, jokers, RULES[rules, LARGEST]))
    return bool(is_run(once, twice, jokers, RULES[rules, SHORTEST], np.int64(MOST_OF_RUN), rules))


def melds(kind: str, text: str, rules: Any) -> bool:
    """Whether cards are a meld by a row of the rules."""
    once, twice, jokers = set_of(parse(text))
    return is_meld(RUN if kind == "run" else GROUP, once, twice, np.int64(int(jokers).bit_count()), rules)
