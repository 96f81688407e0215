"""Large made-up files of each format, for `benches/formats.py`.

An input is a function that writes a file of about a size and returns the number of events in it. Names,
stacks and values repeat as they do in recordings, from a fixed seed.
"""

from .binary import BINARY
from .documents import DOCUMENTS
from .protobuf import PROTOBUF
from .text import TEXT

# What writes a file of each format, and SQL that counts its events, if a table has one row for each.
INPUTS = {**TEXT, **DOCUMENTS, **PROTOBUF, **BINARY}
