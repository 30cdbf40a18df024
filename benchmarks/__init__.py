"""Measurements: throughput, the comparator, and leagues of agents."""
