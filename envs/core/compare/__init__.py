"""Strength of combinations of cards, by the batch, and whether one beats another.

    wilddeck.compare.skin_of_your_teeth.strength(cards)          # int64 [N]
    wilddeck.compare.skin_of_your_teeth.beats(attack, defence)   # bool [N]
    wilddeck.compare.wild_escape.strength(cards, trump=2)        # Jokers wild; a trump rank for all rows, or one a row

A family is one game's order of combinations. All families read a row of cards as three numbers (the set of its cards, how
many it has of each rank, how many in all), each turns these into a strength by bit arithmetic, and the games' own rules
call the same arithmetic, so a batch of rows and a game in play cannot disagree.

`packed` has the arithmetic that families share, `family` the rows, each other module the device functions of one family.
"""

from .packed import KIND_SHIFT as KIND_SHIFT
from .poker import poker as poker  # the family, no longer the module
from .skin_of_your_teeth import skin_of_your_teeth as skin_of_your_teeth
from .wild_escape import wild_escape as wild_escape
