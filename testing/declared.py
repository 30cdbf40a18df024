"""What a game declares, looked at before it is played."""

from __future__ import annotations

from .cases import Case
from .checks import check, expect


@check("FIELDS", scope="defaults")
def check_every_field_is_bounded(case: Case) -> None:
    """The fields of options hold the options; of all others the game says what they may hold."""
    options = case.game.options.record_fields()
    free = [field.name for field in case.game.fields if not field.is_bounded and field.name not in options]
    expect(not free, f"the fields {', '.join(free)} have no bounds: write Field(name, dtype, high=...) or bits=...")
