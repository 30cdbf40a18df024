"""Leagues: matches between agents, kept in SQLite, and the ratings that follow from them."""
