"""Tables as SVG: a picture of a game, and one that moves."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
import wilddeck
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.render import svg_picture
from wilddeck.envs.core.render.scene import Scene
from wilddeck.envs.core.render.vector import Svg, seen, svg_of

pytestmark = pytest.mark.interpreted
SVG = "{http://www.w3.org/2000/svg}"


def tennis(moves: int = 0) -> CardGameEnv:
    env = wilddeck.envs.tennis_v0.raw_env(num_players=2, dealer=0, render_mode="svg")
    env.reset(seed=1, options={"deck": list(range(48))})
    for _ in range(moves):
        env.step(env.legal_actions()[0])
    return env


def cards(text: str) -> list[str]:
    """What lies on the table, by the names of the pictures."""
    return [use.attrib["href"][1:] for use in ElementTree.fromstring(text).iterfind(f".//{SVG}use[@width]")]


def at(text: str, share: float) -> str:
    """What a picture that moves shows when so much of its time is over, as the picture of that moment."""
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        kept = []
        for child in list(parent):
            animation = child.find(f"{SVG}animate")
            if animation is not None:
                steps = zip(animation.attrib["keyTimes"].split(";"), animation.attrib["values"].split(";"), strict=True)
                if [value for time, value in steps if float(time) <= share][-1] == "hidden":
                    continue
                child.remove(animation)
                kept += list(child)
            else:
                kept.append(child)
        parent[:] = kept
    return drawn(ElementTree.tostring(root, encoding="unicode"))


def drawn(text: str) -> str:
    """All of a picture but its definitions."""
    root = ElementTree.fromstring(text)
    root.remove(root.find(f"{SVG}defs"))  # type: ignore[arg-type]
    return re.sub(r"\s", "", ElementTree.tostring(root, encoding="unicode"))


def test_a_picture_shows_all_cards_and_a_seat_only_its_own() -> None:
    env = tennis()
    truth, own = env.render(), svg_picture(env, "player_0")
    hands = {f"card{card}" for seat in (0, 1) for card in env.zones()[f"hand/{seat}"]}
    assert hands < set(cards(truth)) and "back" not in cards(truth)
    theirs = {f"card{card}" for card in env.zones()["hand/1"]}
    assert hands - theirs < set(cards(own)) and "back" in cards(own)
    assert not any(f'"{card}"' in own for card in theirs), "nor are their pictures in it"


def test_a_picture_that_moves_shows_each_moment_in_its_time() -> None:
    scenes = [seen(tennis(moves)) for moves in range(6)]
    moving = svg_of(scenes, seconds=2)
    assert 'dur="12s"' in moving
    for number, scene in enumerate(scenes):
        assert at(moving, (number + 0.5) / len(scenes)) == drawn(svg_of([scene]))
    still = re.sub(r"<animate .*?/>", "", moving)  # for what does not move pictures
    visible = re.sub(r'<g visibility="hidden">.*?</g>', "", still).replace('<g visibility="visible">', "").replace("</g>", "")
    assert re.sub(r"<defs>.*</defs>", "", visible) == re.sub(r"<defs>.*</defs>", "", svg_of(scenes[-1:]).replace("</g>", ""))


def test_notebooks_show_the_environment() -> None:
    for env in (wilddeck.envs.tennis_v0.env(), wilddeck.envs.tennis_v0.raw_env()):
        assert env._repr_svg_() is None
        env.reset(seed=1)
        assert env._repr_svg_() == svg_picture(env)
    picture = tennis().render()
    assert isinstance(picture, Svg) and picture._repr_svg_() == picture


def test_what_is_said_is_text() -> None:
    scene = Scene("<b>&", (), ('"><script>', "x" * 900), ({"hand": (1,)}, {"hand": ()}), {}, 0, (1.0, -1.0))
    text = svg_of([scene])
    assert "<script" not in text and "<b>" not in text
    assert "+1 point" in text and ElementTree.fromstring(text).tag == f"{SVG}svg"
