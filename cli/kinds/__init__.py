"""What `wilddeck new` writes: a small game of each kind, and the files that are the same in all (`shared`).

They are ordinary code. When they are written, the name and the clauses of `my_game` become those of the new game; the tests are
put into a folder of their own (`cli/new.py`).
"""
