"""A server that is given agents as objects."""

from __future__ import annotations

import time

import numpy as np
import pytest
from serving import Server
from wilddeck.agents.base import Agent
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.views import Views
from wilddeck.web.app import make_app


class Mine(Agent):
    """The first legal action."""

    name = "mine"
    asked = closed = 0

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        self.asked += 1
        return views.action_mask.argmax(axis=1)


@pytest.mark.long
def test_an_object_sits_at_a_table_under_its_name() -> None:
    mine = Mine()
    server = Server(agents=[mine, "score_agents:first"])
    try:
        status, found = server.ask("/api/check", {"game": "tennis_v0", "options": {}})
        assert status == 200 and found["agents"][-2:] == ["mine", "score_agents:first"]
        table = server.at(server.table("tennis_v0", ["mine", "rules", "rules", "score_agents:first"]))
        for _ in range(1200):
            if table.over:
                break
            time.sleep(0.1)
        assert mine.asked and not [line for log in table.logs.values() for line in log.lines if "failed" in line["text"]]
    finally:
        server.stop()


def test_names_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="two agents have the name 'mine'"):
        make_app(agents=[Mine(), Mine()])
    with pytest.raises(ValueError, match="'random' names an agent of wilddeck; give yours another name"):
        make_app(agents=[RandomAgent()])
