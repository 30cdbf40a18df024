"""Cards, layout and screens with pygame-ce, without a display."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import wilddeck
from support import first_of, output_of, run_python, short

pygame = pytest.importorskip("pygame")

from wilddeck.envs.core import render  # noqa: E402
from wilddeck.envs.core.facts import Fact  # noqa: E402
from wilddeck.envs.core.render import arrangement, faces, screen  # noqa: E402
from wilddeck.envs.core.zones import ZoneRole  # noqa: E402

SIX_PLACES = ("hand", *(f"defence/{k}" for k in range(6)))
MIDDLE = ("attack", "discard", "undealt")
ROLES = {
    "hand": ZoneRole.HAND,
    "pile": ZoneRole.STOCK,
    "undealt": ZoneRole.STOCK,
    "discard": ZoneRole.HEAP,
    "table": ZoneRole.PLAYED,
    "trick": ZoneRole.PLAYED,
    "attack": ZoneRole.PLAYED,
}


def tennis(moves: int = 5, **options: object) -> wilddeck.envs.core.aec.CardGameEnv:
    env = wilddeck.envs.tennis_v0.raw_env(**options)
    env.reset(seed=3)
    for _ in range(moves):
        env.step(env.legal_actions()[0])
    return env


@pytest.fixture
def window() -> Iterator[render.Screen]:
    made = render.Screen("human")
    yield made
    made.close()


# --- cards ---


@pytest.mark.parametrize("height", [40, 80, 130])
def test_all_faces_and_the_back_differ(height: int) -> None:
    pictures = {pygame.image.tobytes(faces.card(card, height), "RGBA") for card in range(-1, 66)}
    assert len(pictures) == 67


@pytest.mark.parametrize("height", [40, 130])
def test_a_card_has_its_size_and_clear_corners(height: int) -> None:
    card, margin = faces.card(20, height), faces.margin(height)
    assert card.get_size() == (faces.width(height) + 2 * margin, height + 2 * margin)
    pixels = pygame.surfarray.array_alpha(card)
    assert pixels[0, 0] == 0
    assert pixels[card.get_width() // 2, card.get_height() // 2] == 255


def test_pips_are_as_many_as_the_rank() -> None:
    """Counted in the picture: red areas of a card without its corners."""
    for rank in range(9):
        card = pygame.surfarray.array3d(faces.card(rank * 4 + 1, 300)).astype(int)  # diamonds, whose signs never touch
        red = (card[:, :, 0] - card[:, :, 1]) > 90
        left = faces.margin(300) + round(0.185 * 300)
        right = card.shape[0] - left
        assert _areas(red[left:right]) == rank + 2, wilddeck.cards.text([rank * 4 + 1])


def _areas(mask: np.ndarray) -> int:
    """Connected areas of a mask."""
    left = {(int(x), int(y)) for x, y in np.argwhere(mask)}
    count = 0
    while left:
        count += 1
        waiting = [left.pop()]
        while waiting:
            x, y = waiting.pop()
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if near in left:
                    left.remove(near)
                    waiting.append(near)
    return count


# --- layout ---


@pytest.mark.parametrize("players", short(range(2, 13), [2, 4, 7, 12]))
@pytest.mark.parametrize("zones", [("hand", "pile", "table"), SIX_PLACES, ("hand",)], ids=["tennis", "six places", "hand"])
@first_of("size", [(1280, 800), (1000, 1000), (900, 600)])
def test_seats_do_not_overlap_and_stay_inside(players: int, zones: tuple[str, ...], size: tuple[int, int]) -> None:
    plan = _plan(size, players, zones, MIDDLE)
    boxes = [*plan.panels, plan.centre]
    assert all(a.apart(b, 0) for a, b in combinations(boxes, 2))
    for box in plan.panels:
        assert box.x - box.w / 2 >= 0
        assert box.x + box.w / 2 <= size[0]
        assert box.y - box.h / 2 >= arrangement.STATUS
        assert box.y + box.h / 2 <= size[1]


def test_seats_follow_clockwise_from_the_bottom() -> None:
    directions = _plan((1280, 800), 4, ("hand",)).directions
    assert [(round(x), round(y)) for x, y in directions] == [(0, 1), (-1, 0), (0, -1), (1, 0)]


@pytest.mark.parametrize("cards", [1, 6, 13, 40])
def test_hands_stay_inside_their_seat(cards: int) -> None:
    scene = _scene([{"hand": tuple(range(cards))} for _ in range(5)])
    plan = _plan((1280, 800), 5, ("hand",))
    drawn = [item for item in arrangement.items(scene, (1280, 800)) if isinstance(item, arrangement.Card)]
    assert len(drawn) == 5 * cards
    for item in drawn:
        box = min(plan.panels, key=lambda panel: abs(panel.x - item.x) + abs(panel.y - item.y))
        assert abs(item.x - box.x) + plan.width / 2 <= box.w / 2
        assert abs(item.y - box.y) + plan.height / 2 <= box.h / 2 + 0.06 * plan.height


@pytest.mark.parametrize("cards", [1, 6, 13])
@pytest.mark.parametrize("players", [2, 4, 6])
def test_what_is_played_stays_inside_the_middle(players: int, cards: int) -> None:
    """And so off the hands, however many cards a seat has in front of it."""
    seats = [{"hand": tuple(range(13)), "trick": (), "played": ()} for _ in range(players)]
    for seat in range(players):
        zones = [*seats[:seat], {**seats[seat], "trick": tuple(range(30, 30 + cards))}, *seats[seat + 1 :]]
        plan = _plan((1280, 800), players, ("hand", "trick", "played"))
        drawn = [
            item
            for item in arrangement.items(_scene(zones), (1280, 800))
            if isinstance(item, arrangement.Card) and item.card >= 30
        ]
        assert len(drawn) == cards
        for item in drawn:
            assert abs(item.x - plan.centre.x) + plan.width / 2 <= plan.centre.w / 2 + 0.01
            assert abs(item.y - plan.centre.y) + plan.height / 2 <= plan.centre.h / 2 + 0.01


def test_every_card_of_a_spread_zone_is_drawn_once() -> None:
    zones = {"hand": (1, 2, 3), **{f"defence/{k}": (10 + 2 * k, 11 + 2 * k) for k in range(6)}}
    scene = _scene([zones, {}, {}], {"attack": (40, 41), "discard": (50, 51)})
    drawn = [item.card for item in arrangement.items(scene, (1280, 800)) if isinstance(item, arrangement.Card)]
    assert sorted(card for card in drawn if card < 50) == [1, 2, 3, *range(10, 22), 40, 41]
    assert 50 not in drawn  # it lies below 51


def test_stacks_say_how_many_cards_they_hold() -> None:
    scene = _scene([{"pile": (7, 8, 9)}, {"pile": ()}], {"discard": (1, 2)})
    items = arrangement.items(scene, (1280, 800))
    assert [item.cards for item in items if isinstance(item, arrangement.Badge)] == [3, 2]
    assert {item.card for item in items if isinstance(item, arrangement.Card)} == {7, 2}  # the top of a pile is its first card
    assert sum(isinstance(item, arrangement.Spot) for item in items) == 1


def _scene(seats: list[dict[str, tuple[int, ...]]], common: dict[str, tuple[int, ...]] | None = None) -> render.Scene:
    names = tuple(f"player_{seat}" for seat in range(len(seats)))
    return render.Scene(
        "A game", (Fact("a line"), Fact("another", sep="\n")), names, tuple(seats), common or {}, 0, None, roles=ROLES
    )


def _plan(size: tuple[int, int], players: int, of_seats: tuple[str, ...], common: tuple[str, ...] = ()) -> arrangement.Plan:
    scene = _scene([dict.fromkeys(of_seats, ())] * players, dict.fromkeys(common, ()))
    return arrangement.plan(size, players, *scene.lying)


# --- frames ---


def test_frames() -> None:
    env = tennis(render_mode="rgb_array")
    first = env.render()
    assert (first.shape, first.dtype) == ((800, 1280, 3), np.uint8)
    assert first.std() > 10
    np.testing.assert_array_equal(env.render(), first)
    env.step(env.legal_actions()[0])
    assert (env.render() != first).any()
    assert first.flags.writeable
    env.close()
    np.testing.assert_array_equal(tennis(render_mode="rgb_array").render(), first)


def test_frames_of_another_size() -> None:
    assert render.Screen("rgb_array", size=(640, 480)).draw(tennis()).shape == (480, 640, 3)


def test_a_frame_shows_the_truth_and_a_seat_only_what_it_knows() -> None:
    env = tennis()
    other = env.determinize("player_2", seed=5)
    assert (render.Screen("rgb_array").draw(other) != render.Screen("rgb_array").draw(env)).any()
    seen = [render.Screen("rgb_array", viewer="player_2").draw(game) for game in (env, other)]
    np.testing.assert_array_equal(*seen)
    assert (seen[0] != render.Screen("rgb_array", viewer="player_1").draw(env)).any()


def test_twelve_seats_at_the_end_with_a_long_status_line() -> None:
    seats = [dict.fromkeys(SIX_PLACES, (k, -1, 65)) for k in range(12)]
    base = _scene(seats, dict.fromkeys(MIDDLE, (3,)))
    ended = replace(base, facts=(Fact("words " * 80),), to_move=-1, returns=tuple(float(k == 3) for k in range(12)))
    canvas = pygame.Surface((1280, 800), depth=32)
    screen.paint(canvas, ended)
    assert pygame.surfarray.array3d(canvas).std() > 10


# --- windows ---


def test_a_window_opens_closes_and_opens_again(window: render.Screen) -> None:
    env = tennis()
    for _ in range(2):
        assert window.draw(env) is None
        assert window._window is not None
        window.close()
        assert window._window is None


def test_a_window_its_user_closes_stays_closed(window: render.Screen) -> None:
    env = tennis()
    window.draw(env)
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=window._window))
    window.draw(env)
    assert window._window is None
    env.step(env.legal_actions()[0])
    window.draw(env)
    assert window._window is None
    window.close()
    window.draw(env)
    assert window._window is not None


def test_two_windows_do_not_disturb_each_other(window: render.Screen) -> None:
    env, second = tennis(), render.Screen("human")
    window.draw(env)
    second.draw(env)
    second.close()
    env.step(env.legal_actions()[0])
    window.draw(env)
    assert window._window is not None


def test_a_window_keeps_its_picture_when_it_is_resized(window: render.Screen) -> None:
    window.draw(tennis())
    window._window.size = (900, 700)  # type: ignore[union-attr]
    window.draw(tennis())
    surface = window._window.get_surface()  # type: ignore[union-attr]
    assert surface.get_size() == (900, 700)
    assert pygame.surfarray.array3d(surface).std() > 10


def test_copies_of_an_environment_have_no_window() -> None:
    env = tennis(render_mode="human")
    env.render()
    assert env._screen is not None
    for made in (env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert made._screen is None
        made.close()
    env.close()


def test_any_description_is_drawn() -> None:
    """A game may have nothing to say. In a process of its own, which pygame would end."""
    code = (
        "import dataclasses, wilddeck; env = wilddeck.envs.tennis_v0.raw_env(render_mode='rgb_array')\n"
        "from wilddeck.envs.core.facts import Fact\n"
        "for text in ('', ' \\n\\n', '{0}: \\u200b', '\\u200b', 'a\\0b', '{99', '\\ud800', 'a' * 5000):\n"
        "    facts = [Fact(text), Fact(text, 0)]\n"
        "    env.game = dataclasses.replace(env.game, describe=lambda state, viewer=None: facts); env.reset(seed=1)\n"
        "    print(env.render().shape)"
    )
    assert output_of(code).splitlines() == ["(800, 1280, 3)"] * 8


def test_unknown_mode() -> None:
    with pytest.raises(ValueError, match="'human' or 'rgb_array', not 'ansi'"):
        render.Screen("ansi")


@pytest.mark.parametrize("module", ["None", "types.ModuleType('pygame')"], ids=["missing", "not ce"])
def test_without_pygame_ce_text_works_and_pictures_say_what_to_install(module: str) -> None:
    done = run_python(
        f"import sys, types; sys.modules['pygame'] = {module}\n"
        "import wilddeck\n"
        "env = wilddeck.envs.tennis_v0.raw_env(render_mode='rgb_array'); env.reset(seed=1)\n"
        "from wilddeck.envs.core import render; print(render.ansi(env)[:6])\n"
        "try: env.render()\n"
        "except ImportError as error: print(error)"
    )
    assert done.stdout.startswith("Tennis")
    assert "pip install wilddeck[ui]" in done.stdout


def test_text_needs_neither_pygame_nor_rich() -> None:
    code = "import sys, wilddeck.envs.core.render, wilddeck.agents.terminal; print({'pygame', 'rich'} & set(sys.modules))"
    assert output_of(code).strip() == "set()"
