"""A decision as a browser is asked it: the legal actions by block, and what of each can be clicked on the table.

Nothing here knows a game. What an action is linked to follows from its parts: cards in sight, ranks of cards in the hand or in
the middle, a seat, a place of it or one of its cards. Actions that differ in an amount only are chosen by a slider.
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

AMOUNTS = 17  # so many actions of a block that differ in an amount only are chosen by a slider
JOINED = 3  # of several blocks

Actions = dict[int, ActionParts]


def decision(env: CardGameEnv) -> dict[str, Any]:
    """The decision of the player to move: `groups`, a block each, with its legal actions.

    A group has the verb of its actions (`title`, empty where they have several) and a kind: "cards" where clicking cards on the
    table says all, "amounts" for a slider (each action with its `amount`), else "list". An action has its number, its label,
    the `rest` of it behind the title, and its links: `cards` (ids that must all be chosen, each as often as it stands there),
    `ranks` (numbers of `CardSet.rank`, of which a chosen card must be one), `seat`, `place` and `index`.
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
    """With the Jokers that there are for those that are named, where all Jokers are the same."""
    left = iter(wilds)
    return replace(parts, cards=tuple(next(left, card) if card in alike else card for card in parts.cards))


def _joined(blocks: dict[str, Actions]) -> list[tuple[str, Actions, int]]:
    """Blocks, those side by side that differ in an amount only joined (the smallest raise, parts of the pot, all chips), and
    of how many actions on each is for a slider."""
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
    """`least`: from so many amounts on there is a slider; `places`: the cards that lie at each seat, all in sight, and the
    mover's hand with what belongs to nobody; `rank`: of a card."""
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
    """The cards of the player to move that the events of a half-made choice, which began `before`, name, and that still lie in
    the hand."""
    seat = env.current_player
    held, now = (Counter(env.game.held(game.zones(env.possible_agents[seat]), seat)) for game in (before, env))
    named: Counter[int] = Counter()
    for event in events:
        if event.player == env.current_player:
            named |= Counter(event.cards)  # not added up: a card is named as it is chosen and as it is played
    return sorted(((named - (held - now)) & now).elements())


def _amounts(actions: Actions) -> dict[int, float]:
    """The amount of each action, in ascending order, if that is all in which they differ; else nothing."""
    alike = {replace(parts, text="", amounts=()) for parts in actions.values()}
    amounts = {action: parts.amounts[0] for action, parts in actions.items() if len(parts.amounts) == 1}
    ordered = list(amounts.values())
    return amounts if len(alike) == 1 and len(amounts) == len(actions) and ordered == sorted(set(ordered)) else {}
