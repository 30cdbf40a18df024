"""The imports of the extra `data`, with a readable error if it is not installed."""

from __future__ import annotations

try:
    import pyarrow
    from pyarrow import parquet
except ImportError as error:
    raise ImportError(f"data sets need the extra `data`: pip install 'wilddeck[data]' ({error})") from error

__all__ = ["parquet", "pyarrow"]
