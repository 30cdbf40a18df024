"""Positions of By The Skin of Your Teeth, written as text, and what a seat is shown of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from support import see_anew
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

GAME = "skin_of_your_teeth_v0"
PILES = 6
SUIT_ORDER = "dchs"
Known = tuple[dict[int, str], list[str]]  # cards by position, and contents without one


def dealt(hands: list[str], **options: Any) -> CardGameEnv:
    """A game in which the seats are dealt these 13 cards each."""
    n = len(hands)
    env = raw_env(GAME, num_players=n, **{"first_player": 0, **options})
    ids = [cards.parse(hand) for hand in hands]
    rest = Counter(env.game.deck(env.options)) - Counter(card for hand in ids for card in hand)
    deck = [ids[k % n][k // n] for k in range(13 * n)] + list(rest.elements())
    env.reset(seed=0, options={"deck": deck})
    return env


def position(*seats: tuple[str, str], mover: int = 0, **options: Any) -> CardGameEnv:
    """A game in the middle: a hand and piles such as "Ks | 4c 4d" of each seat. All other cards are known to be out of play."""
    n = len(seats)
    env = raw_env(GAME, num_players=n, **{"first_player": 0, "setup": "random", **options})
    env.reset(seed=0)
    record = env.record[0]
    rest = Counter(env.game.deck(env.options))
    for name in ("hand", "hand_size", "pile", "pile_size", "made_of", "where", "slot_card", "slot_count"):
        record[name] = 0
    record["slot_pile"] = -1
    for seat, (hand, piles) in enumerate(seats):
        ids = sorted(cards.parse(hand))
        record["hand"][seat][: len(ids)] = ids
        record["hand_size"][seat] = len(ids)
        rest.subtract(ids)
        for place, text in enumerate(piles.split("|") if piles else []):
            pile = sorted(cards.parse(text))
            record["pile"][seat, place, : len(pile)] = pile
            record["pile_size"][seat, place] = record["made_of"][seat, place] = len(pile)
            record["where"][seat, seat, place] = 1 << place if pile else 0
            rest.subtract(pile)
    assert min(rest.values()) >= 0
    out = sorted(rest.elements())
    undealt = len(env.game.deck(env.options)) - 13 * n
    record["deck"][13 * n : 13 * n + undealt] = out[:undealt]
    record["discard"][: len(out) - undealt] = out[undealt:]
    record["discard_size"] = len(out) - undealt
    record["discard_seen"][: len(out) - undealt] = 2**n - 1
    record["current_player"] = mover
    hand = cards.parse(seats[mover][0])
    own = [(int(card), -1) for card in sorted(hand)] or sorted(
        (int(card), place)
        for place in range(PILES)
        for card in record["pile"][mover, place, : record["pile_size"][mover, place]]
    )
    for slot, (card, place) in enumerate(own):
        record["slot_card"][slot], record["slot_pile"][slot] = card, place
    record["slot_count"] = len(own)
    env.agent_selection = f"player_{mover}"
    see_anew(env)
    return env


def legal(env: CardGameEnv) -> dict[str, int]:
    """The legal actions by their text."""
    return {env.action_label(action): action for action in env.legal_actions()}


def choose(env: CardGameEnv, text: str) -> None:
    """Play the action of this text; of its cards any order will do, and their piles may be left out."""
    verb, *words = text.split()
    for label, action in legal(env).items():
        parts = label.split()
        if parts[0] == verb and sorted(parts[1:]) == sorted(words):
            return env.step(action)
    for label, action in legal(env).items():
        parts = label.split()
        if parts[0] == verb and sorted(word.partition("@")[0] for word in parts[1:]) == sorted(words):
            return env.step(action)
    raise AssertionError(f"{text!r} is not among {list(legal(env))[:30]}")


def attack(env: CardGameEnv, text: str, player: int, pile: int) -> bool:
    """A whole turn; whether it won."""
    seat = env.current_player
    choose(env, f"attack {text}")
    choose(env, f"target player {player} pile {pile}")
    return bool(env.record["last_won"][0, seat])


def make_piles(env: CardGameEnv, *piles: str) -> None:
    for pile in piles:
        choose(env, f"pile {pile}")


def zone(env: CardGameEnv, name: str, viewer: int | None = None) -> str:
    return cards.text(env.zones(None if viewer is None else f"player_{viewer}")[name])


def block(env: CardGameEnv, viewer: int, name: str) -> np.ndarray:
    """A block of a seat's observation."""
    return env.observe(f"player_{viewer}")["observation"][env.observation_layout[name]]


def read_cards(numbers: np.ndarray) -> str:
    """Cards from their numbers in an observation, by id."""
    ids = []
    for rank, suit in numbers.reshape(-1, 2):
        if rank > 0:
            number = round(float(rank) * 14) - 1
            ids.append(52 if number == 13 else number * 4 + "cdhs".index(SUIT_ORDER[round(float(suit) * 4) - 1]))
    return cards.text(sorted(ids))


def known(env: CardGameEnv, viewer: int, owner: int) -> Known:
    """What a seat's observation says about a player's piles."""
    seat = (owner - viewer) % env.num_players
    place = slice(seat * PILES, (seat + 1) * PILES)
    pile_cards = block(env, viewer, "pile_cards").reshape(-1, PILES, 10)[seat]
    is_known, loose = block(env, viewer, "pile_known")[place], block(env, viewer, "loose_cards").reshape(-1, PILES, 10)[seat]
    assert all(is_known[k] or not pile_cards[k].any() for k in range(PILES))
    sizes = block(env, viewer, "loose_size")[place]
    contents = [read_cards(loose[k]) for k in range(PILES) if sizes[k]]
    assert [len(text.split()) for text in contents] == [round(5 * float(size)) for size in sizes if size]
    return {k: read_cards(pile_cards[k]) for k in range(PILES) if is_known[k]}, sorted(contents)


def known_discard(env: CardGameEnv, viewer: int) -> Counter[int]:
    """Cards the seat's observation counts as discarded; Jokers all as 52."""
    copies = int(env.record["num_decks"][0])
    numbers = block(env, viewer, "discarded") * np.array([copies] * 52 + [2 * copies])
    return Counter({card: round(float(number)) for card, number in enumerate(numbers) if number})
