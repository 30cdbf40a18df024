"""Flat Monte-Carlo search: sample determinizations, try each action in them, and play the games out.

Also known as perfect-information Monte Carlo (PIMC). It works for every game and needs only a playout policy that runs in
compiled code: random play, the rule-based agent or a network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import envs
from ..envs.core import memory
from ..envs.core.batch import MAX_STEPS as MAX_ROLLOUT_STEPS
from ..envs.core.batch import check_count, noise_counters, policy_kernels, slices
from ..envs.core.game import Game, Options, as_records
from . import belief, learned, rules, trained
from .base import Agent, View
from .learned import LearnedAgent
from .random import RandomAgent
from .thoughts import Thoughts

MAX_STEPS = 10_000
Draw = Callable[[int, int], np.ndarray]
# Where search gains by beliefs, and from how many playouts on: with fewer, no gain shows at equal time (docs/strength.md).
BELIEVED = {"bluff_v0": 1, "bridge_v0": 1000, "poker_v0": 1}
# The least playouts of each action in the first pass. With fewer than eight, rare large losses go unseen: in hold'em for two,
# search went all-in where the others mostly fold. Without a network, an action that is not tried may well be the best.
_INFORMED, _UNINFORMED = 8, 2
_PLAYOUTS = 16  # in one compiled call
_FILES = (".safetensors", ".npz")  # which cannot run code


class Model(NamedTuple):
    """A model of the other players.

    Attributes:
        player: plays all seats in playouts, as they are thought to play.
        draw: samples determinizations, given number and seed.
        share: the fraction of the playouts that it plays.
    """

    player: belief.Player
    draw: Draw
    share: float = 1.0


class SearchAgent(Agent):
    """Plays the action with the best mean return over playouts from determinizations.

    The budget is spent by sequential halving: all candidates share the same determinizations and the same luck, the worse half
    is dropped, and the rest get more playouts. If the budget is too small to try every action in the first pass (eight times
    with a network as the playout policy, otherwise twice), it tries the likeliest ones: by the network's distribution;
    otherwise the policy's own choice and random others.

    Determinizations are sampled by `view.sample`; with `beliefs` they are weighted by how likely the playout policy would have
    made the other players' decisions with these cards (see `belief`).

    Several playout policies, as in "trained+rules+random", are as many models of the other players. Each plays its share of the
    playouts: with `beliefs` in proportion to how likely it would have acted as the others did in this hand, otherwise an equal
    one. That is slower, but holds up against opponents who play unlike the first policy.

    The playout policy's own choice (of a network or rules) is kept to the end, and played unless another action is better by
    `margin` standard errors of the difference: if actions differ by less than the noise, search is as strong as its policy. Of
    several policies this is the first.

    Args:
        game, options: a game or its id, and options or a mapping.
        rollouts: the total number of playouts per decision.
        policy: the playout policy: "random", "rules", "rules:STYLE", "trained", a weights file, or such an agent; or several
            names joined by "+" ("rules+random"). All must run in compiled code.
        max_steps: the maximal number of actions in a playout, which then counts the rewards earned so far.
        margin: standard errors by which another action must be better than the policy's own choice; at least 0.
        beliefs: whether the other players' decisions weight the determinizations; None: where that gains (`BELIEVED`).

    Raises:
        ValueError: a parameter is out of range, or the game has no such policy in compiled code.
    """

    # As in an agent string: `mc:rollouts=200,policy=rules`.
    PARAMETERS: ClassVar[dict[str, type]] = {"rollouts": int, "policy": str, "max_steps": int, "margin": float, "beliefs": int}

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        rollouts: int = 1000,
        policy: str | Agent = "random",
        max_steps: int = MAX_STEPS,
        margin: float = 1.0,
        beliefs: bool | None = None,
    ) -> None:
        game, options = envs.resolve(game, options)
        check_count("rollouts", rollouts)
        check_count("max_steps", max_steps, MAX_ROLLOUT_STEPS)
        if not 0 <= margin < math.inf:
            raise ValueError(f"margin={margin!r} is not allowed; allowed: a number of at least 0")
        if beliefs not in (None, False, True):
            raise ValueError(f"beliefs={beliefs!r} is not allowed; allowed: 0, 1")
        memory.check(f"rollouts={rollouts}", rollouts * (2 * game.state.itemsize + 8 * (options.num_players + 2)))
        self.players = _players(policy, game, options)
        self.name = f"mc:rollouts={rollouts},policy={policy if isinstance(policy, str) else policy.name}"
        if beliefs is not None:
            self.name += f",beliefs={int(beliefs)}"
        self.rollouts, self.max_steps, self.margin = rollouts, max_steps, margin
        self.beliefs = rollouts >= BELIEVED.get(game.id, math.inf) if beliefs is None else bool(beliefs)
        self._observation = np.zeros(game.observation_size(options), np.float32)
        self._mask = np.zeros(game.num_actions(options), np.uint8)

    def act(self, view: View, rng: np.random.Generator) -> int:
        if len(view.legal_actions) == 1:
            return int(view.legal_actions[0])
        tried, own = self._try(view, rng)
        best = _best(tried)
        return best if own < 0 or self._is_surely_better(tried[best] - tried[own]) else own

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        """The returns of the playouts; `probs` is None, because search does not sample its action."""
        tried, _ = self._try(view, rng)
        worths = {action: float(returns.mean()) for action, returns in tried.items()}
        tries = np.array([returns.size for returns in tried.values()])
        spread = [returns.std(ddof=1) if returns.size > 1 else np.nan for returns in tried.values()]
        value = worths[_best(tried)]
        return Thoughts(
            np.array(list(tried)), None, np.array(list(worths.values())), np.array(spread) / tries**0.5, tries, value
        )

    def _try(self, view: View, rng: np.random.Generator) -> tuple[dict[int, np.ndarray], int]:
        """The returns of each candidate, by action in order of trial, more of them the longer it stayed; and the playout
        policy's own choice, which stays to the end, or -1."""
        likely = self._likelihoods(view, rng)
        own = -1 if likely is None else int(view.legal_actions[likely.argmax()])
        actions = self._candidates(view, likely, rng)
        passes = _passes(len(actions))
        models = self._models(view, int(rng.integers(2**63)))
        returns, tried = np.zeros((len(actions), 0)), dict[int, np.ndarray]()
        for _ in range(passes):
            determinizations = max(1, self.rollouts // (passes * len(actions)))
            seed = int(rng.integers(2**63))
            returns = np.hstack([returns, self.playouts(view, actions, determinizations, seed, models)])
            tried |= zip(actions.tolist(), returns, strict=True)
            order = np.argsort(-returns.sum(axis=1), kind="stable")
            kept = np.zeros(len(actions), np.bool_)
            kept[order[: (len(actions) + 1) // 2]] = True
            kept |= actions == own
            actions, returns = actions[kept], returns[kept]
        return tried, own

    def _is_surely_better(self, gain: np.ndarray) -> bool:
        """Whether an action's advantage over another, in the same determinizations, exceeds the noise."""
        error = float(gain.std(ddof=1)) / gain.size**0.5 if gain.size > 1 else 0.0
        return float(gain.mean()) > self.margin * error

    def _models(self, view: View, seed: int) -> list[Model]:
        """The models of the other players at this decision."""
        if not self.beliefs or all(isinstance(player, RandomAgent) for player in self.players):
            return [Model(player, view.sample, 1 / len(self.players)) for player in self.players]
        beliefs = [belief.Beliefs(view, player, seed) for player in self.players]
        evidence = np.array([each.evidence for each in beliefs])
        shares = np.exp(evidence - evidence.max())
        shares /= shares.sum()
        return [Model(*model) for model in zip(self.players, (each.draw for each in beliefs), shares.tolist(), strict=True)]

    def playouts(
        self, view: View, actions: np.ndarray, determinizations: int, seed: int, models: Sequence[Model] | None = None
    ) -> np.ndarray:
        """The seat's returns of each action in the same determinizations.

        Args:
            view: the decision.
            actions: int64, the actions to try.
            determinizations, seed: their number and seed.
            models: who plays them out; None: the agent's own models.

        Returns:
            float64 [len(actions), determinizations].
        """
        models = self._models(view, seed) if models is None else models
        rest, parts = np.random.default_rng(seed).random(), list[np.ndarray]()
        for number, (player, draw, share) in enumerate(models):
            rest += share * determinizations
            left = determinizations - sum(part.shape[1] for part in parts)
            count = left if number == len(models) - 1 else min(int(rest), left)
            rest -= count
            if count:
                parts.append(self._play(view, actions, count, (seed + number) % 2**63, player, draw))
        return np.hstack(parts)

    def _play(self, view: View, actions: np.ndarray, count: int, seed: int, player: belief.Player, draw: Draw) -> np.ndarray:
        drawn = np.tile(draw(count, seed), len(actions))
        noise = np.tile(noise_counters(seed, count), len(actions))
        returns = np.zeros((len(drawn), view.options.num_players))
        first = np.repeat(actions, count)
        playout = _kernel(view.game, player)
        # Networks draw from their distribution: playouts by the likeliest actions alone were no better (spades), and see less.
        data = player.data(greedy=False) if isinstance(player, LearnedAgent) else ()
        for rows in slices(0, len(drawn), _PLAYOUTS):
            games = as_records(drawn[rows])
            playout(games, first[rows], noise[rows], self._observation, self._mask, returns[rows], self.max_steps, data)
        return returns[:, view.seat].reshape(len(actions), count)

    def _candidates(self, view: View, likely: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
        """The actions of the first pass, ascending: as many as the budget can try often enough, at least two."""
        legal, tries = view.legal_actions, _INFORMED if isinstance(self.players[0], LearnedAgent) else _UNINFORMED
        most = len(legal)
        while most > 2 and tries * most * _passes(most) > self.rollouts:
            most -= 1
        if len(legal) == most:
            return legal
        likely = np.ones(len(legal)) if likely is None else likely
        return np.sort(legal[np.lexsort((rng.random(len(legal)), -likely))[:most]])

    def _likelihoods(self, view: View, rng: np.random.Generator) -> np.ndarray | None:
        """The playout policy's probability of each legal action: for rules 1 for their choice; None for random play."""
        if isinstance(self.players[0], LearnedAgent):
            return self.players[0].action_probs(view.observation, view.action_mask)
        if isinstance(self.players[0], RandomAgent):
            return None
        return (view.legal_actions == self.players[0].act(view, rng)).astype(float)


def _passes(actions: int) -> int:
    """The number of passes of sequential halving from this many actions to one."""
    return max(1, math.ceil(math.log2(actions)))


def _best(tried: Mapping[int, np.ndarray]) -> int:
    """The action with the highest return among those tried to the end."""
    longest = max(returns.size for returns in tried.values())
    return max((action for action in tried if tried[action].size == longest), key=lambda action: tried[action].sum())


def _players(policy: str | Agent, game: Game, options: Options) -> list[belief.Player]:
    """The playout policies. Only names are joined: a path may have a plus sign, and leagues identify files by content."""
    if not isinstance(policy, str) or policy.lower().endswith(_FILES):
        return [_player(policy, game, options)]
    names = policy.split("+")
    for name in names:
        if name.lower().endswith(_FILES):
            raise ValueError(
                f"playout policies {policy!r}: {name!r} is a file; allowed are names, such as trained+rules+random"
            )
    return [_player(name, game, options) for name in names]


def _player(policy: str | Agent, game: Game, options: Options) -> belief.Player:
    """The playout policy."""
    kind, _, style = policy.partition(":") if isinstance(policy, str) else ("", "", "")
    if policy == "random":
        return RandomAgent()
    if kind == "rules":
        return rules.make(game, options, style)
    if policy == "trained":
        return trained.make(game, options)
    if isinstance(policy, str) and policy.lower().endswith(_FILES):
        return learned.load(policy, game, options)
    if isinstance(policy, belief.Player):
        return policy
    said = f"unknown playout policy {policy!r}"
    if not isinstance(policy, str):
        said = f"{getattr(policy, 'name', policy)!r} is not compiled and cannot be a playout policy"
    raise ValueError(f"{said}; allowed: random, rules, rules:STYLE, trained, a weights file, or such an agent")


def _kernel(game: Game, player: belief.Player) -> Any:
    """The playout kernel for this policy."""
    if isinstance(player, LearnedAgent):
        return policy_kernels(game, player.acts, True)["playout_games"]
    return policy_kernels(game, player.policy)["playout_games"]
