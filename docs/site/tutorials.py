"""Tutorials: of each script in examples/tutorials jupytext makes a notebook, which is executed, and of that comes a page.

    python docs/site/tutorials.py examples/tutorials/play.py build/tutorials/play.ipynb

executes one (`make docs` those that have changed). It runs in an empty folder.
"""

from __future__ import annotations

import base64
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "examples" / "tutorials"
EXECUTED = ROOT / "build" / "tutorials"
SECONDS = 600  # for a cell, which may compile
_KERNEL = {"KernelManager": {"transport_encryption": "auto"}}  # else it warns
_FRAME = '<!doctype html><meta charset="utf-8"><style>body {{ margin: 0 }} iframe {{ border: 0 }}</style>{}'
_HEADING = re.compile(r"^#+ (.*)", re.M)


def execute(script: Path, to: Path) -> None:
    """Make the notebook of a script, with what its cells return.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell raised an error.
    """
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = jupytext.read(script)
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    with tempfile.TemporaryDirectory() as folder:
        run_in = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS, coalesce_streams=True, resources=run_in, config=Config(_KERNEL)).execute()
    to.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, to)


def page(name: str, executed: Path) -> tuple[str, dict[str, bytes]]:
    """A tutorial as Markdown, and the files that it links: pictures, replays and the notebook. Where the script has changed
    since it was executed, or never was, there are cells only."""
    notebook = jupytext.read(SCRIPTS / f"{name}.py")
    made = nbformat.read(executed, 4) if executed.exists() else notebook
    if [cell.source for cell in made.cells] == [cell.source for cell in notebook.cells]:
        notebook = made
    files: dict[str, bytes] = {f"{name}.ipynb": nbformat.writes(notebook).encode()}
    parts, heading = [], name
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (_HEADING.findall(cell.source) or [heading])[-1]
            parts.append(_linked(cell.source))
        else:
            parts.append(f"```python\n{cell.source}\n```")
            parts += [_shown(output, f"{name}_{len(files)}", heading, files) for output in cell.get("outputs", [])]
    title, *rest = parts
    source = f"The script is `examples/tutorials/{name}.py`, and here is [its notebook]({name}.ipynb)."
    return "\n\n".join([title, source, *rest]) + "\n", files


def _linked(text: str) -> str:
    """Links between scripts lead to their pages, those into docs/ to where the site has it."""
    return re.sub(r"\]\((\w+)\.py\)", r"](\1.md)", text).replace("](../../docs/", "](../")


def _shown(output: Any, stem: str, heading: str, files: dict[str, bytes]) -> str:
    """What a page shows of a cell's output: of its forms the best. What is said on stderr, such as that something is compiled,
    is left out."""
    if output.output_type == "stream":
        return _text(output.text) if output.name == "stdout" else ""
    data = output.data
    if "text/html" in data:
        files[f"{stem}.html"] = _FRAME.format(data["text/html"]).encode()
        return f'<iframe src="{stem}.html" title="{heading}"></iframe>'
    if "image/svg+xml" in data:
        files[f"{stem}.svg"] = data["image/svg+xml"].encode()
        return f"![{heading}]({stem}.svg)"
    if "image/png" in data:
        files[f"{stem}.png"] = base64.b64decode(data["image/png"])
        return f"![{heading}]({stem}.png)"
    return data.get("text/markdown") or _text(data["text/plain"])


def _text(text: str) -> str:
    return f"``` {{.text .output}}\n{text.rstrip()}\n```"


if __name__ == "__main__":
    execute(*map(Path, sys.argv[1:]))
