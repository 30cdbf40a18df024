"""The PettingZoo AEC environment class of all games."""

from __future__ import annotations

import difflib
import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from . import saves
from .batch import check_seed, fresh_seed, game_kernels, read_only, row_seeds
from .deck import checked_deck
from .events import EVERYBODY, Event
from .facts import Fact, status
from .game import Game, Options, as_record, as_records, records_of, seed_of, state_digest
from .history import History
from .kernels import BEGIN, BEGIN_AS_IT_LIES
from .parts import ActionParts
from .past import Past

RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
ILLEGAL_REWARD = -1.0
PENDING_DEAL, ENDED = 2, 1  # the return value of single-game kernels, else 0


class IllegalActionError(ValueError):
    """The action is not legal now; the game is unchanged."""


class UnknownAgentError(ValueError, KeyError):
    """No agent of the game has this name. Also a KeyError, which PettingZoo's own environments raise."""

    __str__ = ValueError.__str__  # a KeyError shows its message in quotes


class CardGameEnv(AECEnv):
    """A PettingZoo AEC environment, without wrappers, for one game at a time.

    Observations are `{"observation": float32 [D], "action_mask": int8 [A]}` from the seat's own view. The mask is all zeros for
    a seat that is not to move; `infos[agent]["action_mask"]` has it too. Actions are `Discrete(A)`. All agents stay until the
    episode ends. `observation_layout` and the game's page describe the entries of observations. `returns` are the sums of each
    agent's rewards in the game so far.

    Args:
        game: the game.
        options: its checked options.
        render_mode: None, "ansi" (render returns text), "human" (a window), "rgb_array" (uint8 [height, width, 3]) or "svg" (a
            string, which notebooks show as a picture).

    Before `reset` there is no game, and most methods raise RuntimeError.

    Raises:
        ValueError: the render mode is unknown.
    """

    metadata: dict[str, Any]

    def __init__(self, game: Game, options: Options, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"unknown render_mode {render_mode!r}; allowed: None, {', '.join(RENDER_MODES)}")
        self.game, self.options, self.render_mode = game, options, render_mode
        self.metadata = {"name": game.id, "render_modes": list(RENDER_MODES), "render_fps": 2, "is_parallelizable": False}
        self.num_players: int = options.num_players
        self.num_actions = game.num_actions(options)
        self.observation_size = game.observation_size(options)
        self.observation_layout = game.observation.slices(self.num_players)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self._kernels = game_kernels(game)
        self._template = game.template(options)
        self._hold(self._template.copy())
        self._observation = np.zeros(self.observation_size, np.float32)
        self._mask = np.zeros(self.num_actions, np.uint8)  # as in batches, so that kernels are compiled once
        self._legal = self._mask.view(np.int8)  # as shown to callers
        self._nothing = read_only(np.zeros(self.num_actions, np.int8))  # of agents not to move
        self._decks: list[np.ndarray] = []  # given by the caller, one per deal
        self._actions: list[int] = []  # in this game, or since it was determinized
        self._start: bytes | None = None  # of a determinized game: the record at that moment
        self._history: History | None = None
        self._seed: int | None = None
        self._past: tuple[bytes, int] | None = None  # the record before this hand's deal, and the number of actions before it
        self._screen: Any = None
        self.notes: dict[Any, Any] = {}  # about the game in progress, by agent; not copied

    # --- PettingZoo ---

    @functools.cached_property  # cloning, which happens thousands of times per second, need not make the spaces
    def observation_spaces(self) -> dict[str, spaces.Space]:
        box = spaces.Box(*self.game.observation_bounds(self.options), dtype=np.float32)
        mask = spaces.Box(0, 1, (self.num_actions,), np.int8)
        return dict.fromkeys(self.possible_agents, spaces.Dict({"observation": box, "action_mask": mask}))

    @functools.cached_property
    def action_spaces(self) -> dict[str, spaces.Space]:
        return {agent: spaces.Discrete(self.num_actions) for agent in self.possible_agents}

    @property
    def state_space(self) -> spaces.Box:
        return spaces.Box(*self.game.state_bounds(self.options), dtype=np.float32)

    def observation_space(self, agent: str) -> spaces.Space:
        """The observation space of an agent; raises UnknownAgentError, like all methods that take an agent's name."""
        self.seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        self.seat_of(agent)
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: equal seeds give equal games. Without a seed, the environment continues the sequence of games from its last
                seed.
            options: `{"deck": ids}` gives the cards of the first deal, first card first; `{"decks": [ids, ...]}` gives one deck
                per deal, for episodes of several deals. Later deals are shuffled.

        Raises:
            ValueError: the seed is out of range, `deck` or `decks` is misspelt (other options are ignored), or a deck is not a
                permutation of the game's cards. The game in progress is unchanged.
        """
        decks = self._checked_decks(options or {})
        if seed is None and self.has_begun:
            self._kernels["next_seeds"](self._states)
            self._seed = seed_of(self._states)
        else:
            self._seed = fresh_seed() if seed is None else check_seed(seed)
        self._decks, self._actions, self._start, self._history = decks, [], None, None
        self.notes = {}
        self._states[0] = self._first_record()[0]
        self._deal()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.returns = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._states["current_player"][0]]
        self._tell_masks()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Play an action of the player to move (None for an agent whose game is over).

        Raises:
            IllegalActionError: the action is not legal; nothing has changed.
            RuntimeError: called before `reset` or after the end.
        """
        if not self.agents:
            self._check_begun("step()")
            raise RuntimeError("the game is over; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self.is_legal(action):
            raise IllegalActionError(self._explain_illegal(action))
        self._cumulative_rewards[agent] = 0.0
        index = operator.index(action)
        self._actions.append(index)
        status = self._kernels["step_single"](self._states, index, self._observation, self._mask)
        if status == PENDING_DEAL:
            status = self._deal()
        paid, rewards, total = self._paid.tolist(), self.rewards, self._cumulative_rewards
        for seat, name in enumerate(self.possible_agents):
            reward = rewards[name] = paid[seat]
            if reward:
                total[name] += reward
                self.returns[name] += reward
        if status == ENDED:
            state = self._states[0]
            self._stop(bool(state["terminated"]), bool(state["truncated"]))
        else:
            mover = self.possible_agents[self._mover[0]]
            self.agent_selection = mover
            self._legal = self._mask.astype(np.int8)
            self.infos[agent]["action_mask"] = self._nothing
            self.infos[mover]["action_mask"] = self._legal
        if self.render_mode == "human":
            self.render()

    def forfeit(self) -> None:
        """End the game as after an illegal action: the player to move gets `ILLEGAL_REWARD`."""
        EnvLogger.warn_on_illegal_move()
        self._forfeit()

    def _forfeit(self) -> None:
        agent = self.agent_selection
        self.rewards = {**dict.fromkeys(self.agents, 0.0), agent: ILLEGAL_REWARD}
        self.returns[agent] += ILLEGAL_REWARD
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._stop(True, True)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The observation of an agent, in new arrays: `observation` float32 [D] and `action_mask` int8 [A]."""
        if self._seed is None:  # called at every step, so inlined
            self._check_begun("observe()")
        seat = self.seat_of(agent)
        if seat == self._mover[0] and not self.is_over:
            return {"observation": self._observation.copy(), "action_mask": self._legal.copy()}
        return {"observation": self.views([seat])[0], "action_mask": self._nothing.copy()}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """For the agent to move: observation, rewards since its last action, terminated, truncated, info."""
        if self._seed is None:
            self._check_begun("last()")
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        return seen, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def state(self) -> np.ndarray:
        """The full state, including hidden cards, as one float32 vector, for centralised critics (see `state_space`)."""
        self._check_begun("state()")
        return self.game.state_vectors(self._states)[0]

    def render(self) -> Any:
        """Render the game by `render_mode`: returns text, an image or SVG, or None for the window."""
        from . import render

        if self.render_mode is None:
            raise ValueError(f"render() needs a render_mode; pass one to make(): {', '.join(RENDER_MODES)}")
        if self.render_mode == "ansi":
            return render.ansi(self)
        if self.render_mode == "svg":
            return render.svg_picture(self)
        if self._screen is None:
            self._screen = render.Screen(self.render_mode)
        return self._screen.draw(self)

    def close(self) -> None:
        if self._screen is not None:
            self._screen.close()
            self._screen = None

    # --- beyond PettingZoo ---

    @property
    def record(self) -> np.ndarray:
        """The full state: an array of one record, not a copy."""
        self._check_begun("record")
        return self._states.view(np.ndarray)

    @property
    def past(self) -> Past | None:
        """The true record of the hand in progress; None in a determinized game until its next deal."""
        if self._past is None:
            return None
        start, first = self._past
        number = int(records_of(start, self.game.state)["deals"][0])
        deck = self._decks[number] if number < len(self._decks) else None
        return Past(self.game, self.options, start, deck, self._actions[first:])

    @property
    def has_begun(self) -> bool:
        """Whether `reset` was called, or a game that had begun was loaded."""
        return self._seed is not None

    def views(self, seats: Sequence[int]) -> np.ndarray:
        """The observations of some seats: a new array, float32 [len(seats), D]."""
        self._check_begun("views()")
        observations = np.empty((len(seats), self.observation_size), np.float32)
        self._kernels["observe_seats"](self._states, np.zeros(len(seats), np.int64), np.array(seats, np.int64), observations)
        return observations

    @property
    def is_over(self) -> bool:
        """Whether no game is in progress: it has not begun, or has ended by its rules or by an illegal action."""
        agents = self.agents  # all agents stay until the end, so any of them will do
        return not agents or self.terminations[agents[0]] or self.truncations[agents[0]]

    def seat_of(self, agent: str) -> int:
        """The seat of an agent.

        Raises:
            UnknownAgentError: there is no such agent; the message lists the agents. It is a ValueError and a KeyError.
        """
        try:
            return self._seat[agent]
        except (KeyError, TypeError):
            raise UnknownAgentError(f"there is no agent {agent!r}; agents: {', '.join(self.possible_agents)}") from None

    @property
    def current_player(self) -> int:
        """The seat to move."""
        self._check_begun("current_player")
        return int(self._states["current_player"][0])

    def choosing(self) -> dict[int, np.ndarray]:
        """The seats that choose simultaneously now (`Game.at_once`), in the order in which `step` takes their actions, each
        with its mask, int8 [A]. In most games, and after the end, only the player to move."""
        masks = {self.current_player: self._legal.copy()}
        seats = () if self.is_over else self.game.choosing(as_record(self._states))
        ahead = self.clone() if len(seats) > 1 else self
        for seat in seats[1:]:  # choices of earlier seats do not change the choices of later ones
            ahead.step(ahead.legal_actions()[0])
            masks[seat] = ahead._legal.copy()
        return masks

    def is_legal(self, action: Any) -> bool:
        """Whether an action is legal now; values that are not integers are not."""
        try:
            index = operator.index(action)
        except TypeError:
            return False
        return 0 <= index < self.num_actions and bool(self._mask[index])

    def legal_actions(self) -> list[int]:
        """The legal actions of the player to move, ascending."""
        self._check_begun("legal_actions()")
        return [] if self.is_over else [int(action) for action in np.flatnonzero(self._mask)]

    def action_label(self, action: int) -> str:
        """The label of an action in the current state; legal actions have different labels."""
        return self.action_parts(action).text

    def action_parts(self, action: int) -> ActionParts:
        """The label of an action as data: the verb, and the cards, ranks, seats, amounts, ... that it names."""
        self._check_begun("action_parts()")
        return self.game.action_parts(self._states, action)

    def action_from_label(self, text: str) -> int:
        """The legal action with this label (case and extra spaces do not matter).

        Raises:
            ValueError: no legal action has this label; the message shows some legal ones.
        """
        return self.game.action_from_label(self._states, self.legal_actions(), text)

    def zones(self, viewer: str | None = None) -> dict[str, list[int]]:
        """The card ids in each zone, every card in exactly one: all cards, or with an agent's name as far as it can know
        (hidden cards are -1)."""
        self._check_begun("zones()")
        return self.game.zones(as_record(self._states), None if viewer is None else self.seat_of(viewer))

    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The current teams, as publicly known. If teams form during play, each seat is alone until then."""
        self._check_begun("teams()")
        return self.game.teams_now(self.options, as_record(self._states))

    def facts(self, viewer: str | None = None) -> list[Fact]:
        """Facts about the state of the game in words, each with its role and seat; with an agent's name only those it can
        know."""
        self._check_begun("facts()")
        return self.game.facts(self.options, as_record(self._states), None if viewer is None else self.seat_of(viewer))

    def describe(self, viewer: str | None = None) -> str:
        """The facts as one text."""
        return status(self.facts(viewer))

    def history(self, agent: str | None = None) -> list[Event]:
        """The events since the start of the game in order, as an agent perceived them; without an agent, all events.

        In a determinized game it starts at the determinization and contains nothing of the true past. A call takes a fraction
        of a millisecond for each action since the last call.
        """
        return self._history_of(None if agent is None else self.seat_of(agent))

    def public_history(self) -> list[Event]:
        """The events that all agents perceived (common knowledge)."""
        return self._history_of(EVERYBODY)

    def _history_of(self, seat: int | None) -> list[Event]:
        self._check_begun("history()")
        if self._history is None:
            self._history = History(self.game, self.options, self._kernels, self._first_record())
        self._history.follow(self._actions, self._decks, self._forfeited)
        return self._history.of(seat)

    def _first_record(self) -> np.ndarray:
        """The record at the start of the game."""
        if self._start is not None:
            return records_of(self._start, self.game.state)
        first = self._template.copy()
        first["seed"][0], first["seed_high"][0] = row_seeds(self._seed or 0, 1)[0]
        first["deal_pending"][0] = 1
        return first

    def clone(self) -> CardGameEnv:
        """An independent copy of the game in its current state (a window is not copied)."""
        copy = CardGameEnv(self.game, self.options, self.render_mode)
        copy.__setstate__(self.__getstate__())
        copy._history = self._history and self._history.copy()
        return copy

    def determinize(self, agent: str, seed: int) -> CardGameEnv:
        """A clone in which everything that `agent` cannot know, including future chance, is sampled from `seed`.

        Equal information sets and equal seeds give equal clones, so clones reveal nothing hidden. Rewards start at zero in the
        clone, except those that `agent` has accumulated since its last action.
        """
        self._check_begun("determinize()")
        seat, copy = self.seat_of(agent), self.clone()
        copy._decks, copy._actions, copy._history, copy._past = [], [], None, None
        copy._kernels["determinize_games"](copy._states, seat, row_seeds(check_seed(seed), 1))
        copy._start = copy._states.tobytes()
        copy._seed = seed_of(copy._states)
        copy.rewards = dict.fromkeys(copy.rewards, 0.0)
        copy.returns = dict.fromkeys(copy.returns, 0.0)
        copy._cumulative_rewards = {name: total if name == agent else 0.0 for name, total in copy._cumulative_rewards.items()}
        copy._refresh()
        return copy

    def save(self) -> bytes:
        """Save the game as JSON, for `load` in any process and on any machine.

        Raises:
            ValueError: the game was made by `determinize`, so it was not played from its deal; use `pickle` for such a game.
        """
        if self._start is not None:
            raise ValueError("a determinized game cannot be saved, because it was not played from its deal; use pickle")
        decks = [deck.tolist() for deck in self._decks]
        end = self._forfeited, len(self.agents), state_digest(self._states)
        return saves.pack(self.game, self.options, saves.Saved(self._seed, decks, self._actions, *end))

    def load(self, data: bytes) -> None:
        """Continue from a saved game of the same game and options, by replaying it.

        The data may be untrusted: a game that loads was played by the rules.

        Raises:
            ValueError: the data are damaged, not a saved game, of another game, of other rules or options, or the replay
                differs from the saved state. The game in progress is unchanged.
        """
        saved, played = saves.unpack(data, self.game, self.options), CardGameEnv(self.game, self.options)
        try:
            played._play_again(saved)
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"the saved game is damaged: {error}") from None
        self.__setstate__(played.__getstate__())

    @property
    def _forfeited(self) -> bool:
        """Whether the game has ended, but not by its rules."""
        by_rules = self._states["terminated"][0] or self._states["truncated"][0]
        return self.has_begun and self.is_over and not by_rules

    def _play_again(self, saved: saves.Saved) -> None:
        if saved.seed is not None:
            self.reset(saved.seed, {"decks": saved.decks})
            for action in saved.actions:
                if self.is_over:
                    raise ValueError("it has actions after its end")
                self.step(action)
            if saved.forfeited and not self.is_over:
                self._forfeit()
            while self.is_over and len(self.agents) > saved.agents:
                self.step(None)
        if (self._forfeited, len(self.agents), state_digest(self._states)) != (saved.forfeited, saved.agents, saved.digest):
            raise ValueError("the replay differs from the saved state")

    # Copies and pickles are trusted: they come from this process, or from code that could do anything anyway.
    def __getstate__(self) -> dict[str, Any]:
        content: dict[str, Any] = {name: dict(getattr(self, name, {})) for name in _AEC_DICTS}
        content["agents"] = list(self.agents)
        content["agent_selection"] = getattr(self, "agent_selection", None)
        content["skip"] = getattr(self, "_skip_agent_selection", None)
        content["seed"] = self._seed
        content["decks"] = [deck.tolist() for deck in self._decks]
        content["actions"], content["start"], content["past"] = list(self._actions), self._start, self._past
        content["layout"], content["record"] = self.game.record_digest, self._states.tobytes()
        return content

    def __setstate__(self, content: dict[str, Any]) -> None:
        if content["layout"] != self.game.record_digest:
            raise ValueError(f"this copy was made by another release of {self.game.id}")
        for name in _AEC_DICTS:
            setattr(self, name, dict(content[name]))
        self.agents = list(content["agents"])
        self.__dict__.pop("agent_selection", None)  # none before the first game
        if content["agent_selection"] is not None:
            self.agent_selection = content["agent_selection"]
        self._skip_agent_selection = content["skip"]
        self._seed = content["seed"]
        self._decks = [np.array(deck, np.uint8) for deck in content["decks"]]
        self._actions, self._start, self._past = list(content["actions"]), content["start"], content["past"]
        self._history = None
        self.notes = {}
        self._hold(as_records(records_of(content["record"], self.game.state)))
        self._refresh()

    def __reduce__(self) -> tuple[Any, ...]:
        return CardGameEnv, (self.game, self.options, self.render_mode), self.__getstate__()

    def __repr__(self) -> str:
        return f"<CardGameEnv {self.game.id}, {self.num_players} players>"

    def _repr_svg_(self) -> str | None:
        """A picture of the table for notebooks; None before `reset`."""
        from . import render

        return render.svg_picture(self) if self.has_begun else None

    # --- inside ---

    def _check_begun(self, asked: str) -> None:
        if self._seed is None:
            raise RuntimeError(f"call reset() before {asked}")

    def _hold(self, states: np.ndarray) -> None:
        """Store the record, and the fields that are read often: looking them up by name each time is slower."""
        self._states, self._paid, self._mover = states, states["rewards"][0], states["current_player"]

    def _refresh(self) -> None:
        if self._states["deals"][0]:  # before the first game there is nothing to see
            self._kernels["view_games"](self._states, self._observation[None], self._mask[None], np.zeros(1, np.int64))
        self._tell_masks()

    def _tell_masks(self) -> None:
        """Write the masks into infos."""
        self._legal = self._mask.astype(np.int8)
        self.infos: dict[str, dict[str, Any]] = {agent: {"action_mask": self._nothing} for agent in self.agents}
        if not self.is_over:
            self.infos[self.agent_selection]["action_mask"] = self._legal

    def _stop(self, terminated: bool, truncated: bool) -> None:
        """End the game: nothing is legal any more, and the agents leave one by one."""
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos[self.agent_selection]["action_mask"] = self._nothing
        self._deads_step_first()

    def _deal(self) -> int:
        """Deal as often as the rules request, each time from the next given deck or shuffled. Returns 1 at the end of the game,
        else 0."""
        status = PENDING_DEAL
        while status == PENDING_DEAL:
            self._past = self._states.tobytes(), len(self._actions)  # bytes, because a copy takes 20 microseconds
            number = int(self._states["deals"][0])
            is_given = number < len(self._decks)
            if is_given:
                self._states["deck"][0][: len(self._decks[number])] = self._decks[number]
            begin = BEGIN_AS_IT_LIES if is_given else BEGIN
            status = self._kernels["step_single"](self._states, begin, self._observation, self._mask)
        return status

    def _checked_decks(self, options: Mapping[str, Any]) -> list[np.ndarray]:
        for name in options:  # api_test of PettingZoo requires ignoring unknown options; misspelt ones are refused
            if name not in ("deck", "decks") and difflib.get_close_matches(str(name), ("deck", "decks"), 1, 0.7):
                raise ValueError(
                    f"unknown reset option {name!r}; allowed: 'deck' (card ids of one deal) or 'decks' (a list per deal)"
                )
        if "deck" in options and "decks" in options:
            raise ValueError("give 'deck' or 'decks', not both")
        decks = options.get("decks", [options["deck"]] if "deck" in options else [])
        if not isinstance(decks, Sequence):
            raise ValueError("'decks' must be a list of decks, each a list of card ids")
        return [checked_deck(self.game, self.options, deck) for deck in decks]

    def _explain_illegal(self, action: Any) -> str:
        legal = self.legal_actions()
        named = repr(action)
        if isinstance(action, (int, np.integer)) and 0 <= action < self.num_actions:
            named = f"{int(action)} ({self.action_label(int(action))})"
        return f"{self.agent_selection} cannot play action {named}; legal: {self.game.some_labels(self._states, legal)}"


_AEC_DICTS = ("rewards", "_cumulative_rewards", "returns", "terminations", "truncations")
