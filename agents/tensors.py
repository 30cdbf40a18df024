"""Files of named arrays with a description, in safetensors or npz format, which cannot execute code when read.

The description is one JSON object named `wilddeck`: in a safetensors file's metadata, or as an array of bytes in an npz.
"""

from __future__ import annotations

import io
import json
import math
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..envs.core.files import read_json, write_atomically

SUFFIXES = (".safetensors", ".npz")
MODULE_FORMAT = "wilddeck module"  # of files that name Python classes
_NAME = "wilddeck"
_READ_HEADER = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_MOST_DESCRIBED = 2**24  # bytes of a description
_PIECE = 2**16  # bytes of compressed data read at once


class WeightsError(ValueError):
    """An unusable file of weights; the message says why."""


def write(path: Path | str, about: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
    """Write arrays and their description atomically; the path's suffix gives the format. Equal contents give equal bytes.

    Raises:
        WeightsError: another suffix.
        OSError: the file could not be written; an existing file is kept.
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
        file_format: the required `format` of the description.
        max_bytes: the maximal size of the file, and of its uncompressed content.

    Raises:
        WeightsError: the file is missing, too large, truncated, damaged or of another format.
    """
    path = Path(path)
    kind = suffix(path)
    data = read_bytes(path, max_bytes)
    try:
        text, tensors = _npz(path, data, max_bytes) if kind == ".npz" else _safetensors(data)
        about = None if text is None else read_json(text)
    except WeightsError:
        raise
    except Exception as error:  # zipfile, zlib, numpy and safetensors raise a dozen kinds for damaged files
        raise _damaged(path, error) from None
    if not isinstance(about, dict) or about.get("format") != file_format:
        raise WeightsError(f"{path} is not a {file_format} file (its description {_NAME!r} is missing or different)")
    return about, tensors


def is_module(path: Path | str) -> bool:
    """Whether a file declares weights of a torch module (`agents/modules.py`). Reads none of its tensors."""
    path = Path(path)
    try:
        if path.suffix == ".npz":
            with zipfile.ZipFile(path) as archive:
                text = _array(_unpacked(archive, archive.getinfo(f"{_NAME}.npy"))).tobytes()
        elif path.suffix == ".safetensors":
            with path.open("rb") as file:
                (size,) = struct.unpack("<Q", file.read(8))
                text = read_json(file.read(min(size, _MOST_DESCRIBED)))["__metadata__"][_NAME]
        else:
            return False
        return read_json(text)["format"] == MODULE_FORMAT
    except Exception:  # `read` reports the error
        return False


def suffix(path: Path) -> str:
    """The path's suffix (WeightsError if it is none of `SUFFIXES`)."""
    if path.suffix not in SUFFIXES:
        raise WeightsError(f"{path}: the name of a weights file must end in {' or '.join(SUFFIXES)}")
    return path.suffix


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The file's content (WeightsError if it is missing, too large or not readable)."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise WeightsError(f"cannot read {path}: it is not a file")
        if about.st_size > max_bytes:
            raise WeightsError(f"{path} has {about.st_size:,} bytes; the limit is {max_bytes:,}")
        return path.read_bytes()
    except FileNotFoundError:
        raise WeightsError(f"there is no file {path}") from None
    except OSError as error:
        raise WeightsError(f"cannot read {path}: {error.strerror}") from None


def _damaged(path: Path, reason: object) -> WeightsError:
    return WeightsError(f"{path} is truncated, damaged or not a {path.suffix} file ({reason})")


def _safetensors(data: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    from safetensors.numpy import load

    tensors = load(data)
    (size,) = struct.unpack("<Q", data[:8])
    return read_json(data[8 : 8 + size]).get("__metadata__", {}).get(_NAME), tensors


def _npz(path: Path, data: bytes, max_bytes: int) -> tuple[Any, dict[str, np.ndarray]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if unpacked > max_bytes:
            raise WeightsError(f"{path} unpacks to {unpacked:,} bytes; the limit is {max_bytes:,}")
        tensors = {member.filename.removesuffix(".npy"): _array(_unpacked(archive, member)) for member in members}
    text = tensors.pop(_NAME, None)
    return None if text is None else text.tobytes(), tensors


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The content of a member, at most its declared size; read in pieces, because each is decompressed before it is cut."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename} has an unsupported compression")
    with archive.open(member) as stream:
        return b"".join(iter(lambda: stream.read(_PIECE), b""))


def _array(data: bytes) -> np.ndarray:
    """An array in numpy's format. Its header is checked against the size of the data before the array is made."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version not in _READ_HEADER:
        raise ValueError(f"version {version} of numpy's format is not supported")
    shape, by_columns, dtype = _READ_HEADER[version](stream)
    rest = data[stream.tell() :]
    if dtype.hasobject or dtype.itemsize == 0:
        raise ValueError(f"arrays of {dtype} are not supported")
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"an array of {dtype} {list(shape)} has {len(rest):,} bytes")
    return np.frombuffer(rest, dtype).reshape(shape, order="F" if by_columns else "C").copy()
