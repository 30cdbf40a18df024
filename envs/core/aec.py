"""The one PettingZoo environment class, for all games."""

from __future__ import annotations

import difflib
import json
import operator
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from .batch import check_seed, fresh_seed, game_drivers, row_seeds
from .game import Game, Options, as_record, as_records

RENDER_MODES = ("ansi", "human", "rgb_array")
ILLEGAL_REWARD = -1.0
_MAGIC = b"WILDDECK1"
_SIZES = "<III"  # after the magic: checksum, size of the header in JSON, size of the record; both follow
PENDING_DEAL, ENDED = 2, 1  # what the drivers of single games return, else 0


class IllegalActionError(ValueError):
    """An action that is not legal now; the game stands as it was."""


class CardGameEnv(AECEnv):
    """One game at a time: a PettingZoo AEC environment without wrappers.

    Observations are `{"observation": float32 [D], "action_mask": int8 [A]}` from the seat's own view; the mask is all zero
    for a seat that is not to move. Actions are `Discrete(A)`. All seats stay until the episode ends. What the entries mean
    stands in `observation_layout` and on the game's page.

    Args:
        game: what is played.
        options: its options, checked.
        render_mode: None, "ansi" (render returns text), "human" (a window) or "rgb_array" (uint8 [height, width, 3]).

    Raises:
        ValueError: an unknown render mode.
    """

    metadata: dict[str, Any]

    def __init__(self, game: Game, options: Options, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"unknown render_mode {render_mode!r}; allowed: None, {', '.join(RENDER_MODES)}")
        self.game, self.options, self.render_mode = game, options, render_mode
        self.metadata = {
            "name": game.id,
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.num_players: int = options.num_players
        self.num_actions = game.num_actions(options)
        self.observation_size = game.observation_size(options)
        self.observation_layout = game.observation.slices(self.num_players)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        low, high = game.observation_range
        space = spaces.Dict(
            {
                "observation": spaces.Box(low, high, (self.observation_size,), np.float32),
                "action_mask": spaces.Box(0, 1, (self.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self.num_actions) for agent in self.possible_agents}
        self._drivers = game_drivers(game)
        self._template = game.template(options)
        self._states = self._template.copy()
        self._observation = np.zeros(self.observation_size, np.float32)
        self._mask = np.zeros(self.num_actions, np.uint8)  # as in batches, so that kernels are compiled once
        self._decks: list[np.ndarray] = []
        self._seed: int | None = None
        self._screen: Any = None

    # --- PettingZoo ---

    @property
    def state_space(self) -> spaces.Box:
        return spaces.Box(-np.inf, np.inf, self.game.state_vector(self._template[0]).shape, np.float32)

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: equal seeds give equal games. Without one, the games of this environment go on from its last seed.
            options: `{"deck": ids}` deals the first deal from these cards, first card first; `{"decks": [ids, ...]}` one
                a deal for episodes of several deals. Deals beyond are shuffled.

        Raises:
            ValueError: the seed is out of range, `deck` or `decks` is misspelt (other options are ignored), or a deck is no
                permutation of the game's cards.
                The game in progress stands as it was.
        """
        decks = self._checked_decks(options or {})
        if seed is not None:
            self._seed = check_seed(seed)
        elif self._seed is None:
            self._seed = fresh_seed()
        else:
            self._seed = (self._seed + 0x9E3779B97F4A7C15) % 2**64
        self._decks = decks
        self._states[0] = self._template[0]
        self._states["seed"][0] = row_seeds(self._seed, 1)[0]
        self._deal()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._states["current_player"][0]]
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Play an action of the player to move (None for an agent whose game is over).

        Raises:
            IllegalActionError: the action is not legal; nothing has changed.
            RuntimeError: before `reset`, or after the end.
        """
        if not self.agents:
            raise RuntimeError("the game is over; call reset()" if self.has_begun else "call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self.is_legal(action):
            raise IllegalActionError(self._explain_illegal(action))
        self._cumulative_rewards[agent] = 0.0
        status = self._drivers["step_single"](self._states, operator.index(action), self._observation, self._mask)
        if status == PENDING_DEAL:
            status = self._deal()
        state = self._states[0]
        rewards = state["rewards"]
        total = self._cumulative_rewards
        for seat, name in enumerate(self.possible_agents):
            reward = rewards.item(seat)
            self.rewards[name] = reward
            total[name] += reward
        if status == ENDED:
            terminated, truncated = bool(state["terminated"]), bool(state["truncated"])
            self.terminations = dict.fromkeys(self.agents, terminated)
            self.truncations = dict.fromkeys(self.agents, truncated)
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[state["current_player"]]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What `agent` sees: fresh arrays, `observation` float32 [D] and `action_mask` int8 [A]."""
        seat = self._seat[agent]
        if seat == self._states["current_player"][0] and not self._stopped():
            return {"observation": self._observation.copy(), "action_mask": self._mask.astype(np.int8)}
        observation, mask = np.empty_like(self._observation), np.empty_like(self._mask)
        self._drivers["observe_seat"](self._states, seat, observation, mask)
        if self._stopped():
            mask[:] = 0
        return {"observation": observation, "action_mask": mask.view(np.int8)}

    def state(self) -> np.ndarray:
        """The whole truth as one float32 vector, for centralised critics (see `state_space`)."""
        return self.game.state_vector(self._states[0])

    def render(self) -> Any:
        """Draw the game by `render_mode`: text, an image, or None after drawing in the window."""
        from . import render

        if self.render_mode is None:
            raise ValueError(f"no render_mode was given; pass one to make(): {', '.join(RENDER_MODES)}")
        if self.render_mode == "ansi":
            return render.ansi(self)
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
        """The game: an array of one record, the truth itself and not a copy."""
        return self._states.view(np.ndarray)

    @property
    def has_begun(self) -> bool:
        """Whether there has been a `reset`, or a `load` of a game that had begun."""
        return self._seed is not None

    @property
    def current_player(self) -> int:
        """The seat to move."""
        return int(self._states["current_player"][0])

    def is_legal(self, action: Any) -> bool:
        """Whether `action` may be played now; anything that is no integer is not legal."""
        try:
            index = operator.index(action)
        except TypeError:
            return False
        return 0 <= index < self.num_actions and bool(self._mask[index])

    def legal_actions(self) -> list[int]:
        """The legal actions of the player to move, ascending."""
        return [] if self._stopped() else [int(action) for action in np.flatnonzero(self._mask)]

    def action_label(self, action: int) -> str:
        """What an action means now, as text; the legal ones have different texts."""
        index = operator.index(action)
        if not 0 <= index < self.num_actions:
            raise ValueError(f"{self.game.id} has the actions 0..{self.num_actions - 1}, not {action}")
        return self.game.label(as_record(self._states), index)

    def action_from_label(self, text: str) -> int:
        """The legal action with this label (case and extra spaces do not matter).

        Raises:
            ValueError: no legal action has it; the message shows some that do.
        """
        wanted = " ".join(text.lower().split())
        legal = self.legal_actions()
        for action in legal:
            if self.action_label(action).lower() == wanted:
                return action
        raise ValueError(f"{text!r} is no legal action; legal: {self._some_labels(legal)}")

    def zones(self, viewer: str | None = None) -> dict[str, list[int]]:
        """Every card id in exactly one zone: the whole truth, or with an agent's name what it can know (-1 = hidden)."""
        return self.game.zones(as_record(self._states), None if viewer is None else self._seat[viewer])

    def describe(self, viewer: str | None = None) -> str:
        """The public facts of the game in words."""
        return self.game.describe(as_record(self._states), None if viewer is None else self._seat[viewer])

    def clone(self) -> CardGameEnv:
        """An independent copy of the game as it stands (a window is not copied)."""
        copy = CardGameEnv(self.game, self.options, self.render_mode)
        copy.__setstate__(self.__getstate__())
        return copy

    def determinize(self, agent: str, seed: int) -> CardGameEnv:
        """A clone in which all that `agent` cannot know, coming chance included, is redrawn at random from `seed`.

        Equal knowledge and equal seeds give equal clones, so nothing hidden can be read from them.
        """
        copy = self.clone()
        copy._decks = []
        copy._drivers["determinize_games"](copy._states, copy._seat[agent], row_seeds(check_seed(seed), 1))
        copy._refresh()
        return copy

    def save(self) -> bytes:
        """The game as it stands, for `load`: in this process or another, on this machine or another."""
        content = self.__getstate__()
        record = content.pop("record")
        header = {
            "game": self.game.id,
            "layout": self.game.rules_digest,
            "options": {name: _plain(value) for name, value in vars(self.options).items()},
            **content,
        }
        text = json.dumps(header).encode()
        return _MAGIC + struct.pack(_SIZES, zlib.crc32(text + record), len(text), len(record)) + text + record

    def load(self, data: bytes) -> None:
        """Go on from a saved game of the same game and options.

        Raises:
            ValueError: the data are damaged, no saved game, or of another game, version or options. The game in progress
                stands as it was.
        """
        header, record = _unpack(data)
        if header["game"] != self.game.id:
            raise ValueError(f"the saved game is of {header['game']}, not of {self.game.id}")
        own = {name: _plain(value) for name, value in vars(self.options).items()}
        if header["layout"] != self.game.rules_digest:
            raise ValueError(f"the saved game is of another release of {self.game.id}")
        if header["options"] != own:
            raise ValueError(f"the saved game has other options: {header['options']}, not {own}")
        self.__setstate__({**header, "record": record})

    def __getstate__(self) -> dict[str, Any]:
        content: dict[str, Any] = {name: dict(getattr(self, name, {})) for name in _AEC_DICTS}
        content["agents"] = list(self.agents)
        content["agent_selection"] = getattr(self, "agent_selection", None)
        content["skip"] = getattr(self, "_skip_agent_selection", None)
        content["seed"] = self._seed
        content["decks"] = [deck.tolist() for deck in self._decks]
        content["record"] = self._states.tobytes()
        return content

    def __setstate__(self, content: dict[str, Any]) -> None:
        for name in _AEC_DICTS:
            setattr(self, name, dict(content[name]))
        self.agents = list(content["agents"])
        self.infos = {agent: {} for agent in self.agents}
        if content["agent_selection"] is not None:
            self.agent_selection = content["agent_selection"]
        self._skip_agent_selection = content["skip"]
        self._seed = content["seed"]
        self._decks = [np.array(deck, np.uint8) for deck in content["decks"]]
        self._states = as_records(np.frombuffer(content["record"], self.game.state).copy())
        self._refresh()

    def __reduce__(self) -> tuple[Any, ...]:
        from .. import game as find_game

        return _rebuild, (find_game, self.game.id, self.options, self.render_mode), self.__getstate__()

    def __repr__(self) -> str:
        return f"<CardGameEnv {self.game.id}, {self.num_players} players>"

    # --- inside ---

    def _stopped(self) -> bool:
        """Whether the game is over, by its rules or ended from outside after an illegal move."""
        agents = self.agents  # all stay until the end, so that any of them tells
        return not agents or self.terminations[agents[0]] or self.truncations[agents[0]]

    def _refresh(self) -> None:
        self._drivers["observe_seat"](self._states, self.current_player, self._observation, self._mask)

    def _deal(self) -> int:
        """The deals that are called for, each from the next given deck or shuffled. Returns 1 at the end of it, else 0."""
        status = PENDING_DEAL
        while status == PENDING_DEAL:
            given = bool(self._decks)
            if given:
                deck = self._decks.pop(0)
                self._states["deck"][0][: len(deck)] = deck
            status = self._drivers["start_single"](self._states, given, self._observation, self._mask)
        return status

    def _checked_decks(self, options: Mapping[str, Any]) -> list[np.ndarray]:
        for name in options:  # others are ignored, as PettingZoo's api_test demands; a slip of the pen is not
            if name not in ("deck", "decks") and difflib.get_close_matches(str(name), ("deck", "decks"), 1, 0.7):
                raise ValueError(
                    f"unknown reset option {name!r}; allowed: 'deck' (ids of one deal) or 'decks' (one list a deal)"
                )
        if "deck" in options and "decks" in options:
            raise ValueError("give 'deck' or 'decks', not both")
        decks = options.get("decks", [options["deck"]] if "deck" in options else [])
        if not isinstance(decks, Sequence):
            raise ValueError("'decks' is a list of decks, each a list of card ids")
        return [checked_deck(self.game, self.options, deck) for deck in decks]

    def _explain_illegal(self, action: Any) -> str:
        legal = self.legal_actions()
        named = repr(action)
        if isinstance(action, (int, np.integer)) and 0 <= action < self.num_actions:
            named = f"{int(action)} ({self.action_label(int(action))})"
        return f"{self.agent_selection} cannot play action {named}; legal: {self._some_labels(legal)}"

    def _some_labels(self, legal: list[int]) -> str:
        shown = ", ".join(f"{action} ({self.action_label(action)})" for action in legal[:6])
        return shown + (f", and {len(legal) - 6} more" if len(legal) > 6 else "")


_AEC_DICTS = ("rewards", "terminations", "truncations", "_cumulative_rewards")


def _rebuild(find_game: Any, game_id: str, options: Options, render_mode: str | None) -> CardGameEnv:
    return CardGameEnv(find_game(game_id), options, render_mode)


def _unpack(data: Any) -> tuple[dict[str, Any], bytes]:
    """Header and record of a saved game (ValueError if it is none, or not whole)."""
    if not isinstance(data, (bytes, bytearray, memoryview)) or not bytes(data).startswith(_MAGIC):
        raise ValueError("these data are no saved wilddeck game")
    data = bytes(data)
    start = len(_MAGIC) + struct.calcsize(_SIZES)
    if len(data) < start:
        raise ValueError("the saved game is truncated or damaged")
    checksum, text_size, record_size = struct.unpack(_SIZES, data[len(_MAGIC) : start])
    content = data[start:]
    if len(content) != text_size + record_size or zlib.crc32(content) != checksum:
        raise ValueError("the saved game is truncated or damaged")
    return json.loads(content[:text_size]), content[text_size:]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def checked_deck(game: Game, options: Options, deck: Any) -> np.ndarray:
    """A given deck as uint8 card ids, first card first.

    Raises:
        ValueError: it is no permutation of the game's cards, or cannot be dealt.
    """
    expected = game.deck(options)
    try:
        ids = [operator.index(card) for card in deck]
    except TypeError:
        raise ValueError("a deck is a list of card ids (integers); wilddeck.cards.parse reads text") from None
    if sorted(ids) != sorted(expected):
        raise ValueError(f"this deck is no permutation of the {len(expected)} cards of {game.id}: {_difference(ids, expected)}")
    game.check_deck(options, ids)
    return np.array(ids, np.uint8)


def _difference(ids: list[int], expected: list[int]) -> str:
    from collections import Counter

    missing, extra = Counter(expected) - Counter(ids), Counter(ids) - Counter(expected)
    parts = [f"{len(ids)} cards given"]
    if missing:
        parts.append(f"missing ids {sorted(missing.elements())[:8]}")
    if extra:
        parts.append(f"ids too many or unknown {sorted(extra.elements())[:8]}")
    return ", ".join(parts)


class _NothingLegal:
    """Stands in for a mask so that PettingZoo's wrapper treats any action, however malformed, as illegal."""

    def __getitem__(self, action: Any) -> int:
        return 0


class TerminateIllegal(TerminateIllegalWrapper):
    """PettingZoo's wrapper that ends the game on an illegal action; an action outside the space is illegal too."""

    def observe(self, agent: str) -> Any:
        return self.env.observe(agent)  # the environment knows what is legal; no observation needs to be kept for that

    def step(self, action: Any) -> None:
        raw = self.env
        agent = raw.agent_selection
        over = raw.terminations[agent] or raw.truncations[agent]
        if not over and raw.is_legal(action):
            raw.step(action)
            return
        self._prev_obs = {"action_mask": _NothingLegal()}
        super().step(action)


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's wrapper against calls out of order; a step after the end is an error too, and a loaded game has begun.

    What a loop asks all the time is answered by the environment itself, not through one wrapper after the other.
    """

    def __init__(self, env: TerminateIllegal) -> None:
        super().__init__(env)
        self._raw = env.env

    @property
    def _has_reset(self) -> bool:
        return self._raw.has_begun

    @_has_reset.setter
    def _has_reset(self, value: bool) -> None:
        """The environment itself knows."""

    @property
    def agents(self) -> list[str]:
        return self._raw.agents if self._raw.has_begun else self.__getattr__("agents")  # which raises

    @property
    def agent_selection(self) -> str:
        return self._raw.agent_selection if self._raw.has_begun else self.__getattr__("agent_selection")

    def last(self, observe: bool = True) -> Any:
        return self._raw.last(observe) if self._raw.has_begun else super().last(observe)

    def step(self, action: Any) -> None:
        if self._raw.has_begun and not self._raw.agents:
            self._raw.step(action)  # raises
        super().step(action)


def wrap(env: CardGameEnv) -> AECEnv:
    """The usual wrappers: an illegal action ends the game and costs `ILLEGAL_REWARD`; calls out of order are errors."""
    return OrderEnforcing(TerminateIllegal(env, illegal_reward=ILLEGAL_REWARD))
