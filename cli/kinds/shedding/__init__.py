"""My Game, a game for wilddeck."""

from .game import GAME as GAME
