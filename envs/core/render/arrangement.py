"""The layout of the table: seats around an ellipse, fanned hands, stacks, the middle. Only numbers, no pygame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise, product
from math import ceil, cos, hypot, pi, sin
from typing import NamedTuple

from ..zones import ZoneRole
from .scene import Cards, Lying, Scene

ASPECT = 0.7  # width of a card / height
STATUS = 40  # height of the top line, pixels
FAN = 92  # hands with cards at least this high (pixels) are fanned
NOTE = 17  # height of the line beside a seat's name, pixels
_EDGE, _GAP = 10, 8  # margin at the window's edge and between seats, pixels
_CAPTION, _CAPTION_WIDTH = 20, 84
_BARE = 130  # minimal width of a seat without cards
_HIGHEST, _LOWEST = 150, 28  # cards, pixels
_MELDS_IN_ROW, _MELD_ROWS, _MELD_ROOM = 4, 3, 2.1  # of melds in the middle: minimum, maximum; of one meld, in widths of a card
_BESIDE = 1.35  # room for the played cards of a seat at the side, in widths of a card
_SQUARENESS = 5.0  # exponent of the table's outline: 2 is an ellipse, more is closer to a rectangle


class Box(NamedTuple):
    """A rectangle by its centre."""

    x: float
    y: float
    w: float
    h: float

    def apart(self, other: Box, gap: float) -> bool:
        return abs(self.x - other.x) >= (self.w + other.w) / 2 + gap or abs(self.y - other.y) >= (self.h + other.h) / 2 + gap


class Card(NamedTuple):
    """A card by its centre, turned by degrees counter-clockwise."""

    card: int
    x: float
    y: float
    degrees: int = 0


class Spot(NamedTuple):
    """An empty place, by its centre."""

    x: float
    y: float


class Badge(NamedTuple):
    """The number of cards of a stack, on its corner."""

    cards: int
    x: float
    y: float


class Tag(NamedTuple):
    """The number of a place among those of its seat, at its lower edge."""

    text: str
    x: float
    y: float


class Caption(NamedTuple):
    """The name of a zone in the middle, around a point."""

    text: str
    x: float
    y: float


class Plate(NamedTuple):
    """A seat: its box, the centre of its name, and of the optional line on the inner side."""

    seat: int
    box: Box
    x: float
    y: float
    note_y: float


Item = Card | Spot | Badge | Tag | Caption | Plate


@dataclass(frozen=True)
class Plan:
    """Sizes and places that stay constant during a game.

    Attributes:
        height: of a card, pixels.
        panels: the box of each position, the bottom first, then clockwise.
        rows: the number of rows of places at each position (0: beside the hand).
        directions: each position on the table's outline, x and y in -1..1.
        centre: the box of the middle.
    """

    height: int
    panels: tuple[Box, ...]
    rows: tuple[int, ...]
    directions: tuple[tuple[float, float], ...]
    centre: Box

    @property
    def width(self) -> float:
        return self.height * ASPECT


class _Needs(NamedTuple):
    """The contents to lay out: size in pixels, players, whether there are hands and played cards, places of a seat, the
    middle."""

    size: tuple[int, int]
    players: int
    hand: bool
    played: bool
    places: int
    common: Lying


@lru_cache(maxsize=64)
def plan(size: tuple[int, int], players: int, of_seats: Lying, common: Lying) -> Plan:
    """The plan with the largest cards for a window's size, zones of a seat and zones of the middle (`Scene.lying`)."""
    hands = sum(is_hand(zone, role) for zone, role in of_seats)
    played = sum(role is ZoneRole.PLAYED for _, role in of_seats)
    places = len(of_seats) - hands - played
    needs = _Needs(size, players, hands > 0, played > 0, places, common)
    rows_to_try = (0,) if places <= 2 else tuple(range(1, min(places, 4)))
    best: Plan | None = None
    for rows in product(rows_to_try, rows_to_try):  # of the seats at the bottom and top, of those at the sides
        for height in range(_HIGHEST, best.height if best else _LOWEST - 1, -2):
            fitting = _fit(needs, height, rows)
            if fitting is not None:
                best = fitting
                break
    return best or _arrange(needs, _LOWEST, (rows_to_try[-1], rows_to_try[-1]), 0)


def items(scene: Scene, size: tuple[int, int]) -> list[Item]:
    """Everything to paint, bottom layer first."""
    return list(chain.from_iterable(layers(scene, size)))


def layers(scene: Scene, size: tuple[int, int]) -> Iterator[Iterator[Item]]:
    """As `items`, seat by seat, then the middle."""
    table = plan(size, len(scene.names), *scene.lying)
    players = len(scene.names)
    for place in range(players):
        yield _seat(scene, ((scene.viewer or 0) + place) % players, table, place)
    yield _middle(scene, table)


def _fit(needs: _Needs, height: int, rows: tuple[int, int]) -> Plan | None:
    """The plan for a card height, with seats as wide as space allows; None if they collide."""
    widest = None
    for wider in range(0, round(4 * height * ASPECT), 6):
        plan = _arrange(needs, height, rows, wider)
        if not _free(plan, needs.size):
            break
        widest = plan
    return widest


def _panel(needs: _Needs, height: int, rows: int, wider: float) -> tuple[float, float]:
    """The width and height of a seat."""
    width = height * ASPECT
    plate = plate_height(height) + NOTE + 4
    if not needs.hand and not needs.places:
        return _BARE + wider, plate + 8
    if rows == 0:
        hand = min(3.6 * width + wider, (5.2 if needs.places else 6.5) * width) if needs.hand else 0.0
        return hand + needs.places * 1.25 * width + 12, plate + 1.16 * height + 8
    a_row = ceil(needs.places / rows) * 1.2 * width + (1.8 if rows == 1 else 1.1) * width
    hands = 1.16 * height if needs.hand else 0.0
    return max(3.6 * width if needs.hand else 0.0, a_row) + wider + 12, plate + hands + rows * 1.1 * height + 8


def is_hand(zone: str, role: ZoneRole) -> bool:
    """Whether a zone of a seat is drawn as a hand; of several hands only the first is."""
    return role.is_held and "/" not in zone


def _room(role: ZoneRole, height: int) -> float:
    """The width of a zone in the middle."""
    return max(1.4 * height * ASPECT, _CAPTION_WIDTH) if role.is_stack else 3.2 * height * ASPECT


def _by_row(common: Lying) -> tuple[Lying, list[str]]:
    """The zones in the first row of the middle, and the melds below."""
    melds = [zone for zone, role in common if role is ZoneRole.MELD]
    return tuple((zone, role) for zone, role in common if role is not ZoneRole.MELD), melds


def _meld_rows(count: int) -> tuple[int, int]:
    """The number of rows for this number of melds, and the number in each."""
    if count == 0:
        return 0, 0
    per_row = max(min(count, _MELDS_IN_ROW), ceil(count / _MELD_ROWS))
    return ceil(count / per_row), per_row


def _arrange(needs: _Needs, height: int, rows: tuple[int, int], wider: float) -> Plan:
    middle = needs.size[0] / 2, (needs.size[1] + STATUS) / 2
    across, beside = (_panel(needs, height, count, wider) for count in rows)
    half_w, half_h = needs.size[0] / 2 - _EDGE, (needs.size[1] - STATUS) / 2 - _EDGE
    directions = _around(needs.players, half_w - max(across[0], beside[0]) / 2, half_h - max(across[1], beside[1]) / 2)
    panels, panel_rows = [], []
    for dx, dy in directions:
        at_side = abs(dx) > 0.9 and abs(dy) < 0.7
        w, h = beside if at_side else across
        panels.append(Box(middle[0] + (half_w - w / 2) * dx, middle[1] + (half_h - h / 2) * dy, w, h))
        panel_rows.append(rows[at_side])
    stacks, melds = _by_row(needs.common)
    rows_of_melds, per_row = _meld_rows(len(melds))
    common_w = max(sum(_room(role, height) for _, role in stacks), per_row * _MELD_ROOM * height * ASPECT)
    common_h = (1.1 * height + _CAPTION if stacks else 0.0) + rows_of_melds * 1.1 * height
    if needs.played:
        common_w, common_h = common_w + 2 * (_BESIDE + 0.1) * height * ASPECT, common_h + 2.2 * height
    return Plan(height, tuple(panels), tuple(panel_rows), directions, Box(*middle, common_w, common_h))


def _free(candidate: Plan, size: tuple[int, int]) -> bool:
    panels = candidate.panels
    if any(panel.w > size[0] - 2 * _EDGE or panel.h > size[1] - STATUS - 2 * _EDGE for panel in panels):
        return False
    if not all(panel.apart(candidate.centre, _GAP) for panel in panels):
        return False
    return all(panels[i].apart(panels[j], _GAP) for i in range(len(panels)) for j in range(i))


def _around(players: int, a: float, b: float) -> tuple[tuple[float, float], ...]:
    """Points at equal distances along the table's outline, clockwise from the bottom; a, b are the half axes."""
    a, b = max(a, 1.0), max(b, 1.0)
    steps = 720
    power = 2 / _SQUARENESS
    outline = []
    for k in range(steps + 1):
        x, y = -sin(2 * pi * k / steps), cos(2 * pi * k / steps)
        outline.append((_signed_power(x, power), _signed_power(y, power)))
    lengths = [0.0]
    for (x, y), (u, v) in pairwise(outline):
        lengths.append(lengths[-1] + hypot((u - x) * a, (v - y) * b))
    points, k = [], 0
    for seat in range(players):
        while lengths[k] < lengths[-1] * seat / players - 1e-9:
            k += 1
        points.append(outline[k])
    return tuple(points)


def _signed_power(value: float, power: float) -> float:
    return (abs(value) ** power) * (1 if value >= 0 else -1) if abs(value) > 1e-9 else 0.0


def plate_height(height: int) -> float:
    """The height of a name's plate, for a card height."""
    return min(28.0, max(20.0, 0.24 * height))


def _seat(scene: Scene, seat: int, table: Plan, place: int) -> Iterator[Item]:
    """A seat's plate, hand, places and played cards, in this order from the table's edge inwards."""
    zones = scene.seats[seat]
    box, (dx, dy) = table.panels[place], table.directions[place]
    height, width = table.height, table.width
    inwards = -1 if dy > 0.3 else 1  # seats at the bottom are built upwards
    plate = plate_height(height)
    y = box.y - inwards * (box.h / 2 - 4 - plate / 2)
    yield Plate(seat, box, box.x, y, y + inwards * (plate + NOTE) / 2)
    y += inwards * (plate / 2 + NOTE + 2 + 0.56 * height)
    roles = {zone: scene.role(zone) for zone in zones}
    hand = next((zone for zone, role in roles.items() if is_hand(zone, role)), None)
    places = [(zone, zones[zone], role) for zone, role in roles.items() if zone != hand and role is not ZoneRole.PLAYED]
    if table.rows[place] == 0:
        beside = len(places) * 1.25 * width
        if hand is not None:
            yield from _hand(zones[hand], box.x + beside / 2, y, box.w - 12 - beside, table)
        for k, (_, cards, role) in enumerate(places):
            yield from _stack(role, cards, box.x - box.w / 2 + 6 + (k + 0.55) * 1.25 * width, y, table)
    else:
        if hand is not None:
            yield from _hand(zones[hand], box.x, y, box.w - 12, table)
            y += inwards * 1.14 * height
        per_row = ceil(len(places) / table.rows[place]) or 1
        for row in range(0, len(places), per_row)[::inwards]:  # read from above, in whichever order the seat is built
            yield from _places(places[row : row + per_row], box, y, table)
            y += inwards * 1.1 * height
    played = [card for zone, role in roles.items() if role is ZoneRole.PLAYED for card in zones[zone]]
    yield from _played(played, dx, dy, table)


def _played(cards: list[int], dx: float, dy: float, table: Plan) -> Iterator[Item]:
    """Played cards in the middle, in front of their seat; those of seats at the sides keep to their side."""
    if not cards:
        return
    centre, width = table.centre, table.width
    room = _BESIDE * width if abs(dx) > 0.5 else centre.w
    step = min(0.36 * width, (room - width) / max(1, len(cards) - 1))
    spread = (len(cards) - 1) * step + width
    reach = (centre.w - spread) / 2
    x = centre.x + min(reach, max(-reach, dx * (centre.w - width) / 2))
    y = centre.y + dy * (centre.h - table.height) / 2
    for k, card in enumerate(cards):
        yield Card(card, x - spread / 2 + width / 2 + k * step, y)


def _hand(cards: Cards, x: float, y: float, room: float, table: Plan) -> Iterator[Item]:
    if not cards:
        return
    count = len(cards)
    step = min(0.62 * table.width, (room - table.width) / max(1, count - 1))
    fanned = table.height >= FAN and count > 1
    turn = min(2.4, 20 / count) if fanned else 0.0
    for k, card in enumerate(cards):
        off = k - (count - 1) / 2
        sag = (off / max(1.0, (count - 1) / 2)) ** 2 * 0.05 * table.height if fanned else 0.0
        yield Card(card, x + off * step, y + sag - (0.02 * table.height if fanned else 0), round(-off * turn))


def _places(row: Sequence[tuple[str, Cards, ZoneRole]], box: Box, y: float, table: Plan) -> Iterator[Item]:
    """Places side by side, each spread slightly so that its cards can be counted."""
    hidden = sum(max(0, len(cards) - 1) for _, cards, role in row if not role.is_stack)
    gap = 0.14 * table.width
    free = box.w - 12 - len(row) * (table.width + gap)
    step = min(0.36 * table.width, free / hidden) if hidden else 0.0
    room = len(row) * (table.width + gap) - gap + hidden * step
    x = box.x - room / 2 + table.width / 2
    for zone, cards, role in row:
        if not cards or role.is_stack:
            yield from _stack(role, cards, x, y, table)
            spread = 0.0
        else:
            yield from (Card(card, x + k * step, y) for k, card in enumerate(cards))
            spread = (len(cards) - 1) * step
        if "/" in zone:
            yield Tag(zone.partition("/")[2], x + spread / 2, y + table.height / 2)
        x += table.width + gap + spread


def _stack(role: ZoneRole, cards: Cards, x: float, y: float, table: Plan) -> Iterator[Item]:
    """A stack with the top card on top and the number of cards; slightly thicker for many cards."""
    if not cards:
        yield Spot(x, y)
        return
    top = cards[0] if role is ZoneRole.STOCK else cards[-1]
    layers = min(len(cards), 1 + len(cards) // 3, 6)
    thick = max(1.2, table.height * 0.016)
    for k in range(layers):
        lift = (layers - 1) / 2 - k
        yield Card(top, x + lift * thick, y + lift * thick)
    if len(cards) > 1:
        yield Badge(len(cards), x + table.width / 2 - 2, y - table.height / 2 + 2)


def _middle(scene: Scene, table: Plan) -> Iterator[Item]:
    """The zones without a seat, in a row in the middle with their names below, and melds in rows under them."""
    width, common = table.width, scene.common
    stacks, melds = _by_row(scene.lying[1])
    count, per_row = _meld_rows(len(melds))
    rooms = [_room(role, table.height) for _, role in stacks]
    x = table.centre.x - sum(rooms) / 2
    y = table.centre.y - _CAPTION / 2 - count * 0.55 * table.height
    for (zone, role), room in zip(stacks, rooms, strict=True):
        cards, middle = common[zone], x + room / 2
        if not cards or role.is_stack:
            yield from _stack(role, cards, middle, y, table)
        else:
            step = min(0.5 * width, (room - 1.2 * width) / max(1, len(cards) - 1))
            for k, card in enumerate(cards):
                yield Card(card, middle + (k - (len(cards) - 1) / 2) * step, y)
        yield Caption(zone.replace("_", " ").replace("/", " "), middle, y + table.height / 2 + _CAPTION * 0.7)
        x += room
    for number, zone in enumerate(melds):
        row, place = divmod(number, per_row)
        in_row = min(per_row, len(melds) - row * per_row)
        middle = table.centre.x + (place - (in_row - 1) / 2) * _MELD_ROOM * width
        yield from _meld(zone, common[zone], middle, y + (row + 1) * 1.1 * table.height + _CAPTION, table)


def _meld(zone: str, cards: Cards, x: float, y: float, table: Plan) -> Iterator[Item]:
    """A meld with spread cards and its number below."""
    step = min(0.3 * table.width, (_MELD_ROOM - 1.15) * table.width / max(1, len(cards) - 1))
    for k, card in enumerate(cards):
        yield Card(card, x + (k - (len(cards) - 1) / 2) * step, y)
    yield Tag(zone.partition("/")[2], x, y + table.height / 2)
