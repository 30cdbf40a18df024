"""What a seat cannot know, redrawn."""

from __future__ import annotations

from ...core.kernel import kernel


@kernel
def determinize(state, viewer):
    state.marks = state.marks
