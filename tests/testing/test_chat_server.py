"""The server that stands in for a language model, through the real client of OpenAI's chat interface."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck import agents, cli
from wilddeck.agents.base import View
from wilddeck.agents.llm.prompts import Template
from wilddeck.agents.views import Views
from wilddeck.envs import game
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.testing import brains
from wilddeck.testing.chat_server import FAULTS, INJECTED, NONSENSE, ChatServer, filled

openai = pytest.importorskip("openai")

PROMPT = "The game now:\n0: not an action\n\nWhat you may do, each with its number:\n3: play 4c\n17: pass\n\nAnswer now."
MESSAGES: Any = [{"role": "system", "content": "You play."}, {"role": "user", "content": PROMPT}]
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "action": {"type": "integer", "enum": [3, 17]}},
    "required": ["reason", "action"],
    "additionalProperties": False,
}
FORM: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
TOOLS: Any = [{"type": "function", "function": {"name": "act", "parameters": SCHEMA}}]


@pytest.fixture
def client() -> Iterator[Any]:
    """Makes clients of a server, which are closed in the end."""
    made: list[Any] = []

    def client(server: ChatServer, key: str = "any", **settings: Any) -> Any:
        made.append(openai.OpenAI(base_url=server.base_url, api_key=key, **{"max_retries": 0, "timeout": 20, **settings}))
        return made[-1]

    yield client
    for each in made:
        each.close()


def ask(client: Any, messages: Any = MESSAGES, **settings: Any) -> Any:
    return client.chat.completions.create(model="stand-in", messages=messages, **settings)


def said(client: Any, **settings: Any) -> Any:
    return ask(client, **settings).choices[0].message


def test_an_answer_as_text(client: Any) -> None:
    with ChatServer("first") as server:
        answer = ask(client(server), temperature=0.5, seed=7, max_tokens=20)
        assert answer.choices[0].message.content == "ACTION: 3" and answer.choices[0].finish_reason == "stop"
        assert answer.model == "stand-in" and answer.object == "chat.completion" and answer.id.startswith("chatcmpl-")
        usage = answer.usage
        assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (32, 3, 35)
        (request,) = server.requests
        assert request.key == "any" and request.fault == "" and request.body["messages"] == MESSAGES
        assert (request.body["temperature"], request.body["seed"]) == (0.5, 7)
        assert [model.id for model in client(server).models.list()] == ["stand-in"]


def test_an_answer_by_a_schema(client: Any) -> None:
    with ChatServer("first") as server:
        assert json.loads(said(client(server), response_format=FORM).content) == {"reason": "As I see fit.", "action": 3}
        assert json.loads(said(client(server), response_format={"type": "json_object"}).content) == {"action": 3}
        with pytest.raises(openai.BadRequestError, match="needs a name and a schema"):
            ask(client(server), response_format={"type": "json_schema", "json_schema": {"name": "answer"}})


def test_something_of_any_schema() -> None:
    assert filled({"enum": ["3", "17"]}, 3) == "3" and filled({"enum": [3, 17]}, 3) == 3
    assert filled({"type": ["integer", "null"]}, 3) == 3 and filled({"type": "null"}, 3) is None
    assert filled({"type": "array", "items": {}}, 3) == [] and filled({"type": "boolean"}, 3) is True
    assert filled({"properties": {"a": {"type": "object", "properties": {"b": {"type": "number"}}}}}, 3) == {"a": {"b": 3}}


@pytest.mark.parametrize("choice", ["auto", "required", {"type": "function", "function": {"name": "act"}}])
def test_an_answer_by_a_tool(choice: Any, client: Any) -> None:
    with ChatServer("first") as server:
        answer = ask(client(server), tools=TOOLS, tool_choice=choice).choices[0]
        assert answer.finish_reason == "tool_calls" and answer.message.content is None
        (call,) = answer.message.tool_calls
        assert call.function.name == "act" and json.loads(call.function.arguments)["action"] == 3 and call.id
        assert said(client(server), tools=TOOLS, tool_choice="none").content == "ACTION: 3"
        with pytest.raises(openai.BadRequestError, match="no tool of the request"):
            ask(client(server), tools=TOOLS, tool_choice={"type": "function", "function": {"name": "other"}})


def test_a_streamed_answer(client: Any) -> None:
    with ChatServer("first") as server:
        chunks = list(ask(client(server), stream=True, stream_options={"include_usage": True}))
        texts = [chunk.choices[0].delta.content or "" for chunk in chunks[:-1]]
        assert "".join(texts) == "ACTION: 3" and len([text for text in texts if text]) == 2
        assert chunks[-2].choices[0].finish_reason == "stop" and chunks[-1].usage.completion_tokens == 3
        assert not any(chunk.usage for chunk in ask(client(server), stream=True))


def test_a_streamed_tool_call(client: Any) -> None:
    with ChatServer("first") as server:
        chunks = list(ask(client(server), stream=True, tools=TOOLS))
        calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
        assert calls[0].function.name == "act" and calls[0].id and len(calls) > 3
        assert json.loads("".join(call.function.arguments for call in calls))["action"] == 3
        with client(server).chat.completions.stream(model="stand-in", messages=MESSAGES, tools=TOOLS) as stream:
            assert json.loads(stream.get_final_completion().choices[0].message.tool_calls[0].function.arguments)["action"] == 3


def test_what_it_refuses_clients_can_do_without(client: Any) -> None:
    with ChatServer("first", refuses=["json_schema", "tools", "seed", "stream"]) as server:
        for settings in ({"response_format": FORM}, {"tools": TOOLS}, {"seed": 1}, {"stream": True}):
            with pytest.raises(openai.BadRequestError, match=f"{next(iter({*settings} - {'response_format'}), 'json_schema')}"):
                ask(client(server), **settings)
        assert said(client(server), response_format={"type": "json_object"}).content == '{"action": 3}'
        assert said(client(server)).content == "ACTION: 3"
        assert [request.fault for request in server.requests] == ["400"] * 4 + [""] * 2


def test_what_it_ignores_is_as_if_it_were_not_there(client: Any) -> None:
    with ChatServer("first", ignores=["json_schema", "tools"], line="I play {action}.") as server:
        assert said(client(server), response_format=FORM).content == "I play 3."
        assert said(client(server), tools=TOOLS, tool_choice="required").content == "I play 3."


def test_what_a_real_server_refuses(client: Any) -> None:
    with ChatServer("first", key="right") as server:
        with pytest.raises(openai.AuthenticationError):
            ask(client(server, "wrong"))
        with pytest.raises(openai.AuthenticationError):
            client(server, "wrong").models.list()
        right = client(server, "right")
        assert said(right).content == "ACTION: 3"
        with pytest.raises(openai.NotFoundError, match="does not exist"):
            right.chat.completions.create(model="other", messages=MESSAGES)
        with pytest.raises(openai.BadRequestError, match="list of messages"):
            ask(right, messages=[])
        with pytest.raises(openai.NotFoundError, match="Unknown request URL: POST /v1/responses"):
            right.responses.create(model="stand-in", input="hello")
        with pytest.raises(openai.BadRequestError, match="lists actions"):
            ask(right, messages=[{"role": "user", "content": "hello"}])


ERRORS = {
    "400": openai.BadRequestError,
    "401": openai.AuthenticationError,
    "429": openai.RateLimitError,
    "500": openai.InternalServerError,
    "503": openai.InternalServerError,
    "timeout": openai.APITimeoutError,
    "cut": openai.APIConnectionError,
}


@pytest.mark.parametrize("fault", ERRORS)
def test_faults_that_clients_raise(fault: str, client: Any) -> None:
    """Of one request: the next is answered."""
    with ChatServer("first", [fault]) as server:
        with pytest.raises(ERRORS[fault]) as raised:
            ask(client(server, timeout=0.3 if fault == "timeout" else 600))
        if fault == "429":
            assert raised.value.response.headers["retry-after"] == "0.05"
        assert said(client(server)).content == "ACTION: 3"
        assert [request.fault for request in server.requests] == [fault, ""]


@pytest.mark.parametrize("fault", ["429", "500", "503", "cut"])
def test_clients_that_ask_again_are_answered(fault: str, client: Any) -> None:
    with ChatServer("first", [fault, fault]) as server:
        assert said(client(server, max_retries=2)).content == "ACTION: 3"
        assert len(server.requests) == 3


def test_a_stream_that_is_cut(client: Any) -> None:
    with ChatServer("first", ["cut"]) as server, pytest.raises(openai.APIConnectionError):
        list(ask(client(server), stream=True))


def test_faults_in_what_is_said(client: Any) -> None:
    faults = ["nonsense", "json", "illegal", "echo", "null", "refusal", "length", "empty", "html"]
    assert {*faults, *ERRORS} == {*FAULTS}
    with ChatServer("first", faults) as server:
        asked = client(server)
        assert said(asked).content == NONSENSE
        assert said(asked).content == '{"action": '
        assert said(asked).content == "ACTION: 18"
        assert said(asked).content == f"{INJECTED}\n{PROMPT}"
        assert said(asked).content is None
        refused = said(asked)
        assert refused.content is None and "gambling" in refused.refusal
        answer = ask(asked).choices[0]
        assert answer.finish_reason == "length" and answer.message.content == ""
        assert ask(asked).choices == []
        assert "504" in ask(asked)  # the client hands on what is no JSON
        assert said(asked).content == "ACTION: 3"


def test_faults_in_tools_and_schemas(client: Any) -> None:
    with ChatServer("first", ["json", "illegal", "nonsense", "illegal", "empty"]) as server:
        asked = client(server)
        assert said(asked, tools=TOOLS).tool_calls[0].function.arguments == '{"action": '
        assert json.loads(said(asked, tools=TOOLS).tool_calls[0].function.arguments)["action"] == 18
        answer = said(asked, tools=TOOLS)
        assert answer.content == NONSENSE and answer.tool_calls is None
        assert json.loads(said(asked, response_format=FORM).content)["action"] == 18
        chunks = list(ask(asked, stream=True))
        assert [chunk.choices for chunk in chunks] == [[]]


def test_shares_of_faults(client: Any) -> None:
    with ChatServer("first", {"nonsense": 0.3, "429": 0.2}) as server:
        asked = client(server)
        for _ in range(100):
            try:
                ask(asked)
            except openai.RateLimitError:
                continue
        faults = [request.fault for request in server.requests]
        assert 18 <= faults.count("nonsense") <= 42 and 10 <= faults.count("429") <= 32 and 35 <= faults.count("") <= 65


def test_the_limit_of_tokens_cuts_an_answer_off(client: Any) -> None:
    with ChatServer(lambda messages, request: "I think of 17, then of 3. ACTION: 3") as server:
        answer = ask(client(server), max_tokens=4).choices[0]
        assert answer.message.content == "I think of 17" and answer.finish_reason == "length"
        assert said(client(server), max_completion_tokens=100).content.endswith("ACTION: 3")


def test_a_brain_of_ones_own(client: Any) -> None:
    def brain(messages: Any, request: dict[str, Any]) -> int:
        if request["seed"] == 13:
            raise RuntimeError("an unlucky number")
        return request["seed"]

    with ChatServer(brain) as server:
        assert said(client(server), seed=5).content == "ACTION: 5"
        with pytest.raises(openai.InternalServerError, match="the brain failed: RuntimeError: an unlucky number"):
            ask(client(server), seed=13)


def test_many_are_answered_at_once(client: Any) -> None:
    """All wait for one another, so that a server of fewer threads would never answer."""
    many = 100
    together = threading.Barrier(many, timeout=600)

    def brain(messages: Any, request: dict[str, Any]) -> int:
        together.wait()
        return request["seed"]

    with ChatServer(brain) as server, ThreadPoolExecutor(many) as pool:
        asked = client(server, timeout=600)
        answers = list(pool.map(lambda seed: said(asked, seed=seed).content, range(many)))
        assert answers == [f"ACTION: {seed}" for seed in range(many)]
        assert server.most_in_flight == many and server.in_flight == 0 and len(server.requests) == many


def test_more_than_the_limit_at_once_must_wait(client: Any) -> None:
    entered, leave = threading.Event(), threading.Event()

    def brain(messages: Any, request: dict[str, Any]) -> int:
        entered.set()
        leave.wait(60)
        return 3

    with ChatServer(brain, most_at_once=1) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(said, client(server))
        assert entered.wait(60)
        with pytest.raises(openai.RateLimitError):
            ask(client(server))
        leave.set()
        assert first.result().content == "ACTION: 3"
        assert said(client(server)).content == "ACTION: 3"
        assert server.most_in_flight == 2 and [request.fault for request in server.requests] == [""] * 3


def test_closing_ends_what_waits() -> None:
    server = ChatServer("first", ["timeout"], patience=600)
    client = openai.OpenAI(base_url=server.base_url, api_key="any", max_retries=0)
    with server, client, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, client)
        while not server.in_flight:
            time.sleep(0.01)
        server.close()
        with pytest.raises((openai.InternalServerError, openai.APIConnectionError)):
            waiting.result(60)
        with pytest.raises(openai.APIConnectionError):
            ask(client)
    left = [thread for thread in threading.enumerate() if "chat server" in thread.name or "process_request" in thread.name]
    for thread in left:
        thread.join(20)
        assert not thread.is_alive()


def test_which_actions_a_prompt_lists() -> None:
    def messages(*texts: Any) -> Any:
        return [{"role": "user", "content": text} for text in texts]

    assert brains.legal_actions(MESSAGES) == [3, 17]
    assert brains.legal_actions([*MESSAGES, {"role": "assistant", "content": "5: pass"}]) == [3, 17]
    assert brains.legal_actions([*MESSAGES, *messages("That is not legal: try again.")]) == [3, 17]
    assert brains.legal_actions(messages(PROMPT, "legal are\n4: pass\n")) == [4]
    assert brains.legal_actions(messages([{"type": "text", "text": "3: play 4c"}])) == [3]
    assert brains.legal_actions(messages("legal actions: [5, 6]\n3: play 4c")) == [5, 6]
    with pytest.raises(ValueError, match="lists actions in lines NUMBER: label"):
        brains.legal_actions(messages("hello"))


def test_random_is_any_legal_action() -> None:
    seeds = range(40)
    played = [brains.random_action(MESSAGES, {"seed": seed}) for seed in seeds]
    assert {*played} == {3, 17} and played == [brains.random_action(MESSAGES, {"seed": seed}) for seed in seeds]


@pytest.mark.interpreted
@pytest.mark.parametrize(("name", "options"), [("tennis_v0", {"num_players": 4}), ("hearts_v0", {"deck": "standard"})])
def test_rules_plays_as_the_rule_based_player(
    name: str, options: dict[str, Any], tmp_path: Path, client: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """From prompts by the template that the command writes."""
    path = tmp_path / "rules.txt"
    assert cli.main(["chat-server", "--template", str(path)]) == 0
    template = Template.read(path)
    env = CardGameEnv(game(name), game(name).make_options(options))
    env.reset(seed=1)
    rules = agents.make("rules", name, options)
    numbers = set()
    with ChatServer("rules") as server:
        asked = client(server)
        for _ in range(12):
            view = View.of(env)
            messages = template.messages(view)
            assert [message["role"] for message in messages] == ["user"]
            content = said(asked, messages=messages, seed=3, response_format=FORM).content
            action = json.loads(content)["action"]
            of_one = Views.of(view.observation[None], view.action_mask[None])
            assert action == rules.act_batch(of_one, np.random.default_rng(3))[0]
            assert view.action_mask[action]
            numbers.add(list(view.legal_actions).index(action))
            env.step(action)
    assert numbers != {0}


def test_rules_reads_no_other_prompts(client: Any) -> None:
    with ChatServer("rules") as server, pytest.raises(openai.BadRequestError, match="needs prompts with the lines game"):
        ask(client(server))


def test_no_such_brain_or_fault(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no brain 'genius'; brains: random, first, rules"):
        ChatServer("genius")
    with pytest.raises(ValueError, match="no fault 'flood'; faults: 400, 401"):
        ChatServer("first", ["flood"])
    for words, error in [
        (["--brain", "genius"], "no brain 'genius'"),
        (["--fault", "flood=0.5"], "no fault 'flood'"),
        (["--fault", "429=2"], "faults have the form NAME=SHARE with a share from 0 to 1, not '429=2'"),
    ]:
        assert cli.main(["chat-server", *words]) == 1
        assert error in capsys.readouterr().err


def test_the_port_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer("first") as server:
        assert cli.main(["chat-server", "--port", str(server.port)]) == 1
        assert "in use" in capsys.readouterr().err
