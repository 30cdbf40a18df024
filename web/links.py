"""A decision for a browser: the legal actions by block, and the objects on the table to click for each.

Nothing here depends on a particular game. The parts of an action determine its links: visible cards, ranks of cards in the hand
or in the middle, a seat, one of its places or cards. Actions that differ only in an amount are chosen with a slider.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.events import Event
from ..envs.core.parts import ActionParts
from ..envs.core.render.scene import by_seat

AMOUNTS = 17  # the minimal number of actions in a block that differ only in an amount for a slider
JOINED = 3  # in several blocks

Actions = dict[int, ActionParts]


def decision(env: CardGameEnv) -> dict[str, Any]:
    """The decision of the player to move: `groups`, one per block, with its legal actions.

    A group has the verb of its actions (`title`, empty if they have several) and a kind: "cards" if clicks on cards select the
    action, "amounts" for a slider (each action with its `amount`), else "list". An action has its number, its label, the `rest`
    of the label after the title, and its links: `cards` (ids that must all be chosen, with repetitions), `ranks` (numbers of
    `CardSet.rank`; a chosen card must have one of them), `seat`, `place` and `index`.
    """
    player = env.current_player
    zones = env.zones(env.possible_agents[player])
    by_seats, _ = by_seat(zones, env.num_players, env.game.zone_roles)
    held = [Counter(card for ids in zones.values() for card in ids) for zones in by_seats]
    visible = Counter(card for ids in zones.values() for card in ids if card != cards.HIDDEN)
    common = visible - sum(held, Counter())
    near = [Counter(env.game.held(zones, player)), common]
    alike, rank = env.game.cards.alike, env.game.cards.rank
    jokers = held[player] if any(held[player][card] for card in alike) else visible
    wilds = sorted(card for card in jokers.elements() if card in alike)
    legal = np.array(env.legal_actions())
    blocks = {}
    for name, where in env.game.actions.slices(env.num_players).items():
        members = legal[(legal >= where.start) & (legal < where.stop)].tolist()
        if members:
            blocks[name] = {action: _with_jokers(env.action_parts(action), alike, wilds) for action in members}
    groups = [_group(name, actions, least, (held, visible, near), rank) for name, actions, least in _joined(blocks)]
    return {"seat": player, "groups": groups}


def _with_jokers(parts: ActionParts, alike: Collection[int], wilds: Sequence[int]) -> ActionParts:
    """The links with all visible Jokers in place of those named, in games in which Jokers are alike."""
    left = iter(wilds)
    return replace(parts, cards=tuple(next(left, card) if card in alike else card for card in parts.cards))


def _joined(blocks: dict[str, Actions]) -> list[tuple[str, Actions, int]]:
    """Blocks, with adjacent blocks joined if they differ only in an amount (the smallest raise, parts of the pot, all chips),
    and the minimal number of actions of each for a slider."""
    groups: list[tuple[str, Actions, int]] = []
    for name, actions in blocks.items():
        if groups and _amounts(groups[-1][1] | actions):
            groups[-1] = (groups[-1][0], groups[-1][1] | actions, JOINED)
        else:
            groups.append((name, actions, AMOUNTS))
    return groups


def _group(
    name: str,
    actions: Actions,
    least: int,
    places: tuple[list[Counter[int]], Counter[int], list[Counter[int]]],
    rank: Callable[[int], int],
) -> dict[str, Any]:
    """Make a group. `least` is the minimal number of amounts for a slider; `places` has the cards at each seat, all visible
    cards, and the mover's hand with the common cards; `rank` gives the rank of a card."""
    held, visible, near = places
    verbs = {parts.verb for parts in actions.values()}
    title = verbs.pop() if len(verbs) == 1 else ""
    amounts = _amounts(actions) if len(actions) >= least else {}
    if amounts:
        choices = [{"action": action, "label": actions[action].text, "amount": amount} for action, amount in amounts.items()]
        return {"name": name, "kind": "amounts", "title": title, "actions": choices}
    named = [parts.cards for parts in actions.values()]
    by_cards, in_sight = (
        any(all(ids and not Counter(ids) - there for ids in named) for there in places) for places in (held, [visible])
    )
    ranks = [{*parts.ranks, *map(rank, parts.cards)} for parts in actions.values()]
    by_ranks = not all(named) and any(all(of and of <= {*map(rank, ids)} for of in ranks) for ids in near)
    choices = []
    for (action, parts), of in zip(actions.items(), ranks, strict=True):
        one: dict[str, Any] = {"action": action, "label": parts.text, "rest": parts.rest if title else parts.text}
        if in_sight:
            one["cards"] = list(parts.cards)
        elif by_ranks:
            one["ranks"] = sorted(of)
        links = {"seat": parts.seats, "place": parts.places, "index": parts.positions}
        one |= {key: values[0] for key, values in links.items() if values}
        choices.append(one)
    return {"name": name, "kind": "cards" if by_cards else "list", "title": title, "actions": choices}


def composed(before: CardGameEnv, env: CardGameEnv, events: Iterable[Event]) -> list[int]:
    """The cards in the hand of the player to move that are named by the events of an unfinished choice, which began after event
    `before`."""
    seat = env.current_player
    held, now = (Counter(env.game.held(game.zones(env.possible_agents[seat]), seat)) for game in (before, env))
    named: Counter[int] = Counter()
    for event in events:
        if event.player == env.current_player:
            named |= Counter(event.cards)  # not summed: a card is named both when chosen and when played
    return sorted(((named - (held - now)) & now).elements())


def _amounts(actions: Actions) -> dict[int, float]:
    """The amount of each action, ascending, if the actions differ only in amounts; else nothing."""
    alike = {replace(parts, text="", amounts=()) for parts in actions.values()}
    amounts = {action: parts.amounts[0] for action, parts in actions.items() if len(parts.amounts) == 1}
    ordered = list(amounts.values())
    return amounts if len(alike) == 1 and len(amounts) == len(actions) and ordered == sorted(set(ordered)) else {}
