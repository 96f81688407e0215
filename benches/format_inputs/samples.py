"""Functions, stacks and names that inputs of several formats share."""

import random

SEED = 7
FUNCTIONS = [f"{area}::{verb}_{noun}" for area in ("app", "net", "ui", "db", "gpu", "io", "js", "sys")
             for verb in ("read", "write", "parse", "draw", "find", "merge", "flush", "poll", "lock", "decode")
             for noun in ("frame", "record", "tree", "buffer", "request", "index", "page", "glyph")]
LIBRARIES = [f"/usr/lib/lib{name}.so" for name in ("app", "net", "ui", "db", "gpu", "io", "js", "c")]


def source():
    """Random numbers, the same in every run."""
    return random.Random(SEED)


def stacks(chance, count=400, depth=(8, 24)):
    """Call stacks as numbers of functions, the outermost first. Neighbours share their outer part."""
    made, stack = [], []
    for _ in range(count):
        stack = stack[: chance.randrange(1, max(2, len(stack)))]
        stack += [chance.randrange(len(FUNCTIONS)) for _ in range(max(0, chance.randrange(*depth) - len(stack)))]
        made.append(stack)
    return made
