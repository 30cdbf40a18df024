"""The games, one module each: record, rules, actions, observation. A game knows nothing of agents or of how it is served."""
