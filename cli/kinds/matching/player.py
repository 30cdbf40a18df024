"""A rule-based player: asks for cards that were shown, lays sets, else asks for its most frequent rank."""

from wilddeck.envs.core.cards import RANKS, STANDARD
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import start

from .game import ACTIONS, OBSERVATION

_HAND, _SHOWN = OBSERVATION.places("hand", "shown")
_ASK, _DRAW = ACTIONS.places("ask", "draw")
SEEN, LAY = 20, 10  # priorities above any number of cards of a rank


@device_function
def policy(observation, mask, num_players, noise):
    best, choice = 0.0, start(_DRAW, num_players)
    for action in range(choice):
        if mask[action] and value(observation, num_players, action) > best:
            best, choice = value(observation, num_players, action), action
    return choice


@device_function
def value(observation, n, action):
    rank, place = action % RANKS, action // RANKS  # place 0 is the player's own: to lay
    own, seen = 0.0, 0.0
    for card in range(4 * rank, 4 * rank + 4):
        own += observation[start(_HAND, n) + card]
        seen += observation[start(_SHOWN, n) + place * STANDARD + card]
    if place == 0:
        return own + LAY
    return own + SEEN if seen > 0 else own
