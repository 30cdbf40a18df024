"""OpenSpiel's classes, and the registration and loading of games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel

from ...envs import all_games
from ...envs import game as find_game
from ...envs.core.batch import noise_counters, policy_kernels
from ...envs.core.deck import checked_deck
from ...envs.core.game import Game, as_record, as_records
from .moments import CHANCE, GAMES, HISTORY, TERMINAL, Deal, Rules, shared
from .observers import observer
from .parameters import OWN_PARAMETERS, as_parameter, declared_options, from_parameter, read_decks

PREFIX = "wilddeck_"
_PARTS = 10_000  # rewards are taken as fractions with denominators up to this


def load_game(
    game: str | Game,
    decks: Sequence[Sequence[int]] | None = None,
    deals: int = 0,
    step_rewards: bool = False,
    history: int = HISTORY,
    **options: Any,
) -> WilddeckGame:
    """A wilddeck game as an OpenSpiel game.

    Args:
        game: an id such as `tennis_v0`, or a game that is not in the registry.
        decks: the first deal is one of these lists of card ids, with equal probability; later deals are shuffled.
        deals: the number of outcomes of a single chance node, all equally likely. Outcome k is the game of `env.reset(seed=k)`,
            with `decks` dealt from deck k modulo their number; use a multiple of that if there is chance besides the deck.
            0: one outcome per deck, or without decks 2**32, drawn by four chance nodes of one byte each.
        step_rewards: pay rewards when they are earned. By default all are paid at the end, as search algorithms require.
        history: the number of last history tokens in the information state tensor.
        options: options of the game; options named decks or deals are given as decks_ or deals_.

    Raises:
        ValueError: a game or option is unknown, a value is not allowed, or a deck cannot be dealt.
    """
    chosen = find_game(game)
    declared = declared_options(chosen)
    checked = chosen.make_options({declared[name].name if name in declared else name: value for name, value in options.items()})
    register(chosen)
    parameters = {name: as_parameter(getattr(checked, declared[name].name), declared[name]) for name in options}
    if decks is not None:
        texts = [" ".join(map(str, checked_deck(chosen, checked, deck))) for deck in decks]
        if not texts:
            raise ValueError("decks is empty; omit it to shuffle")
        parameters["decks"] = "/".join(texts)
    own = {"deals": deals, "step_rewards": step_rewards, "history": history}
    parameters.update({name: value for name, value in own.items() if value != OWN_PARAMETERS[name]})
    return pyspiel.load_game(PREFIX + chosen.id, parameters)


def register(game: Game) -> None:
    """Register a game with `pyspiel.load_game` as `wilddeck_<id>`; games of wilddeck's registry already are."""
    if GAMES.get(game.id) is not game:
        GAMES[game.id] = game
        # A class, because OpenSpiel releases its reference after Python has ended, which is harmless for a class.
        own_class = type(f"{game.title.title().replace(' ', '')}Game", (WilddeckGame,), {"game": game, "__doc__": game.title})
        pyspiel.register_game(game_type(Rules(game, game.options())), own_class)


def game_type(rules: Rules) -> Any:
    """OpenSpiel's type of a game: the utility follows from the game's sum of returns; chance is explicit."""
    game, kind = rules.game, pyspiel.GameType
    utility = {None: kind.Utility.GENERAL_SUM, 0.0: kind.Utility.ZERO_SUM}.get(rules.reward_sum, kind.Utility.CONSTANT_SUM)
    seats = [number for number in fields(game.options)[0].metadata["samples"](0) if number is not None]
    return kind(
        short_name=PREFIX + game.id,
        long_name=f"{game.title} (wilddeck)",
        dynamics=kind.Dynamics.SEQUENTIAL if game.at_once is None else kind.Dynamics.SIMULTANEOUS,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kind.RewardModel.REWARDS if rules.step_rewards else kind.RewardModel.TERMINAL,
        max_num_players=max(seats),
        min_num_players=min(seats),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{name: as_parameter(option.default, option) for name, option in declared_options(game).items()},
            **OWN_PARAMETERS,
        },
    )


class WilddeckGame(pyspiel.Game):
    """A pyspiel.Game, made by `load_game` or `pyspiel.load_game`; each game has its own class.

    Attributes:
        game: the wilddeck game.
        rules: the game with its options and its chance.

    Raises:
        ValueError: as in `load_game`.
    """

    game: Game

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        game, declared = self.game, declared_options(self.game)
        values = {declared[k].name: from_parameter(v, declared[k]) for k, v in parameters.items() if k in declared}
        options = game.make_options(values)
        own = {**OWN_PARAMETERS, **{name: parameters[name] for name in OWN_PARAMETERS if name in parameters}}
        decks = tuple(tuple(deck) for deck in read_decks(own["decks"]))
        self._start = Deal(shared(Rules(game, options, decks, own["deals"], own["step_rewards"], own["history"])))
        rules = self.rules
        low, high = rules.return_range
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.num_actions,
            max_chance_outcomes=max(rules.outcomes),
            num_players=rules.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=rules.reward_sum,
            max_game_length=game.max_length(options),
        )
        written = {**{name: as_parameter(option.default, option) for name, option in declared.items()}, **OWN_PARAMETERS}
        super().__init__(game_type(rules), info, {k: v for k, v in parameters.items() if v != written[k]})

    @property
    def rules(self) -> Rules:
        return self._start.rules

    def new_initial_state(self) -> WilddeckState:
        return WilddeckState(self)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.rules.outcomes)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """An observer (see `observers`)."""
        return observer(self.rules, iig_obs_type, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_game, (str(self),)


class WilddeckState(pyspiel.State):
    """A pyspiel.State of any wilddeck game. `clone`, `history`, `serialize` and the information states are OpenSpiel's own
    methods; they use the moment."""

    def __init__(self, game: WilddeckGame) -> None:
        super().__init__(game)
        self._moment: Any = game._start  # the only attribute: OpenSpiel copies and pickles __dict__

    @property
    def moment(self) -> Any:
        """The state's `Deal` or `Moment`."""
        return self._moment

    @property
    def record(self) -> np.ndarray:
        """A copy of the full state's record (an array of one), hidden cards included.

        Raises:
            ValueError: there is no record before the deal.
        """
        if self._moment.player == CHANCE:
            raise ValueError("there is no record before the deal; apply the outcomes of the chance nodes first")
        return self._moment.record.view(np.ndarray).copy()

    def current_player(self) -> int:
        return pyspiel.PlayerId.SIMULTANEOUS if len(self._moment.choosing) > 1 else self._moment.player

    def is_terminal(self) -> bool:
        return self._moment.player == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        moment = self._moment
        if player == moment.player or moment.rules.game.at_once is None:
            return moment.legal
        return moment.choosing[player].legal if player in moment.choosing else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        count = self._moment.rules.outcomes[len(self._moment.drawn)]
        return [(outcome, 1 / count) for outcome in range(count)]

    def _apply_action(self, action: int) -> None:
        self._moment = self._moment.play(action)

    def _apply_actions(self, actions: Sequence[int]) -> None:
        """Apply a joint action; only the actions of the players who choose now count."""
        for player in self._moment.choosing:
            self._moment = self._moment.play(actions[player])

    def _action_to_string(self, player: int, action: int) -> str:
        moment = self._moment
        if player == CHANCE:
            return f"deal {action}"
        if moment.player == CHANCE:  # the game asks this for any state
            block, place = moment.rules.game.actions.find(action, moment.rules.num_players)
            return f"{block.name} {place}"
        asked = moment.choosing.get(player, moment)
        return moment.rules.game.parts(as_record(asked.record), action).text

    def returns(self) -> list[float]:
        """The returns so far; zeros before the end, unless the game pays `step_rewards`."""
        moment = self._moment
        total, paid = moment.rules.reward_sum, self._paid(moment.returns)
        if total is None or moment.player != TERMINAL:
            return paid
        # Rewards are float32, in which -1/3 is inexact; OpenSpiel requires exact sums.
        exact = [float(Fraction(amount).limit_denominator(_PARTS)) for amount in paid]
        rounding = (sum(exact) - total) / len(exact)
        return [amount - rounding for amount in exact]

    def rewards(self) -> list[float]:
        """The rewards of the last action with `step_rewards`; otherwise all returns at the end."""
        moment = self._moment
        return self._paid(moment.rewards) if moment.rules.step_rewards else self.returns()

    def _paid(self, amounts: list[float]) -> list[float]:
        moment = self._moment
        return amounts if moment.rules.step_rewards or moment.player == TERMINAL else [0.0] * moment.rules.num_players

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> WilddeckState:
        """A state that the player cannot distinguish from this one, drawn with numbers in [0, 1) from the sampler.

        Equal information and equal numbers give equal states. The history of actions starts empty: the true one would reveal
        the true cards.
        """
        state = WilddeckState(self.get_game())
        state._moment = self._moment.resample(player_id, probability_sampler)
        return state

    def __str__(self) -> str:
        return str(self._moment)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_state, (pyspiel.serialize_game_and_state(self.get_game(), self),)


def _unpickled_game(text: str) -> Any:
    return pyspiel.load_game(text)


def _unpickled_state(text: str) -> Any:
    return pyspiel.deserialize_game_and_state(text)[1]


class RolloutEvaluator:
    """Random rollouts in compiled code, for the searches of `open_spiel.python.algorithms` (mcts, ismcts).

    Args:
        n_rollouts: the number of rollouts per call.
        seed: equal seeds give equal rollouts.
    """

    def __init__(self, n_rollouts: int = 1, seed: int = 0) -> None:
        self._count = n_rollouts
        self._draw = np.random.default_rng(seed)

    def evaluate(self, state: WilddeckState) -> np.ndarray:
        """float64 [P], the mean returns."""
        moment = state.moment
        if moment.player < 0:
            raise ValueError("rollouts need a state with a player to move")
        rules = moment.rules
        records = as_records(np.repeat(moment.record, self._count))
        actions = self._draw.choice(moment.legal, self._count)
        noise = noise_counters(int(self._draw.integers(2**63)), self._count)
        returns = np.zeros((self._count, rules.num_players))
        playout = policy_kernels(rules.game)["playout_games"]
        playout(records, actions, noise, *rules.buffers(), returns, rules.game.max_length(rules.options), ())
        return returns.mean(axis=0) + moment.returns

    def prior(self, state: WilddeckState) -> list[tuple[int, float]]:
        """Actions (or outcomes of a chance node) with probabilities."""
        if state.is_chance_node():
            return state.chance_outcomes()
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


for _game in all_games():
    register(_game)
