"""A real browser, Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from serving import Server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DESK, PHONE = (1280, 800), (390, 780)
SIZES = {"desk": DESK, "phone": PHONE}
WITHIN = 600_000  # milliseconds; a game may have to be compiled first
# Pictures of every table, for people to look at. In the working folder they are ignored by git.
PICTURES = Path(os.environ.get("WILDDECK_SCREENSHOTS", "runs/screenshots"))

# What can be pressed at the own decision: legal cards, seats, piles, buttons.
PRESSABLE = (
    ".felt button.card.can:not(.chosen), .side button.can:not(.card):not(.chosen), #actions .buttons button, .amounts .strong"
)


@contextmanager
def page(browser: Browser, server: Server, size: tuple[int, int] = DESK) -> Iterator[Page]:
    """A page in a profile of its own, without motion, in which any error of a script, any refused content and any request to
    another place fails the test."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=size == PHONE, reduced_motion="reduce"
    )
    context.set_default_timeout(WITHIN)
    tab, wrong = context.new_page(), []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda message: wrong.append(message.text) if message.type == "error" and _ours(message.text) else None)
    tab.on("request", lambda request: None if request.url.startswith((server.url, "blob:")) else wrong.append(request.url))
    try:
        yield tab
        assert not wrong, wrong
    finally:
        context.close()


def _ours(text: str) -> bool:
    """Chromium reports lost connections and refused requests as errors, which the page tells the person itself."""
    return not any(part in text for part in ("ERR_CONNECTION", "WebSocket connection", "Failed to load resource"))


def ready(tab: Page) -> None:
    """Wait until it is the person's move, or the game is over."""
    tab.wait_for_selector("#actions.mine, .result")


def over(tab: Page) -> bool:
    return tab.query_selector(".result") is not None


def press_through(tab: Page, number: int, most: int = 1200) -> int:
    """Press what can be pressed until the game is over, or so many times; how many times it was."""
    for count in range(most):
        ready(tab)
        if over(tab):
            return count
        before = tab.inner_html("main")
        able = tab.query_selector_all(".buttons .strong") or tab.query_selector_all(PRESSABLE)
        assert able, "it is the person's move, but nothing can be pressed"
        able[(number + 7 * count) % len(able)].evaluate("element => element.click()")
        changed: Any = "before => document.querySelector('main').innerHTML !== before"
        tab.wait_for_function(changed, arg=before)
    return most


def picture(tab: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=PICTURES / f"{name}.png")


# What of a table is covered by something else, or out of reach: each as [what is wrong, its class, its text].
COVERED = """() => {
  const all = document.querySelectorAll(
    "#felt :is(.card, .badge, .plate, .note, .caption, .stakes, .spot, button), #actions :is(button, input, .hint, h2, td)");
  const wrong = [];
  const strip = (element) => { // of a card what the next one of its run, and the run below, leave of it
    const box = element.getBoundingClientRect();
    let { left, top, right, bottom } = box;
    const slot = element.matches(".card") ? element.closest(".slot") : null;
    const next = slot?.nextElementSibling?.getBoundingClientRect();
    if (next) right = Math.min(right, next.left);
    const below = slot?.closest(".run").nextElementSibling?.querySelector(".card")?.getBoundingClientRect();
    if (below) bottom = Math.min(bottom, below.top - 16);
    return { left, top, right, bottom };
  };
  const scrolled = [...document.querySelectorAll("#felt, #felt *, #actions")].filter((one) => one.scrollTop || one.scrollLeft);
  for (const one of scrolled) one.scrollTop = one.scrollLeft = 0;
  for (const element of all) {
    if (!element.checkVisibility() || element.closest("[aria-hidden]")) continue;
    const name = element.ariaLabel ?? element.textContent.slice(0, 30);
    const say = (what) => wrong.push([what, element.className, name]);
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, top, right, bottom } = strip(element);
    const least = element.matches("button.card") ? 18 : 4;
    if (right - left < least || bottom - top < least) { say("narrow"); continue; }
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) { say("outside"); continue; }
    const there = document.elementFromPoint(x, y);
    const over = `covered by ${there?.className || there?.tagName}`;
    if (!there || !(element.contains(there) || there.contains(element))) say(over);
  }
  for (const one of document.querySelectorAll("html, body, main, main *")) {
    const { overflowX, overflowY } = getComputedStyle(one);
    const moved = (one.scrollLeft && !/auto|scroll/.test(overflowX)) || (one.scrollTop && !/auto|scroll/.test(overflowY));
    if (moved) wrong.push(["scrolled where nobody can", one.getAttribute("class"), one.tagName]);
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(["wider than the window", "", ""]);
  return wrong;
}"""

# Of each text in sight its least contrast to what it lies on, where that is less than WCAG 2.2 AA asks: [ratio, class, text].
CONTRASTS = """() => {
  const parse = (text) => [...text.matchAll(/rgba?\\(([^)]*)\\)/g)].map(([, parts]) => parts.split(/[ ,/]+/).map(Number));
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((value, k) => value * a + below[k] * (1 - a));
  const light = (colour) => {
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (element) => { // all colours that may lie behind it
    if (!element) return [[255, 255, 255]];
    const style = getComputedStyle(element);
    const own = parse(style.backgroundImage).length ? parse(style.backgroundImage) : parse(style.backgroundColor);
    if (own.every(([, , , a = 1]) => a === 1)) return own;
    return grounds(element.parentElement).flatMap((below) => own.map((each) => over(each, below)));
  };
  const wrong = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
    if (!text || !element.checkVisibility() || element.closest("svg, option, :disabled")) continue;
    const style = getComputedStyle(element);
    const ratios = grounds(element).map((ground) => {
      const pair = [light(over(parse(style.color)[0], ground)), light(ground)].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    });
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const ratio = Math.min(...ratios);
    if (ratio < least) wrong.push([ratio.toFixed(2), element.className || element.tagName, text.slice(0, 20)]);
  }
  return wrong;
}"""
