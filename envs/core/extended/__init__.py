"""The Extended Deck: 66 cards with Jokers, Draws, Reverses and Skips, and the rules shared by all games that use it.

Rules: docs/rules/extended_deck.md (clauses ED-01 to ED-90). Nothing here depends on a particular game. A game includes the
fields of `state` in its record and the blocks of `view` in its actions and observation, and its functions call those below;
CONTRIBUTING.md shows how.

    sets      cards as bits: suits, kinds, marking and writing them
    state     fields of a record, the deck, the deal
    pile      taking cards, refills (ED-07 to ED-12)
    turns     the order of turns, and the effects of specials on it (ED-35 to ED-42, ED-50 to ED-64)
    redeal    specials of a hand replaced by other cards (ED-24, ED-31 to ED-34)
    reveal    by the player's choice, or at once for a face-up hand (ED-20 to ED-31)
    common    specials among common cards (ED-43 to ED-45)
    tricks    following, Jokers, who wins, from trick to trick (ED-65 to ED-79)
    view      the shared actions and observation, labels, zones, facts (ED-80 to ED-82)
    hidden    sampling of hidden cards
"""
