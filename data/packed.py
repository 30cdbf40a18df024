"""Sparse rows of numbers as bytes: the format of observations, masks and histories in files and in memory.

A row lists the indices of its entries that are 1, then the indices and values of its other nonzero entries, little-endian:

    uint16       n, the number of entries that are 1
    uint16 [n]   their indices
    uint16 [m]   the indices of the other nonzero entries
    [m]          the values of these, in the row's dtype

Observations have hundreds of entries, nearly all 0 or 1: those of hearts take 166 bytes instead of 4,876. Packing is lossless,
also for -0.0 and NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..envs.core.batch import read_only
from ..envs.core.jit import kernel

MOST = 2**16 - 1  # entries per row
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32}


class PackedRows:
    """An array [N, ...] whose rows are unpacked on access, with numpy's indexing: `rows[5]`, `rows[10:20]`, `rows[[3, 1, 2]]`,
    `rows[mask]`; `numpy.asarray(rows)` unpacks all.

    Args:
        data: uint8, the bytes of all rows.
        begins, ends: int64 [N], the bounds of each row in the data.
        dtype, shape: those of a row.
    """

    def __init__(self, data: np.ndarray, begins: np.ndarray, ends: np.ndarray, dtype: Any, shape: Sequence[int]) -> None:
        self.data, self.begins, self.ends = read_only(data), begins, ends
        self.dtype, self.row_shape = np.dtype(dtype), tuple(shape)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.begins), *self.row_shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the packed data."""
        return self.data.nbytes + self.begins.nbytes + self.ends.nbytes

    def __len__(self) -> int:
        return len(self.begins)

    def __getitem__(self, rows: Any) -> np.ndarray:
        places = np.arange(len(self))[rows]
        return self._unpacked(np.atleast_1d(places)).reshape(*np.shape(places), *self.row_shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("packed rows cannot become an array without a copy")
        return self[:] if dtype is None else self[:].astype(dtype)

    def __repr__(self) -> str:
        return f"<PackedRows {self.shape} {self.dtype}, {self.nbytes:,} bytes>"

    def _unpacked(self, places: np.ndarray) -> np.ndarray:
        """Unpack rows; raises ValueError if one is damaged."""
        dense = np.zeros((len(places), math.prod(self.row_shape)), self.dtype)
        begins, ends = self.begins[places], self.ends[places]
        wrong = _unpack(self.data, begins, ends, dense.view(_word(self.dtype)), _one(self.dtype), self.dtype.itemsize)
        if wrong >= 0:
            raise ValueError(f"row {places[wrong]} is damaged")
        return dense

    def take(self, rows: Any) -> PackedRows:
        """Some rows, packed; the data are shared."""
        return PackedRows(self.data, self.begins[rows], self.ends[rows], self.dtype, self.row_shape)

    def row_bytes(self) -> Iterator[bytes]:
        """The bytes of each row."""
        for begin, end in zip(self.begins.tolist(), self.ends.tolist(), strict=True):
            yield self.data[begin:end].tobytes()

    def in_order(self) -> PackedRows:
        """The same rows, with data in their order and without gaps."""
        ends = np.cumsum(self.ends - self.begins)
        data = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
        _gather(self.data, self.begins, self.ends, data)
        return PackedRows(data, ends - (self.ends - self.begins), ends, self.dtype, self.row_shape)


def pack(array: np.ndarray, rows: np.ndarray | None = None) -> PackedRows:
    """Pack rows of an array [N, ...] with items of 1, 2 or 4 bytes, in the order of `rows`, int64 [M] (default: all)."""
    rows = np.arange(len(array)) if rows is None else rows
    dense = read_only(np.ascontiguousarray(array).reshape(len(array), -1))
    if dense.shape[1] > MOST:
        raise ValueError(f"rows of {dense.shape[1]} numbers cannot be packed; at most {MOST}")
    size = dense.dtype.itemsize
    data = np.empty(len(rows) * (2 + dense.shape[1] * (2 + size)), np.uint8)
    ends, found = np.empty(len(rows), np.int64), np.empty(dense.shape[1] + 8, np.int64)
    used = _pack(dense.view(_word(dense.dtype)), rows, _one(dense.dtype), size, found, data, ends)
    return PackedRows(data[:used].copy(), np.concatenate([[0], ends[:-1]]), ends, dense.dtype, array.shape[1:])


def joined(parts: Sequence[PackedRows]) -> PackedRows:
    """Concatenate packed rows."""
    starts = np.cumsum([0, *(len(part.data) for part in parts)]).tolist()
    begins, ends = (
        np.concatenate([getattr(part, name) + start for part, start in zip(parts, starts, strict=False)])
        for name in ("begins", "ends")
    )
    return PackedRows(np.concatenate([part.data for part in parts]), begins, ends, parts[0].dtype, parts[0].row_shape)


def _word(dtype: np.dtype) -> Any:
    return _WORDS[dtype.itemsize]


def _one(dtype: np.dtype) -> Any:
    """The bit pattern of 1."""
    return np.ones(1, dtype).view(_word(dtype))[0]


@kernel
def _pack(words, rows, one, size, found, data, ends):  # type: ignore[no-untyped-def]
    used = 0
    for k in range(rows.shape[0]):
        row = words[rows[k]]
        count, place, length = 0, 0, row.shape[0]
        while place + 8 <= length:  # eight at a time, which usually are all zero
            if (
                row[place] | row[place + 1] | row[place + 2] | row[place + 3]
                | row[place + 4] | row[place + 5] | row[place + 6] | row[place + 7]
            ):  # fmt: skip
                for j in range(place, place + 8):
                    found[count] = j
                    count += row[j] != 0
            place += 8
        for j in range(place, length):
            found[count] = j
            count += row[j] != 0
        head = used
        used += 2
        for i in range(count):
            if row[found[i]] == one:
                data[used] = found[i] & 255
                data[used + 1] = found[i] >> 8
                used += 2
        ones = (used - head) // 2 - 1
        data[head] = ones & 255
        data[head + 1] = ones >> 8
        others = count - ones
        values = used + 2 * others
        for i in range(count):
            word = row[found[i]]
            if word != one:
                data[used] = found[i] & 255
                data[used + 1] = found[i] >> 8
                used += 2
                for b in range(size):
                    data[values + b] = (np.int64(word) >> (8 * b)) & 255
                values += size
        used = values
        ends[k] = used
    return used


@kernel
def _unpack(data, begins, ends, words, one, size):  # type: ignore[no-untyped-def]
    """Unpack into rows of zeros. Returns the first damaged row, -1 if there is none."""
    length = words.shape[1]
    for k in range(begins.shape[0]):
        place, end = begins[k], ends[k]
        if place < 0 or end > data.shape[0] or end - place < 2:
            return k
        ones = np.int64(data[place]) | np.int64(data[place + 1]) << 8
        place += 2
        left = end - place - 2 * ones
        if left < 0 or left % (2 + size):
            return k
        row = words[k]
        for _ in range(ones):
            j = np.int64(data[place]) | np.int64(data[place + 1]) << 8
            if j >= length:
                return k
            row[j] = one
            place += 2
        others = left // (2 + size)
        values = place + 2 * others
        for _ in range(others):
            j = np.int64(data[place]) | np.int64(data[place + 1]) << 8
            if j >= length:
                return k
            word = np.int64(0)
            for b in range(size):
                word |= np.int64(data[values + b]) << (8 * b)
            row[j] = word
            place += 2
            values += size
    return -1


@kernel
def _gather(data, begins, ends, out):  # type: ignore[no-untyped-def]
    place = 0
    for k in range(begins.shape[0]):
        for byte in range(begins[k], ends[k]):
            out[place] = data[byte]
            place += 1
