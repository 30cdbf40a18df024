"""Recorded matches, played again."""

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
    """An action of a replayed match; `stand_in` if it was chosen at random for an agent that had forfeited."""

    number: int
    seat: int
    agent: str
    action: int
    label: str
    stand_in: bool


@dataclass(frozen=True, eq=False)
class Replay:
    """A recorded match, played again and found as recorded."""

    settings: Settings
    result: MatchResult
    moves: list[Move]

    def env(self) -> CardGameEnv:
        """A fresh environment at the beginning of the match; step it with the actions of `moves`."""
        game = find_game(self.settings.game)
        env = CardGameEnv(game, game.make_options(self.settings.options))
        env.reset(seed=self.result.deal_seed)
        return env


def replay(settings: Settings, entries: Sequence[Entry], result: MatchResult) -> Replay:
    """Play a recorded match again from its deal and actions.

    Raises:
        ReplayError: something does not come out as recorded.
    """
    if find_game(settings.game).rules_digest != settings.rules:
        raise ReplayError(f"match {result.id}: the rules of {settings.game} have changed since it was played")
    seated = {entry.name: entry for entry in entries}
    seats = [seated[seat.agent] for seat in result.seats if seat.agent in seated]
    if len(seats) != len(result.seats):
        raise _differs(result, "it has agents that the league does not have")
    if match_id(settings, result.deal, seats) != result.id or deal_seed(settings, result.deal, seats) != result.deal_seed:
        raise _differs(result, "its id does not fit its deal, agents and settings")
    played = Replay(settings, result, [])
    env = played.env()
    if len(seats) != env.num_players:
        raise _differs(result, f"it has {len(seats)} seats, and the game {env.num_players}")
    played.moves.extend(_moves(env, result))
    forfeited = [seat.status != "ok" for seat in result.seats]
    final, ranks = outcome(env.game, env.options, list(env.returns.values()), forfeited)
    if final != [seat.returned for seat in result.seats] or ranks != [seat.rank for seat in result.seats]:
        raise _differs(result, "its returns are others")
    if state_digest(env.record) != result.digest:
        raise _differs(result, "its final state is another")
    return played


def _moves(env: CardGameEnv, result: MatchResult) -> Iterator[Move]:
    """The moves; each has been played when it is given."""
    left = [seat.moves for seat in result.seats]  # that the agents choose themselves
    for number, action in enumerate(result.actions.tolist()):
        if over(env):
            raise _differs(result, f"it ends before action {number + 1} of {len(result.actions)}")
        if not env.is_legal(action):
            raise _differs(result, f"action {number + 1} ({action}) is not legal")
        seat, label = env.current_player, env.action_label(action)
        env.step(action)
        yield Move(number, seat, result.seats[seat].agent, action, label, stand_in=left[seat] <= 0)
        left[seat] -= 1
    if not over(env):
        raise _differs(result, f"it does not end with its last action, number {len(result.actions)}")


def _differs(result: MatchResult, difference: str) -> ReplayError:
    return ReplayError(f"match {result.id}: {difference}; the rules have changed since it was played, or the file was edited")
