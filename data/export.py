"""Export of data sets to Hugging Face's `datasets` and to Minari."""

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
    """The decisions of a data set as a data set of Hugging Face's `datasets`, without network access.

    Args:
        path, columns, **chosen: as in `wilddeck.data.batches`.
        streaming: return an `IterableDataset`, which reads lazily, with one shard per row group; else a `Dataset` in memory,
            whose observations, masks and histories are unpacked on access.

    Returns:
        A data set of numpy arrays; with streaming, `datasets` converts integers to int64.

    Raises:
        DataError: as in `wilddeck.data.batches`.
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
    """Hugging Face's type of a column."""
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
    """Write a Minari data set to Minari's folder (`MINARI_DATASETS_PATH`). An episode is a game from one seat.

    Its environment is the game's single-seat environment, `gymnasium.make("wilddeck/hearts-v0", mask="observation")`:
    observations are `{"observation": ..., "action_mask": ...}`, including the final one; a reward is everything that the seat
    got from one of its decisions to the next.

    Args:
        path, **chosen: as in `wilddeck.data.batches`.
        name: the name of the data set, such as "wilddeck/hearts-rules-v0".
        about: more metadata of Minari: author, author_email, code_permalink.

    Returns:
        The `MinariDataset`.

    Raises:
        DataError: as in `wilddeck.data.batches`.
        ValueError: Minari already has a data set with this name.
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
    """The episodes, one per game and seat, as Minari's buffers."""
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
    """The final observations of all seats, float32 [P, D], by game."""
    game, options = check_release(file)
    env, ends = CardGameEnv(game, options), dict[int, np.ndarray]()
    for episode in np.unique(columns["episode"]).tolist():
        env.reset(seed=(file.about.seed + episode) % MAX_SEED)
        for action in columns["action"][columns["episode"] == episode].tolist():
            env.step(action)
        ends[episode] = env.views(range(options.num_players))
    return ends
