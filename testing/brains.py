"""Substitutes for a language model (see `chat_server`): they read a prompt and answer with the number of an action."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import envs
from ..agents import make
from ..agents.base import Agent
from ..agents.views import Views

Messages = Sequence[dict[str, Any]]
Brain = Callable[[Messages, dict[str, Any]], "int | str"]
"""Maps the messages of a request and the whole request to an action's number, which the server wraps in the requested format,
or to text, which it sends unchanged. A ValueError becomes status 400. It is called from several threads at once."""

TEMPLATE = """
---
game: $game
options: $options
observation: $observation
legal actions: $legal_actions
"""
"""The prompt template for `rules` (see `agents.llm.prompts.Template.read`)."""

_LISTED = re.compile(r"^(?:\d+: .*(?:\n|$))+", re.M)  # the lines of `$actions`, one after another
_FIELDS = ("game", "options", "observation", "legal actions")
_FIELD = re.compile(rf"^({'|'.join(_FIELDS)}): (.*)$", re.M)


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, also if its content is a list of parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def legal_actions(messages: Messages) -> list[int]:
    """The actions that a prompt lists as `NUMBER: label` or in the line `legal actions: [...]`, from the last list in the last
    user message that has one. ValueError if there is none."""
    for message in reversed(messages):
        if message["role"] == "user":
            text = text_of(message)
            fields = dict(_FIELD.findall(text))
            if "legal actions" in fields:
                return json.loads(fields["legal actions"])
            if lists := _LISTED.findall(text):
                return [int(line.partition(":")[0]) for line in lists[-1].splitlines()]
    raise ValueError("no user message lists actions in lines NUMBER: label")


def first_action(messages: Messages, request: dict[str, Any]) -> int:
    """The first legal action."""
    return legal_actions(messages)[0]


def random_action(messages: Messages, request: dict[str, Any]) -> int:
    """A uniformly random legal action; the same for the same messages and seed."""
    return random.Random(json.dumps([messages, request.get("seed")])).choice(legal_actions(messages))


def rules_action(messages: Messages, request: dict[str, Any]) -> int:
    """The action of the game's rule-based agent; the prompt must be made from `TEMPLATE`."""
    for message in reversed(messages):
        fields = dict(_FIELD.findall(text_of(message)))
        if len(fields) == len(_FIELDS):
            break
    else:
        raise ValueError(f"the brain 'rules' needs prompts with the lines {', '.join(_FIELDS)}")
    player, num_actions = _rules(fields["game"], fields["options"])
    mask = np.zeros((1, num_actions), np.uint8)
    mask[0, json.loads(fields["legal actions"])] = 1
    observation = np.array([json.loads(fields["observation"])], np.float32)
    rng = np.random.default_rng(request.get("seed") or 0)
    return int(player.act_batch(Views.of(observation, mask), rng)[0])


@functools.lru_cache
def _rules(game_id: str, options: str) -> tuple[Agent, int]:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(options).items()}
    game, made = envs.resolve(game_id, values)
    return make("rules", game, made), game.num_actions(made)


BRAINS: dict[str, Brain] = {"random": random_action, "first": first_action, "rules": rules_action}
