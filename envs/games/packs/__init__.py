"""What Beggar My Neighbor and Egyptian Ratscrew share: packs that lie face down, a stack, debts, declared Jokers.

Clauses BM-nn of docs/rules/beggar_my_neighbor.md. Each game owns its dispatchers; a card is played by `turn_up`, and what
follows from it by `settle_top`, so that a game can do something between the two.
"""
