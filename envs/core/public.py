"""The public view of a game: common knowledge of the table, without the private knowledge of any seat."""

from __future__ import annotations

import functools
from collections import Counter
from operator import and_

from .aec import CardGameEnv
from .cards import HIDDEN
from .events import Event
from .facts import Fact
from .zones import ZoneRole, owner_of


class PublicView:
    """The public information of an environment, with its interface but without viewers.

    A seat's cards and the mover's unfinished choices appear as other players see them; only zones that all seats see alike show
    cards.
    """

    def __init__(self, env: CardGameEnv) -> None:
        self._env = env
        self.game, self.options, self.num_players, self.teams = env.game, env.options, env.num_players, env.teams
        self.possible_agents, self.agents = env.possible_agents, env.agents
        self.agent_selection, self.current_player = env.agent_selection, env.current_player
        self.terminations, self.truncations, self.returns = env.terminations, env.truncations, env.returns

    @property
    def unwrapped(self) -> PublicView:
        return self

    def _onlookers(self, owner: int | None) -> list[int]:
        """The seats that see a seat (None: nobody) as other players do."""
        seats = range(self.num_players)
        return [seat for seat in seats if seat != (self.current_player if owner is None else owner)] or [*seats]

    def zones(self, viewer: None = None) -> dict[str, list[int]]:
        """All zones. Those that not all seats see alike have only hidden cards, because who knows which of them is not
        public."""
        seen = [self._env.zones(agent) for agent in self.possible_agents]
        in_sight = functools.reduce(and_, (Counter(card for ids in zones.values() for card in ids) for zones in seen))
        public: dict[str, list[int]] = {}
        hands: dict[int | None, str] = {}
        for name in dict.fromkeys(name for zones in seen for name in zones):
            role = self.game.zone_role(name)
            owner = owner_of(name, self.game.zone_roles)
            onlookers = self._onlookers(owner)
            shown = [seen[seat].get(name, []) for seat in onlookers]
            alike = all(ids == shown[0] for ids in shown) and not (role.is_held and HIDDEN in shown[0])
            cards = Counter(card for card in shown[0] if card != HIDDEN)
            public[name] = shown[0] if alike and cards <= in_sight else [HIDDEN] * len(shown[0])
            if role.is_held:
                hands.setdefault(owner, name)
            elif role is ZoneRole.KNOWN:
                public[hands[owner]] = [HIDDEN] * (len(public[hands[owner]]) + len(public[name]))
                public[name] = []
        return public

    def facts(self, viewer: None = None) -> list[Fact]:
        """The facts that all seats know, apart from those that the fact is about."""
        known = [self._env.facts(agent) for agent in self.possible_agents]
        facts = dict.fromkeys([*known[self._onlookers(None)[0]], *(fact for facts in known for fact in facts)])
        return [fact for fact in facts if all(fact in known[seat] for seat in self._onlookers(fact.seat))]

    def history(self, agent: None = None) -> list[Event]:
        """The events that all seats perceived."""
        return self._env.public_history()
