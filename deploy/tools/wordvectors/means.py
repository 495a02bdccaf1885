"""Writes adapters/staticembed/testdata/means.jsonl: vectors of texts, computed from vectors.bin without Go.

    means.py VECTORS WORDPIECE OUT

WORDPIECE is testdata/wordpiece.jsonl, which says how texts are cut. A vector is the sum of scale times row of the pieces, divided by its length.
"""
import json
import math
import struct
import sys

TEXTS = ["What's a refspec?", "git rebase --onto main HEAD~3", "fatal: refusing to merge unrelated histories", "! [rejected] main -> main (non-fast-forward)", "Hello, World!",
         "SELECT * FROM t WHERE a='x';"]


def varint(data, at):
    n = shift = 0
    while True:
        b = data[at]
        at += 1
        n |= (b & 0x7F) << shift
        if b < 0x80:
            return n, at
        shift += 7


def main(vectors, wordpiece, out):
    with open(vectors, "rb") as f:
        data = f.read()
    at = data.index(b"\n") + 1
    dimensions, at = varint(data, at)
    count, at = varint(data, at)
    number = {}
    for i in range(count):
        length, at = varint(data, at)
        number[data[at:at + length].decode()] = i
        at += length
    scales = struct.unpack_from("<%df" % count, data, at)
    at += 4 * count
    with open(wordpiece) as f:
        pieces = {line["text"]: line["pieces"] for line in map(json.loads, f)}
    with open(out, "w") as f:
        for text in TEXTS:
            total = [0.0] * dimensions
            for piece in pieces[text]:
                if piece in number:
                    i = number[piece]
                    for d, b in enumerate(struct.unpack_from("%db" % dimensions, data, at + i * dimensions)):
                        total[d] += scales[i] * b
            length = math.sqrt(sum(x * x for x in total))
            f.write(json.dumps({"text": text, "vector": [round(x / length, 6) for x in total]}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
