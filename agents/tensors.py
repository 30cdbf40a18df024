"""Files of named arrays with a description: safetensors or npz, which cannot run code when they are read.

The description is one JSON object; it stands under the name `wilddeck`, in a safetensors file's metadata or as an array of
bytes in an npz.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..envs.core.files import write_atomically

SUFFIXES = (".safetensors", ".npz")
_NAME = "wilddeck"


class WeightsError(ValueError):
    """A file of weights that cannot be used; the message says why."""


def write(path: Path | str, about: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
    """Write arrays and their description, in one step; the format by the path's ending. Equal contents give equal bytes.

    Raises:
        WeightsError: another ending.
        OSError: the file could not be written; one that was there is kept.
    """
    path = Path(path)
    text = json.dumps(about)
    if suffix(path) == ".npz":
        buffer = io.BytesIO()
        np.savez(buffer, **{_NAME: np.frombuffer(text.encode(), np.uint8)}, **tensors)  # type: ignore[arg-type]
        write_atomically(path, buffer.getvalue())
    else:
        from safetensors.numpy import save

        write_atomically(path, save({name: np.ascontiguousarray(array) for name, array in tensors.items()}, {_NAME: text}))


def read(path: Path | str, file_format: str, max_bytes: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The description and the arrays of a file.

    Args:
        file_format: what the description must name as its `format`.
        max_bytes: of the file, and of what it unpacks to.

    Raises:
        WeightsError: the file is missing, too large, truncated, damaged or of another format.
    """
    path = Path(path)
    kind = suffix(path)
    data = read_bytes(path, max_bytes)
    text, tensors = _npz(path, data, max_bytes) if kind == ".npz" else _safetensors(path, data)
    try:
        about = None if text is None else json.loads(text)
    except ValueError as error:
        raise _damaged(path, error) from None
    if not isinstance(about, dict) or about.get("format") != file_format:
        raise WeightsError(f"{path} is no {file_format} file (no description named {_NAME!r} says so)")
    return about, tensors


def suffix(path: Path) -> str:
    """The path's ending (WeightsError if it is none of `SUFFIXES`)."""
    if path.suffix not in SUFFIXES:
        raise WeightsError(f"{path}: weights files end in {' or '.join(SUFFIXES)}")
    return path.suffix


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The file's content (WeightsError if it is missing, too large or not readable)."""
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise WeightsError(f"{path} has {size:,} bytes; the limit is {max_bytes:,}")
        return path.read_bytes()
    except FileNotFoundError:
        raise WeightsError(f"there is no file {path}") from None
    except OSError as error:
        raise WeightsError(f"cannot read {path}: {error.strerror}") from None


def _damaged(path: Path, reason: object) -> WeightsError:
    return WeightsError(f"{path} is truncated, damaged or no {path.suffix} file ({reason})")


def _safetensors(path: Path, data: bytes) -> tuple[str | None, dict[str, np.ndarray]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        tensors = load(data)
        (size,) = struct.unpack("<Q", data[:8])
        return json.loads(data[8 : 8 + size]).get("__metadata__", {}).get(_NAME), tensors
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise _damaged(path, error) from None


def _npz(path: Path, data: bytes, max_bytes: int) -> tuple[bytes | None, dict[str, np.ndarray]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > max_bytes:
            raise WeightsError(f"{path} unpacks to {unpacked:,} bytes; the limit is {max_bytes:,}")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            tensors = dict(arrays)
    except WeightsError:
        raise
    except Exception as error:  # zipfile, zlib and numpy raise a dozen kinds for damaged files
        raise _damaged(path, error) from None
    text = tensors.pop(_NAME, None)
    return None if text is None else text.tobytes(), tensors
