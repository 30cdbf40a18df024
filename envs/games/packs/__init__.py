"""What Beggar My Neighbor and Egyptian Ratscrew share: packs that lie face down, a stack, debts, declared Jokers.

Clauses BM-nn of docs/rules/beggar_my_neighbor.md. Each game has its own dispatchers; `turn_up` plays a card and `settle_top`
applies its consequences, so that a game can act in between.
"""
