"""Tables in Parquet files, checked before a library reads them."""

from __future__ import annotations

import io
import zlib

#: What the program writes into its files before a CRC-32 of all bytes, taken while that is zeros.
_MARK, _ZEROS = b"pidlab-crc32=", b"0" * 8


def open_checked(path):
    """The bytes of a file as a file; ValueError if they are not those that were written.

    Libraries may ask for all memory on damaged files, which would end the interpreter. Files of other
    programs and of older versions have no checksum.
    """
    data = path.read_bytes()
    if _is_damaged(data):
        raise ValueError(f"path: {path} is damaged: its checksum is another one")
    return io.BytesIO(data)


def _is_damaged(data):
    at = data.rfind(_MARK)
    if at < 0:
        return False
    at += len(_MARK)
    told = data[at : at + len(_ZEROS)]
    return told != b"%08x" % zlib.crc32(data[:at] + _ZEROS + data[at + len(_ZEROS) :])
