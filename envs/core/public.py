"""A game as those see it who sit nowhere: what everybody at the table knows, and none of what single seats know."""

from __future__ import annotations

import re
from collections import Counter

from .aec import CardGameEnv
from .cards import HIDDEN
from .events import Event
from .facts import Fact
from .zones import ZoneRole

_OWNED = re.compile(r"\w+/(\d+)")  # a zone


class PublicView:
    """What is public of an environment, to be asked for in its place without naming a viewer.

    What a seat has is shown as others see it, and what the player to move has begun as those who wait do; of the cards,
    those that everybody has in sight, but of a hand all or none.
    """

    def __init__(self, env: CardGameEnv) -> None:
        self._env = env
        self.game, self.num_players, self.teams, self.record = env.game, env.num_players, env.teams, env.record
        self.possible_agents, self.agents = env.possible_agents, env.agents
        self.agent_selection, self.current_player = env.agent_selection, env.current_player
        self.terminations, self.truncations, self.rewards = env.terminations, env.truncations, env.rewards

    @property
    def unwrapped(self) -> PublicView:
        return self

    def _onlookers(self, owner: int | None) -> list[int]:
        """The seats that see of what a seat (None: nobody) has no more than the others do."""
        seats = range(self.num_players)
        waiting = [seat for seat in seats if seat not in (owner, self.current_player)]
        return waiting or [seat for seat in seats if seat != owner] or [*seats]

    def zones(self, viewer: None = None) -> dict[str, list[int]]:
        """Every card in one zone, as -1 where not everybody has it in sight."""
        seen = [self._env.zones(agent) for agent in self.possible_agents]
        public: dict[str, list[int]] = {}
        for name in dict.fromkeys(name for zones in seen for name in zones):
            role = self.game.zone_role(name)
            owner = _owner(name, role)
            ids = self._in_sight(name, owner, seen)
            if role is ZoneRole.HAND and HIDDEN in ids:  # who knows some of its cards is not public
                ids = [HIDDEN] * len(ids)
            if ids and owner is not None and not seen[owner].get(name):  # it only says what others know of the hand
                hands = (other for other in public if self.game.zone_role(other) is ZoneRole.HAND)
                hand = next(other for other in hands if _owner(other, ZoneRole.HAND) == owner)
                public[hand], ids = [HIDDEN] * (len(public[hand]) + len(ids)), []
            public[name] = ids
        return public

    def _in_sight(self, name: str, owner: int | None, seen: list[dict[str, list[int]]]) -> list[int]:
        """A zone as an onlooker sees it, without what somebody else does not."""
        onlookers = self._onlookers(owner)
        shown = seen[onlookers[0]].get(name, [])
        ids = list(shown)
        for seat, zones in enumerate(seen):  # who is no onlooker may have begun to move a card: anywhere will do
            there = zones.get(name, []) if seat in onlookers else [card for cards in zones.values() for card in cards]
            excess = Counter(ids) - Counter(there)
            for k in reversed(range(len(ids))):  # of several copies the last
                if excess[ids[k]] > 0:
                    excess[ids[k]] -= 1
                    ids[k] = HIDDEN
        return _hidden_last(ids) if shown == _hidden_last(shown) else ids  # places would tell what the onlooker knows

    def facts(self, viewer: None = None) -> list[Fact]:
        """Those that all know whom they do not concern."""
        known = [self._env.facts(agent) for agent in self.possible_agents]
        facts = dict.fromkeys([*known[self._onlookers(None)[0]], *(fact for facts in known for fact in facts)])
        return [fact for fact in facts if all(fact in known[seat] for seat in self._onlookers(fact.seat))]

    def history(self, agent: None = None) -> list[Event]:
        """What all perceived."""
        return self._env.public_history()


def _hidden_last(ids: list[int]) -> list[int]:
    return sorted(ids, key=HIDDEN.__eq__)


def _owner(zone: str, role: ZoneRole) -> int | None:
    found = None if role is ZoneRole.MELD else _OWNED.match(zone)
    return int(found[1]) if found else None
