"""Loops over records, written once and bound to each game (`jit.bind`). The game's rules are global names here.

There are two sets: KERNELS serve batches and single environments. POLICY_KERNELS play whole games in compiled code and are
bound for each policy. A policy is a device function `policy(observation, mask, num_players, noise) -> action` with 64 random
bits in `noise`; it gets only its seat's observation. A policy that needs data (such as a network's weights) is a function
`act(data, observation, mask, num_players, noise)`; the caller of the kernel passes the tuple `data`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .bits import count_bits, lowest_bit
from .events import HAND, NOBODY, emit
from .jit import device_function, kernel
from .rng import GOLDEN, NEXT_SEED, NOISE, SAMPLE_CHANCE, SAMPLE_SEED, mix, reseed, siphash, start_stream

if TYPE_CHECKING:  # bound to a game's functions
    deal: Any
    begin: Any
    legal_actions: Any
    step: Any
    observe: Any
    determinize: Any
    policy: Any
    act: Any
    POLICY_OBSERVES: bool

_S32 = np.uint64(32)
_ONE, _TWO = np.uint64(1), np.uint64(2)
_WORD = 8
BEGIN, BEGIN_AS_IT_LIES = -1, -2  # in place of an action: a deal, shuffled or in the present order of the deck


@device_function
def eight_entries(mask, first):
    """Eight entries of a mask as one number, the first lowest. Unsigned indices make it a single load."""
    entries = np.uint64(0)
    for k in range(_WORD):
        entries |= np.uint64(mask[np.uint64(first + k)]) << np.uint64(_WORD * k)
    return entries


@device_function
def random_choice(mask, noise):
    """The index of a uniformly chosen entry that is 1, -1 if there is none. Entries are counted and skipped eight at a time."""
    size = mask.shape[0]
    whole = size - size % _WORD
    count = 0
    for index in range(0, whole, _WORD):
        count += count_bits(eight_entries(mask, index))
    for index in range(whole, size):
        count += mask[index] != 0
    if count == 0:
        return -1
    left = np.int64(((noise >> _S32) * np.uint64(count)) >> _S32)
    for index in range(0, whole, _WORD):
        entries = eight_entries(mask, index)
        in_word = count_bits(entries)
        if left < in_word:
            for _ in range(left):
                entries &= entries - _ONE
            return index + (lowest_bit(entries) >> 3)
        left -= in_word
    for index in range(whole, size):
        if mask[index]:
            if left == 0:
                return index
            left -= 1
    return -1


@device_function
def only_choice(mask):
    """The index of the only entry that is 1; -1 if there is none or several."""
    choice = -1
    whole = mask.shape[0] - mask.shape[0] % _WORD
    for index in range(0, whole, _WORD):
        entries = eight_entries(mask, index)
        if entries:
            if choice >= 0 or entries & (entries - _ONE):
                return -1
            choice = index + (lowest_bit(entries) >> 3)
    for index in range(whole, mask.shape[0]):
        if mask[index]:
            if choice >= 0:
                return -1
            choice = index
    return choice


@kernel
def first_illegal(rows, actions, mask):
    """The first index in `rows` whose action is not legal; -1 if there is none."""
    for k in range(rows.shape[0]):
        action = actions[k]
        if action < 0 or action >= mask.shape[1] or mask[rows[k], action] == 0:
            return k
    return -1


@kernel
def first_disorder(rows, num_games):
    """The first index in `rows` that is out of range or not above the one before; -1 if there is none."""
    previous = -1
    for k in range(rows.shape[0]):
        if rows[k] <= previous or rows[k] >= num_games:
            return k
        previous = rows[k]
    return -1


@kernel
def fill_noise(low, high, noise):
    """Fill a counter per row for a policy's randomness, far from all others: well-mixed bits of the seed's words and the
    row."""
    base = siphash(low, high, NOISE)
    for i in range(noise.shape[0]):
        noise[i] = mix(base + GOLDEN * np.uint64(i))


@kernel
def random_actions(mask, noise, actions):
    """A uniformly chosen legal action per row; `noise` holds a counter per row."""
    for i in range(mask.shape[0]):
        noise[i] += GOLDEN
        actions[i] = random_choice(mask[i], mix(noise[i]))


def play_deck(state):
    """Begin play with the deck in its present order. Chance during play has its own stream, so it does not depend on the
    shuffle."""
    state.deal_pending = 0
    start_stream(state, _TWO * np.uint64(state.deals) + _ONE)
    state.deals += 1
    emit(state, HAND, NOBODY, state.deals, NOBODY)
    begin(state)


def next_deal(state):
    """Shuffle, deal and begin play."""
    start_stream(state, _TWO * np.uint64(state.deals))
    deal(state)
    play_deck(state)


def play_action(state, action):
    """Play one action; a deal that it requests is left pending."""
    state.rewards[:] = 0
    step(state, action)
    state.move_count += 1


def over(state):
    return state.terminated or state.truncated


def play_deals(state):
    """Play the requested deals, shuffled; their rewards are added to those of the step."""
    while state.deal_pending and not over(state):
        next_deal(state)


def advance(state, action):
    """Play one action and the deals that it requests."""
    play_action(state, action)
    play_deals(state)


def start_anew(states, i, template, low, high):
    """Start a new game with the template's options in row i, from a seed of these words, up to its first deal."""
    states[i] = template[0]
    state = states[i]
    state.seed = low
    state.seed_high = high
    state.deal_pending = 1


def restart(states, i, template, low, high):
    """As `start_anew`, including the first deal."""
    start_anew(states, i, template, low, high)
    play_deals(states[i])


def restart_next(states, i, template):
    """Start the next game in row i, as `reset` without a seed does."""
    state = states[i]
    next_seed(state)
    restart(states, i, template, state.seed, state.seed_high)


def next_seed(state):
    """Replace the seed of this game by that of the next."""
    reseed(state, state.seed, state.seed_high, NEXT_SEED)


def next_seeds(states):
    for i in range(states.shape[0]):
        next_seed(states[i])


def view(state, observation, mask):
    """Write the observation and mask of the player to move; after the end nothing is legal."""
    observation[:] = 0
    mask[:] = 0
    if not over(state):
        legal_actions(state, mask)
    observe(state, np.int64(state.current_player), observation)


def step_games(states, template, rows, actions, observation, mask, current_player, results):
    """Step each of `rows`, with autoreset: a finished row shows its last rewards and the first observation of the next game.
    `BEGIN` starts a game from the seed in the row's record and keeps the results of the last step. (A separate program would
    compile the rules again.)

    `results` are the rewards, terminated and truncated of all games.
    """
    rewards, terminated, truncated = results
    for k in range(rows.shape[0]):
        i = rows[k]
        state = states[i]
        begins = actions[k] == BEGIN
        if not begins:
            advance(state, actions[k])
            for player in range(rewards.shape[1]):
                rewards[i, player] = state.rewards[player]
            terminated[i] = state.terminated
            truncated[i] = state.truncated
            begins = over(state) != 0
            if begins:
                next_seed(state)
        if begins:
            restart(states, i, template, state.seed, state.seed_high)
        view(state, observation[i], mask[i])
        current_player[i] = state.current_player


def step_single(states, action, observation, mask):
    """Play one action of one game, or with `BEGIN` or `BEGIN_AS_IT_LIES` deal its next hand. There is no autoreset, and no
    further deal. Returns as `show` does."""
    state = states[0]
    if action == BEGIN:
        next_deal(state)
    elif action == BEGIN_AS_IT_LIES:
        play_deck(state)
    else:
        play_action(state, action)
    return show(state, observation, mask)


def show(state, observation, mask):
    """Write the view, unless a deal is pending. Returns 2 if one is, 1 at the end, else 0."""
    if state.deal_pending and not over(state):
        return 2
    view(state, observation, mask)
    return 1 if over(state) else 0


def observe_seats(states, rows, seats, observation):
    """Write the observation of a seat in each of `rows` into as many rows of `observation`."""
    for k in range(rows.shape[0]):
        observation[k, :] = 0
        observe(states[rows[k]], seats[k], observation[k])


def view_games(states, observation, mask, current_player):
    for i in range(states.shape[0]):
        view(states[i], observation[i], mask[i])
        current_player[i] = states[i].current_player


def determinize_games(states, player, seeds):
    """Resample in every row what `player` cannot know, including future chance, from a seed per row."""
    for i in range(states.shape[0]):
        reseed_for_sample(states[i], seeds[i])
        determinize(states[i], player)


def reseed_for_sample(state, seed):
    """Replace the source of chance. The number of moves and the rewards of the last one are cleared, because they could reveal
    secret actions."""
    reseed(state, seed[0], seed[1], SAMPLE_SEED)
    start_stream(state, SAMPLE_CHANCE)
    state.move_count = 0
    state.rewards[:] = 0


@device_function
def random_policy(observation, mask, num_players, noise):
    """The policy "random": uniform over the legal actions."""
    return random_choice(mask, noise)


def policy_acts(data, observation, mask, num_players, noise):
    """`act` for a policy that is a device function without data."""
    return policy(observation, mask, num_players, noise)


def choose(state, observation, mask, noise, i, data):
    """The policy's action for the player to move. The random policy needs no observation, so the compiler drops it; forced
    moves need none either."""
    noise[i] += GOLDEN
    mask[:] = 0
    legal_actions(state, mask)
    if POLICY_OBSERVES:
        forced = only_choice(mask)
        if forced >= 0:
            return forced
        observation[:] = 0
        observe(state, np.int64(state.current_player), observation)
    return act(data, observation, mask, np.int64(state.num_players), mix(noise[i]))


def rollout_games(states, template, noise, steps, observation, mask, returns, data):
    """Play `steps` steps of every row by the policy, with autoreset. Adds rewards to `returns` and returns the number of games
    finished."""
    games = 0
    for i in range(states.shape[0]):
        state = states[i]
        for _ in range(steps):
            advance(state, choose(state, observation, mask, noise, i, data))
            for player in range(returns.shape[0]):
                returns[player] += state.rewards[player]
            if over(state):
                games += 1
                restart_next(states, i, template)
    return games


def playout_games(states, actions, noise, observation, mask, returns, max_steps, data):
    """Play `actions`, then follow the policy to the end (at most `max_steps` further steps); `returns[i]` sums the rewards."""
    for i in range(states.shape[0]):
        state = states[i]
        action = actions[i]
        for _ in range(max_steps + 1):
            advance(state, action)
            for player in range(returns.shape[1]):
                returns[i, player] += state.rewards[player]
            if over(state):
                break
            action = choose(state, observation, mask, noise, i, data)


_SHARED = (play_deck, next_deal, play_action, over, play_deals, advance, start_anew, restart, restart_next, next_seed)
_SINGLE = (step_single, show, observe_seats, determinize_games, reseed_for_sample, next_seeds)
# Building blocks of kernels in other modules.
SHARED = {function.__name__: function for function in (*_SHARED, view, reseed_for_sample)}
KERNELS = {function.__name__: function for function in (*_SHARED, view, step_games, view_games, *_SINGLE)}
POLICY_KERNELS = {function.__name__: function for function in (*_SHARED, choose, rollout_games, playout_games)}
