"""Strengths and comparisons of card combinations, in batches.

    wilddeck.compare.skin_of_your_teeth.strength(cards)          # int64 [N]
    wilddeck.compare.skin_of_your_teeth.beats(attack, defence)   # bool [N]
    wilddeck.compare.wild_escape.strength(cards, trump=2)        # Jokers wild; a trump rank for all rows, or one a row

A family is one game's order of combinations. All families encode a row of cards as three numbers (the set of its cards, the
count of each rank, the total) and compute a strength from them by bit arithmetic. The rules of the games call the same
functions, so batches and games cannot disagree.

`packed` has the shared arithmetic, `family` the handling of rows, and each other module the device functions of one family.
"""

from .packed import KIND_SHIFT as KIND_SHIFT
from .poker import poker as poker  # replaces the module of the same name
from .skin_of_your_teeth import skin_of_your_teeth as skin_of_your_teeth
from .wild_escape import wild_escape as wild_escape
