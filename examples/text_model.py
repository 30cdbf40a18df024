"""A language model of your own, from nothing: games are recorded as text, a small decoder transformer learns to answer as the
recorded player did, and is served through OpenAI's chat interface and ranked as any other language model.

    python examples/text_model.py record hearts_v0 -o deck=standard --games 2190 --out runs/text-hearts
    python examples/text_model.py train runs/text-hearts --skip 'face down|played|points$'
    python examples/text_model.py evaluate runs/text-hearts --against random
    python examples/text_model.py serve runs/text-hearts  # then llm:model=text-model,... wherever agents are named

The text is all that it learns from: its words are what stands between spaces in the records. That an answer has to be one of
the actions that a prompt lists, it finds out from them.
"""

from __future__ import annotations

import argparse
import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.llm.exchanges import exchanges
from wilddeck.agents.llm.prompts import Template
from wilddeck.agents.play import evaluate, play_game
from wilddeck.testing.brains import Messages, text_of
from wilddeck.testing.chat_server import ChatServer

NAME = "text-model"
MARK = "Answer:"  # ends the prompt; what a client says behind it is not read
TEMPLATE = f"""
---
$state
$cards
$actions
{MARK}
"""
END, OTHER = "<end>", "<other>"  # of an answer; words that the records do not have
HELD_OUT = 0.02  # of the records


# --- record ---


def record(
    folder: Path, game_id: str, values: dict[str, Any], games: int, player: str = "rules", others: str = "random", seed: int = 1
) -> None:
    """Write `games.jsonl`, a line a decision of the player, and `template.txt`, of which the prompts are made.

    In game k the player has k mod P + 1 of the P seats, and the other agent the rest, so that what happens after bad play is
    recorded, too; what the other agent does is not.
    """
    game, options = envs.resolve(game_id, values)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "game.json").write_text(json.dumps({"game": game.id, "options": values}), encoding="utf-8")
    (folder / "template.txt").write_text(TEMPLATE, encoding="utf-8")
    template = Template.read(folder / "template.txt")
    of_player, of_others = (agents.make(spec, game, options) for spec in (player, others))
    rng = np.random.default_rng(seed)
    with (folder / "games.jsonl").open("w", encoding="utf-8") as file:
        for k in range(games):
            own = {*rng.permutation(options.num_players)[: k % options.num_players + 1].tolist()}

            def note(env: Any, action: int, own: set[int] = own) -> None:
                if env.current_player in own:
                    view = View.of(env)
                    (message,) = template.messages(view, "none")
                    file.write(json.dumps({"prompt": message["content"], "answer": view.label(action)}) + "\n")

            seats = [of_player if seat in own else of_others for seat in range(options.num_players)]
            play_game(game, options, seats, seed + k, on_step=note)


# --- model ---


def read(prompt: str, skip: str) -> str:
    """A prompt up to its mark, without the lines that the model does not read."""
    lines = prompt[: prompt.index(MARK) + len(MARK)].splitlines()
    return "\n".join(line for line in lines if not (skip and re.search(skip, line)))


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.query_key_value, self.merge = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, length, width = x.shape
        parts = self.query_key_value(self.norms[0](x)).view(rows, length, 3, self.heads, width // self.heads)
        attended = functional.scaled_dot_product_attention(*parts.permute(2, 0, 3, 1, 4), is_causal=True)
        x = x + self.merge(attended.transpose(1, 2).reshape(rows, length, width))
        return x + self.mlp(self.norms[1](x))


class TextModel(nn.Module):
    """A decoder transformer over words.

    Args:
        words: those that it knows; END and OTHER are the first.
        length: the most words that it reads, prompt and answer together.
        skip: a regular expression; lines of a prompt that match are not read.
    """

    def __init__(
        self, words: Sequence[str], length: int, skip: str = "", width: int = 160, layers: int = 4, heads: int = 5
    ) -> None:
        super().__init__()
        self.skip, self.shape = skip, {"length": length, "skip": skip, "width": width, "layers": layers, "heads": heads}
        self.words, self.numbers = list(words), {word: k for k, word in enumerate(words)}
        self.embedding = nn.Parameter(0.02 * torch.randn(len(words), width))
        self.places = nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)), nn.LayerNorm(width))

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """int64 [B, L], numbers of words -> float32 [B, L, WIDTH], what comes after each of them; see `logits`."""
        return self.blocks(self.embedding[text] + self.places[: text.shape[1]])

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """float32 [..., WIDTH] -> [..., number of words]."""
        return states @ self.embedding.T

    def encode(self, text: str) -> list[int]:
        return [self.numbers.get(word, self.numbers[OTHER]) for word in text.split()]

    @torch.inference_mode()
    def answer(self, prompt: str, temperature: float = 0.0, seed: int = 0) -> str:
        """The words that it goes on with, up to END: the likeliest, or with a temperature drawn."""
        length = len(self.places)
        text = self.encode(read(prompt, self.skip))[-length + 1 :]
        said: list[str] = []
        rng = np.random.default_rng(seed)
        while len(text) < length:
            logits = self.logits(self(torch.tensor([text]))[0, -1])
            if temperature:
                probs = (logits / temperature).softmax(0).double().numpy()
                text.append(int(rng.choice(len(probs), p=probs / probs.sum())))
            else:
                text.append(int(logits.argmax()))
            if self.words[text[-1]] == END:
                break
            said.append(self.words[text[-1]])
        return " ".join(said)

    def save(self, path: Path) -> None:
        about = {"words": json.dumps(self.words), "shape": json.dumps(self.shape)}
        save_file(self.state_dict(), path, about)

    @classmethod
    def load(cls, path: Path) -> TextModel:
        with safe_open(path, "pt") as file:
            about = file.metadata()
            model = cls(json.loads(about["words"]), **json.loads(about["shape"]))
            model.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118 - no mapping
        return model.eval()


# --- train ---


def train(
    folder: Path, epochs: int = 1, batch: int = 64, rate: float = 1e-3, seed: int = 1, go_on: bool = False, **shape: Any
) -> dict[str, float]:
    """Learn from `games.jsonl`, by cross-entropy on the answers alone; writes `model.safetensors`.

    Args:
        rate: of learning; it rises for the first twentieth of the steps and then falls to 0.
        go_on: begin with the `model.safetensors` that is there.
        shape: of a new model, as `TextModel` takes it.

    Returns:
        Of the decisions that were held out: the share that is answered as the recorded player did ("same"), and that of legal
        answers ("legal"); the number of "weights", of "decisions" learned from, the "words" of the longest, and the "seconds"
        of a processor that it took.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    began = time.process_time()
    lines = (folder / "games.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    model = TextModel.load(folder / "model.safetensors").train() if go_on else None
    skip = shape.get("skip", "") if model is None else model.skip
    texts = [(read(row["prompt"], skip), f"{row['answer']} {END}") for row in records]
    longest = max(len(f"{prompt} {answer}".split()) for prompt, answer in texts)
    if model is None:
        known = {word for prompt, answer in texts for word in f"{prompt} {answer}".split()} - {END, OTHER}
        model = TextModel([END, OTHER, *sorted(known)], longest + longest // 2, **shape)
    held_out = max(1, round(HELD_OUT * len(texts)))
    examples = [(np.array(model.encode(f"{prompt} {answer}")), len(prompt.split())) for prompt, answer in texts[:-held_out]]
    steps = -(-len(examples) // batch) * epochs
    optimizer = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min((k + 1) / (1 + steps // 20), 1 - k / steps))
    for step, rows in enumerate(_batches([len(text) for text, _ in examples], batch, epochs, seed), 1):
        loss = _loss(model, [examples[row] for row in rows])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 200 == 0:
            print(f"step {step} of {steps}: loss {loss.item():.3f}, {time.process_time() - began:.0f} s", flush=True)
    model.save(folder / "model.safetensors")
    model.eval()
    tried = [(row, model.answer(row["prompt"])) for row in records[-held_out:][:1000]]
    return {
        "same": float(np.mean([answer == row["answer"] for row, answer in tried])),
        "legal": float(np.mean([answer in _labels(row["prompt"]) for row, answer in tried])),
        "weights": sum(weights.numel() for weights in model.parameters()),
        "decisions": len(examples) * epochs,
        "words": longest,
        "seconds": time.process_time() - began,
    }


def _batches(lengths: Sequence[int], batch: int, epochs: int, seed: int) -> Iterator[np.ndarray]:
    """Rows in random order, those of a batch about as long as one another."""
    rng, of_all = np.random.default_rng(seed), np.asarray(lengths)
    for _ in range(epochs):
        shuffled = rng.permutation(len(of_all))
        for start in range(0, len(shuffled), 64 * batch):
            rows = shuffled[start : start + 64 * batch]
            rows = rows[np.argsort(of_all[rows], kind="stable")]
            parts = [rows[k : k + batch] for k in range(0, len(rows), batch)]
            yield from (parts[k] for k in rng.permutation(len(parts)))


def _loss(model: TextModel, examples: Sequence[tuple[np.ndarray, int]]) -> torch.Tensor:
    """Of texts, each with the number of words of its prompt."""
    text = np.zeros((len(examples), max(len(words) for words, _ in examples)), np.int64)
    is_answer = np.zeros(text.shape, np.bool_)
    for k, (words, start) in enumerate(examples):
        text[k, : len(words)] = words
        is_answer[k, start : len(words)] = True
    states = model(torch.from_numpy(text[:, :-1]))[torch.from_numpy(is_answer[:, 1:])]
    return functional.cross_entropy(model.logits(states), torch.from_numpy(text[is_answer]))


def _labels(prompt: str) -> list[str]:
    return re.findall(r"^\d+: (.*)$", prompt, re.M)


# --- serve and evaluate ---


class Answers:
    """The model as what answers behind `ChatServer`: it says its action as a line, and knows neither schemas nor tools."""

    def __init__(self, model: TextModel) -> None:
        self.model, self._lock = model, threading.Lock()

    def __call__(self, messages: Messages, request: dict[str, Any]) -> str:
        prompt = next((text for text in map(text_of, messages) if MARK in text), None)
        if prompt is None:
            raise ValueError(f"a prompt of this model ends with {MARK!r}: use its template.txt")
        with self._lock:
            said = self.model.answer(prompt, request.get("temperature") or 0.0, request.get("seed") or 0)
        return f"ACTION: {said}"


def server(folder: Path, port: int = 0) -> ChatServer:
    """A running server of the folder's model."""
    torch.set_num_threads(1)
    answers = Answers(TextModel.load(folder / "model.safetensors"))
    return ChatServer(answers, models=[NAME], refuses=["json_schema", "tools"], port=port)


def spec_of(folder: Path, base_url: str) -> str:
    """The model as an agent."""
    return f"llm:model={NAME},base_url={base_url},template={folder / 'template.txt'},rules=none,failure=random"


def evaluated(folder: Path, against: str, deals: int, seed: int) -> str:
    """Play against others, through the agent `llm`, the real client and a server; says the return and the share of legal
    answers. (An answer that is not legal is asked for once more, and then a random action is played.)"""
    about = json.loads((folder / "game.json").read_text(encoding="utf-8"))
    kept = folder / f"exchanges-{time.time_ns()}.jsonl"
    with server(folder) as running:
        spec = f"{spec_of(folder, running.base_url)},exchanges={kept}"
        result = evaluate(spec, against, about["game"], about["options"], deals, seed)
    first = [exchange for exchange in exchanges(kept).all() if exchange.attempt == 0]
    legal = sum(exchange.action is not None for exchange in first)
    return f"against {against}: {result}; {legal} of {len(first)} answers legal ({legal / len(first):.2%})"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A language model of your own, from nothing")
    commands = parser.add_subparsers(dest="command", required=True)
    of_record = commands.add_parser("record", help="play games and write them down as text")
    of_record.add_argument("game")
    of_record.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    of_record.add_argument("--player", default="rules", help="whose decisions are recorded (default rules)")
    of_record.add_argument("--others", default="random", help="who sits on the other seats (default random)")
    of_record.add_argument("--games", type=int, default=3000)
    of_record.add_argument("--out", type=Path, default=Path("runs/text"))
    of_train = commands.add_parser("train", help="learn from the recorded text")
    of_train.add_argument("--epochs", type=int, default=1, help="how often each decision is learned from (default 1)")
    of_train.add_argument("--skip", default="", metavar="REGEX", help="lines of a prompt that the model does not read")
    of_train.add_argument("--batch", type=int, default=64)
    of_train.add_argument("--rate", type=float, default=1e-3)
    for name, default in (("width", 160), ("layers", 4), ("heads", 5)):
        of_train.add_argument(f"--{name}", type=int, default=default)
    of_train.add_argument("--go-on", action="store_true", help="begin with the model that is there, of its shape")
    of_serve = commands.add_parser("serve", help="answer as a language model")
    of_serve.add_argument("--port", type=int, default=8001)
    of_evaluate = commands.add_parser("evaluate", help="play against others, as a language model")
    of_evaluate.add_argument("--against", default="random")
    of_evaluate.add_argument("--deals", type=int, default=100)
    for command in (of_train, of_serve, of_evaluate):
        command.add_argument("folder", type=Path)
    # deals of seeds that are near one another are the same: those of the evaluation must be far from the recorded
    for command, seed in ((of_record, 1), (of_train, 1), (of_evaluate, 1_000_000)):
        command.add_argument("--seed", type=int, default=seed)
    chosen = vars(parser.parse_args(arguments))
    command = chosen.pop("command")
    if command == "record":
        values = dict(text.split("=", 1) for text in chosen.pop("option"))
        values = {name: int(value) if value.isdecimal() else value for name, value in values.items()}
        record(chosen.pop("out"), chosen.pop("game"), values, **chosen)
    elif command == "train":
        print(train(**chosen))
    elif command == "evaluate":
        print(evaluated(**chosen))
    else:
        with server(**chosen) as running:
            print(spec_of(chosen["folder"], running.base_url), "(Ctrl-C ends it)", flush=True)
            threading.Event().wait()


if __name__ == "__main__":
    main()
