"""The table of baselines: how each shipped learned player is trained and measured."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

from .. import envs
from ..agents import trained


@dataclass(frozen=True)
class Baseline:
    """How a baseline is trained and checked.

    Attributes:
        game: the game's id.
        steps: decisions that it learns from; all baselines together take less than eight hours on two cores.
        options: the game's options that differ from the defaults.
        without_luck: additional options during training and measurement: equal means, but less variance from the cards.
        finish: `module:function`, which gets the trained agent, the game and the options, and returns the agent to ship.
        solver: `module:function`, which gets the game, the options and `steps`, and returns the agent to ship; nothing is
            trained.
        settings: training settings that differ from `LEARNING`.
        search: the agent string of the league's Monte-Carlo player.
        playouts: of the search with the learned player as playout policy: at most a tenth of a second per decision.
        measured: the number of deals of the learned player against the rules.
        search_deals: the number of deals of that search against the learned player.
    """

    game: str
    steps: int
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    search: str = "mc:rollouts=300"
    playouts: int = 200
    measured: int = 1000
    search_deals: int = 100
    without_luck: dict[str, Any] = field(default_factory=dict)
    finish: str = ""
    solver: str = ""

    @property
    def learned_search(self) -> str:
        """The agent string of the search with the learned player as playout policy."""
        return f"mc:rollouts={self.playouts},policy=trained"

    @property
    def trained_options(self) -> dict[str, Any]:
        return self.options | self.without_luck


# First behaviour cloning of the rules, then more games against them than by default.
LEARNING = {
    "fixed_opponents": ("rules",),
    "init_from": "rules",
    "self_play_prob": 0.4,
    "past_policy_prob": 0.3,
    "snapshot_every": 400_000,
    "eval_every": 2_000_000,
    "checkpoint_every": 1_000_000,
    "num_envs": 64,
    "rollout_steps": 512,
    "batch_size": 8192,
    "epochs": 4,
    "learning_rate": 6e-3,
}
# Better in spades and bridge with the standard deck and contract rummy. Skin, chemin de fer, banque and Wild Escape have not
# been trained with the settings above.
_SMALL = {
    "num_envs": 32,
    "rollout_steps": 256,
    "batch_size": 2048,
    "epochs": 3,
    "learning_rate": 1e-3,
    "gae_lambda": 0.95,
}

# For rules that a network clones poorly: it gets the expert's action as input, and learns when to deviate from it.
_EXPERT = {"expert": "rules", "bc_fraction": 0.02, "kl_coef": 0.03}
_TRIED = {  # where one deal says little about one decision: alternatives are evaluated by millions of rollouts
    **_SMALL,
    **_EXPERT,
    "self_play_prob": 0.0,
    "past_policy_prob": 0.0,
    "learning_rate": 1e-2,
    "final_learning_rate": 1e-5,
    "epochs": 2,
    "gae_lambda": 1.0,
    "ent_coef": 0.0,
    "kl_coef": 30.0,
    "kl_fraction": 1.0,
    "search_share": 1.0,
    "num_determinizations": 1,
    "search_actions": 2,
    "search_policy": "rules",
    "search_temperature": 0.02,
}
_DRAWN = {**_TRIED, "search_only": (35, 36), "search_temperature": 0.1}  # to draw and to stand; coups are worth more than deals

# Large batches, small steps and decaying entropy are hard to exploit; without the rules as opponents, the rules exploit it.
_ROBUST = {
    "init_from": None,
    "self_play_prob": 0.4,
    "past_policy_prob": 0.5,
    "greedy": False,
    "epochs": 2,
    "learning_rate": 2e-3,
    "final_learning_rate": 1e-5,
    "ent_coef": 0.05,
    "final_ent_coef": 5e-4,
}
# Agents that never met random play in training won less from it than the rules do, in poker mostly less than half.
_BEGINNERS = {"fixed_opponents": ("rules", "random")}
_POKER = {**_ROBUST, **_BEGINNERS, "init_from": "rules"}
# For two with deep stacks, self-play hardly ever goes all-in and random play does with any hand: against them alone, the agent
# called open all-ins with a third of all hands. `rules:shove` stands here three times, as random play goes all-in more often.
_SHOVED = {"fixed_opponents": ("rules", "random", "rules:shove", "rules:shove", "rules:shove")}
# With recent snapshots alone as opponents, an exploiter won nearly all games of bluff for two.
_BLUFF = {**_ROBUST, "expert": "rules", "final_ent_coef": 0.01, "snapshot_every": 3_000_000, "snapshots": 16}
_GIN = {**_EXPERT, "self_play_prob": 0.1, "past_policy_prob": 0.1}  # most gains are against the rules
_STANDARD = {"deck": "standard"}
# All actions are tried in the true state, up to the next own decision, where the critic takes over.
_TENNIS = {
    "init_from": None,
    "hidden": (192, 192),
    "search_share": 0.6,
    "search_actions": 6,
    "num_determinizations": 1,
    "search_depth": 1,
}

# More deals where luck or a few large results dominate, most where the advantage is small as well.
BASELINES = {
    "baccarat_v0": Baseline("baccarat_v0", 47_000_000, settings=_DRAWN, measured=40_000, search_deals=60),
    "baccarat_v0-banque": Baseline("baccarat_v0", 25_000_000, {"variant": "banque"}, _DRAWN, measured=40_000, search_deals=200),
    "baccarat_v0-punto_banco": Baseline("baccarat_v0", 3_200_000, {"variant": "punto_banco"}, measured=40_000),
    "beggar_my_neighbor_v0": Baseline("beggar_my_neighbor_v0", 5_600_000, playouts=1000, measured=10_000, search_deals=300),
    "blackjack_v0": Baseline("blackjack_v0", 8_100_000, playouts=5000, measured=10_000, search_deals=2000),
    "bluff_v0": Baseline("bluff_v0", 50_000_000, settings=_BLUFF, playouts=75, search_deals=16),
    "bluff_v0-2p": Baseline("bluff_v0", 60_000_000, {"num_players": 2}, _BLUFF, playouts=150, search_deals=10),
    "bridge_v0": Baseline(
        "bridge_v0", 13_000_000, measured=8000, finish="wilddeck.benchmarks.studies.bridge_auction:learn_calls"
    ),
    "bridge_v0-standard": Baseline(
        "bridge_v0",
        15_000_000,
        _STANDARD,
        _SMALL | _EXPERT,
        measured=8000,
        finish="wilddeck.benchmarks.studies.bridge_auction:with_auction",
    ),
    "crazy_eights_v0": Baseline("crazy_eights_v0", 7_500_000, playouts=1000, measured=10_000),
    "crazy_eights_v0-standard": Baseline("crazy_eights_v0", 13_000_000, _STANDARD, playouts=1000, measured=10_000),
    "egyptian_ratscrew_v0": Baseline("egyptian_ratscrew_v0", 30_000_000, playouts=25, search_deals=8),
    "go_fish_v0": Baseline("go_fish_v0", 40_000_000, settings=_BEGINNERS, measured=10_000),
    "hearts_v0": Baseline("hearts_v0", 30_000_000),
    "hearts_v0-standard": Baseline("hearts_v0", 10_000_000, _STANDARD),
    "old_maid_v0": Baseline("old_maid_v0", 4_500_000),
    "poker_v0": Baseline("poker_v0", 30_000_000, settings=_POKER, measured=10_000, search_deals=400),
    "poker_v0-2p": Baseline("poker_v0", 40_000_000, {"num_players": 2}, _POKER, measured=10_000, search_deals=400),
    "poker_v0-chicago": Baseline("poker_v0", 40_000_000, {"variant": "chicago"}, _POKER, measured=10_000, search_deals=400),
    "poker_v0-five_card_draw": Baseline(
        "poker_v0",
        16_000_000,
        {"variant": "five_card_draw"},
        _POKER | _SHOVED | {"snapshot_every": 800_000, "snapshots": 16},
        playouts=1000,
        measured=10_000,
        search_deals=300,
    ),
    "poker_v0-five_card_stud": Baseline(
        "poker_v0", 16_000_000, {"variant": "five_card_stud"}, _POKER, measured=10_000, search_deals=400
    ),
    "poker_v0-omaha": Baseline(
        "poker_v0", 15_000_000, {"variant": "omaha"}, _POKER, playouts=300, measured=10_000, search_deals=1500
    ),
    "poker_v0-seven_card_stud": Baseline(
        "poker_v0", 30_000_000, {"variant": "seven_card_stud"}, _POKER, measured=10_000, search_deals=400
    ),
    "poker_v0-standard": Baseline(
        "poker_v0",
        30_000_000,
        _STANDARD,
        _POKER | _SHOVED | {"snapshot_every": 1_500_000, "snapshots": 16},
        measured=10_000,
        search_deals=400,
    ),
    "poker_v0-standard_2p": Baseline(
        "poker_v0",
        120_000_000,
        _STANDARD | {"num_players": 2},
        _POKER | _SHOVED | {"hidden": (192, 192), "snapshot_every": 6_000_000, "snapshots": 16},
        measured=10_000,
        search_deals=400,
    ),
    "poker_v0-standard_2p_10bb": Baseline(
        "poker_v0",
        10_000_000,
        _STANDARD | {"num_players": 2, "stack": 20},
        measured=10_000,
        search_deals=400,
        solver="wilddeck.benchmarks.studies.holdem_network:make_agent",
    ),
    "poker_v0-standard_10bb": Baseline(
        "poker_v0", 15_000_000, _STANDARD | {"stack": 20}, _POKER, measured=10_000, search_deals=400
    ),
    "president_v0": Baseline("president_v0", 12_000_000),
    "president_v0-3p": Baseline("president_v0", 12_000_000, {"num_players": 3}),
    "president_v0-5p": Baseline("president_v0", 12_000_000, {"num_players": 5}),
    "rummy_v0": Baseline(
        "rummy_v0",
        36_000_000,
        settings=_BEGINNERS,
        playouts=500,
        measured=10_000,
        search_deals=60,
    ),
    "rummy_v0-contract": Baseline(
        "rummy_v0", 11_000_000, {"variant": "contract"}, _SMALL, playouts=20, measured=10_000, search_deals=2
    ),
    "rummy_v0-gin": Baseline("rummy_v0", 21_000_000, {"variant": "gin"}, _GIN, playouts=500, measured=10_000, search_deals=150),
    "rummy_v0-gin_standard": Baseline(
        "rummy_v0", 14_000_000, {"variant": "gin"} | _STANDARD, _GIN, playouts=500, measured=10_000, search_deals=150
    ),
    "skin_v0": Baseline(  # ranks come back: by default they do not, and every bet is even
        "skin_v0",
        55_000_000,
        {"dead_on_fall": False},
        {
            **_SMALL,
            "learning_rate": 6e-3,
            "expert": "rules",
            **_BEGINNERS,
            "init_from": None,  # among rules all bets are even: a clone of them would never see other bets
            "self_play_prob": 0.1,
            "past_policy_prob": 0.0,
            "num_envs": 128,
            "batch_size": 8192,
            "reward_scale": 20.0,
        },
        measured=10_000,
        without_luck={"reward": "odds"},
    ),
    "skin_of_your_teeth_v0": Baseline(
        "skin_of_your_teeth_v0", 10_000_000, settings={**_EXPERT, "hidden": (144, 144)}, playouts=50, measured=4000
    ),
    "spades_v0": Baseline("spades_v0", 14_000_000),
    "spades_v0-standard": Baseline("spades_v0", 14_000_000, _STANDARD, _SMALL | _EXPERT, measured=10_000),
    "tennis_v0": Baseline("tennis_v0", 8_000_000, settings=_TENNIS, playouts=50),
    "tennis_v0-2p": Baseline("tennis_v0", 3_000_000, {"num_players": 2}, _TENNIS, playouts=90),
    "tennis_v0-3p": Baseline("tennis_v0", 3_000_000, {"num_players": 3}, _TENNIS, playouts=40),
    "tennis_v0-6p": Baseline("tennis_v0", 3_000_000, {"num_players": 6}, _TENNIS, playouts=70),
    "wild_escape_v0": Baseline(
        "wild_escape_v0",
        14_000_000,
        settings={**_TRIED, "search_only": (0,)},
        playouts=100,
        measured=40_000,
        search_deals=40,
    ),
}


def baseline(name: str) -> Baseline:
    """The row of the table (ValueError if there is none)."""
    if name not in BASELINES:
        near = difflib.get_close_matches(name, BASELINES, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"no baseline {name!r}{hint} Baselines: {', '.join(sorted(BASELINES))}")
    return BASELINES[name]


def trained_names() -> tuple[str, ...]:
    """The names of the trained baselines of the table. Games of other packages have their own."""
    return tuple(name for name in trained.names() if name in BASELINES)


def title(name: str) -> str:
    """A baseline's title: the game's title and the options that differ from the defaults."""
    chosen = baseline(name)
    game = envs.game(chosen.game)
    usual = game.make_options({})
    said = [
        _SAID[option].format(value)
        for option, value in chosen.options.items()
        if option in _SAID and value != getattr(usual, option)
    ]
    return game.title + (f": {', '.join(said).replace('_', ' ')}" if said else "")


_SAID = {"variant": "{}", "deck": "{} deck", "num_players": "{} players", "stack": "stacks of {} chips"}
