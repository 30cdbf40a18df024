"""Checks of a game, ours or anybody's: that it plays by what it declares, keeps secrets, and is one game however it is run."""
