"""Seeds that are derived one way: who is given one computes neither the secret it comes from nor any other.

What deals the cards is never shown to an agent. Its randomness comes from keyed digests of it, so that an agent that knows this
code and all that it was given still knows nothing of the deal: as long as the secret cannot be guessed. A seed that a person
chose can, and should then be taken for known to everybody.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

SECRET_BITS = 256  # at most; fresh seeds of single games have 128
_KEY_BYTES = SECRET_BITS // 8


def keyed(secret: int, *content: Any) -> int:
    """128 bits that follow from the secret (0..2**256-1) and the content (what JSON can hold): keyed BLAKE2b."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    key = secret.to_bytes(_KEY_BYTES, "big")
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16, key=key).digest(), "big")


def agent_seed(secret: int, *content: Any) -> int:
    """What an agent is told as its seed, 0..2**64-1."""
    return keyed(secret, "agent", *content) >> 64
