"""Data sets of games between agents, as Parquet files with one row per decision: recording, reading and verification.

    from wilddeck import data

    data.record("hearts_v0", ["rules"], games=1000, out="runs/hearts-rules")
    columns = data.read("runs/hearts-rules")  # numpy arrays: observation, action_mask, action, reward, ...

Needs the extra `data` (pyarrow). `files` describes the columns.
"""

from typing import TYPE_CHECKING, Any

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import export as export
    from . import files as files
    from . import reading as reading
    from . import recording as recording
    from . import replaying as replaying
    from .export import hf_dataset, to_minari
    from .files import DataError, find
    from .reading import batches, next_decisions, read, verify
    from .recording import record
    from .torch_data import torch_dataset

_PLACES = {
    "DataError": "files",
    "batches": "reading",
    "find": "files",
    "hf_dataset": "export",
    "next_decisions": "reading",
    "read": "reading",
    "record": "recording",
    "to_minari": "export",
    "torch_dataset": "torch_data",
    "verify": "reading",
}
_module = submodules(__name__)


def __getattr__(name: str) -> Any:
    return getattr(_module(_PLACES[name]), name) if name in _PLACES else _module(name)


__all__ = [
    "DataError",
    "batches",
    "find",
    "hf_dataset",
    "next_decisions",
    "read",
    "record",
    "to_minari",
    "torch_dataset",
    "verify",
]
