"""Writes vectors of texts for the tests of adapters/sentence, computed by ONNX Runtime in full precision.

    golden.py MODEL WORK TEXTS OUT

TEXTS has a JSON string per line. OUT has a record for each: a scale (float32, little-endian) and
384 signed bytes.
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "wordvectors"))
from teacher import Teacher  # noqa: E402


def main(model, work, texts, out):
    teacher = Teacher(Path(model), Path(work))
    with open(texts) as f, open(out, "wb") as to:
        for line in f:
            vector = teacher.run(teacher.exact, [teacher.words.encode(json.loads(line)).ids])[0]
            scale = np.abs(vector).max() / 127
            to.write(struct.pack("<f", scale) + np.rint(vector / scale).astype(np.int8).tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
