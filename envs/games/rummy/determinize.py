"""What a seat cannot know, dealt again."""

from __future__ import annotations

from ...core.kernel import kernel


@kernel
def determinize(state, viewer):
    pass
