"""Actions that can be taken back give no information: they look the same to their player in every game of the information
state, and others do not notice them. Whether they can be taken back gives no information either."""

from __future__ import annotations

import random
from collections import defaultdict

from ..agents.takeback import can_be_taken_back
from ..envs.core.aec import CardGameEnv
from .cases import Case
from .checks import check, expect
from .played import remembering, sight

MOMENTS = 30  # of each case
ENOUGH = 2  # actions of a case that can be taken back
OTHERS = range(100, 103)  # seeds of determinizations, different from those that the function tries


def is_taken_back(env: CardGameEnv, action: int) -> bool:
    """Whether an action can be taken back; checks that neither the action nor the answer gives information."""
    mover, answers = env.current_player, defaultdict(set)
    others = [seat for seat in range(env.num_players) if seat != mover]
    label = env.action_label(action)
    what = f"{label!r} of player_{mover}, which can be taken back,"
    for world in [env, *(env.determinize(env.possible_agents[mover], seed) for seed in OTHERS)]:
        after = world.clone()
        after.step(action)
        answer = can_be_taken_back(world, action)
        answers[sight(after, mover)].add(answer)
        if answer:
            good = after.agent_selection == env.agent_selection and not any(after.rewards.values())
            expect(good, f"{what} ends the turn or gets a reward", env)
            for seat in others:
                expect(sight(after, seat) == sight(world, seat), f"{what} is visible to player_{seat}", env, "observe")
    wrong = "reveals hidden information: it holds in only one of two games that look the same to them"
    expect(all(len(told) == 1 for told in answers.values()), f"that {label!r} can be taken back {wrong}", env)
    possible = can_be_taken_back(env, action)
    expect(not possible or len(answers) == 1, f"{what} looks different in another game of their information state", env)
    return possible


@check("observe", "step")
def check_what_can_be_taken_back_has_told_nobody_anything(case: Case) -> int:
    """Returns how many actions of a random game can be taken back; it ends with enough."""
    draw, checked = random.Random(case.seed), 0
    moments = remembering(case)
    for env in draw.sample(moments, min(MOMENTS, len(moments))):
        checked += is_taken_back(env, draw.choice(env.legal_actions()))
        if checked == ENOUGH:
            break
    return checked
