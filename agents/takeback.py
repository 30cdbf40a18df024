"""Taking back actions: allowed for a step of an incomplete choice that gave no information to any player.

An action gives its player no information if the next observation is the same in all games of the information state. This is
tested in a few of them, drawn by `determinize`. An action that reveals a card always counts as giving information, even if the
card was almost certain: a few games might miss the alternative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.facts import Fact

GAMES = 8  # of the player's information state
NOTHING_TO_UNDO = "nothing to take back: the choice is complete, or has given somebody information"


def can_be_taken_back(env: CardGameEnv, action: int) -> bool:
    """Whether a legal action of the player to move can be taken back once it is played: it is `foreseen`, and no other player
    notices it in any of the games. The answer reveals no more than the player then sees."""
    return known_before(env, action)[1]


def foreseen(env: CardGameEnv, action: int) -> bool:
    """Whether the player to move knows what they will see after a legal action: they are to move again, there is no reward or
    chance, and their observation is the same in every game of their information state."""
    return known_before(env, action)[0]


def known_before(env: CardGameEnv, action: int) -> tuple[bool, bool]:
    """Whether an action is `foreseen`, and whether it can also be taken back."""
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
    """The game before and after an action: the true one, then others of its player's information state."""
    player = env.possible_agents[env.current_player]
    for number in range(-1, GAMES):
        before = env if number < 0 else env.determinize(player, number)
        before.history()  # cached here, so that the copy need not recompute it
        after = before.clone()
        after.step(action)
        yield before, after


def _goes_on(before: CardGameEnv, after: CardGameEnv) -> bool:
    """Whether the same player is to move in the same deal, without chance, reward or newly revealed cards."""
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
    """All that a seat can observe."""
    agent = env.possible_agents[seat]
    seen = env.observe(agent)
    return seen["observation"].tobytes(), seen["action_mask"].tobytes(), env.zones(agent), env.facts(agent)
