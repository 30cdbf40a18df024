"""Rows of numbers as bytes: what is taken is what was packed, bit by bit; bytes that are no rows are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wilddeck.data.packed import MOST, PackedRows, joined, pack

KINDS = [np.float32, np.int32, np.int16, np.uint8]


def some(kind: type, rows: int, size: int, seed: int = 0) -> np.ndarray:
    """Zeros, ones, and any bits."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 256, (rows, size, np.dtype(kind).itemsize), np.uint8).view(kind)[:, :, 0]
    return np.where(rng.random((rows, size)) < 0.7, 0, np.where(rng.random((rows, size)) < 0.6, 1, bits)).astype(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 7, 8, 9, 300])
def test_rows_are_as_they_were(kind: type, size: int) -> None:
    array = some(kind, 50, size)
    rows = pack(array)
    assert rows.shape == array.shape and rows.dtype == array.dtype and len(rows) == 50 and rows.ndim == 2
    assert rows[:].tobytes() == np.asarray(rows).tobytes() == array.tobytes()
    for places in (3, -1, slice(10, 20), [5, 5, 2], np.array([], int), array[:, 0] == 0, np.int64(7)):
        taken = rows[places]
        assert taken.shape == array[places].shape and taken.tobytes() == array[places].tobytes()
    with pytest.raises(IndexError):
        rows[50]


def test_bits_that_look_like_zero_and_one() -> None:
    array = np.array([[-0.0, 0.0, 1.0, np.nan, np.inf, 1e-45, np.nextafter(np.float32(1), np.float32(2))]], np.float32)
    assert pack(array)[:].tobytes() == array.tobytes()


def test_several_dimensions_and_some_rows() -> None:
    array = some(np.int16, 20, 12).reshape(20, 2, 6)
    rows = pack(array, np.array([4, 1, 4]))
    assert rows.shape == (3, 2, 6) and np.array_equal(rows[:], array[[4, 1, 4]])
    both = joined([rows, pack(array)])
    assert np.array_equal(both[:], np.concatenate([array[[4, 1, 4]], array]))
    taken = both.take([22, 0, 5])
    assert np.array_equal(taken[:], both[:][[22, 0, 5]]) and np.array_equal(taken.in_order()[:], taken[:])
    assert list(taken.in_order().row_bytes()) == list(taken.row_bytes())
    assert "PackedRows (23, 2, 6) int16" in repr(both)


def test_rows_that_are_too_long() -> None:
    with pytest.raises(ValueError, match=f"at most {MOST}"):
        pack(np.zeros((1, MOST + 1), np.uint8))


@given(st.binary(max_size=40), st.sampled_from(KINDS))
def test_any_bytes_are_a_row_or_refused(content: bytes, kind: type) -> None:
    """What lies behind a row of eight is not written to: compiled code would do so without a word."""
    rows = PackedRows(np.frombuffer(content, np.uint8), np.zeros(1, int), np.array([len(content)]), kind, [8])
    try:
        row = rows[0]
    except ValueError as error:
        assert str(error) == "row 0 is damaged"
        return
    ones = int.from_bytes(content[:2], "little")
    places = np.frombuffer(content[2 : 2 + 2 * ones], "<u2")
    assert (places < 8).all() and row.shape == (8,)
    assert (len(content) - 2 - 2 * ones) % (2 + np.dtype(kind).itemsize) == 0


@pytest.mark.parametrize("content", [b"\x01\0\x08\0", b"\0\0\x08\0\x05", b"\x01\0\x07", b"\x02\0\x07\0", b"\0"])
def test_entries_outside_of_a_row_are_refused(content: bytes) -> None:
    """The ninth of eight, as a 1 and as another value; and rows that end too soon."""
    good = PackedRows(np.frombuffer(b"\x01\0\x07\0\x06\0\x05", np.uint8), np.zeros(1, int), np.array([7]), np.uint8, [8])
    assert good[0].tolist() == [0, 0, 0, 0, 0, 0, 5, 1]
    rows = PackedRows(np.frombuffer(content, np.uint8), np.zeros(1, int), np.array([len(content)]), np.uint8, [8])
    with pytest.raises(ValueError, match="row 0 is damaged"):
        rows[0]


@pytest.mark.parametrize("place", [(0, 3), (-1, 2), (0, 1), (5, 4)])
def test_places_outside_of_the_data_are_refused(place: tuple[int, int]) -> None:
    rows = PackedRows(np.zeros(2, np.uint8), np.array([place[0]]), np.array([place[1]]), np.uint8, [8])
    with pytest.raises(ValueError, match="row 0 is damaged"):
        rows[0]
