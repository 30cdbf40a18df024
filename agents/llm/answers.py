"""Parse the answer of a language model: its action, or the error in the answer."""

from __future__ import annotations

import json
import re

from ..base import View

HOW = "Think briefly, then end with a line `ACTION: ` and the number of one of these."
"""The prompt's instruction for answers that `read_action` parses."""
_MARKED = re.compile(r"^\W*action\W*?[:=]\s*(.+?)\s*$", re.I | re.M)
_NUMBER = re.compile(r"#?(\d{1,9})\b(?:\s*[:.)-](?!\d).*)?")
_EDGES = " \t`*_\"'<>()[]."
_SHOWN = 12


def read_action(text: str, view: View) -> int:
    """The action that a text names, in its last line `ACTION: ...` or as a whole, by number (`12`, `12: play 5h`) or label.

    Raises:
        ValueError: it names none, or an illegal one; the message lists the legal ones.
    """
    marked = _MARKED.findall(text)
    words = (marked[-1] if marked else text).strip(_EDGES + "\n")
    if not words or "\n" in words:
        raise ValueError(f"the answer has no line `ACTION: number`; {_allowed(view)}")
    number = _NUMBER.fullmatch(words)
    if number:
        return legal_action(int(number[1]), view)
    labels = {_even(view.label(int(action))): int(action) for action in view.legal_actions}
    if _even(words) not in labels:
        raise ValueError(f"{words[:80]!r} is neither the number nor the words of a legal action; {_allowed(view)}")
    return labels[_even(words)]


def read_object(text: str, view: View) -> int:
    """The action of an answer in JSON: an object with a number as "action".

    Raises:
        ValueError: it is no such object, or the action is illegal; the message lists the legal ones.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    action = content.get("action") if isinstance(content, dict) else None
    if not isinstance(action, int) or isinstance(action, bool):
        raise ValueError(f'the answer is no JSON object with a number as its "action"; {_allowed(view)}')
    return legal_action(action, view)


def legal_action(action: int, view: View) -> int:
    """The action itself.

    Raises:
        ValueError: it is illegal; the message lists the legal ones.
    """
    if not 0 <= action < len(view.action_mask) or not view.action_mask[action]:
        raise ValueError(f"action {action} is not legal; {_allowed(view)}")
    return action


def _allowed(view: View) -> str:
    legal = view.legal_actions
    some = ", ".join(f"{action} ({view.label(int(action))})" for action in legal[:_SHOWN])
    return f"legal: {some}" + (f", and {len(legal) - _SHOWN} more" if len(legal) > _SHOWN else "")


def _even(words: str) -> str:
    return " ".join(words.lower().split())
