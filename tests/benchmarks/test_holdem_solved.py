"""Hold'em for two, solved: what hands win, the betting as a graph, regrets, and the network that copies the strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents.holdem import hands as holdem_hands
from wilddeck.agents.holdem import regrets as holdem_regrets
from wilddeck.agents.holdem.hands import (
    BOARD,
    BUCKETS,
    HANDS,
    KINDS,
    PERMUTED,
    SETS,
    STREETS,
    TEXTURES,
    HandBuckets,
    boards,
    canonicals,
    clusters,
    equities,
    nearest,
    profiles,
    run_outs,
    strengths,
)
from wilddeck.agents.holdem.regrets import (
    ACTIONS,
    Solution,
    Tables,
    betting,
    fold,
    follow,
    match,
    mean_cost,
    public,
    show,
    solve,
)
from wilddeck.agents.learned import LearnedAgent
from wilddeck.benchmarks.studies import holdem_network, holdem_preflop
from wilddeck.benchmarks.studies.local_best_response import options, shares
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import STANDARD, parse
from wilddeck.envs.games.poker.state import ALL_IN, CALL, FOLD, RAISE, RAISE_SIZE


def bits(text: str) -> int:
    return sum(1 << card for card in parse(text))


def place(text: str) -> int:
    return int(np.flatnonzero(bits(text) == SETS)[0])


def env_of(stack: int, **others: object) -> CardGameEnv:
    env = envs.raw_env("poker_v0", **options(stack), **others)
    env.reset(seed=1)
    return env


class Coarse(HandBuckets):
    """All hands are alike after the flop."""

    def __init__(self) -> None:
        pass

    def of(self, cards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = np.zeros((len(cards), STREETS, HANDS), np.int32)
        found[:, 0] = holdem_hands._KINDS
        return found, strengths((1 << cards).sum(axis=1))


# --- hands ---


def test_equities_are_shares_of_the_pot() -> None:
    rng = np.random.default_rng(1)
    ranked = strengths((1 << boards(rng, 3)).sum(axis=1))
    some = (rng.random(ranked.shape) < 0.2).astype(np.uint8)
    for k, board in enumerate((1 << boards(np.random.default_rng(1), 3)).sum(axis=1).tolist()):
        everyone, chosen = (each[k] for each in equities(ranked, np.ones_like(some), some))
        for hand in rng.choice(np.flatnonzero(ranked[k] >= 0), 10).tolist():
            won, others = shares(int(SETS[hand]), board, rng), SETS & (SETS[hand] | board) == 0
            assert everyone[hand] == pytest.approx(won[others].mean(), abs=1e-6)
            assert chosen[hand] == pytest.approx(won[others & (some[k] > 0)].mean(), abs=1e-6)
        assert (everyone[ranked[k] < 0] == 0).all()


def test_a_hand_without_opponents_has_half() -> None:
    ranked = strengths(np.array([bits("As Kh 9s 8s 3h")]))
    only = np.zeros_like(ranked, np.uint8)
    only[0, place("2c 2d")] = 1
    (found,) = equities(ranked, only)
    assert found[0, place("2c 7h")] == 0.5 and found[0, place("7c 2d")] == 0.5  # they hold a card of the only opponent
    assert found[0, place("Ac 7h")] == 1 and found[0, place("7h 4d")] == 0


def test_boards_that_differ_by_their_suits_have_one_canonical_form() -> None:
    flops = np.array([bits("As Ks 2h"), bits("2c Ah Kh"), bits("As Kh 2h"), bits("Ks 2h Ah")])
    forms, permutations = canonicals(flops)
    assert forms[0] == forms[1] and len(set(forms.tolist())) == 3
    assert sorted(PERMUTED[3]) == list(range(HANDS))
    same = [int(PERMUTED[permutations[k], place(hand)]) for k, hand in enumerate(("Qs 7h", "Qh 7c"))]
    assert same[0] == same[1]


def test_boards_are_clustered_by_what_hands_win_on_them() -> None:
    texts = "As Kh 9s 8s 3h", "Ad Kc 9d 8d 3c", "As Kh 9s 8s 2h", "As Kh 9d 8d 3h", "7s 6s 5s 2h 2d"
    sets = np.array([bits(text) for text in texts])
    ranked = strengths(sets)
    (found,) = equities(ranked, np.ones(ranked.shape, np.uint8))
    points = profiles(found, sets)
    pairs = np.flatnonzero(holdem_hands._KINDS[place("Qs Qh")] == holdem_hands._KINDS)
    weight = np.sqrt(len(pairs) / HANDS)
    assert points[0, holdem_hands._KINDS[pairs[0]]] == pytest.approx(weight * found[0, pairs].mean(), rel=1e-5)
    assert points[0, KINDS + holdem_hands._KINDS[pairs[0]]] == pytest.approx(weight * found[0, pairs].std(), rel=1e-3)
    far = np.linalg.norm(points - points[0], axis=1)
    assert far[1] < 1e-5 and (far[2:4] > 0.1).all() and far[4] > 2 * far[2:4].max()  # other suits; a card or suits; all


def test_clusters() -> None:
    rng = np.random.default_rng(1)
    of = rng.integers(3, size=300)
    points = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])[of] + rng.normal(size=(300, 2))
    centres = clusters(points, 3, rng)
    found = nearest(points, centres)
    names = np.array([np.bincount(found[of == k]).argmax() for k in range(3)])
    assert sorted(names) == [0, 1, 2] and (names[of] == found).mean() > 0.95
    assert (nearest(centres, centres) == np.arange(3)).all()
    assert nearest(points[:1], centres)[0] == np.linalg.norm(centres - points[0], axis=1).argmin()


@pytest.mark.long
def test_buckets() -> None:
    hands = HandBuckets()
    assert len(hands.flops) == 1755 and len(hands.turns) == 16_432
    rng = np.random.default_rng(2)
    cards = boards(rng, 20)
    found, ranked = hands.of(cards)
    assert (found >= 0).all() and (found.max(axis=(0, 2)) < BUCKETS).all()
    permutation = 14  # of suits, of which the buckets know nothing
    moved = cards - cards % 4 + holdem_hands._PERMUTATIONS[permutation][cards % 4]
    places = PERMUTED[permutation]
    again, _ = hands.of(moved)
    possible = np.broadcast_to((ranked >= 0)[:, None], found.shape)
    assert (again[:, :, places] == found)[possible].all()
    river = found[:, 3] % (BUCKETS // TEXTURES)[3] // holdem_hands._LEVELS
    for k in range(len(cards)):
        possible = np.flatnonzero(ranked[k] >= 0)
        tenths = np.array_split(possible[ranked[k, possible].argsort()], 10)  # from weak to strong
        means = [river[k, tenth].mean() for tenth in tenths]
        assert (np.diff(means) >= -0.5).all() and means[-1] > means[0] + 30  # a tie of many hands may span two tenths
    told, _ = hands.of(np.concatenate([cards[:, :4], boards(rng, 20)[:, :1]], axis=1))  # the river says nothing about the turn
    assert (told[:, :3] == found[:, :3]).all()


@pytest.mark.parametrize(("cards", "count"), [("As Kh 9s", 49 * 6), ("As Kh 9s 8s", 48), ("As Kh 9s 8s 3h", 1)])
def test_run_outs(cards: str, count: int) -> None:
    board = bits(cards)
    dealt = tuple(card for card in range(STANDARD) if board >> card & 1)
    buckets, ranked, boards = run_outs(dealt, np.random.default_rng(1))
    assert boards.shape == (count, BOARD) and (boards[:, : len(dealt)] == dealt).all()
    assert len({tuple(each) for each in boards.tolist()}) == count
    assert ((ranked == -1) == (SETS & (1 << boards).sum(axis=1)[:, None] != 0)).all()
    assert buckets.shape == (count, STREETS, HANDS) and ranked.shape == (count, HANDS)
    assert ((ranked >= 0).sum(axis=1) == 47 * 46 // 2).all()
    assert (ranked[:, SETS & board != 0] == -1).all()
    dealt_streets = board.bit_count() - 1
    assert (buckets[:, :dealt_streets] == np.arange(HANDS)).all()
    for street in range(dealt_streets, STREETS):
        possible = np.where(ranked >= 0, buckets[:, street], 0)
        assert (possible >= 0).all() and possible.max() < (BUCKETS // TEXTURES)[street]
    if dealt_streets < STREETS:  # better hands are in later buckets
        river = buckets[0, 3] // holdem_hands._LEVELS
        order = ranked[0].argsort(kind="stable")[-47 * 46 // 2 :]
        assert (np.diff(river[order]) >= -1).all() and river[order[-1]] > river[order[0]] + 50


# --- the betting ---


@pytest.mark.parametrize(
    ("stack", "options", "raises"),
    [
        (3, {}, {0: RAISE, 0.5: RAISE_SIZE + 1, 1: RAISE_SIZE + 3}),
        (12, {}, {0: RAISE, 0.5: RAISE_SIZE + 1, 1: RAISE_SIZE + 3}),
        (12, {"raise_sizes": (0.4, 0.9, 4)}, {0: RAISE, 0.5: RAISE_SIZE, 1: RAISE_SIZE + 1}),
        (6, {"raise_sizes": ()}, {0: RAISE, 0.5: RAISE, 1: RAISE}),
    ],
)
def test_the_betting_is_that_of_the_game(stack: int, options: dict[str, Any], raises: dict[float, int]) -> None:
    env = env_of(stack, **options)
    tree, records, keys = betting(env)
    assert len(records) == len(keys) == len(tree.player) and keys[0] == public(env)
    ends = np.repeat(np.arange(len(keys)), np.diff(tree.first))
    assert (tree.child[tree.child >= 0] > ends[tree.child >= 0]).all()  # the betting only goes forward
    rng, seen = np.random.default_rng(1), set()
    for seed in range(200):
        env.reset(seed=seed)
        node = 0
        while node >= 0:
            assert keys[node] == public(env) and tree.player[node] == env.current_player
            seen.add(node)
            edges = np.arange(tree.first[node], tree.first[node + 1])
            sizes = holdem_regrets._AFTER if env.record[0]["street"] else holdem_regrets._BEFORE
            allowed = [raises[size] for size in sizes[min(int(env.record[0]["raises"]), len(sizes) - 1)]]
            expected = [each for each in env.legal_actions() if each in (FOLD, CALL, ALL_IN, *allowed)]
            assert tree.action[edges].tolist() == expected
            edge = int(rng.choice(edges))
            env.step(int(tree.action[edge]))
            node = int(tree.child[edge])
        assert env.is_over
        chips = env.returns["player_0"] * 2  # from big blinds
        assert chips in (tree.gain[edge], tree.stake[edge], -tree.stake[edge])
        assert not tree.stake[edge] or not tree.gain[edge]
    assert len(seen) > min(60, len(keys) // 2)


def test_nodes_have_their_own_places_in_the_tables() -> None:
    tree, _, _ = betting(env_of(12))
    assert tree.base[0] == 0 and (np.diff(tree.base) == BUCKETS[tree.street] * (np.diff(tree.first) + 1)).all()


# --- regrets ---


SOLVED = 4000  # boards


@pytest.fixture(scope="module")
def solved() -> tuple[CardGameEnv, Solution]:
    """Push or fold with ten big blinds: all-in is the only raise, and the small blind may not call."""
    env = env_of(10, raise_sizes=(), min_raise_action=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            holdem_regrets,
            "_allowed",
            lambda env, before, after: [FOLD, CALL] if env.current_player else [FOLD, ALL_IN],
        )
        return env, solve(env, Coarse(), SOLVED, threads=1)


def strategy(solution: Solution, node: int, hand: int) -> np.ndarray:
    tree, found = solution.tree, np.zeros(ACTIONS, np.float32)
    match(tree, solution.tables.sums, node, holdem_hands._KINDS[hand], found)
    return found[: tree.first[node + 1] - tree.first[node]]


def dealt(seed: int) -> tuple[holdem_regrets.Board, np.ndarray, np.ndarray]:
    """A board, the strengths of its hands, and whether two of them have no card in common."""
    buckets, ranked = Coarse().of(boards(np.random.default_rng(seed), 1))
    board = holdem_regrets.on_board(buckets[0], ranked[0])
    sets = SETS[board.hand]
    return board, ranked[0][board.hand], sets[:, None] & sets == 0


@pytest.mark.parametrize("seed", [1, 2, 12])
def test_values_of_all_hands_at_once(seed: int) -> None:
    board, ranked, apart = dealt(seed)
    assert len(ranked) == 1081 and (np.diff(ranked) >= 0).all() and (ranked[board.end - 1] == ranked).all()
    assert (board.end < 1081)[ranked < ranked[-1]].all() and apart.sum(axis=1).tolist() == [990] * 1081
    reach = np.random.default_rng(seed).random(1081).astype(np.float32)
    found, of_card = np.zeros(1081, np.float32), np.ones(52)
    show(board, reach, of_card, 7.0, found)
    assert np.allclose(found, 7 * (apart * np.sign(ranked[:, None] - ranked)) @ reach, rtol=1e-3, atol=0.05)
    fold(board, reach, of_card, -3.0, found)
    assert np.allclose(found, -3 * apart @ reach, rtol=1e-4)


def test_regrets_are_those_of_a_plain_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one board and uniform strategies: the regrets of seat 0, who learns first, on all streets. With all-in as the only
    raise, no node is reached in two ways, so that none learns before all its strategies were used."""
    monkeypatch.setattr(holdem_regrets, "_BEFORE", ((),))
    monkeypatch.setattr(holdem_regrets, "_AFTER", ((),))
    tree, _, _ = betting(env_of(3))
    assert len(np.unique(tree.child[tree.child >= 0])) == (tree.child >= 0).sum()
    board, ranked, apart = dealt(5)
    rng = np.random.default_rng(1)
    for street in range(STREETS):  # Coarse has one bucket after the flop
        board.number[street], board.slot[street] = 3, rng.integers(3, size=1081)
        board.bucket[street, :3] = rng.choice(BUCKETS[street], 3, replace=False)
    tables = Tables(*np.zeros((2, tree.base[-1]), np.float32))
    held = np.ones((2, 1081), np.float32)
    holdem_regrets.learn(tree, tables, holdem_regrets.workspace(tree), board, held, np.float32(1), np.uint64(1))
    expected = np.zeros(tree.base[-1])

    def value(node: int, reach: float) -> np.ndarray:
        edges = np.arange(tree.first[node], tree.first[node + 1])
        below = reach if tree.player[node] == 0 else reach / len(edges)
        assert below > holdem_regrets._RARE
        showdowns = apart * np.sign(ranked[:, None] - ranked)
        of_edges = [
            value(tree.child[edge], below)
            if tree.child[edge] >= 0
            else below * (tree.stake[edge] * showdowns + tree.gain[edge] * apart).sum(axis=1)
            for edge in edges
        ]
        if tree.player[node] == 1:
            return np.sum(of_edges, axis=0)
        mean, street = np.mean(of_edges, axis=0), tree.street[node]
        places = [holdem_regrets.place_of(tree, node, bucket) for bucket in board.bucket[street, board.slot[street]]]
        for k in range(len(edges)):
            np.add.at(expected, np.array(places) + k, of_edges[k] - mean)
        return mean

    value(0, 1.0)
    learned = [tables.regrets[np.flatnonzero(expected)], expected[np.flatnonzero(expected)]]
    assert len(learned[0]) > 30 and np.allclose(*learned, rtol=1e-3, atol=1)


def test_actions_that_are_rare_count_as_much_on_average() -> None:
    tree, _, _ = betting(env_of(10))
    board, work = dealt(3)[0], holdem_regrets.workspace(tree)
    work.strategy[0, 1] = np.random.default_rng(1).random(1081)
    work.edge[0] = 1
    noises = np.random.default_rng(2).integers(2**64, size=4000, dtype=np.uint64)
    for often, mean in (1.0, 0.01), (0.25, 0.0005):
        work.reach[0] = 2 * mean
        tremble = holdem_regrets.TREMBLE
        expected = work.reach[0] * ((1 - tremble) * work.strategy[0, 1, board.slot[0]] + tremble / tree.first[1])
        looked = np.array([follow(tree, work, board, 0, 1, noise) for noise in noises])
        assert looked.mean() == pytest.approx(often, abs=0.03)
        assert follow(tree, work, board, 0, 1, noises[looked.argmax()])
        assert np.allclose(work.reach[1] * often, expected, rtol=1e-5)
    assert follow(tree, work, board, 0, 0, noises[looked.argmin()])  # of the player who learns, all actions are looked at
    assert (work.reach[1] == work.reach[0]).all()


def test_regrets_find_the_equilibrium_of_push_or_fold(solved: tuple[CardGameEnv, Solution]) -> None:
    _, solution = solved
    pushes = np.mean([strategy(solution, 0, hand)[1] for hand in range(HANDS)])
    calls = np.mean([strategy(solution, 1, hand)[1] for hand in range(HANDS)])
    assert pushes == pytest.approx(0.578, abs=0.03) and calls == pytest.approx(0.379, abs=0.03)
    assert strategy(solution, 0, place("As Ah"))[1] > 0.95 and strategy(solution, 1, place("7s 2h"))[0] > 0.95


def test_the_strategies_of_the_second_half_are_averaged(solved: tuple[CardGameEnv, Solution]) -> None:
    tree, sums = solved[1].tree, solved[1].tables.sums
    weight = sums[: tree.base[1]].sum(dtype=np.float64)  # of the first node; a board's weight grows from 0 to 1
    assert weight / SOLVED == pytest.approx(3 / 8, abs=0.01)


def test_regrets_say_what_actions_cost(solved: tuple[CardGameEnv, Solution], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_network, "_OTHER_GAMES", 100)
    env, solution = solved
    positions = holdem_network.Positions(env, solution, Coarse())
    buckets, _ = Coarse().of(boards(positions.rng, 1))
    hands, none = np.array([place("As Ah"), place("7s 2h")]), np.zeros(2, np.int64)
    _, costs = positions._solved(holdem_network._Places(none, hands, none, none), buckets)
    actions, of_kinds = mean_cost(solution.tree, solution.tables, 0)
    assert np.allclose(of_kinds[holdem_hands._KINDS[hands]], costs[:, actions])
    fold_aces, push_aces, fold_seven, push_seven = costs[:, [FOLD, ALL_IN]].reshape(-1)
    assert 4 < fold_aces < 12 and push_aces < 0.05  # chips: the blinds, and 38 % of the time most of the stack
    assert fold_seven < 0.05 and 0.8 < push_seven < 1.4


# --- the network ---


def test_a_network_copies_the_strategy_also_where_the_game_allows_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_network, "_OTHER_GAMES", 100)
    monkeypatch.setattr(holdem_network, "_BATCH", 256)
    monkeypatch.setattr(holdem_network, "_BOARDS", 16)
    env = env_of(4)
    positions = holdem_network.Positions(env, solve(env, Coarse(), 600, threads=1), Coarse())
    assert len(positions.others.records) > 10
    agent = holdem_network.copy(positions, 100_000, hidden=(64,))
    rows, masks, strategy, costs = positions.draw(4096)
    assert (costs >= 0).all() and (strategy[masks == 0] == 0).all() and np.allclose(strategy.sum(axis=1), 1)
    played, random = agent.probabilities(rows, masks, np.random.default_rng(1)), masks / masks.sum(axis=1, keepdims=True)
    missed, missed_by_random = (np.abs(each - strategy).sum(axis=1) for each in (played, random))
    for part in np.split(np.arange(len(rows)), [int((1 - holdem_network._OTHERS) * len(rows))]):  # of games, and others
        assert missed[part].mean() < missed_by_random[part].mean() / 2
    monkeypatch.setattr(holdem_network, "_OF_COST", 30)
    careful = holdem_network.copy(positions, 100_000, hidden=(64,)).probabilities(rows, masks, np.random.default_rng(1))
    assert (careful * costs).sum(axis=1).mean() < 0.8 * (played * costs).sum(axis=1).mean()


def test_the_command_writes_weights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(holdem_network, "HandBuckets", Coarse)
    monkeypatch.setattr(holdem_network, "_OTHER_GAMES", 100)
    file = tmp_path / "new" / "agent.safetensors"
    for stack in ("2", "6"):  # with 2 big blinds there are no positions outside the smaller game
        assert holdem_network.main([str(file), "--stack", stack, "--steps", "100"]) == 0
    assert str(file) in capsys.readouterr().out
    assert isinstance(agents.make(file, "poker_v0", options(6)), LearnedAgent)
    monkeypatch.setattr(holdem_network, "make_agent", None)  # refused before the work
    with pytest.raises(SystemExit):
        holdem_network.main([str(tmp_path / "agent.bad")])
    assert "agent.bad: the name of a weights file must end in .safetensors or .npz" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        holdem_network.main([str(file / "agent.npz")])
    assert "File exists" in capsys.readouterr().err


def test_the_command_writes_strategies_before_the_flop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(holdem_preflop, "HandBuckets", Coarse)
    monkeypatch.setattr(holdem_preflop, "STACK", 3)
    file = tmp_path / "new" / "preflop.npz"
    assert holdem_preflop.main([str(file), "--boards", "20"]) == 0
    assert str(file) in capsys.readouterr().out
    env = env_of(3)
    tree, _, keys = betting(env, before=holdem_preflop.RAISES, after=holdem_regrets.POTS)
    with np.load(file) as written:
        solved = np.flatnonzero(tree.street == 0)
        assert written["keys"].tolist() == [list(keys[node]) for node in solved]
        assert written["count"].tolist() == np.diff(tree.first)[solved].tolist()
        assert np.allclose(written["likely"][: written["count"][0]].astype(float).sum(axis=0), 1, atol=1e-2)
    with pytest.raises(SystemExit):
        holdem_preflop.main([str(tmp_path / "preflop.safetensors")])
    assert "preflop.safetensors: the name of the file must end in .npz" in capsys.readouterr().err


def test_the_game_solved_for_a_baseline_has_one_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_network, "HandBuckets", Coarse)
    monkeypatch.setattr(holdem_network, "_OTHER_GAMES", 100)
    buttons: list[object] = []

    def noted(env: CardGameEnv, hands: HandBuckets, count: int, **others: int) -> Solution:
        buttons.append(env.options.button)  # type: ignore[attr-defined]
        return solve(env, hands, count, **others)

    monkeypatch.setattr(holdem_network, "solve", noted)
    game, chosen = envs.resolve("poker_v0", {"num_players": 2, "deck": "standard", "stack": 12})
    agent = holdem_network.make_agent(game, chosen, steps=100)
    assert buttons == [0] and agent.shapes[0][0] == game.observation_size(chosen)


def test_nodes_that_are_like_another_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_network, "_OTHER_GAMES", 200)
    env = env_of(12)
    solution = Solution(*betting(env), Tables(*np.zeros((2, 0), np.float32)))
    others = holdem_network._Others(env, solution, np.random.default_rng(1))
    assert np.allclose(others.shares.sum(axis=1), 1) and len(others.records) > 50
    for record, player, nodes in zip(others.records, others.player, others.nodes, strict=True):
        assert record["turn"] == player
        for like in solution.records[nodes]:
            assert like["street"] == record["street"] and like["turn"] == player
            assert (like["bet"].max() > like["bet"][player]) == (record["bet"].max() > record["bet"][player])


def test_what_the_strategy_gives_to_illegal_raises_goes_to_the_smallest() -> None:
    strategy, masks = np.zeros((3, 10)), np.zeros((3, 10), np.uint8)
    strategy[:, [CALL, RAISE_SIZE, ALL_IN]] = 0.5, 0.3, 0.2
    masks[0, [FOLD, CALL, RAISE, ALL_IN]] = 1
    masks[1, [FOLD, CALL, ALL_IN]] = 1
    masks[2, [FOLD, CALL]] = 1
    moved = holdem_network._move(strategy, masks)
    assert moved[0, [CALL, RAISE, ALL_IN]].tolist() == pytest.approx([0.5, 0.3, 0.2])
    assert moved[1, [CALL, ALL_IN]].tolist() == pytest.approx([0.5, 0.5]) and moved[2, CALL] == pytest.approx(1)
