"""Data sets as those of other libraries: Hugging Face's `datasets`, and Minari."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import MAX_SEED
from ..envs.registration import registry_id
from .extra import pyarrow
from .files import File, Place, check_release
from .packed import PackedRows
from .reading import Columns, Source, read, read_group


def hf_dataset(path: Place, columns: Sequence[str] | None = None, streaming: bool = False, **chosen: Any) -> Any:
    """The decisions of a data set as Hugging Face's `datasets` have them; nothing is fetched from anywhere.

    Args:
        path, columns, **chosen: as of `wilddeck.data.batches`.
        streaming: an `IterableDataset`, which reads as it goes, a shard a row group; else a `Dataset` in memory, whose
            observations, masks and histories stay packed until rows are taken.

    Returns:
        A dataset of numpy arrays; where they are streamed, `datasets` makes integers of them int64.

    Raises:
        DataError: as `wilddeck.data.batches`.
        ImportError: `datasets` is not installed.
    """
    try:
        import datasets
    except ImportError as error:
        raise ImportError(f"this needs Hugging Face's datasets: pip install datasets ({error})") from error
    if streaming:
        source = Source(path, columns, **chosen)
        first = source.read(*source.groups[0])
        kinds = {name: _feature(datasets, values) for name, values in first.items()}
        shards = {"groups": source.groups, "source": source}
        made = datasets.IterableDataset.from_generator(_examples, datasets.Features(kinds), gen_kwargs=shards)
        return made.with_format("numpy")
    found = read(path, columns, **chosen)
    packed = {name: rows for name, rows in found.items() if isinstance(rows, PackedRows)}
    table = pyarrow.table({name: np.arange(len(rows)) if name in packed else rows for name, rows in found.items()})

    def taken(rows: dict[str, list[Any]]) -> dict[str, Any]:
        return {
            name: packed[name][np.array(values, int)] if name in packed else np.array(values, found[name].dtype)
            for name, values in rows.items()
        }

    return datasets.Dataset(table).with_transform(taken)


def _feature(datasets: Any, column: Any) -> Any:
    """What Hugging Face calls the type of a column."""
    kind = datasets.Value("string" if column.dtype == object else column.dtype.name)
    if column.ndim == 3:
        return datasets.Array2D(column.shape[1:], column.dtype.name)
    return kind if column.ndim == 1 else datasets.List(kind, length=column.shape[1])


def _examples(groups: Sequence[tuple[File, int]], source: Source) -> Iterator[dict[str, Any]]:
    for file, group in groups:
        columns = {name: values[:] for name, values in source.read(file, group).items()}
        for row in range(len(columns[source.columns[0]])):
            yield {name: values[row] for name, values in columns.items()}


def to_minari(path: Place, name: str, about: Mapping[str, Any] | None = None, **chosen: Any) -> Any:
    """Write a data set of Minari, where it keeps them (`MINARI_DATASETS_PATH`): an episode is a game as one seat lived it.

    Its environment is the game's for one seat, `gymnasium.make("wilddeck/hearts-v0", mask="observation")`: observations are
    `{"observation": ..., "action_mask": ...}`, the last one what the seat saw at the end; rewards are all that it got from one
    of its decisions to the next.

    Args:
        path, **chosen: as of `wilddeck.data.batches`.
        name: such as "wilddeck/hearts-rules-v0".
        about: what else Minari's data sets say of themselves: author, author_email, code_permalink.

    Returns:
        `MinariDataset`.

    Raises:
        DataError: as `wilddeck.data.batches`.
        ValueError: Minari has a data set of that name.
        ImportError: Minari is not installed.
    """
    try:
        import gymnasium
        import minari
    except ImportError as error:
        raise ImportError(f"this needs Minari: pip install minari ({error})") from error
    source = Source(path, ["episode", "seat", "observation", "action_mask", "action", "reward", "done"], **chosen)
    file = source.files[0]
    spec = copy.deepcopy(gymnasium.spec(registry_id(file.about.game)))
    spec.kwargs = {**spec.kwargs, **file.about.options, "mask": "observation"}
    return minari.create_dataset_from_buffers(
        name,
        _lives(source),
        env=spec,
        eval_env=spec,
        algorithm_name=", ".join(sorted({agent for each in source.files for agent in each.about.agents})),
        description=f"decisions of agents in {file.about.game}, recorded by wilddeck",
        requirements=["wilddeck"],
        data_format="arrow",
        **(about or {}),
    )


def _lives(source: Source) -> Iterator[Any]:
    """Each seat's part of each game, as Minari's buffers."""
    from minari.data_collector import EpisodeBuffer

    for file, group in source.groups:
        columns, ends = source.read(file, group), _ends(file, read_group(file, group, ["episode", "action"]))
        for episode in np.unique(columns["episode"]).tolist():
            for seat in np.unique(columns["seat"][columns["episode"] == episode]).tolist():
                rows = np.flatnonzero((columns["episode"] == episode) & (columns["seat"] == seat))
                masks = columns["action_mask"][rows].astype(np.int8)
                yield EpisodeBuffer(
                    observations={
                        "observation": np.vstack([columns["observation"][rows], ends[episode][seat]]),
                        "action_mask": np.vstack([masks, np.zeros_like(masks[:1])]),
                    },
                    actions=columns["action"][rows].astype(np.int64),
                    rewards=columns["reward"][rows].tolist(),
                    terminations=columns["done"][rows].tolist(),
                    truncations=[False] * len(rows),
                )


def _ends(file: File, columns: Columns) -> dict[int, np.ndarray]:
    """What all seats see at the end of each game, float32 [P, D]."""
    game, options = check_release(file)
    env, ends = CardGameEnv(game, options), dict[int, np.ndarray]()
    for episode in np.unique(columns["episode"]).tolist():
        env.reset(seed=(file.about.seed + episode) % MAX_SEED)
        for action in columns["action"][columns["episode"] == episode].tolist():
            env.step(action)
        ends[episode] = env.views(range(options.num_players))
    return ends
