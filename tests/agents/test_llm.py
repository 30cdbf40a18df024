"""Language models as agents, through the real client library and a server that stands in for one."""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents.base import AgentError, Unavailable, View
from wilddeck.agents.llm import exchanges as kept
from wilddeck.agents.llm.agent import ChatAgent
from wilddeck.agents.llm.answers import read_action, read_object
from wilddeck.agents.llm.prompts import FIELDS, Template, game_rules
from wilddeck.agents.llm.settings import Settings
from wilddeck.agents.play import play_game
from wilddeck.cli import main
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.league import League, LeagueError
from wilddeck.testing.brains import TEMPLATE
from wilddeck.testing.chat_server import ChatServer

pytest.importorskip("openai")
GAME, OPTIONS = "tennis_v0", {"num_players": 2, "max_tricks": 50}
KEY = "sk-0123456789-nobody-may-read-this"


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with only_interpreted():
        yield


def game(game_id: str = GAME, options: Any = None, moves: int = 0, seed: int = 3) -> CardGameEnv:
    chosen, made = envs.resolve(game_id, OPTIONS if game_id == GAME and options is None else options)
    env = CardGameEnv(chosen, made)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(moves):
        env.step(int(rng.choice(env.legal_actions())))
    return env


def view(moves: int = 0) -> View:
    return View.of(game(moves=moves))


def chat_agent(server: ChatServer, **settings: Any) -> ChatAgent:
    return ChatAgent({"model": "stand-in", "base_url": server.base_url, "retries": 1, **settings}, GAME, OPTIONS)


def ask(agent: ChatAgent, moves: int = 0) -> int:
    return agent.act(view(moves), np.random.default_rng(0))


# --- prompts ---


@pytest.mark.parametrize("game_id", envs.OWN)
def test_a_prompt_holds_the_rules_the_own_hand_and_every_legal_action(game_id):
    env = game(game_id, moves=3)
    if env.is_over:
        env = game(game_id)
    seen = View.of(env)
    system, user = Template().messages(seen)
    assert (system["role"], user["role"]) == ("system", "user")
    assert f"as player {seen.seat}" in system["content"] and seen.game.title in system["content"]
    lines = user["content"].splitlines()
    for action in seen.legal_actions:
        assert lines.count(f"{action}: {seen.label(int(action))}") == 1
    hand = [card for card in seen.zones().get(f"hand/{seen.seat}", []) if card >= 0]
    of_hand = next((line for line in lines if line.startswith("your hand: ")), "")
    assert all(seen.game.cards.text([card]) in of_hand.split() for card in hand)
    for event in seen.history():
        assert event.text(seen.seat) in lines
    assert "{" not in user["content"] and "$" not in user["content"]


@pytest.mark.parametrize("game_id", envs.OWN)
def test_full_rules_hold_every_clause(game_id):
    from wilddeck.envs import pages

    chosen = envs.game(game_id)
    page = pages.sections(pages.page(chosen))["Rules"]
    full, short = game_rules(chosen, "full", True), game_rules(chosen, "short", True)
    clauses = [line.split(" | ")[0].strip("| ") for line in page.splitlines() if line.startswith("| ") and "-" in line[:8]]
    assert clauses and all(f"\n{clause} " in full for clause in clauses if clause[:2].isupper())
    assert ("ED-26 " in full) == ("ED-" in page or chosen.name == "egyptian_ratscrew")
    assert ("\nBM-26 " in full) == ("BM-" in page)  # of the game whose rules hold in another one
    assert "ED-26 " not in game_rules(chosen, "full", False)
    assert 0 < len(short) < len(full) and game_rules(chosen, "none", True) == ""
    assert "```" not in full and "](" not in full


def test_what_has_happened_is_what_the_seat_perceived():
    env = game("hearts_v0", moves=20)
    seen = View.of(env)
    text = Template().messages(seen)[-1]["content"]
    assert f"player {(seen.seat + 1) % 4} is dealt 13 cards" in text and "you are dealt " in text


def test_a_template_of_ones_own(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Play $title.\n---\n$legal_actions costs $$5 for ${seat}\n")
    system, user = Template.read(path).messages(view())
    assert system["content"] == "Play Tennis.\n"
    assert user["content"] == f"{view().legal_actions.tolist()} costs $5 for {view().seat}\n"
    path.write_text("\n---\n$observation")
    only = Template.read(path).messages(view())
    assert [message["role"] for message in only] == ["user"]
    assert json.loads(only[0]["content"]) == view().observation.tolist()
    for name in FIELDS:
        assert f"${name}" not in Template("", f"${name}").messages(view())[0]["content"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no line", "needs a line ---"),
        ("a\n---\n$hand", r"unknown name \$hand in a prompt template; allowed: \$game, .*\$rules"),
        ("a $\n---\nb", r"a \$ in a prompt template is neither a name nor \$\$"),
    ],
)
def test_a_template_that_is_none(tmp_path, text, message):
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        agents.make(f"llm:model=m,base_url=http://localhost:1,template={path}", GAME)


# --- answers ---


def first_label() -> tuple[int, str]:
    seen = view()
    action = int(seen.legal_actions[-1])
    return action, seen.label(action)


@pytest.mark.parametrize(
    "text",
    [
        "ACTION: {action}", "I think.\n\n**ACTION: {action}**", "action = {action}", "ACTION: {label}", "{action}", "{label}",
        "ACTION: 0\nNo, better:\nACTION: {action}.", "ACTION: {action}: {label}", "`ACTION: {label}`", "ACTION: #{action}",
        "  ACTION:   {label}  ",
    ],
)  # fmt: skip
def test_an_answer_is_read(text):
    action, label = first_label()
    assert read_action(text.format(action=action, label=label.upper()), view()) == action
    assert read_object(json.dumps({"thoughts": text, "action": action}), view()) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line `ACTION: number`; legal: "),
        ("I cannot decide.\nSorry.", "no line `ACTION: number`"),
        ("ACTION: 999", r"action 999 is not legal; legal: \d+ \(play"),
        ("ACTION: 3.5", "neither the number"),
        ("ACTION: -1", "'-1' is neither the number nor the words"),
        ("ACTION: play the moon", "'play the moon' is neither"),
        ("ACTION: 99999999999999999999", "neither the number"),
    ],
)
def test_an_answer_of_no_use(text, message):
    with pytest.raises(ValueError, match=message):
        read_action(text, view())


@pytest.mark.parametrize("text", ["", "[1]", '{"action": "1"}', '{"action": true}', '{"thoughts": 1}', "{", "[" * 100_000])
def test_an_object_of_no_use(text):
    with pytest.raises(ValueError, match="no JSON object with a number as its"):
        read_object(text, view())


# --- a server ---


@pytest.mark.parametrize("answers", ["auto", "object", "tool", "line"])
def test_it_plays_by_every_kind_of_answer(answers):
    with ChatServer("first") as server:
        agent = chat_agent(server, answers=answers)
        assert ask(agent) == view().legal_actions[0]
        body = server.requests[0].body
        assert ("response_format" in body, "tools" in body) == (answers in ("auto", "object"), answers == "tool")
        assert server.requests[0].key == KEY and "temperature" not in body


def test_what_is_sent_with_a_request():
    with ChatServer("first") as server:
        ask(chat_agent(server, temperature=0.5, max_tokens=300, seed=7))
        body = server.requests[0].body
        assert (body["temperature"], body["max_completion_tokens"], body["seed"]) == (0.5, 300, 7)


def test_it_steps_down_to_what_a_server_takes_and_remembers():
    with ChatServer("first", refuses=["json_schema", "tools"]) as server:
        agent = chat_agent(server)
        assert ask(agent) == ask(agent) == view().legal_actions[0]
        assert len(server.requests) == 4  # two refusals, once
        assert "`ACTION: `" in server.requests[-1].body["messages"][-1]["content"]


def test_threads_step_down_together():
    with ChatServer("first", refuses=["json_schema", "tools"], delay=0.05) as server, ThreadPoolExecutor(8) as pool:
        agent, seen = chat_agent(server, seconds=60.5), view()
        asked = [pool.submit(agent._chat.ask, agent.template.messages(seen), seen) for _ in range(8)]
        assert {reply.result().text for reply in asked} == {f"ACTION: {seen.legal_actions[0]}"}
        assert len(server.requests) >= 10


@pytest.mark.parametrize("fault", ["nonsense", "illegal", "json", "null", "empty", "length", "refusal"])
def test_an_answer_of_no_use_is_sent_back_once(fault):
    with ChatServer("first", faults=[fault]) as server:
        assert ask(chat_agent(server)) == view().legal_actions[0]
        said = [message["content"] for message in server.requests[1].body["messages"]]
        assert len(said) == 4 and said[-1].startswith("This cannot be played: ") and "legal: " in said[-1]


def test_orders_that_a_model_repeats_are_at_most_a_legal_action():
    with ChatServer("first", faults=["echo"] * 2) as server:
        assert ask(chat_agent(server, failure="random")) in view().legal_actions


def test_two_of_no_use_are_a_forfeit_or_a_random_action():
    with ChatServer("first", faults=["illegal"] * 8) as server:
        with pytest.raises(AgentError, match=r"two invalid answers; the last: action .* is not legal") as failed:
            ask(chat_agent(server))
        assert failed.value.kind == "illegal"
        played = {ask(chat_agent(server, failure="random")) for _ in range(3)}
        assert played <= set(view().legal_actions.tolist()) and len(server.requests) == 8


def test_a_late_answer_is_a_timeout():
    with ChatServer("first", faults=["timeout"] * 9, patience=30) as server:
        late = chat_agent(server, seconds=0.2, retries=0)
        with pytest.raises(AgentError, match=r"stand-in gave no answer within 0\.2 s") as failed:
            ask(late)
        assert failed.value.kind == "timeout"
        assert ask(chat_agent(server, seconds=0.2, retries=0, failure="random")) in view().legal_actions


def test_a_busy_server_is_asked_again():
    with ChatServer("first", faults=["429", "500", "cut"]) as server:
        assert ask(chat_agent(server, retries=4)) == view().legal_actions[0]
        assert len(server.requests) == 4


@pytest.mark.parametrize("faults", [["401"], ["500"] * 3, ["400"] * 3])
def test_a_server_that_cannot_be_asked_is_nobodys_play(faults):
    with ChatServer("first", faults=faults) as server, pytest.raises(Unavailable, match="the server of stand-in") as failed:
        ask(chat_agent(server, failure="random"))
    assert KEY not in str(failed.value) and pickle.loads(pickle.dumps(failed.value)).kind == "unavailable"


def test_no_server_at_all():
    with pytest.raises(Unavailable, match="cannot be asked: APIConnectionError"):
        ChatAgent({"model": "m", "base_url": "http://127.0.0.1:9/v1", "retries": 0}, GAME, OPTIONS).act(
            view(), np.random.default_rng(0)
        )


def test_the_rules_player_behind_a_server_plays_as_it_does_here(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text(TEMPLATE)
    with ChatServer("rules") as server:
        model, rules = chat_agent(server, template=str(path)), agents.make("rules", GAME, OPTIONS)
        for moves in range(12):
            assert ask(model, moves) == rules.act(view(moves), np.random.default_rng(0))
        assert server.requests


def test_requests_keep_their_pace():
    with ChatServer("first") as server:
        agent = chat_agent(server, requests_per_minute=600)
        begun = time.monotonic()
        for _ in range(4):
            ask(agent)
        assert time.monotonic() - begun >= 0.3


# --- specs ---


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("llm", "needs a model, such as llm:model=NAME"),
        ("llm:modle=m", "has no parameter 'modle=m'; write key=value, each once: model, base_url, api_key_env"),
        ("llm:model=m,rules=some", "rules='some' is not allowed; allowed: short, full, none"),
        ("llm:model=m,answers=yes", "answers='yes' is not allowed; allowed: auto, object, tool, line"),
        ("llm:model=m,failure=pass", "failure='pass' is not allowed; allowed: forfeit, random"),
        ("llm:model=m,retries=-1", "retries must be a finite number of at least 0"),
        ("llm:model=m,seconds=nan", "seconds and max_tokens must be greater than 0"),
        ("llm:model=m,temperature=inf", "temperature must be a finite number of at least 0"),
        ("llm:model=m,max_tokens=0", "must be greater than 0"),
        ("llm:model=m,budget=1", "a budget needs price_in and price_out"),
        ("llm:model=m,seconds=soon", "seconds='soon' is not of type float"),
        ("llm:model=m,template=nowhere.txt", "nowhere.txt"),
        ("llm:model=m,api_key_env=NOWHERE_KEY", "the environment variable NOWHERE_KEY"),
    ],
)
def test_typos_in_a_spec(spec, message):
    with pytest.raises((ValueError, OSError), match=message):
        agents.make(spec, GAME)


def test_a_spec_is_settings_and_an_agent_can_be_sent():
    agent = agents.make("llm:model=m,base_url=http://localhost:1/v1,temperature=0.5,max_tokens=9,rules=none", GAME)
    assert isinstance(agent, ChatAgent)
    assert agent.settings == Settings("m", "http://localhost:1/v1", temperature=0.5, max_tokens=9, rules="none")
    assert pickle.loads(pickle.dumps(agent)).settings == agent.settings
    assert agents.runs_code("llm:model=m,base_url=http://somebody/v1")  # it would be sent the key


# --- exchanges ---


def test_nothing_is_asked_twice_and_the_key_is_nowhere(tmp_path):
    path = tmp_path / "kept.jsonl"
    with ChatServer("first", faults=["illegal"]) as server:
        agent = chat_agent(server, exchanges=str(path))
        agent.begin(agent.game, agent.options, view().seat, 7)
        action = ask(agent)
        assert len(server.requests) == 2
        kept._opened.cache_clear()  # as another process would find it
        again = chat_agent(server, exchanges=str(path))
        again.begin(agent.game, agent.options, view().seat, 7)
        assert ask(again) == action and len(server.requests) == 2
        again.begin(agent.game, agent.options, view().seat, 8)
        assert ask(again) == action and len(server.requests) == 3  # another game
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("action") for line in lines if "prompt" not in line] == [None, action, action]
    assert sum("prompt" in line for line in lines) == 1  # the rules, once
    assert KEY not in path.read_text()
    assert (
        lines[1]["error"] and lines[1]["tokens_in"] > 0 and lines[1]["messages"][1]["content"].startswith("What has happened")
    )


def test_a_file_of_exchanges_that_is_damaged(tmp_path):
    path = tmp_path / "kept.jsonl"
    with ChatServer("first") as server:
        ask(chat_agent(server, exchanges=str(path)))
    whole = path.read_text()
    path.write_text(whole + '{"agent": "half a li')  # a run that was killed
    assert len(kept.Exchanges(path).all()) == 1
    for text in ("nonsense\n" + whole, whole + '{"agent": 5}\n', whole.replace('"seat": ', '"sheet": ')):
        path.write_text(text)
        with pytest.raises(ValueError, match="is not a file of exchanges with language models"):
            kept.Exchanges(path)


def test_a_budget_is_kept(tmp_path):
    spec = {"price_in": 1e6, "price_out": 1e6, "exchanges": str(tmp_path / "kept.jsonl"), "budget": 1.0}
    with ChatServer("first") as server:
        agent = chat_agent(server, **spec)
        ask(agent)
        with pytest.raises(Unavailable, match="has spent its budget"):
            ask(agent)
        assert len(server.requests) == 1
        ask(chat_agent(server, **spec, rules="none"))  # another agent in the same file has a budget of its own
        with pytest.raises(Unavailable, match="no record of what is spent"):
            ask(chat_agent(server, **{**spec, "exchanges": ""}))


# --- leagues ---


def league(path: Path, server: ChatServer, **settings: Any) -> League:
    made = League(path, GAME, OPTIONS, seed=1)
    text = ",".join(f"{name}={value}" for name, value in settings.items())
    made.add("model", f"llm:model=stand-in,base_url={server.base_url},retries=0" + (f",{text}" if text else ""))
    made.add("random", "random")
    return made


def test_many_matches_are_played_at_once_and_their_costs_are_in_the_table(tmp_path, capsys):
    with ChatServer("random", delay=0.05) as server:
        with league(tmp_path / "a.db", server, price_in=1, price_out=2) as playing:
            run = playing.run(4, executor="thread", workers=8)
            usage = playing.usage()
        assert run.played == 8 and run.forfeits == 0 and server.most_in_flight >= 4
        (row,) = usage
        assert row.agent == "model" and row.requests == row.decisions == len(server.requests) > 50
        assert row.failed == row.repeated == 0
        assert row.cost == pytest.approx((row.tokens_in + 2 * row.tokens_out) / 1e6) and row.cost > 0
    assert main(["league", "table", str(tmp_path / "a.db")]) == 0
    shown = capsys.readouterr().out
    assert "Language models" in shown and f"{row.tokens_in}" in shown
    assert main(["league", "table", str(tmp_path / "a.db"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["usage"][0]["decisions"] == row.decisions


def test_a_league_goes_on_without_asking_again(tmp_path):
    """Its results are those of a run that nothing has stopped."""
    with ChatServer("random", faults=[*[""] * 30, "401"]) as server, league(tmp_path / "stopped.db", server) as stopped:
        with pytest.raises(LeagueError, match=r"cannot be asked: .*; finished matches are saved"):
            stopped.run(2)
        assert len(server.requests) == 31 and len(list(stopped.results())) < 4
    with ChatServer("random", port=server.port) as again:
        with league(tmp_path / "stopped.db", again) as stopped:
            stopped.run(2, executor="thread", workers=3)
            actions = {result.id: result.actions.tolist() for result in stopped.results()}
        asked = 30 + len(again.requests)
    with ChatServer("random", port=server.port) as other, league(tmp_path / "whole.db", other) as whole:
        whole.run(2)
        assert {result.id: result.actions.tolist() for result in whole.results()} == actions
        assert len(other.requests) == asked == len(kept.Exchanges(whole.exchanges).all())


def test_a_league_from_elsewhere_sends_no_key(tmp_path):
    with ChatServer("first") as server:
        league(tmp_path / "a.db", server).close()
        with (
            League(tmp_path / "a.db") as foreign,
            pytest.raises(LeagueError, match="names programs that would run here: 'model'"),
        ):
            foreign.run(1)
        assert not server.requests


def test_a_failing_model_forfeits_its_own_games(tmp_path):
    with ChatServer("first", faults={"illegal": 1.0}) as server, league(tmp_path / "a.db", server) as playing:
        playing.run(1, executor="thread")
        assert {failure.status for failure in playing.errors()} == {"illegal"}
        (row,) = playing.usage()
        assert row.failed == row.decisions == 2 and row.requests == 4


def test_it_needs_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ImportError, match=r"needs the extra `llm`: pip install 'wilddeck\[llm\]'"):
        agents.make("llm:model=other", GAME)


def test_a_game_in_one_line():
    with ChatServer("first") as server:
        spec = f"llm:model=stand-in,base_url={server.base_url}"
        assert play_game(GAME, OPTIONS, [spec, "random"], 1).returns.sum() == 0
        assert server.requests
