"""The Extended Deck: 66 cards with Jokers, Draws, Reverses and Skips, and what all games played with it share.

Rules: docs/rules/extended_deck.md (clauses ED-01 to ED-90). It knows no game. A game includes the fields of `state` in its
record, the blocks of `view` in its actions and observation, and calls the functions below from its own; CONTRIBUTING.md shows
how.

    sets      cards as bits: suits, kinds, marking and writing them
    state     fields of a record, the deck, the deal
    pile      taking cards, refills (ED-07 to ED-12)
    turns     whose turn it is, what played specials do to it (ED-35 to ED-42, ED-50 to ED-64)
    redeal    specials of a hand replaced by other cards (ED-24, ED-31 to ED-34)
    reveal    by the player's choice, or at once where the hand lies face up (ED-20 to ED-31)
    common    specials among common cards (ED-43 to ED-45)
    tricks    following, Jokers, who wins, from trick to trick (ED-65 to ED-79)
    view      the shared actions and observation, labels, zones, facts (ED-80 to ED-82)
    hidden    what a seat cannot know, dealt again
"""
