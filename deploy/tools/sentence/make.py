"""Makes adapters/sentence/model.bin: the weights of all-MiniLM-L6-v2 in eight bits.

    make.py MODEL OUT

MODEL is the folder of the weights. Layout of OUT, all little-endian:

    magic; CRC-32C of all that follows; length of the vocabulary; the vocabulary, a piece per line
    float32: positions (token type 0 added), norm, scales of the pieces
             and per layer, for qkv, attention output, up, down: scales and bias; norms after both
    int8:    rows of the pieces; per layer the four matrices, in panels of 16 outputs: for each
             input the 16 weights. A weight is its integer times the scale of its output and group of
             64 inputs: one scale for all inputs gave cosines down to .997 for short texts.
"""
import struct
import sys

import numpy as np
from safetensors.numpy import load_file

MAGIC = b"footnote-sentences-1\n"
LAYERS, WINDOW, PANEL, GROUP = 6, 256, 16, 64


def crc32c(data):
    """CRC-32C (Castagnoli)."""
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    c = 0xFFFFFFFF
    for b in data:
        c = table[(c ^ b) & 0xFF] ^ c >> 8
    return c ^ 0xFFFFFFFF


def quantised(matrix):
    """The rows of a matrix as int8, and a scale for each."""
    scale = np.abs(matrix).max(axis=1) / 127
    scale[scale == 0] = 1
    return np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8), scale.astype("<f4")


def main(model, out):
    w = {k: v.astype(np.float32) for k, v in load_file(model + "/model.safetensors").items() if v.dtype.kind == "f"}
    e = "embeddings."
    place = w[e + "position_embeddings.weight"][:WINDOW] + w[e + "token_type_embeddings.weight"][0]
    rows, scale = quantised(w[e + "word_embeddings.weight"])
    floats, bytes8 = [place, w[e + "LayerNorm.weight"], w[e + "LayerNorm.bias"], scale], [rows.tobytes()]

    def matrix(weight, bias):
        outputs, inputs = weight.shape
        rows, scale = quantised(weight.reshape(-1, GROUP))
        rows, scale = rows.reshape(weight.shape), scale.reshape(outputs // PANEL, PANEL, inputs // GROUP)
        floats.extend([scale.transpose(0, 2, 1), bias])
        bytes8.append(rows.reshape(outputs // PANEL, PANEL, inputs).transpose(0, 2, 1).tobytes())

    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}."
        for kind in ("weight", "bias"):
            w[p + "qkv." + kind] = np.concatenate([w[p + f"attention.self.{s}.{kind}"] for s in ("query", "key", "value")])
        for name in ("qkv", "attention.output.dense", "intermediate.dense", "output.dense"):
            matrix(w[p + name + ".weight"], w[p + name + ".bias"])
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            floats.extend([w[p + name + ".weight"], w[p + name + ".bias"]])
    with open(model + "/vocab.txt", "rb") as f:
        words = f.read().rstrip(b"\n")
    rest = struct.pack("<I", len(words)) + words + b"".join(np.ascontiguousarray(f, "<f4").tobytes() for f in floats) + b"".join(bytes8)
    with open(out, "wb") as f:
        f.write(MAGIC + struct.pack("<I", crc32c(rest)) + rest)


if __name__ == "__main__":
    main(*sys.argv[1:])
