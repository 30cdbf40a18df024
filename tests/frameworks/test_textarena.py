"""Games as TextArena's environments, played by agents of its interface."""

from __future__ import annotations

import copy
import random
import re

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.interpreted]
ta = pytest.importorskip("textarena", reason="textarena is not installed")
import wilddeck  # noqa: E402
from wilddeck import envs  # noqa: E402
from wilddeck.agents.play import play_game  # noqa: E402
from wilddeck.envs.core.aec import CardGameEnv  # noqa: E402
from wilddeck.envs.registration import registry_id  # noqa: E402
from wilddeck.frameworks.textarena import TextArenaEnv, register  # noqa: E402
from wilddeck.testing.chat_server import ChatServer  # noqa: E402

LISTED = re.compile(r"^(\d+): ", re.M)


class FirstListed(ta.Agent):
    """Answers the first action that the observation lists, with its reasons."""

    def __init__(self, secret=""):
        self.secret, self.seen = secret, []

    def __call__(self, observation):
        self.seen.append(observation)
        return f"{self.secret}\nACTION: {LISTED.findall(observation)[0]}"


def played(env, agents, num_players, seed=1):
    env.reset(num_players=num_players, seed=seed)
    done = False
    while not done:
        player_id, observation = env.get_observation()
        done, _ = env.step(action=agents[player_id](observation))
    return env.close()


def first_game(game, options, seed):
    """The returns of a game in which all play the first legal action."""
    env = CardGameEnv(*envs.resolve(game, options))
    env.reset(seed=seed)
    returns = dict.fromkeys(range(env.num_players), 0.0)
    while not any(env.terminations.values()):
        env.step(env.legal_actions()[0])
        for seat, reward in enumerate(env.rewards.values()):
            returns[seat] += reward
    return returns


def test_its_own_agents_play():
    """Those that ask a server, one for each seat."""
    with ChatServer("first") as server:
        agents = [ta.agents.OpenAIAgent("stand-in", base_url=server.base_url, api_key="any") for _ in range(2)]
        rewards, _ = played(ta.make("wilddeck/tennis-v0", max_tricks=50), agents, 2, seed=3)
    assert rewards == pytest.approx(first_game("tennis_v0", {"num_players": 2, "max_tricks": 50}, 3))


def test_every_game_is_registered():
    assert {registry_id(game_id) for game_id in envs.OWN} <= set(ta.envs.registration.ENV_REGISTRY)
    register()


@pytest.mark.parametrize("game_id", ["tennis_v0", "hearts_v0", "poker_v0", "go_fish_v0"])
def test_its_agents_play_a_game_to_its_returns(game_id):
    players = envs.game(game_id).options().num_players
    agents = [FirstListed() for _ in range(players)]
    rewards, info = played(ta.make(registry_id(game_id)), agents, players, seed=5)
    assert rewards == pytest.approx(first_game(game_id, {}, 5))
    assert all(info[player]["reason"] == "The game is over." for player in range(players))
    for seat, agent in enumerate(agents):
        for observation in agent.seen:
            assert f"as player {seat}." in observation and observation.count("What you may do") == 1


def test_players_hear_what_their_seats_perceive_and_not_what_others_say():
    """The reasons in an answer tell cards: nobody else is shown them, whatever wrapper would show all messages."""
    env = TextArenaEnv("hearts_v0")
    env.reset(num_players=4, seed=1)
    heard = {player: [] for player in range(4)}
    done = False
    while not done:
        player, messages = env.get_observation()
        heard[player] += messages
        news = [text for _, text, kind in heard[player] if kind == ta.ObservationType.GAME_MESSAGE]
        assert news == [event.text(player) for event in env.table.env.history(f"player_{player}")]
        action = LISTED.findall(messages[-1][1])[0]
        done, _ = env.step(f"I, player {player}, tell my secret.\nACTION: {action}")
    for player, messages in heard.items():
        said = [(sender, text) for sender, text, kind in messages if kind == ta.ObservationType.PLAYER_ACTION]
        assert len(said) > 10 and all(sender == player for sender, _ in said)
        assert not any("secret" in text for sender, text, _ in messages if sender != player)
        assert sum(kind == ta.ObservationType.PROMPT for _, _, kind in messages) == 1
        last = env.state.observations[player]  # of the end, which nobody was asked after
        assert [text for _, text, kind in last if kind == ta.ObservationType.GAME_MESSAGE]


def test_an_answer_of_no_use_is_sent_back_once():
    env = ta.make("wilddeck/tennis-v0", max_tricks=50)
    env.reset(num_players=3, seed=2)
    player, observation = env.get_observation()
    done, _ = env.step("I fold.")
    again, second = env.get_observation()
    assert not done and again == player and "This cannot be played: " in second and "Choose again." in second
    done, _ = env.step(f"ACTION: {LISTED.findall(observation)[0]}")
    assert not done  # and the count of errors is back at none
    player, _ = env.get_observation()
    env.step("What?")
    done, _ = env.step("What?")
    rewards, info = env.close()
    game, options = envs.resolve("tennis_v0", {"num_players": 3, "max_tricks": 50})
    assert done and rewards[player] == game.return_range(options)[0]
    assert info[player]["invalid_move"] and "gave no usable answer" in info[player]["reason"]


def test_one_player_among_agents():
    """With the first legal actions of one seat, and agents on the others, the game is what `play_game` plays."""
    from toy_game import FirstLegal

    options = {"num_players": 3, "max_tricks": 50}
    env = ta.make("wilddeck/tennis-v0", opponents="random", seat=2, **options)
    rewards, _ = played(env, [FirstListed()], 1, seed=9)
    expected = play_game("tennis_v0", options, ["random", "random", FirstLegal()], 9).returns
    assert rewards == {0: expected[2]}
    seats = set()
    env = ta.make("wilddeck/tennis-v0", opponents="random", **options)
    for seed in range(12):
        env.reset(num_players=1, seed=seed)
        seats.add(env.table.seat)
    assert seats == {0, 1, 2}


def test_equal_seeds_are_equal_games_and_others_chance_is_left_alone():
    env = TextArenaEnv("tennis_v0", max_tricks=50)
    random.seed(4)
    expected = random.random()
    random.seed(4)
    observations = []
    for seed in (1, 1, 2, None):
        env.reset(num_players=2, seed=seed)
        observations.append(env.get_observation())
    assert observations[0] == observations[1] != observations[2] != observations[3]
    assert random.random() == expected
    copied = copy.deepcopy(TextArenaEnv("tennis_v0"))
    copied.reset(num_players=2, seed=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TextArenaEnv("tenis_v0"), "did you mean 'tennis_v0'"),
        (lambda: TextArenaEnv("tennis_v0", tricks=3), "tricks"),
        (lambda: TextArenaEnv("tennis_v0").reset(num_players=5), "num_players"),
        (lambda: TextArenaEnv("tennis_v0", "random").reset(num_players=2), "with opponents there is one player, not 2"),
        (lambda: TextArenaEnv("tennis_v0", "nobody").reset(num_players=1), "no agent 'nobody'"),
        (lambda: TextArenaEnv("tennis_v0", rules="long").reset(num_players=2), "allowed: short, full, none"),
    ],
)
def test_what_cannot_be(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_nothing_of_textarena_is_imported_with_the_suite():
    from support import output_of

    assert "textarena" not in output_of("import sys, wilddeck.frameworks; print(*sys.modules)").split()
    assert wilddeck.__version__
