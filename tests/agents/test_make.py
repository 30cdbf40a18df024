"""Agents from specs, and the view they are handed."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import toy_game as toy
import wilddeck
from support import short
from wilddeck import agents, envs
from wilddeck.agents import learned, play
from wilddeck.agents.base import Agent, AgentError, View
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.views import Views
from wilddeck.training import warmup

TENNIS = envs.game("tennis_v0")
OPTIONS = TENNIS.make_options({})


@pytest.mark.parametrize("spec", ["random", "rules", "mc:rollouts=20,policy=random,max_steps=50", " mc "])
def test_a_spec_becomes_an_agent_that_plays(spec):
    agent = agents.make(spec, "tennis_v0", {"num_players": 4})
    view = first_view(seed=3)
    assert view.action_mask[agent.act(view, np.random.default_rng(0))]


def test_an_agent_is_returned_as_it_is():
    agent = RandomAgent()
    assert agents.make(agent, "tennis_v0") is agent


def test_a_function_of_a_module_makes_an_agent(tmp_path, monkeypatch):
    """One that is in this folder, too."""
    assert agents.make("score_agents:first", TENNIS).name == "first"
    (tmp_path / "mine.py").write_text("import score_agents\nclass Maker:\n    make = score_agents.first\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    assert agents.make(" mine:Maker.make ", TENNIS, OPTIONS).name == "first"
    assert agents.module_file("mine:Maker.make") == tmp_path / "mine.py"
    assert agents.module_file("nowhere.mine:make") is agents.module_file("rules:mine") is None


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("random", "random"), ("rules:bold", "rules"), (" mc:policy=rules ", "mc"), ("cmd:a.py:b", "cmd"), ("a.NPZ", "npz"),
        ("x/y.zip", "zip"), ("a.safetensors", "safetensors"), ("mine:make", "python"), ("a.b:C.make", "python"),
        ("cmd", "cmd"), ("nobody", ""), ("a/b:make", ""), ("a b:make", ""), ("", ""), ("a:b:c", ""), (":make", ""),
    ],
)  # fmt: skip
def test_the_kind_of_a_spec(spec, kind):
    assert agents.kind_of(spec) == kind


def test_parameters_arrive():
    agent = agents.make("mc:rollouts=33,max_steps=44", TENNIS)
    assert (agent.rollouts, agent.max_steps) == (33, 44)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rulez", r"no agent 'rulez'; did you mean 'rules'\? Agents: random, rules\[:STYLE\], mc"),
        ("", "no agent ''. Agents: random"),
        ("random:5", "'random' takes no parameters"),
        ("rules:bold", "tennis_v0 has no rule-based agent of style 'bold'; styles: none, only rules"),
        ("mc:rolouts=5", "has no parameter 'rolouts=5'; write key=value, each once: rollouts, policy, max_steps"),
        ("mc:rollouts", "has no parameter 'rollouts'"),
        ("mc:rollouts=1,rollouts=2", "each once"),
        ("mc:rollouts=many", "rollouts='many' is not of type int"),
        ("mc:rollouts=0", "rollouts must be an integer of at least 1"),
        ("mc:rollouts=1000000000000", "rollouts=1000000000000 needs about .* of memory"),
        ("mc:max_steps=99999999999999999999", "max_steps must be an integer from 1 to"),
        ("mc:policy=best", "unknown playout policy 'best'; allowed: random, rules"),
        ("mc:policy=rules:bold", "tennis_v0 has no rule-based agent of style 'bold'; styles: none, only rules"),
        ("mc:policy=mc", "unknown playout policy 'mc'; allowed: random, rules, rules:STYLE, trained, a weights file"),
        ("mc:policy=cmd:true", "unknown playout policy 'cmd:true'"),
        ("mc:policy=model.zip", "unknown playout policy 'model.zip'"),
        ("mc:policy=nowhere.safetensors", "nowhere.safetensors"),
        ("cmd:", "needs a command line"),
        ("cmd:echo 'x", "cannot read the command line"),
        ("nowhere.npz", "nowhere.npz"),
        ("nowhere:make", "cannot import 'nowhere:make': No module named 'nowhere'"),
        ("score_agents:nobody", "cannot import 'score_agents:nobody': .*has no attribute 'nobody'"),
        ("score_agents:nothing", "score_agents:nothing must return an instance of wilddeck.agents.base.Agent, not 'NoneType'"),
        ("score_agents:fails", "score_agents:fails failed to make an agent for tennis_v0: KeyError: 'weights'"),
        ("mc:policy=score_agents:first", "unknown playout policy 'score_agents:first'"),
        ("model.zip", "loading it can run code"),
    ],
)
def test_a_bad_spec_gets_one_clear_error(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.make(spec, TENNIS, OPTIONS)


def test_unknown_games_and_options_are_named():
    with pytest.raises(ValueError, match="no game 'tenis_v0'; did you mean 'tennis_v0'"):
        agents.make("random", "tenis_v0")
    with pytest.raises(ValueError, match="no option 'players'"):
        agents.make("random", "tennis_v0", {"players": 3})


TENNIS = envs.game("tennis_v0")
SMALL = TENNIS.make_options({"num_players": 2})


@pytest.mark.parametrize(("game", "options"), [(TENNIS, SMALL), ("tennis_v0", {"num_players": 2}), ("tennis_v0", SMALL)])
def test_what_takes_a_game_takes_its_id_and_a_mapping(game, options, tmp_path):
    """Everywhere, so that nobody has to remember where."""
    wilddeck.agents.process.ProcessAgent("true", game, options)
    players = [wilddeck.agents.rules.make(game, options), wilddeck.agents.search.SearchAgent(game, options, rollouts=2)]
    network = learned.LearnedAgent([(np.ones((TENNIS.observation_size(SMALL), 12)), np.ones(12))])
    learned.save(tmp_path / "a.safetensors", network, game, options)
    players[1:] = [learned.load(tmp_path / "a.safetensors", game, options)]
    played = play.play_game(game, options, players, 3).returns
    assert play.play_batch(game, options, players, 2, 3).shape == (2, 2)
    assert play.evaluate(*players, game, options, 2, 3).games == 4
    assert played.tolist() == play.play_game(TENNIS, SMALL, players, 3).returns.tolist()
    assert wilddeck.agents.trained.make(game, options).trained_options["num_players"] == 2
    with pytest.raises(learned.WeightsError, match=r"nothing\.zip"):
        learned.load_zip(tmp_path / "nothing.zip", game, options, trust=True)


def test_none_stands_for_the_default_options():
    assert wilddeck.agents.trained.make("tennis_v0").name == "trained"
    assert envs.resolve("tennis_v0") == (TENNIS, TENNIS.options())


@pytest.mark.parametrize("game", [None, 3, "tenis_v0", b"tennis_v0"])
def test_what_is_no_game_is_named(game):
    for call in (wilddeck.agents.trained.make, wilddeck.agents.rules.make, warmup.warmup, envs.resolve):
        with pytest.raises(ValueError, match=r"^no game .*Games: tennis_v0"):
            call(game)


def test_options_of_another_game_are_refused():
    with pytest.raises(ValueError, match=r"these are not options of tennis_v0: Options\(num_players=4, deck="):
        agents.make("random", "tennis_v0", envs.game("hearts_v0").options())
    with pytest.raises(ValueError, match="these are not options of tennis_v0: 5"):
        agents.make("random", "tennis_v0", 5)


def test_trust_reaches_the_loader(tmp_path):
    pytest.importorskip("sb3_contrib")
    (tmp_path / "model.zip").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="is not an archive"):
        agents.make(str(tmp_path / "model.zip"), TENNIS, OPTIONS, trust=True)


def test_every_kind_is_explained():
    assert {"random", "rules[:STYLE]", "cmd:COMMAND LINE", "PATH.zip"} <= set(agents.kinds())


@pytest.mark.parametrize("game_id", short(wilddeck.games(), ["tennis_v0"]))
def test_every_game_has_a_rule_based_player(game_id):
    game = envs.game(game_id)
    options = game.make_options({})
    returns = play.play_batch(game, options, [agents.make("rules", game, options)] * options.num_players, 3, seed=1)
    assert returns.shape == (3, options.num_players)


def test_a_view_shows_one_seat_and_samples_only_what_it_may_know():
    view = first_view(seed=3)
    env = raw(seed=3)
    assert view.seat == env.current_player
    assert [view.label(action) for action in view.legal_actions] == [env.action_label(a) for a in env.legal_actions()]
    samples = view.sample(20, seed=5)
    hands = {samples[i]["hand"].tobytes() for i in range(20)}
    assert len(hands) == 20  # others' cards differ
    for name in ("hand", "hand_size"):
        assert (samples[name][:, view.seat] == env.record[name][0, view.seat]).all()
    assert samples.tobytes() == view.sample(20, seed=5).tobytes()
    hidden = env.determinize(env.agent_selection, seed=77)
    assert samples.tobytes() == View.of(hidden).sample(20, seed=5).tobytes()  # nothing of the true cards shows
    assert view.sample(0, seed=5).shape == (0,)
    for count, wrong in ((-1, "cannot draw -1 samples"), (10**15, "samples needs about")):
        with pytest.raises(ValueError, match=wrong):
            view.sample(count, seed=5)
    illegal = int(np.flatnonzero(view.action_mask == 0)[0])
    for action in (illegal, -1, 12):
        with pytest.raises(ValueError, match="is not legal"):
            view.label(action)


def test_an_error_can_be_sent_to_another_process():
    import pickle

    error = pickle.loads(pickle.dumps(AgentError("timeout", "too late")))
    assert (error.kind, str(error)) == ("timeout", "too late")


def test_an_agent_without_act_says_so():
    with pytest.raises(NotImplementedError, match="one game at a time"):
        Agent().act(first_view(seed=0), np.random.default_rng(0))


def raw(seed):
    env = envs.raw_env("tennis_v0")
    env.reset(seed=seed)
    return env


def first_view(seed):
    return View.of(raw(seed))


def test_a_rules_player_belongs_to_its_game():
    """Compiled code reads where the observation of its own game has something: of another game it would read beyond arrays."""
    namesake = replace(toy.GAME, name="tennis", version=9)
    other_layout = replace(TENNIS, observation=toy.GAME.observation, private=None)
    for foreign in (toy.GAME, namesake, other_layout):
        assert agents.rules.policies(foreign) == () and agents.rules.styles(foreign) == ()
        with pytest.raises(ValueError, match=f"{foreign.id} has no rule-based agent"):
            agents.make("rules", foreign)
    with pytest.raises(ValueError, match="tennis_v0 has no rule-based agent for these observations and actions; a game"):
        agents.rules.policy(other_layout)
    same = replace(TENNIS, title="Tennis with another title")
    assert agents.rules.policy(same) is agents.rules.policy(TENNIS)


@pytest.mark.interpreted
def test_a_rules_player_refuses_the_observations_of_another_game():
    player, hearts = agents.rules.make("tennis_v0"), wilddeck.make_batch("hearts_v0", 2, seed=1)
    with pytest.raises(ValueError, match=r"rules takes observations \[M, 222\] and masks \[M, 12\], not \[2, "):
        player.act_batch(Views.of(hearts.observation, hearts.action_mask), np.random.default_rng(1))
