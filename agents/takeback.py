"""What can be taken back: an action of a half-made choice that gave nobody information, neither its player nor the others.

What a player sees after an action tells them nothing if it is the same in all games that they could be in. Of these some are
tried, drawn by `determinize`. An action that brings a card into sight always counts as telling, however sure the card was: few
games might miss that it could have been another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.facts import Fact

GAMES = 8  # that the player cannot tell from the true one
NOTHING_TO_UNDO = "nothing to take back: the choice is complete, or has given somebody information"


def can_be_taken_back(env: CardGameEnv, action: int) -> bool:
    """Whether a legal action of the player to move can be taken back once it is played: it is `foreseen`, and nobody else
    notices it, in none of the games. The answer itself tells the player no more than they have seen by then."""
    return known_before(env, action)[1]


def foreseen(env: CardGameEnv, action: int) -> bool:
    """Whether the player to move knows before a legal action is played all that they will see after it: they are to move again,
    nothing is paid or left to chance, and it looks the same to them in every game that they cannot tell from this one."""
    return known_before(env, action)[0]


def known_before(env: CardGameEnv, action: int) -> tuple[bool, bool]:
    """Whether an action is `foreseen`, and whether it can be taken back as well."""
    player, first, noticed = env.current_player, None, False
    for before, after in outcomes(env, action):
        if not _goes_on(before, after):
            return False, False
        seen = _sight(after, player)
        if seen != (first := first or seen):
            return False, False
        noticed = noticed or _is_noticed(before, after)
    return True, not noticed


def outcomes(env: CardGameEnv, action: int) -> Iterator[tuple[CardGameEnv, CardGameEnv]]:
    """The game before and after an action: the true one, then others that its player cannot tell from it."""
    player = env.possible_agents[env.current_player]
    for number in range(-1, GAMES):
        before = env if number < 0 else env.determinize(player, number)
        before.history()  # which the copy then need not find again from the beginning
        after = before.clone()
        after.step(action)
        yield before, after


def _goes_on(before: CardGameEnv, after: CardGameEnv) -> bool:
    """Whether the same player is to move in the same deal, without chance, payment, or a card that was not in sight."""
    old, new = before.record[0], after.record[0]
    same = all(old[name] == new[name] for name in ("current_player", "deals", "rng"))
    return same and not (after.is_over or any(after.rewards.values()) or _in_sight(after) - _in_sight(before))


def _in_sight(env: CardGameEnv) -> Counter[int]:
    zones = env.zones(env.possible_agents[env.current_player])
    return Counter(card for ids in zones.values() for card in ids if card != cards.HIDDEN)


def _is_noticed(before: CardGameEnv, after: CardGameEnv) -> bool:
    others = [agent for agent in before.possible_agents if agent != before.agent_selection]
    return any(len(before.history(agent)) != len(after.history(agent)) for agent in others)


def _sight(env: CardGameEnv, seat: int) -> tuple[bytes, bytes, dict[str, list[int]], list[Fact]]:
    """All that a seat can ask for."""
    agent = env.possible_agents[seat]
    seen = env.observe(agent)
    return seen["observation"].tobytes(), seen["action_mask"].tobytes(), env.zones(agent), env.facts(agent)
