"""The events of all games with the Extended Deck, and of its trick games; a game adds its own."""

from __future__ import annotations

from ..events import (
    CLAIM,
    DEAL,
    DECLARE,
    DIRECTION,
    DRAW,
    PAUSE,
    PLAY,
    REDEAL,
    REVEAL,
    SET_ASIDE,
    SHUFFLE,
    SKIPPED,
    TRICK_WON,
    EventKind,
)

EXTENDED_EVENTS = (
    EventKind(DEAL, "the cards dealt to a hand, which its player sees", "{player} is dealt {cards}"),
    EventKind(DRAW, "cards taken into a hand; its player sees them, everybody if it lies face up", "{player} draws {cards}"),
    EventKind(REVEAL, "a special is revealed, to be redealt (ED-21)", "{player} reveals {cards}"),
    EventKind(REDEAL, "specials leave the game and are replaced (ED-09, ED-24)", "{player} redeals {cards}"),
    EventKind(SHUFFLE, "this many cards are shuffled into the empty pile (ED-10)", "{amount} shuffled into the pile",
              words=lambda amount, options: "1 card is" if amount == 1 else f"{amount} cards are"),
    EventKind(SKIPPED, "a Skip takes a player's turn (ED-27, ED-37, ED-41)", "{player} is skipped"),
    EventKind(DIRECTION, "a Reverse turns the order of play (ED-38)", "play now goes {amount}",
              words={1: "clockwise", -1: "counterclockwise"}),
    EventKind(PAUSE, "a player's turn is put off by a Reverse of their own (ED-52)", "{player}'s turn is paused"),
)  # fmt: skip
TRICK_EVENTS = (
    EventKind(PLAY, "a card is played to the trick", "{player} plays {cards}"),
    EventKind(DECLARE, "what the Joker that was led stands for (ED-70)", "{player} declares the Joker to be {cards}"),
    EventKind(CLAIM, "whether a Joker wins (ED-73, ED-74)", "{player}'s Joker {amount}", words={1: "wins", 2: "loses"}),
    EventKind(TRICK_WON, "who wins the trick, and its cards in the order played (ED-75)", "{player} wins the trick {cards}"),
    EventKind(SET_ASIDE, "a trick that nobody wins (ED-76)", "nobody wins the trick {cards}"),
)  # fmt: skip
