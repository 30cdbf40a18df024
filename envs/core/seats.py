"""Seats round the table, for rules."""

from __future__ import annotations

import numpy as np

from .jit import device_function


@device_function
def clockwise(player, steps, num_players):
    """The seat `steps` places (0..num_players) clockwise of `player`. Uses a comparison, because division by a variable is
    slow."""
    seat = player + steps
    return seat - num_players if seat >= num_players else seat


@device_function
def seats_with(state, numbers):
    """The seats whose number is above zero, as bits."""
    seats = np.int64(0)
    for seat in range(np.int64(state.num_players)):
        if numbers[seat] > 0:
            seats |= np.int64(1) << seat
    return seats


@device_function
def seats_with_most(state, numbers):
    """The seats with the highest number, as bits."""
    most, seats = numbers[0], np.int64(0)
    for seat in range(np.int64(state.num_players)):
        if numbers[seat] > most:
            most, seats = numbers[seat], np.int64(0)
        if numbers[seat] == most:
            seats |= np.int64(1) << seat
    return seats
