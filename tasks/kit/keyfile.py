"""Root keys: 32 bytes as base64url text, in a file of their own."""

import base64
import binascii
from pathlib import Path

# The epoch of `validate`, and of `show` without a key: everybody can draw it, it scores nobody.
TRIAL_EPOCH = "validation"
TRIAL_ROOT = b"failmap validation, not a secret"


def read_root(path: str | Path) -> bytes:
    """The root key of a key file; ValueError when it is not 32 bytes of base64url."""
    text = Path(path).read_text(encoding="ascii").strip()
    try:
        root = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(f"{path} is not base64url") from error
    if len(root) != 32:
        raise ValueError(f"{path} holds {len(root)} bytes, not 32")
    return root
