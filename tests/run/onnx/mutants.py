"""
Models that are well-formed protobuf and wrong: python3 mutants.py RAMMER COUNT SEED FOLDER...

Takes models of tests apart, message by message, changes one to three fields of one (leaves them out, twice there, another
number, another name of the same model, another length), puts them together again and has each imported: it is a graph or
an error with a code, in bounded memory and time, and no crash.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBERS = (0, 1, 2, 7, 8, 9, 26, 27, 255, 2**31 - 1, 2**31, 2**40, 2**63 - 1, 2**64 - 1, 2**64 - 2)
MEMORY = 4 << 30  # of addresses, which the shipped catalog's files and threads take part of


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def parse(data, depth=0):
    """Fields as [number, wire type, value]; a value that reads as a message is one. None: it does not read as one."""
    fields, at = [], 0
    try:
        while at < len(data):
            key, at = read_varint(data, at)
            field, wire = key >> 3, key & 7
            if field == 0 or field > 500:
                return None
            if wire == 0:
                value, at = read_varint(data, at)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
                value, at = data[at:at + size], at + size
            elif wire == 2:
                size, at = read_varint(data, at)
                value, at = data[at:at + size], at + size
                if len(value) != size:
                    return None
                inner = parse(value, depth + 1) if size > 1 and depth < 12 else None
                value = inner if inner else value
            else:
                return None
            fields.append([field, wire, value])
    except IndexError:
        return None
    return fields if at == len(data) else None


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def write(fields):
    out = b""
    for field, wire, value in fields:
        out += varint(field << 3 | wire)
        if wire == 0:
            out += varint(value)
        elif wire == 2:
            data = write(value) if isinstance(value, list) else value
            out += varint(len(data)) + data
        else:
            out += value
    return out


def all_of(fields, messages, texts):
    messages.append(fields)
    for entry in fields:
        if isinstance(entry[2], list):
            all_of(entry[2], messages, texts)
        elif entry[1] == 2:
            texts.append(entry)


def mutate(fields, rng):
    messages, texts = [], []
    all_of(fields, messages, texts)
    for _ in range(rng.randint(1, 3)):
        message = rng.choice([m for m in messages if m] or [fields])
        if not message:
            return
        at = rng.randrange(len(message))
        entry, what = message[at], rng.randrange(6)
        if what == 0:
            del message[at]
        elif what == 1:
            message.insert(rng.randrange(len(message) + 1), entry)
        elif what == 2 and entry[1] == 0:
            entry[2] = rng.choice(NUMBERS)
        elif what == 3 and texts:
            rng.choice(texts)[2] = rng.choice(texts)[2]
        elif what == 4 and texts:
            text = rng.choice(texts)
            text[2] = text[2][:rng.randrange(len(text[2]) + 1)] if isinstance(text[2], bytes) else text[2]
        else:
            entry[0] = rng.randint(1, 26)


def limited():
    if not os.environ.get("RK_SANITIZE"):  # a sanitizer takes terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def main():
    rammer, count, rng = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]))
    models = sorted(m for folder in sys.argv[4:] for m in Path(folder).glob("*/model.onnx"))
    refused = bad = 0
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "mutant.onnx"
        for i in range(count):
            source = rng.choice(models)
            fields = parse(source.read_bytes())
            mutate(fields, rng)
            path.write_bytes(write(fields))
            run = subprocess.run([rammer, "import", str(path), "--check"], capture_output=True, preexec_fn=limited)
            refused += run.returncode != 0
            if run.returncode < 0 or (run.returncode != 0 and b"[RK-" not in run.stderr):
                print(f"FAIL mutant {i} of {source}: status {run.returncode}: {run.stderr[-300:]}")
                kept = Path(f"mutant{i}.onnx")
                if bad == 0:
                    kept.write_bytes(path.read_bytes())
                bad += 1
    print(f"{count} mutants of {len(models)} models, {refused} refused, {bad} bad")
    return bad != 0 or not models or refused == 0


if __name__ == "__main__":
    sys.exit(main())
