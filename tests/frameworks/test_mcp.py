"""The server of the Model Context Protocol, by the client of the official SDK."""

from __future__ import annotations

import asyncio
import os
import re
import sys

import pytest

mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
import toy_game as toy  # noqa: E402
from support import ROOT  # noqa: E402
from wilddeck import envs  # noqa: E402
from wilddeck.agents.play import play_game  # noqa: E402
from wilddeck.cli import main  # noqa: E402
from wilddeck.envs.core.jit import only_interpreted  # noqa: E402
from wilddeck.frameworks.mcp import Player, make_server  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
TENNIS = {"num_players": 2, "max_tricks": 50}
LISTED = re.compile(r"^(\d+): ", re.M)


async def call(client, tool, **arguments):
    """What a tool says, and whether it is an error."""
    result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content), bool(result.is_error)


def run(scenario, **settings):
    """A scenario with a client of a server in this process."""

    async def connected():
        async with mcp.Client(make_server(Player(**settings))) as client:
            return await scenario(client)

    with only_interpreted():
        return asyncio.run(connected())


def test_a_game_over_standard_input_and_output():
    """`wilddeck mcp` as clients start it: it lists, tells, deals, plays to the end and says the returns."""

    async def play():
        command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "wilddeck.cli", "mcp"], env=dict(os.environ))
        async with mcp.Client(mcp.stdio_client(command)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            listed, _ = await call(client, "list_games")
            said, wrong = await call(client, "sit_down", game="tennis_v0", options=TENNIS, seat=1, opponents="rules", seed=3)
            assert not wrong, said
            prompts = [said]
            while "The game is over" not in said:
                said, wrong = await call(client, "act", action=int(LISTED.findall(said)[0]))
                assert not wrong, said
                prompts.append(said)
            return tools, listed, prompts

    tools, listed, prompts = asyncio.run(play())
    assert tools == {"list_games", "show_rules", "show_options", "sit_down", "see", "act"}
    assert [line.partition(":")[0] for line in listed.splitlines()] == list(envs.OWN)
    assert "as player 1" in prompts[0] and "What has happened, as you perceived it" in prompts[0]
    games = []
    result = play_game("tennis_v0", TENNIS, ["rules", toy.FirstLegal()], 3, on_step=lambda env, action: games.append(env))
    returns = result.returns
    assert prompts[-1].endswith(f"Returns: player 0 {returns[0]:+g}, player 1 (you) {returns[1]:+g}.")
    heads = [text.partition("\n\n")[0] for text in [prompts[0].partition("What has happened")[2], *prompts[1:]]]
    told = [line for head in heads for line in head.splitlines()[1:]]
    assert told == [event.text(1) for event in games[-1].history("player_1")]  # all of it, once
    assert all(text.startswith("What has happened:\n") and "as player 1" not in text for text in prompts[1:])


def test_what_is_told_of_a_game():
    async def ask(client):
        return [
            await call(client, "show_rules", game="hearts_v0"),
            await call(client, "show_rules", game="hearts_v0", amount="full"),
            await call(client, "show_options", game="hearts_v0"),
        ]

    (short, _), (full, _), (options, _) = run(ask, agents=["cmd:python bot.py"])
    assert 0 < len(short) < len(full) and re.search(r"^[A-Z]{2}-01 ", full, re.M)
    assert "num_players" in options
    assert re.search(r"^opponents: .*rules.*random, mc:rollouts=N, cmd:python bot.py$", options, re.M)


def test_bad_input_says_what_is_wrong_and_loses_nothing():
    """Each wrong call is one error, and the game goes on as if it had not been."""
    wrong_calls = [
        ("act", {"action": 10_000}, "action 10000 is not legal; legal: "),
        ("act", {"action": "play the moon"}, "neither the number nor the words"),
        ("sit_down", {"game": "tenis"}, "did you mean 'tennis_v0'"),
        ("sit_down", {"game": "oh_hell:GAME"}, "no game 'oh_hell:GAME'"),
        ("sit_down", {"game": "tennis_v0", "options": {"players": 2}}, "players"),
        ("sit_down", {"game": "tennis_v0", "seat": 9}, "there is no seat 9; seats: 0..3"),
        ("sit_down", {"game": "tennis_v0", "opponents": ["random"]}, "4 players need 3 opponents, not 1"),
        ("sit_down", {"game": "tennis_v0", "rules": "long"}, "allowed: short, full, none"),
        ("sit_down", {"game": "tennis_v0", "seed": -1}, "seed"),
        ("show_rules", {"game": "hearts_v0", "amount": "all"}, "allowed: short, full, none"),
        ("show_options", {"game": ""}, "no game ''"),
    ]
    refused = "this agent cannot be chosen here; agents: "
    for spec in ("cmd:true", "os:getcwd", "a.safetensors", "a.zip", "mc:rollouts=99999999", "llm:model=m", "nobody"):
        wrong_calls.append(("sit_down", {"game": "tennis_v0", "opponents": spec}, refused))

    async def play(client):
        assert await call(client, "act", action=0) == ("Error executing tool act: you sit at no table; call sit_down", True)
        before, _ = await call(client, "sit_down", game="tennis_v0", options=TENNIS, opponents="random", seed=1)
        for tool, arguments, expected in wrong_calls:
            said, wrong = await call(client, tool, **arguments)
            assert wrong and expected in said and "\n" not in said, said
        assert await call(client, "see") == (before, False)
        label = re.search(r"^\d+: (.*)$", before, re.M)[1]
        said, wrong = await call(client, "act", action=label)
        assert not wrong, said
        while "The game is over" not in said:
            said, _ = await call(client, "act", action=LISTED.findall(said)[-1])
        assert "The game is over" in (await call(client, "see"))[0]
        assert (await call(client, "act", action=0))[0].endswith("the game is over; call sit_down for another")

    run(play)


def test_agents_of_the_command_line_may_be_played_against(tmp_path, monkeypatch):
    """And no others that run code."""
    (tmp_path / "mine_for_mcp.py").write_text(
        "import toy_game\n\n\ndef make(game, options):\n    return toy_game.FirstLegal()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "tests"))

    async def play(client):
        said, wrong = await call(client, "sit_down", game="tennis_v0", options=TENNIS, opponents="mine_for_mcp:make", seed=1)
        return said, wrong

    assert run(play)[1]
    said, wrong = run(play, agents=["mine_for_mcp:make"])
    assert not wrong and "as player 0" in said


def test_the_command_line_names_agents_that_there_are(capsys):
    assert main(["mcp", "-a", "nobody"]) == 1
    assert re.fullmatch(r"wilddeck: no agent 'nobody'; agents: random, .*\n", capsys.readouterr().err)


def test_an_opponent_that_fails_is_asked_again(tmp_path, monkeypatch):
    code = """
from wilddeck.agents.base import Agent, AgentError

class Once(Agent):
    asked = 0

    def act(self, view, rng):
        self.asked += 1
        if self.asked == 1:
            raise AgentError("crash", "it fell over")
        return int(view.legal_actions[0])

def make(game, options):
    return Once()
"""
    (tmp_path / "once_for_mcp.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))

    async def play(client):
        for seed in range(20):  # until the client begins
            said, wrong = await call(
                client, "sit_down", game="tennis_v0", options=TENNIS, opponents="once_for_mcp:make", seed=seed
            )
            if not wrong:
                break
            assert "it fell over" in said
        first, wrong = await call(client, "act", action=LISTED.findall(said)[0])
        assert wrong and "your action was played, then an opponent failed: it fell over; call see to ask it again" in first
        return await call(client, "see")

    said, wrong = run(play, agents=["once_for_mcp:make"])
    assert not wrong and LISTED.findall(said) and "as player 0" in said


def test_a_seat_is_left_for_another():
    """Sitting down again deals anew."""

    async def play(client):
        first, _ = await call(client, "sit_down", game="tennis_v0", options=TENNIS, seed=1, opponents="random")
        second, _ = await call(client, "sit_down", game="hearts_v0", seed=1, seat=2, opponents=["random", "random", "random"])
        seen, _ = await call(client, "see")
        return first, second, seen

    first, second, seen = run(play)
    assert "You play Tennis" in first and "You play Hearts" in second and seen == second and "as player 2" in seen
