"""The files shared by all kinds of games."""
