"""A seat as an environment of OpenEnv: its own client, over a socket, to a server of this process."""

from __future__ import annotations

import re
import threading
import time

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("openenv", reason="openenv is not installed")
import requests  # noqa: E402
import toy_game as toy  # noqa: E402
import uvicorn  # noqa: E402
from openenv.core.generic_client import GenericEnvClient  # noqa: E402
from wilddeck import envs  # noqa: E402
from wilddeck.agents.play import play_game  # noqa: E402
from wilddeck.envs.core.jit import only_interpreted  # noqa: E402
from wilddeck.frameworks.openenv import CardAction, CardClient, CardEnvironment, CardObservation, make_app  # noqa: E402

TENNIS = {"num_players": 3, "max_tricks": 50}


@pytest.fixture(scope="module")
def address():
    """Where a server of tennis listens, seat 1 among random players."""
    with only_interpreted():
        app = make_app("tennis_v0", options=TENNIS, seat=1, opponents="random", max_concurrent_envs=4)
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_a_game_by_the_typed_client(address):
    expected = play_game("tennis_v0", TENNIS, ["random", toy.FirstLegal(), "random"], 7).returns
    with CardClient(base_url=address).sync() as client:
        result = client.reset(seed=7, episode_id="mine")
        total, steps = result.reward, 0
        while not result.done:
            seen = result.observation
            assert isinstance(seen, CardObservation) and seen.seat == 1 and seen.returns is None and not seen.error
            listed = [f"{action}: {label}" for action, label in zip(seen.legal_actions, seen.labels, strict=True)]
            assert "\n".join(listed) in seen.prompt and "as player 1" in seen.prompt
            result = client.step(CardAction(answer=f"Hm.\nACTION: {seen.legal_actions[0]}"))
            total += result.reward
            steps += 1
        assert total == pytest.approx(expected[1]) and result.observation.returns == pytest.approx(expected.tolist())
        state = client.state()
        assert (state.episode_id, state.step_count, state.game, state.seat) == ("mine", steps, "tennis_v0", 1)
        assert state.options["max_tricks"] == 50 and "seed" not in str(state.model_dump())


def test_clients_play_games_of_their_own(address):
    with CardClient(base_url=address).sync() as one, CardClient(base_url=address).sync() as other:
        prompts = [one.reset(seed=1).observation.prompt, other.reset(seed=2).observation.prompt]
        first = one.reset(seed=1).observation
        other.step(CardAction(answer=str(other.reset(seed=1).observation.legal_actions[0])))
        assert first.prompt == prompts[0] != prompts[1]
        fresh = {one.reset().observation.prompt for _ in range(3)}
        assert len(fresh) == 3


def test_an_answer_of_no_use_is_said_and_the_second_ends_the_game(address):
    game, options = envs.resolve("tennis_v0", TENNIS)
    with CardClient(base_url=address).sync() as client:
        first = client.reset(seed=3)
        wrong = client.step(CardAction(answer="I fold."))
        assert not wrong.done and wrong.reward == 0 and re.search(r"neither the number nor .*legal: ", wrong.observation.error)
        assert wrong.observation.legal_actions == first.observation.legal_actions
        good = client.step(CardAction(answer=first.observation.labels[0]))
        assert not good.observation.error and not good.done
        client.step(CardAction(answer="What?"))
        lost = client.step(CardAction(answer="What?"))
        assert lost.done and lost.observation.error
        assert lost.observation.returns[1] == game.return_range(options)[0]
        with pytest.raises(Exception, match="there is no game in progress; call reset"):
            client.step(CardAction(answer="0"))
        for bad, said in (({"seed": -1}, "seed"), ({"tricks": 3}, "reset takes seed and episode_id, not tricks")):
            with pytest.raises(Exception, match=said):
                client.reset(**bad)
        assert not client.reset(seed=3).done


def test_the_generic_client_and_the_schema(address):
    """As programs that know nothing of this package use it."""
    schema = requests.get(f"{address}/schema", timeout=10).json()
    assert schema["action"]["required"] == ["answer"]
    assert {"prompt", "legal_actions", "labels", "seat", "error", "returns"} <= schema["observation"]["properties"].keys()
    with GenericEnvClient(base_url=address).sync() as client:
        result = client.reset(seed=1)
        result = client.step({"answer": str(result.observation["legal_actions"][0])})
        assert result.observation["prompt"] and result.observation["error"] == ""
        with pytest.raises(Exception, match=r"Invalid message|validation"):
            client.step({"move": 3})


@pytest.mark.interpreted
def test_rewards_add_up_to_the_return():
    """In a game that pays all seats at every move, also while others move."""
    env = CardEnvironment(toy.GAME, seat="random", opponents="random")
    for seed in range(10):
        seen = env.reset(seed=seed)
        total, rewards = seen.reward, []
        while not seen.done:
            seen = env.step(CardAction(answer=str(seen.legal_actions[-1])))
            rewards.append(seen.reward)
        assert total + sum(rewards) == pytest.approx(seen.returns[seen.seat])
    env.close()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"game": "tenis_v0"}, "did you mean"),
        ({"game": "tennis_v0", "seat": 7}, "there is no seat 7"),
        ({"game": "tennis_v0", "opponents": "nobody"}, "no agent 'nobody'"),
        ({"game": "tennis_v0", "rules": "long"}, "allowed: short, full, none"),
    ],
)
def test_a_server_that_cannot_be_is_refused_when_it_is_made(parameters, message):
    with pytest.raises(ValueError, match=message), only_interpreted():
        make_app(**parameters)
