"""The games, one module each: record, rules, actions, observation. Games do not depend on agents or servers."""
