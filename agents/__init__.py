"""Agents: random, rule-based, search, learned, and bots in other processes; see `wilddeck.agents.base` for the protocol."""
