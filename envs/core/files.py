"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_atomically(path: Path | str, data: bytes) -> None:
    """Put `data` into a file in one step: whoever reads it, or kills the writer, finds the old content or the new.

    Missing folders are made.

    Raises:
        OSError: it could not be written (a full disk, say); the file that was there is as it was.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        if isinstance(error, OSError):
            kept = "; the file that was there is kept" if path.exists() else ""
            raise OSError(error.errno, f"cannot write {path}: {error.strerror}{kept}") from None
        raise
