"""Complete games and single moves: legal actions are accepted, illegal ones refused, cards are conserved, bounds hold."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np

from ..envs.core.aec import CardGameEnv, IllegalActionError
from ..envs.core.batch import Batch
from ..envs.core.facts import Fact, FactRole
from ..envs.core.zones import ZoneRole, kind
from .cases import Case
from .checks import check, expect, fail, same
from .played import actions_of, moments, play_random, running, snapshot

TRIED = 24  # maximal number of legal, and of illegal, actions tried at a moment
GAMES = 16
_ROUNDING = 1e-5
SELDOM = 8  # steps of a batch between checks of all fields


def some(actions: list[int], seed: int) -> list[int]:
    return actions if len(actions) <= TRIED else random.Random(seed).sample(actions, TRIED)


@check("step")
def check_a_random_game_is_played_to_its_end(case: Case) -> None:
    """A player can move until the game is over, and the record's fields stay within their bounds."""
    actions_of(case)
    for env in running(case):
        try:
            case.game.check_records(env.options, env.record)
        except ValueError as error:
            fail(str(error), env)


@check("FIELDS", scope="defaults")
def check_every_field_is_bounded(case: Case) -> None:
    """Fields of options need no bounds; all others must declare them."""
    options = case.game.options.record_fields()
    free = [field.name for field in case.game.fields if not field.is_bounded and field.name not in options]
    expect(not free, f"the fields {', '.join(free)} have no bounds: write Field(name, dtype, high=...) or bits=...")


@check("step", compiled=True)
def check_random_games_end_within_their_bounds(case: Case) -> None:
    """Every game ends within max_length; rewards, returns, fields and observations stay in their ranges; returns add up to
    `reward_sum`."""
    batch = case.batch(GAMES, seed=case.seed)
    game, options = batch.game, batch.options
    low, high = game.reward_range(options)
    least, most = game.return_range(options)
    lowest, highest = game.observation_bounds(options)
    longest, total = game.max_length(options), game.reward_sum(options)
    length, returns = np.zeros(GAMES, np.int64), np.zeros((GAMES, batch.num_players))
    ended = np.zeros(GAMES, bool)
    for step in range(1, min(longest, 20000) + 1):
        batch.step(batch.random_actions())
        where = f"in step {step} of game {{0}} of a batch"
        if not _within(batch.observation, lowest, highest).all():
            row, place = np.argwhere(~_within(batch.observation, lowest, highest))[0]
            block = game.observation.find(int(place), batch.num_players)[0].name
            value, allowed = batch.observation[row, place], f"{lowest[place]:g}..{highest[place]:g}"
            fail(f"the observation's block {block!r} is {value:g} {where.format(row)}, not in {allowed}", look="observe")
        if step % SELDOM == 0:
            _expect_records(batch, f"in step {step} of a batch")
        over = batch.terminated | batch.truncated
        length += 1
        returns += batch.rewards
        _expect_within("reward", batch.rewards, low, high, where, "reward_range")
        _expect_within("return", returns, least - _ROUNDING, most + _ROUNDING, where, "return_range (else reward_range)")
        if total is not None:
            sums = returns[over].sum(axis=1)
            good = np.allclose(sums, total, rtol=0, atol=max(_ROUNDING, abs(total) * 1e-7))
            expect(good, f"the returns of games add up to {sums.tolist()[:4]}, but reward_sum is {total}")
        expect(np.all(length <= longest), f"a game continues after max_length, {longest} moves")
        ended |= over
        length[over], returns[over] = 0, 0
        if ended.all():
            return
    fail(f"{int((~ended).sum())} of {GAMES} games did not end after {step} moves")


def _expect_records(batch: Batch, where: str) -> None:
    try:
        batch.game.check_records(batch.options, batch.states)
    except ValueError as error:
        fail(f"{where}: {str(error).partition(': ')[2]} (declared by its Field)")


def _within(values: np.ndarray, low: Any, high: Any) -> np.ndarray:
    return (values >= low) & (values <= high)


def _expect_within(what: str, values: np.ndarray, low: float, high: float, where: str, bound: str) -> None:
    good = _within(values, low, high)
    if not good.all():
        row, seat = np.argwhere(~good)[0]
        fail(f"player_{seat} has a {what} of {values[row, seat]:g} {where.format(row)}; {bound} is {low:g}..{high:g}")


@check("teams_in_play", "teams", "step")
def check_partners_stay_together_and_are_paid_alike(case: Case) -> None:
    """Each seat is in one team at any time. Seats known to be a team remain one until the next deal, and seats that are a
    team at the end have the same return."""
    env, returns = case.raw(), np.zeros(case.options_of_game.num_players)
    env.reset(seed=case.seed)
    deal, before = 0, set[tuple[int, int]]()
    for action in (None, *actions_of(case)):
        if action is not None:
            env.step(action)
            returns += [*env.rewards.values()]
        now = {pair for team in env.teams() for pair in itertools.combinations(sorted(team), 2)}
        parted = before - now if deal == env.record["deals"][0] else set()
        expect(not parted, f"players {' and '.join(map(str, min(parted, default=())))} were a team and no longer are", env)
        deal, before = int(env.record["deals"][0]), now
    for one, two in before:
        alike = abs(returns[one] - returns[two]) <= _ROUNDING
        expect(alike, f"players {one} and {two} are a team, but have returns of {returns[one]:g} and {returns[two]:g}", env)


@check("step")
def check_a_finished_game_is_finished(case: Case) -> None:
    env = moments(case)[-1]
    same(env.legal_actions(), [], "there are legal actions after the end", env)
    same(int(env.record["move_count"][0]), len(actions_of(case)), "move_count is not the number of moves", env)
    env = env.clone()
    for _ in range(env.num_players):
        mask = env.observe(env.agent_selection)["action_mask"]
        expect(not mask.any(), f"the mask of {env.agent_selection} has legal actions after the end", env)
        env.step(None)
    same(env.agents, [], "agents are left after the end", env)
    try:
        env.step(0)
    except RuntimeError as error:
        expect("the game is over; call reset()" in str(error), f"a step after the end raises {str(error)!r}", env)
    else:
        fail("a step after the end raises no error", env)


@check("step", "legal_actions")
def check_every_legal_action_is_accepted(case: Case) -> None:
    for number, env in enumerate(running(case)):
        for action in some(env.legal_actions(), number):
            after = env.clone()
            after.step(action)
            moves = int(after.record["move_count"][0]) - int(env.record["move_count"][0])
            same(moves, 1, "a step must add 1 to move_count, which the rules must not change", env)
            if not after.legal_actions() and not after.is_over:
                done = f"after {env.agent_selection} plays {env.action_label(action)!r}"
                fail(f"{after.agent_selection} has no legal action {done}, but the game is not over", env, "legal_actions")


@check("legal_actions", scope="slow")
def check_every_illegal_action_is_refused_and_changes_nothing(case: Case) -> None:
    for number, env in enumerate(running(case)):
        legal = set(env.legal_actions())
        illegal = [action for action in range(env.num_actions) if action not in legal]
        before = snapshot(env)
        for action in [-1, env.num_actions, *some(illegal, number)]:
            said = ""
            try:
                env.step(action)
            except IllegalActionError as error:
                said = str(error)
            start = f"{env.agent_selection} cannot play action {action}"
            expect(said.startswith(start), f"illegal action {action}: step raises {said!r}", env)
        same(snapshot(env), before, "refused actions changed the game", env)


@check("observe", "zones", "describe", "determinize", scope="slow")
def check_looking_changes_no_byte(case: Case) -> None:
    for env in moments(case):
        before = env.record[0].copy()

        def unchanged(what: str, look: str, env: CardGameEnv = env, before: Any = before) -> None:
            same(env.record[0], before, f"{what} changes the record", env, look)

        for agent in env.possible_agents:
            env.observe(agent)
            unchanged(f"observe for {agent}", "observe")
            env.zones(agent)
            unchanged(f"zones for {agent}", "zones")
            env.describe(agent)
            unchanged(f"describe for {agent}", "describe")
            env.determinize(agent, 5)
            unchanged(f"determinize for {agent}", "determinize")
        for action in some(env.legal_actions(), 0):
            env.action_label(action)
        unchanged("a label", "labels")
        env.zones()
        env.describe()
        env.state()
        env.last()
        env.save()
        unchanged("looking", "zones")


@check("zones", "step")
def check_cards_are_conserved(case: Case) -> None:
    """After every step of a complete game the zones hold the deck, each card once, and the role of each kind of zone is
    declared."""
    env = case.raw()
    roles = ", ".join(role.name for role in ZoneRole)
    deck = Counter(env.game.deck(env.options))
    env.reset(seed=case.seed + 1)
    for action in itertools.chain([None], play_random(env, case.seed, 2000)):
        zones = env.zones()
        unknown = {kind(zone) for zone in zones} - env.game.zone_roles.keys()
        expect(not unknown, f"`zone_roles` lack the zones {sorted(unknown)}; roles: {roles}", env)
        held = Counter(card for cards in zones.values() for card in cards)
        if held != deck:
            after = "the deal" if action is None else f"action {action}"
            missing, extra = sorted((deck - held).elements()), sorted((held - deck).elements())
            fail(f"after {after} the zones lack the cards {missing}, and have {extra}, which are not in the deck", env)


@check("describe")
def check_facts_can_be_drawn(case: Case) -> None:
    """Facts have valid seats; a value is a number, text, or a number for each seat."""
    for env in moments(case):
        for fact in itertools.chain.from_iterable(env.facts(viewer) for viewer in (None, *env.possible_agents)):
            expect(isinstance(fact, Fact), f"it must return a sequence of `Fact`s, not {fact!r}", env)
            expect(isinstance(fact.role, FactRole), f"{fact} must have a `FactRole`", env)
            expect(fact.seat is None or fact.seat in range(env.num_players), f"{fact} has an invalid seat", env)
            values = fact.value if isinstance(fact.value, tuple) else (fact.value,) * env.num_players
            plain = len(values) == env.num_players and {*map(type, values)} <= {int, float, str, type(None)}
            expect(plain, f"{fact} must have an int, a float, text, or one for each seat as its value", env)


@check("zones")
def check_a_seat_sees_the_truth_or_nothing(case: Case) -> None:
    """The zones that a seat sees equal the true ones except for hidden cards. If a seat does not know the sizes of zones, they
    may differ, but not their sum, and the cards that it sees must be among the true ones. Within a zone, known cards may come
    first, followed by hidden ones."""
    for env in moments(case):
        truth = env.zones()
        for agent in env.possible_agents:
            seen = env.zones(agent)
            expect(seen.keys() <= truth.keys(), f"{agent} is shown zones that do not exist: {[*seen.keys() - truth]}", env)
            sizes = sum(map(len, seen.values())), sum(map(len, truth.values()))
            expect(sizes[0] == sizes[1], f"{agent} is shown {sizes[0]} cards, hidden ones included, instead of {sizes[1]}", env)
            visible = Counter(card for cards in seen.values() for card in cards if card != -1)
            wrong = visible - Counter(card for cards in truth.values() for card in cards)
            expect(not wrong, f"{agent} is shown cards {sorted(wrong)} that no zone holds", env)
            for name, cards in seen.items():
                if len(cards) == len(truth[name]):
                    known = [card for card in cards if card != -1]
                    first = cards == known + [-1] * (len(cards) - len(known)) and Counter(known) <= Counter(truth[name])
                    good = first or all(card in (-1, true) for card, true in zip(cards, truth[name], strict=True))
                    expect(good, f"{agent} is shown {cards} in {name!r}, which holds {truth[name]}", env)


@check("labels")
def check_labels_are_unique_and_reversible(case: Case) -> None:
    for number, env in enumerate(running(case)):
        legal = env.legal_actions()
        labels = [" ".join(env.action_label(action).lower().split()) for action in legal]
        twice = [label for label, times in Counter(labels).items() if times > 1]
        if twice:
            both = [action for action, label in zip(legal, labels, strict=True) if label == twice[0]]
            block = env.game.actions.find(both[0], env.num_players)[0].name
            fail(f"{env.agent_selection} has {len(both)} legal actions {both} labelled {twice[0]!r} (block {block!r})", env)
        expect(all(labels), f"the action {legal[labels.index('')] if '' in labels else ''} has an empty label", env)
        for action in some(legal, number)[:6]:
            label = env.action_label(action)
            for text in (label, f"  {label.upper()} "):
                same(env.action_from_label(text), action, f"the label {label!r} is read as another action", env)


@check("OBSERVATION")
def check_the_layouts_cover_the_vectors(case: Case) -> None:
    """Blocks follow one another without gaps, up to the sizes of the spaces."""
    env = case.raw()
    for layout, size in ((env.game.observation, env.observation_size), (env.game.actions, env.num_actions)):
        end = 0
        for name, where in layout.slices(env.num_players).items():
            expect(where.start == end < where.stop, f"the block {name!r} begins at {where.start}, not at {end}, or is empty")
            end = where.stop
        expect(end == size, f"the blocks have {end} entries in total, the vector {size}")
