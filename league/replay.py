"""Replays of recorded matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..envs import game as find_game
from ..envs.core.aec import CardGameEnv
from ..envs.core.game import state_digest
from .errors import ReplayError
from .match import Entry, MatchResult, Settings, outcome, over
from .schedule import deal_seed, match_id


@dataclass(frozen=True)
class Move:
    """An action of a replay.

    Attributes:
        number: its index in the match, from 0.
        seat, agent: who moved.
        action, label: the action's number and its words.
        stand_in: whether it was a random action in place of an agent that had forfeited.
    """

    number: int
    seat: int
    agent: str
    action: int
    label: str
    stand_in: bool


@dataclass(frozen=True, eq=False)
class Replay:
    """A recorded match that was played again and agrees with its record.

    Attributes:
        settings: the league's settings.
        result: the record.
        moves: all moves in order.
    """

    settings: Settings
    result: MatchResult
    moves: list[Move]

    def env(self) -> CardGameEnv:
        """A new environment at the start of the match; step it with the actions of `moves`."""
        game = find_game(self.settings.game)
        env = CardGameEnv(game, game.make_options(self.settings.options))
        env.reset(seed=self.result.deal_seed)
        return env


def replay(settings: Settings, entries: Sequence[Entry], result: MatchResult) -> Replay:
    """Play a recorded match again from its deal and actions.

    Raises:
        ReplayError: the replay differs from the record.
    """
    if find_game(settings.game).rules_digest != settings.rules:
        raise ReplayError(f"match {result.id}: the rules of {settings.game} have changed since it was played")
    seated = {entry.name: entry for entry in entries}
    seats = [seated[seat.agent] for seat in result.seats if seat.agent in seated]
    if len(seats) != len(result.seats):
        raise _differs(result, "it names agents that the league does not have")
    if match_id(settings, result.deal, seats) != result.id or deal_seed(settings, result.deal, seats) != result.deal_seed:
        raise _differs(result, "its id does not match its deal, agents and settings")
    played = Replay(settings, result, [])
    env = played.env()
    if len(seats) != env.num_players:
        raise _differs(result, f"it has {len(seats)} seats, but the game has {env.num_players}")
    played.moves.extend(_moves(env, result))
    forfeited = [seat.status != "ok" for seat in result.seats]
    final, ranks = outcome(env.game, env.options, list(env.returns.values()), forfeited)
    if final != [seat.returned for seat in result.seats] or ranks != [seat.rank for seat in result.seats]:
        raise _differs(result, "its returns differ")
    if state_digest(env.record) != result.digest:
        raise _differs(result, "its final state differs")
    return played


def _moves(env: CardGameEnv, result: MatchResult) -> Iterator[Move]:
    """Yields each move after playing it."""
    left = [seat.moves for seat in result.seats]  # that the agents choose themselves
    for number, action in enumerate(result.actions.tolist()):
        if over(env):
            raise _differs(result, f"the game ends before action {number + 1} of {len(result.actions)}")
        if not env.is_legal(action):
            raise _differs(result, f"action {number + 1} ({action}) is not legal")
        seat, label = env.current_player, env.action_label(action)
        env.step(action)
        yield Move(number, seat, result.seats[seat].agent, action, label, stand_in=left[seat] <= 0)
        left[seat] -= 1
    if not over(env):
        raise _differs(result, f"the game does not end with the last action, number {len(result.actions)}")


def _differs(result: MatchResult, difference: str) -> ReplayError:
    return ReplayError(f"match {result.id}: {difference}; the rules have changed since it was played, or the file was edited")
