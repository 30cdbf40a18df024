"""Options and layouts: what they accept, what they say of what they refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.layout import Block, Layout


@dataclass(frozen=True)
class Options(opt.Options):
    num_players: int = opt.integer(4, 3, 12, "players")
    cap: int = opt.integer(100, 5, 1000, "cap")
    mode: str = opt.one_of("open", ("open", "private"), "mode")
    size: int = opt.one_of(3, (3, 5, 9), "size")
    quick: bool = opt.flag(False, "quick")
    first: Any = opt.seat("random", "first")
    rounds: int = opt.integer("num_players", 2, 30, "rounds")

    def validate(self) -> None:
        if self.quick and self.mode == "private":
            raise ValueError("quick games are open")


def test_defaults_and_what_the_record_keeps() -> None:
    options = Options.make("toy_v0", {})
    assert options.stored() == {"num_players": 4, "cap": 100, "mode": 0, "size": 3, "quick": 0, "first": -1, "rounds": 4}
    options = Options.make("toy_v0", {"num_players": 12, "mode": "private", "size": 9, "first": 11})
    assert options.stored() == {"num_players": 12, "cap": 100, "mode": 1, "size": 9, "quick": 0, "first": 11, "rounds": 12}
    assert Options.make("toy_v0", {"num_players": 5, "rounds": "num_players"}).rounds == 5
    assert Options.make("toy_v0", {"num_players": 5, "rounds": 30}).rounds == 30


def test_an_option_may_be_kept_in_a_field_of_another_name() -> None:
    @dataclass(frozen=True)
    class Named(opt.Options):
        deck: str = opt.one_of("big", ("big", "small"), "deck", stored_as="small_deck")

    assert Named(deck="small").stored() == {"num_players": 2, "small_deck": 1}
    assert Named.record_fields() == ["num_players", "small_deck"]


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("num_players", 2, "3..12"),
        ("num_players", 13, "3..12"),
        ("num_players", "4", "3..12"),
        ("num_players", 4.0, "3..12"),
        ("num_players", True, "3..12"),
        ("num_players", None, "3..12"),
        ("cap", 4, "5..1000"),
        ("cap", float("nan"), "5..1000"),
        ("mode", "closed", "open, private"),
        ("mode", 0, "open, private"),
        ("mode", None, "open, private"),
        ("size", 4, "3, 5, 9"),
        ("size", "3", "3, 5, 9"),
        ("size", [3], "3, 5, 9"),
        ("quick", "yes", "True, False"),
        ("quick", 2, "True, False"),
        ("first", 4, "random, or a seat"),
        ("first", -1, "random, or a seat"),
        ("first", "last", "random, or a seat"),
        ("first", None, "random, or a seat"),
        ("rounds", 1, "2..30, num_players"),
        ("rounds", "players", "2..30, num_players"),
        ("cap", "num_players", "5..1000"),
    ],
)
def test_refusals_name_the_option_the_value_and_what_is_allowed(name: str, value: Any, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"^toy_v0: option {name}=") as error:
        Options.make("toy_v0", {name: value})
    assert repr(value) in str(error.value)
    assert f"allowed: {allowed}" in str(error.value)


def test_a_number_may_be_none_where_the_option_says_so() -> None:
    @dataclass(frozen=True)
    class Limited(opt.Options):
        limit: int | None = opt.integer(-350, -2000, -1, "a limit", none=-(10**6))

    assert [Limited(limit=value).stored()["limit"] for value in (-350, None, "none")] == [-350, -(10**6), -(10**6)]
    assert Limited(limit="none").limit is None  # type: ignore[arg-type]
    assert {sample.limit for sample in Limited.samples()} == {-2000, -350, -1, None}
    with pytest.raises(ValueError, match=r"option limit=0 is not allowed; allowed: -2000\.\.-1, none$"):
        Limited(limit=0)
    with pytest.raises(ValueError, match="option cap=None"):
        Options(cap=None)  # type: ignore[arg-type]


def test_a_flag_or_a_name_may_be_left_to_the_game() -> None:
    @dataclass(frozen=True)
    class Open(opt.Options):
        order: str = opt.one_of("up", ("up", "free"), "order")
        winner_leads: bool | None = opt.flag(None, "by the order unless given")
        after: str | None = opt.one_of(None, (None, "next", "winner"), "by the order unless given")

        def validate(self) -> None:
            if self.winner_leads is None:
                object.__setattr__(self, "winner_leads", self.order == "free")
            if self.after is None:
                object.__setattr__(self, "after", "winner" if self.winner_leads else "next")

    assert vars(Open()) == {"num_players": 2, "order": "up", "winner_leads": False, "after": "next"}
    assert vars(Open(order="free", winner_leads=None)) == vars(Open(order="free", winner_leads="none", after="none"))
    assert Open(order="free").stored() == {"num_players": 2, "order": 1, "winner_leads": 1, "after": 2}
    assert [allowed for _, allowed, *_ in Open.table()][2:] == ["True, False, none", "none, next, winner"]
    with pytest.raises(ValueError, match="winner_leads=2 is not allowed; allowed: True, False, none"):
        Open(winner_leads=2)
    with pytest.raises(ValueError, match="after='loser' is not allowed; allowed: none, next, winner"):
        Open(after="loser")


def test_several_numbers() -> None:
    """Up to so many, or a number for all players or one for each; the record holds as many as there can be."""

    @dataclass(frozen=True)
    class Several(opt.Options):
        num_players: int = opt.integer(3, 2, 4, "players")
        caps: tuple[int, ...] | None = opt.up_to(3, 0, 9, "caps")
        stack: int | tuple[int, ...] = opt.per_player(20, 1, 99, 4, "chips", "chips")
        sizes: tuple[float, ...] = opt.amounts((0.5,), 3, 10, 10, "sizes", fewest=0)
        dealer: Any = opt.seat("random", "dealer", "first_dealer")

        def validate(self) -> None:
            if self.caps is None:
                object.__setattr__(self, "caps", (1, 2))

    expected = {"num_players": 3, "caps": (1, 2, 0), "chips": (20,) * 4, "sizes": (5, 0, 0), "first_dealer": -1}
    assert Several().stored() == expected
    assert Several.record_fields() == list(expected)
    options = Several(caps=[9], stack=[1, 2, 3], sizes=())  # type: ignore[arg-type]
    assert (options.caps, options.stack, options.sizes) == ((9,), (1, 2, 3), ())
    assert options.stored() == {**expected, "caps": (9, 0, 0), "chips": (1, 2, 3, 0), "sizes": (0, 0, 0)}
    wrong: list[dict[str, Any]] = [
        {"caps": ()},
        {"caps": (1,) * 4},
        {"caps": (10,)},
        {"caps": 3},
        {"stack": 0},
        {"stack": (1, 2)},
        {"stack": "20"},
        {"stack": (1, 2, 2.5)},
        {"sizes": (1, 0.5)},
        {"sizes": (1, 2, 3, 4)},
    ]
    for values in wrong:
        with pytest.raises(ValueError, match=f"option {next(iter(values))}="):
            Several(**values)
    assert {type(sample.stack) for sample in Several.samples()} == {int, tuple}


def test_an_unknown_option_lists_those_there_are() -> None:
    with pytest.raises(
        ValueError, match="toy_v0 has no option 'player'; options: num_players, cap, mode, size, quick, first, rounds"
    ):
        Options.make("toy_v0", {"player": 4})


def test_contradictions_are_refused() -> None:
    with pytest.raises(ValueError, match="toy_v0: quick games are open"):
        Options.make("toy_v0", {"quick": True, "mode": "private"})


def test_samples_cover_every_value() -> None:
    samples = Options.samples()
    assert samples == Options.samples()
    assert samples[0] == Options()
    assert {sample.num_players for sample in samples} == set(range(3, 13))
    assert {sample.cap for sample in samples} == {5, 100, 1000}
    assert {sample.mode for sample in samples} == {"open", "private"}
    assert {sample.size for sample in samples} == {3, 5, 9}
    assert {sample.quick for sample in samples} == {False, True}
    assert {"random" if sample.first == "random" else sample.first == sample.num_players - 1 for sample in samples} == {
        "random",
        True,
        False,
    }
    assert {2, 30} < {sample.rounds for sample in samples}
    assert any(sample.rounds == sample.num_players != 4 for sample in samples)
    assert len(samples) < 20


def test_samples_of_values_that_would_take_too_long() -> None:
    @dataclass(frozen=True)
    class Long(opt.Options):
        games: int = opt.integer(1, 1, 200, "games", tried=(1, 3))
        turns: int = opt.integer("num_players", 1, 900, "turns", tried=(5, 60))

    assert {sample.games for sample in Long.samples()} == {1, 3} and Long(games=200).games == 200
    assert {sample.turns for sample in Long.samples()} == {2, 5, 60}


def test_samples_that_always_contradict_are_an_error() -> None:
    @dataclass(frozen=True)
    class Never(opt.Options):
        num_players: int = opt.integer(2, 2, 3, "players")
        quick: bool = opt.flag(False, "quick")

        def validate(self) -> None:
            if self.quick:
                raise ValueError("never")

    with pytest.raises(ValueError, match="no valid options found with sample values"):
        Never.samples()


def test_options_of_a_game_from_outside() -> None:
    with pytest.raises(ValueError, match=r"tennis_v0: option num_players=5 is not allowed; allowed: 2, 3, 4, 6"):
        wilddeck.make("tennis_v0", num_players=5)
    with pytest.raises(ValueError, match=r"tennis_v0 has no option 'players'; options: num_players, max_tricks, dealer"):
        wilddeck.make_batch("tennis_v0", 4, players=2)


def test_people_are_offered_sessions_and_agents_play_single_hands() -> None:
    offered = {}
    for game_id in ("beggar_my_neighbor_v0", "blackjack_v0", "poker_v0"):
        for option in wilddeck.envs.game(game_id).options.form():
            if "offered" in option:
                offered[game_id, option["name"]] = option["default"], option["offered"]
    assert offered == {
        ("beggar_my_neighbor_v0", "auto"): ("decisions", "every"),
        ("blackjack_v0", "hands"): (1, 20),
        ("poker_v0", "hands"): (1, 20),
    }


def test_tables_and_types() -> None:
    table = Options.table()
    assert table[0] == ("num_players", "3..12", "4", "players")
    assert table[-1] == ("rounds", "2..30, num_players", "num_players", "rounds")
    assert [row[0] for row in table] == list(Options.types())
    assert Options.types()["cap"] is int


LAYOUT = Layout(
    Block("hand", 12, "hand"), Block("table", 0, "table", each=12), Block("targets", -6, "targets", each=6), Block("x", 1, "x")
)


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_layouts_place_blocks_one_after_another(num_players: int) -> None:
    slices = LAYOUT.slices(num_players)
    assert slices["hand"] == slice(0, 12)
    assert slices["table"] == slice(12, 12 + 12 * num_players)
    assert slices["targets"].stop - slices["targets"].start == 6 * (num_players - 1)
    assert slices["x"] == slice(LAYOUT.size(num_players) - 1, LAYOUT.size(num_players))
    for index in range(LAYOUT.size(num_players)):
        block, place = LAYOUT.find(index, num_players)
        assert slices[block.name].start + place == index
        fixed, per_player = LAYOUT.at(block.name)
        assert fixed + per_player * num_players == slices[block.name].start


def test_bounds_of_blocks() -> None:
    """0 and 1 are kept, others are rounded outwards; they may follow from the options, and differ within a block."""
    layout = Layout(
        Block("share", 2, ""),
        Block("total", 0, "", each=1, low=-0.3, high=lambda options: options.cap / 100),
        Block("pairs", 4, "", low=(lambda options: [0, -1, 0, -2]), high=3),
    )
    options = Options(num_players=3, cap=36)
    low, high = layout.bounds(options)
    assert low.dtype == high.dtype == np.float32
    assert low[[0, 1, 5, 7]].tolist() == [0, 0, 0, 0] and high[:2].tolist() == [1, 1]
    np.testing.assert_allclose(low[2:], [-0.3] * 3 + [0, -1, 0, -2], rtol=1e-6)
    np.testing.assert_allclose(high[2:], [0.36] * 3 + [3] * 4, rtol=1e-6)
    assert np.all(high[2:5] > np.float32(0.36)) and np.all(high[5:] > 3) and low[6] < -1


def test_a_product_with_a_reciprocal_stays_within_the_bounds() -> None:
    """As kernels scale: no count of units, however it is rounded, is beyond the bound declared for it."""
    for unit in (*range(1, 60), 100, 500, 1000):
        most = np.arange(0, 20 * unit, max(1, unit // 7))
        layout = Layout(
            *(Block(f"b{k}", 1, "", low=-k / unit if k else -1.0, high=k / unit if k else 1.0) for k in most.tolist())
        )
        low, high = layout.bounds(Options())
        value = most.astype(np.float32) * np.float32(1 / unit)
        assert np.all(value <= high) and np.all(-value >= low)


def test_layouts_refuse() -> None:
    for low, high in ((0, 0), (1, 0), (0, np.inf), (np.nan, 1)):
        with pytest.raises(ValueError, match="the block 'a' needs finite bounds, low < high"):
            Layout(Block("a", 1, "", low=low, high=high)).bounds(Options())
    with pytest.raises(ValueError, match="two blocks named 'a'"):
        Layout(Block("a", 1, ""), Block("a", 2, ""))
    for index in (-1, 200):
        with pytest.raises(IndexError, match=r"outside 0\.\.42"):
            LAYOUT.find(index, 2)


def test_lengths_as_text() -> None:
    assert [block.length for block in LAYOUT.blocks] == ["12", "12 n", "6 n - 6", "1"]


def test_amounts() -> None:
    """Ascending numbers, in parts of which a hundred are 1; the record holds parts, zeros at the end."""

    @dataclass(frozen=True)
    class Staked(opt.Options):
        stakes: tuple[float, ...] = opt.amounts((1,), 3, 10, 100, "stakes")

    assert Staked(stakes=[0.5, 2.0]).stakes == (0.5, 2)
    assert Staked(stakes=(0.25, 1, 10)).stored()["stakes"] == (25, 100, 1000)
    assert Staked().stored()["stakes"] == (100, 0, 0)
    for wrong in ((), (0,), (1, 1), (2, 1), (10.5,), (0.001,), (1, 2, 3, 4), "1", 1, (True,), ("1",), (float("inf"),)):
        with pytest.raises(ValueError, match="option stakes="):
            Staked(stakes=wrong)


def test_weights() -> None:
    """A number for each player, or one for all; the record holds shares of their sum, zeros at the end."""

    @dataclass(frozen=True)
    class Weighted(opt.Options):
        num_players: int = opt.integer(3, 2, 4, "players")
        speed: tuple[float, ...] = opt.weights(1, 0.5, 100, 4, "speed")

    third = round(opt.WHOLE / 3)
    assert Weighted().speed == (1, 1, 1)
    assert Weighted().stored()["speed"] == (third, third, third, 0)
    assert Weighted(num_players=2, speed=[3, np.float64(1.0)]).stored()["speed"] == (3 * opt.WHOLE // 4, opt.WHOLE // 4, 0, 0)
    assert Weighted(speed=(0.5, 100, 2)).speed == (0.5, 100, 2)
    assert Weighted(num_players=4, speed=2) == Weighted(num_players=4, speed=(2, 2, 2, 2))
    for wrong in (
        (),
        (1, 1),
        (1, 1, 0),
        (1, 1, 101),
        (1, 1, 0.4),
        "111",
        None,
        (1, 1, True),
        (1, 1, float("nan")),
        (1, 1, "1"),
    ):
        with pytest.raises(ValueError, match=r"option speed=.* is not allowed; allowed: num_players numbers 0.5..100"):
            Weighted(speed=wrong)
    samples = [sample.speed for sample in Weighted.samples()]
    assert {len(set(speed)) for speed in samples} >= {1, 2}


def test_a_fraction_is_kept_in_parts() -> None:
    """From nothing up to the highest, in whole parts; None where the game settles it."""

    @dataclass(frozen=True)
    class Fees(opt.Options):
        fee: float | None = opt.fraction(None, 0.1, 100, "a fee")

        def validate(self) -> None:
            if self.fee is None:
                object.__setattr__(self, "fee", 0.05)

    assert Fees().stored()["fee"] == 5 and Fees(fee="none").fee == 0.05
    assert [Fees(fee=value).stored()["fee"] for value in (0, 0.01, 0.07, 0.1)] == [0, 1, 7, 10]
    for value in (-0.01, 0.055, 0.11, True, "0.05", float("nan")):
        with pytest.raises(ValueError, match=r"allowed: 0\.\.0\.1 in steps of 0\.01, none"):
            Fees(fee=value)
