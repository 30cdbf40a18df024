"""A decision as a browser is asked it: the legal actions by block, and what of each can be clicked on the table.

Nothing here knows a game. What an action is linked to follows from its label: cards written as cards (`7h`), ranks of cards in
the hand or in the middle, a seat (`player 2`), a place of it (`pile 3`) or one of its cards (`card 3`). Labels that differ in
a number only are amounts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.events import Event
from ..envs.core.render.scene import HAND, by_seat

JOKERS = (cards.SMALL_JOKER, cards.BIG_JOKER)
AMOUNTS = 17  # so many actions of a block that differ in a number only are chosen by a slider
JOINED = 3  # of several blocks
_SEAT = re.compile(r"\bplayer[ _](\d+)\b")
_INDEX = re.compile(r"\bcard (\d+)\b")
_PLACE = re.compile(r"\b(?:pile|place|stack) (\d+)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_RANK = re.compile(r"(?<![\w-])(10|[2-9TJQKA]|Joker|Dr|Rv|Sk)s?(?![\w-])")
_SPECIALS = {name: number for number, name in enumerate(cards.SPECIAL_TEXT)}


def decision(env: CardGameEnv) -> dict[str, Any]:
    """The decision of the player to move: `groups`, a block each, with its legal actions.

    A group has the words that its labels begin with (`title`) and a kind: "cards" where clicking cards on the table says all,
    "amounts" for a slider (each action with its `amount`), else "list". An action has its number, its label, the `rest` of it
    behind the title, and its links: `cards` (ids that must all be chosen, each as often as it stands there), `ranks` (numbers
    of `rank_number`, of which a chosen card must be one), `seat`, `place` and `index`.
    """
    player = env.current_player
    zones = env.zones(env.possible_agents[player])
    by_seats, _ = by_seat(zones, env.num_players)
    held = [Counter(card for ids in zones.values() for card in ids) for zones in by_seats]
    visible = Counter(card for ids in zones.values() for card in ids if card != cards.HIDDEN)
    common = visible - sum(held, Counter())
    near = [Counter(by_seats[player].get(HAND, ())), common]
    jokers = held[player] if any(held[player][card] for card in JOKERS) else visible
    legal = np.array(env.legal_actions())
    blocks = {}
    for name, where in env.game.actions.slices(env.num_players).items():
        members = legal[(legal >= where.start) & (legal < where.stop)].tolist()
        if members:
            blocks[name] = {action: env.action_label(action) for action in members}
    groups = [_group(name, labels, least, held, visible, near, jokers) for name, labels, least in _joined(blocks)]
    return {"seat": player, "groups": groups}


def _joined(blocks: dict[str, dict[int, str]]) -> list[tuple[str, dict[int, str], int]]:
    """Blocks, those side by side that differ in an amount only joined (the smallest raise, parts of the pot, all chips), and
    of how many actions on each is for a slider."""
    groups: list[tuple[str, dict[int, str], int]] = []
    for name, labels in blocks.items():
        if groups and _amounts(groups[-1][1] | labels):
            groups[-1] = (groups[-1][0], groups[-1][1] | labels, JOINED)
        else:
            groups.append((name, labels, AMOUNTS))
    return groups


def _group(
    name: str,
    labels: dict[int, str],
    least: int,
    held: list[Counter[int]],
    visible: Counter[int],
    near: list[Counter[int]],
    jokers: Counter[int],
) -> dict[str, Any]:
    """`least`: from so many amounts on there is a slider; `held`: the cards that lie at each seat; `visible`: all in sight;
    `near`: the mover's hand, and what belongs to nobody; `jokers`: those that a label can mean."""
    amounts = _amounts(labels) if len(labels) >= least else {}
    if amounts:
        choices = [{"action": action, "label": label, "amount": amounts[action]} for action, label in labels.items()]
        title = _template(next(iter(labels.values())))[0].strip()
        return {"name": name, "kind": "amounts", "title": title, "actions": choices}
    linked = [_named(label, jokers) for label in labels.values()]
    by_cards = any(all(ids and not Counter(ids) - at_seat for ids in linked) for at_seat in held)
    in_sight = all(ids and not Counter(ids) - visible for ids in linked)
    by_ranks = not any(linked) and any(_all_ranks_in(labels.values(), ids) for ids in near)
    title = _title(list(labels.values())) if len(labels) > 1 else ""
    actions = []
    for (action, label), ids in zip(labels.items(), linked, strict=True):
        one: dict[str, Any] = {"action": action, "label": label, "rest": label[len(title) :].strip() or label}
        if in_sight:
            one["cards"] = ids
        elif by_ranks:
            one["ranks"] = [rank_number(word) for word in _RANK.findall(label)]
        one |= {key: int(match[1]) for key, match in _places(label).items() if match}
        actions.append(one)
    return {"name": name, "kind": "cards" if by_cards else "list", "title": title, "actions": actions}


def composed(before: CardGameEnv, env: CardGameEnv, events: Iterable[Event]) -> list[int]:
    """The cards of the player to move that the events of a half-made choice, which began `before`, name, and that still lie in
    the hand."""
    hand = f"{HAND}/{env.current_player}"
    held, now = (Counter(game.zones(game.agent_selection).get(hand, ())) for game in (before, env))
    named: Counter[int] = Counter()
    for event in events:
        if event.player == env.current_player:
            named |= Counter(event.cards)  # not added up: a card is named as it is chosen and as it is played
    return sorted(((named - (held - now)) & now).elements())


def rank_number(word: str) -> int:
    """A rank as a number: 0..12 for 2..A, 13 for Jokers, 14, 15, 16 for Draws, Reverses, Skips."""
    if word == "Joker":
        return cards.RANKS
    if word in _SPECIALS:
        return cards.RANKS + 1 + _SPECIALS[word]
    return cards.RANK_TEXT.index("T" if word == "10" else word)


def rank_of(card: int) -> int:
    """The `rank_number` of a card."""
    if card < cards.STANDARD:
        return cards.rank_of(card)
    return cards.RANKS if card <= cards.BIG_JOKER else cards.RANKS + 1 + (card - cards.DECK_54) // cards.SUITS


def _named(label: str, jokers: Counter[int]) -> list[int]:
    """The cards that a label names. A Joker without a kind is one of those given."""
    ids = []
    for rank, suit, joker, _ in (match.groups() for match in cards.IN_TEXT.finditer(label)):
        if suit:
            ids += cards.parse(rank + suit)
        elif joker == "Jk":
            big = jokers[cards.BIG_JOKER] and (not jokers[cards.SMALL_JOKER] or cards.SMALL_JOKER in ids)
            ids.append(cards.BIG_JOKER if big else cards.SMALL_JOKER)
        elif joker:
            ids += cards.parse(joker)
    return ids


def _all_ranks_in(labels: Iterable[str], ids: Counter[int]) -> bool:
    ranks = {rank_of(card) for card in ids}
    words = [_RANK.findall(_SEAT.sub("", label)) for label in labels]
    return all(label_words and all(rank_number(word) in ranks for word in label_words) for label_words in words)


def _places(label: str) -> dict[str, re.Match[str] | None]:
    return {"seat": _SEAT.search(label), "place": _PLACE.search(label), "index": _INDEX.search(label)}


def _template(label: str) -> tuple[str, str]:
    """What stands before and behind the only number of a label, but for a remark behind a comma ("all-in")."""
    before, _, after = _NUMBER.sub("\0", label.partition(",")[0], count=1).partition("\0")
    return before, after.rstrip("s")


def _amounts(labels: dict[int, str]) -> dict[int, float]:
    """The amount of each legal action, in ascending order, if the block is one of amounts; else nothing."""
    numbers_of = {action: _NUMBER.findall(label) for action, label in labels.items()}
    if any(len(numbers) != 1 for numbers in numbers_of.values()) or len(set(map(_template, labels.values()))) != 1:
        return {}
    amounts = {action: float(numbers[0]) for action, numbers in numbers_of.items()}
    ordered = list(amounts.values())
    return amounts if ordered == sorted(set(ordered)) else {}


def _title(labels: list[str]) -> str:
    """The words that all labels begin with, without the last word of any and without cards."""
    split = [label.split(" ") for label in labels]
    title = []
    for words in zip(*(label_words[:-1] for label_words in split), strict=False):
        if len(set(words)) > 1 or cards.IN_TEXT.search(words[0]) or _NUMBER.search(words[0]) or _RANK.search(words[0]):
            break
        title.append(words[0])
    return " ".join(title)
