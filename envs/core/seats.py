"""Seats round the table, for rules."""

from __future__ import annotations

from .jit import device_function


@device_function
def clockwise(player, steps, num_players):
    """The seat `steps` places (0..num_players) clockwise of `player`. A comparison: dividing by a variable is slow."""
    seat = player + steps
    return seat - num_players if seat >= num_players else seat
