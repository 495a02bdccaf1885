"""Makes adapters/staticembed/vectors.bin: one vector for each word piece of a sentence embedding model, such that the mean of the pieces of a
text is close to what the model says of the whole text.

    make.py MODEL SHARE WORK OUT

MODEL is the folder of the weights, SHARE an unpacked /usr/share with the texts, WORK a folder for what lies between; a run that was interrupted
goes on where it was. It takes about 15 minutes of one core. Equal input gives equal vectors up to rounding, which differs by processor.
"""
import sys
from pathlib import Path

import numpy as np
import scipy.sparse

import texts
from teacher import Teacher

DIMENSIONS = 256
COMMON = 3e-4  # a piece's first weight is COMMON / (COMMON + its share of the texts), smooth inverse frequency (Arora, Liang, Ma, 2017)
EPOCHS, RATE, BATCH, DECAY, HELD = 10, 0.01, 4096, 1e-6, 2000
BLOCK = 2000


def embedded(teacher, lines, work):
    parts = []
    for i in range(0, len(lines), BLOCK):
        path = work / f"{i:06d}.npy"
        if not path.exists():
            np.save(path, teacher.embed(lines[i : i + BLOCK]))
            print(f"teacher: {i} of {len(lines)} texts", flush=True)
        parts.append(np.load(path))
    return np.concatenate(parts)


def means(words, lines):
    """A row for each text: times the vectors of the pieces, it is their mean."""
    columns, values, ends = [], [], [0]
    for e in words.encode_batch(lines, add_special_tokens=False):
        ids = e.ids or [words.token_to_id("[UNK]")]
        columns += ids
        values += [1 / len(ids)] * len(ids)
        ends.append(len(columns))
    m = scipy.sparse.csr_matrix((np.array(values, np.float32), columns, ends), shape=(len(lines), words.get_vocab_size()))
    m.sum_duplicates()
    return m


def fit(a, t, e):
    """Adam on 1 - cosine between the mean and the teacher's vector, held near the first vectors e by DECAY."""
    rng = np.random.default_rng(0)
    held, a, answers, t = a[:HELD], a[HELD:], t[:HELD], t[HELD:]
    first, e = e, e.copy()
    m, v, n, step = np.zeros_like(e), np.zeros_like(e), len(t), 0
    total = EPOCHS * -(-n // BATCH)
    for _ in range(EPOCHS):
        order = rng.permutation(n)
        for b in range(0, n, BATCH):
            i = order[b : b + BATCH]
            s = a[i] @ e
            length = np.linalg.norm(s, axis=1, keepdims=True) + 1e-6
            u = s / length
            cosine = (u * t[i]).sum(1, keepdims=True)
            g = a[i].T @ ((cosine * u - t[i]) / length / len(i)) + DECAY * (e - first)
            step += 1
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            e -= RATE * (1 - step / total) * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    s = held @ e
    print(f"cosine with the teacher on {HELD} texts held out: {(s / np.linalg.norm(s, axis=1, keepdims=True) * answers).sum(1).mean():.3f}")
    return e


def kept(piece):
    """Pieces of Latin words, digits and ASCII punctuation: of other scripts the model knows single characters."""
    return not (piece.startswith("[") and piece.endswith("]") and len(piece) > 1) and all(ord(c) < 0x250 for c in piece)


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out + bytes([n]))


def write(path, words, e):
    rows = sorted((piece, i) for piece, i in words.get_vocab().items() if kept(piece))
    e = e[[i for _, i in rows]]
    scales = np.abs(e).max(1) / 127
    scales[scales == 0] = 1
    with open(path, "wb") as f:
        f.write(b"footnote-word-vectors-1\n" + varint(DIMENSIONS) + varint(len(rows)))
        for piece, _ in rows:
            f.write(varint(len(piece.encode())) + piece.encode())
        f.write(scales.astype("<f4").tobytes())
        f.write(np.rint(e / scales[:, None]).astype(np.int8).tobytes())


def main(model, share, work, out):
    work.mkdir(parents=True, exist_ok=True)
    teacher = Teacher(model, work)
    lines = texts.all_texts(share)
    t = embedded(teacher, lines, work)
    teacher.words.no_truncation()
    a = means(teacher.words, lines)
    _, axes = np.linalg.eigh(t.T @ t)  # principal components of what the teacher says
    axes = axes[:, ::-1][:, :DIMENSIONS]
    seen = np.asarray((a > 0).sum(0)).ravel() + 0.5
    e = teacher.vocabulary() @ axes * (COMMON / (COMMON + seen / seen.sum()))[:, None]
    e = (e / np.sqrt((e**2).sum(1).mean())).astype(np.float32)
    t = t @ axes
    write(out, teacher.words, fit(a, t / np.linalg.norm(t, axis=1, keepdims=True), e))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
