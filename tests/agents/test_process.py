"""Bots in processes of their own, and every way in which they fail."""

import json
import sys
import time

import numpy as np
import pytest
from support import wait_for
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import AgentError, View

TENNIS = envs.game("tennis_v0")
OPTIONS = TENNIS.make_options({"num_players": 2})

# A bot as in docs/guides/bots.md; `{act}` is what it does when asked.
BOT = """
import json, os, sys, time
log = open({log!r}, "a")
for line in sys.stdin:
    log.write(line); log.flush()
    message = json.loads(line)
    say = lambda answer: print(json.dumps(answer), flush=True)
    if message["type"] == "hello":
        {hello}
    elif message["type"] == "act":
        {act}
"""
HELLO, PLAY = 'say({"name": "first"})', 'say({"action": message["legal"][0]})'


@pytest.fixture
def bot(tmp_path):
    """Makes agents of bots that act in a given way; `.heard()` tells the messages they got."""
    made = []

    def start(act=PLAY, hello=HELLO, **parameters):
        from wilddeck.agents.process import ProcessAgent

        path = tmp_path / "bot.py"
        path.write_text(BOT.format(act=act, hello=hello, log=str(tmp_path / "log")))
        agent = ProcessAgent(f"{sys.executable} -I {path}", TENNIS, OPTIONS, **parameters)
        agent.heard = lambda: [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
        made.append(agent)
        return agent

    yield start
    for agent in made:
        agent.close()


def view():
    env = envs.raw_env("tennis_v0", num_players=2)
    env.reset(seed=1)
    return View.of(env)


def act(agent):
    agent.begin(TENNIS, OPTIONS, 0, 5)
    return agent.act(view(), np.random.default_rng(0))


def failure(agent, kind, match):
    """The bot's failure, which must have killed it and come soon."""
    begun = time.monotonic()
    with pytest.raises(AgentError, match=match) as caught:
        act(agent)
    assert caught.value.kind == kind
    assert time.monotonic() - begun < 30
    assert agent._line is None
    assert str(caught.value).startswith("cmd:")
    return str(caught.value)


def test_a_bot_plays_whole_games_and_is_told_all(bot):
    agent = bot()
    result = play.play_game(TENNIS, OPTIONS, [agent, agents.make("random", TENNIS, OPTIONS)], 3)
    play.play_game(TENNIS, OPTIONS, [agent, agent], 4)
    deadline = time.monotonic() + 20  # nobody waits for an answer to the last message
    while sum(m["type"] == "end" for m in agent.heard()) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    heard = agent.heard()
    assert [m["type"] for m in heard[:2]] == ["hello", "newgame"]
    assert sum(m["type"] == "hello" for m in heard) == 1  # one process for all games
    assert heard[0]["game"] == "tennis_v0" and heard[0]["num_players"] == 2 and heard[0]["observation"]["hand"] == [0, 12]
    assert heard[1] == {"type": "newgame", "seat": 0, "seed": result.seeds[0]}
    asked = next(m for m in heard if m["type"] == "act")
    assert len(asked["observation"]) == TENNIS.observation_size(OPTIONS)
    assert len(asked["labels"]) == len(asked["legal"]) and asked["labels"][0].startswith("play")
    assert asked["deadline_ms"] == 5000 and "events" not in asked  # it speaks protocol 1
    ends = [m for m in heard if m["type"] == "end"]
    assert ends[0] == {"type": "end", "seat": 0, "returns": result.returns.tolist()}
    assert [m["seat"] for m in ends] == [0, 0, 1]


def test_a_bot_of_protocol_2_hears_what_its_seats_perceive(bot):
    agent, other = bot(hello='say({"name": "first", "protocol": 2})'), agents.make("random", TENNIS, OPTIONS)
    result = play.play_game(TENNIS, OPTIONS, [agent, other], 3)
    env = envs.raw_env("tennis_v0", num_players=2)
    env.reset(seed=3)
    asked, heard = [m for m in agent.heard() if m["type"] == "act"], []
    for action in result.actions:
        if env.current_player == 0:
            asked_now = asked.pop(0)
            ranks = [env.action_parts(legal).ranks for legal in asked_now["legal"]]
            assert asked_now["parts"] == [{"verb": "play", "ranks": list(of)} for of in ranks]
            heard += asked_now["events"]
            assert heard == [event.to_json(TENNIS.cards) for event in env.history("player_0")]
        env.step(action)
    assert asked == [] and {"draw", "play", "trick_won"} <= {event["kind"] for event in heard}
    assert any("??" in event["cards"] for event in heard)


def test_a_bot_that_cannot_be_started():
    agent = agents.make("cmd:/nonexistent/bot --fast", TENNIS, OPTIONS)
    with pytest.raises(AgentError, match=r"cmd:/nonexistent/bot --fast cannot be started: .*No such file") as caught:
        agent.begin(TENNIS, OPTIONS, 0, 0)
    assert caught.value.kind == "crash"


def test_a_crash_shows_the_end_of_standard_error(bot):
    message = failure(bot(act='sys.stderr.write("x" * 100000); raise KeyError("my bug")'), "crash", "ended with exit status 1")
    assert "KeyError: 'my bug'" in message
    assert len(message) < 20000


def test_a_signal_is_named(bot):
    failure(bot(act="os.kill(os.getpid(), 11)"), "crash", r"was killed by signal 11 \(SIGSEGV\)")


@pytest.mark.parametrize("quit_at", ["hello", "act"])
def test_a_bot_that_ends(bot, quit_at):
    failure(bot(**{quit_at: "sys.exit(0)"}), "crash", "ended with exit status 0")


def test_a_bot_that_closes_its_output(bot):
    failure(bot(act="os.close(1); time.sleep(60)"), "crash", "closed its output")


@pytest.mark.parametrize("action", ["time.sleep(60)", "time.sleep(0.6); " + PLAY, 'sys.stdout.write("{"); sys.stdout.flush()'])
def test_a_bot_that_hangs_or_is_late(bot, action):
    failure(bot(act=action, move_seconds=0.3), "timeout", "gave no answer to 'act' within 0.3 s")


def test_a_bot_that_hangs_at_the_start(bot):
    failure(bot(hello="time.sleep(60)", start_seconds=0.3), "timeout", "gave no answer to 'hello'")


def test_a_bot_that_does_not_read(bot):
    agent = bot(hello=HELLO + "; time.sleep(60)", move_seconds=0.3)
    with pytest.raises(AgentError, match="gave no answer to 'newgame'") as caught:
        for _ in range(5000):  # until the pipe is full
            agent.begin(TENNIS, OPTIONS, 0, 5)
    assert caught.value.kind == "timeout"


def test_a_bot_that_floods_its_standard_error(bot):
    failure(bot(act='\n        while True: sys.stderr.write("x" * 65536)', move_seconds=0.5), "timeout", "gave no answer")


@pytest.mark.parametrize(
    ("action", "match"),
    [
        ('print("I play a five", flush=True)', "answered 'I play a five', which is not a JSON object"),
        ("print([4], flush=True)", "which is not a JSON object"),
        ('print("[" * 100000, flush=True)', r"which is not a JSON object"),
        ("os.write(1, bytes([255, 254, 10]))", "which is not a JSON object"),
        ('say({"move": 1})', r"answered '\{\"move\": 1\}', not"),
        ('say({"action": "4"})', 'not {"action": number}'),
        ('say({"action": 4.0})', 'not {"action": number}'),
        ('say({"action": True})', 'not {"action": number}'),
        ('print("x" * 2**21, flush=True)', "a line of more than 1048576 bytes"),
        ('\n        while True: os.write(1, b"x" * 65536)', "a line of more than 1048576 bytes"),
    ],
)
def test_rubbish(bot, action, match):
    failure(bot(act=action), "protocol", match)


def test_a_bot_that_speaks_unasked(bot):
    agent = bot(act=PLAY + "; " + PLAY)
    act(agent)
    wait_for(lambda: agent._line._pump() or agent._line._received)
    with pytest.raises(AgentError, match=r"wrote without being asked: '\{.action") as caught:
        agent.act(view(), np.random.default_rng(0))
    assert caught.value.kind == "protocol"


@pytest.mark.parametrize("action", [-1, 999])
def test_an_illegal_action(bot, action):
    failure(
        bot(act=f'say({{"action": {action}}})'), "illegal", rf"answered action {action}, which is not legal; legal: \d+ \(play"
    )


def test_a_failed_bot_starts_again_with_the_next_game(bot):
    agent = bot(act=f'({PLAY}) if os.path.exists(log.name + "2") else (open(log.name + "2", "w"), sys.exit(1))')
    failure(agent, "crash", "exit status 1")
    assert act(agent) in view().legal_actions


def test_limits_are_set(bot, tmp_path):
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("limits cannot be set from outside here")
    out = tmp_path / "limits"
    ask = "[r.getrlimit(kind)[0] for kind in (r.RLIMIT_AS, r.RLIMIT_NOFILE, r.RLIMIT_CORE)]"
    act(bot(act=f'import resource as r; open({str(out)!r}, "w").write(str({ask})); {PLAY}'))
    assert json.loads(out.read_text()) == [8 << 30, 256, 0]


def test_an_agent_that_ends_with_the_game_harms_nobody(bot):
    agent = bot()
    act(agent)
    agent._line._process.kill()
    wait_for(lambda: agent._line._selector.select(0))  # its output ends
    agent.end(0, np.zeros(2))
    assert agent._line is None
