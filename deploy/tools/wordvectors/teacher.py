"""all-MiniLM-L6-v2, run by ONNX Runtime: its graph is built from the weights here, since the package carries no ONNX file."""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, WIDTH, WINDOW = 6, 12, 384, 256


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []

    def const(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind, *inputs, output=None, **attributes):
        output = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output


def export(weights, path):
    g, w = Graph(), weights
    split = g.const(np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
    joined = g.const(np.array([0, 0, WIDTH], np.int64))
    scale, half, root, one = (g.const(np.array(x, np.float32)) for x in ((WIDTH / HEADS) ** -0.5, 0.5, 0.5**0.5, 1))

    def norm(x, name):
        return g.op("LayerNormalization", x, g.const(w[name + ".weight"]), g.const(w[name + ".bias"]), axis=-1, epsilon=1e-12)

    def linear(x, name):
        return g.op("Add", g.op("MatMul", x, g.const(w[name + ".weight"].T.copy())), g.const(w[name + ".bias"]))

    place = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
    x = g.op("Add", g.op("Gather", g.const(w["embeddings.word_embeddings.weight"]), "ids"), g.op("Gather", g.const(place), "pos"))
    x = norm(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}."
        q, k, v = (g.op("Reshape", linear(x, p + "attention.self." + s), split) for s in ("query", "key", "value"))
        q, k, v = g.op("Transpose", q, perm=[0, 2, 1, 3]), g.op("Transpose", k, perm=[0, 2, 3, 1]), g.op("Transpose", v, perm=[0, 2, 1, 3])
        a = g.op("Softmax", g.op("Add", g.op("Mul", g.op("MatMul", q, k), scale), "mask"), axis=-1)
        o = g.op("Reshape", g.op("Transpose", g.op("MatMul", a, v), perm=[0, 2, 1, 3]), joined)
        x = norm(g.op("Add", linear(o, p + "attention.output.dense"), x), p + "attention.output.LayerNorm")
        h = linear(x, p + "intermediate.dense")
        h = g.op("Mul", g.op("Mul", h, g.op("Add", g.op("Erf", g.op("Mul", h, root)), one)), half)  # GELU
        x = norm(g.op("Add", linear(h, p + "output.dense"), x), p + "output.LayerNorm")
    s = g.op("ReduceSum", g.op("Mul", x, "pool"), g.const(np.array([1], np.int64)), keepdims=0)
    g.op("LpNormalization", s, output="out", axis=-1, p=2)
    value = helper.make_tensor_value_info
    inputs = [value("ids", TensorProto.INT64, ["B", "n"]), value("pos", TensorProto.INT64, ["n"]),
              value("mask", TensorProto.FLOAT, ["B", 1, 1, "n"]), value("pool", TensorProto.FLOAT, ["B", "n", 1])]
    graph = helper.make_graph(g.nodes, "minilm", inputs, [value("out", TensorProto.FLOAT, ["B", WIDTH])], g.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Teacher:
    def __init__(self, model, work):
        """model is the folder of the weights, work a folder for the graphs."""
        self.words = Tokenizer.from_file(str(model / "tokenizer.json"))
        self.words.no_padding()
        self.words.enable_truncation(WINDOW)
        exact, quick = work / "minilm.onnx", work / "minilm-int8.onnx"
        if not quick.exists():
            export({k: v.astype(np.float32) for k, v in load_file(model / "model.safetensors").items()}, exact)
            quantize_dynamic(exact, quick, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"])
        options = onnxruntime.SessionOptions()
        self.exact, self.quick = (onnxruntime.InferenceSession(str(p), options, providers=["CPUExecutionProvider"]) for p in (exact, quick))

    def run(self, session, ids):
        n = max(map(len, ids))
        padded, pool = np.zeros((len(ids), n), np.int64), np.zeros((len(ids), n, 1), np.float32)
        for i, row in enumerate(ids):
            padded[i, : len(row)], pool[i, : len(row)] = row, 1
        mask = np.where(pool[:, :, 0] > 0, 0, -1e4).astype(np.float32)[:, None, None, :]
        return session.run(None, {"ids": padded, "pos": np.arange(n, dtype=np.int64), "mask": mask, "pool": pool})[0]

    def vocabulary(self):
        """The vector of every piece as a text of its own, in full precision."""
        begin, end, n = 101, 102, self.words.get_vocab_size()
        return np.concatenate([self.run(self.exact, [[begin, k, end] for k in range(i, min(n, i + 512))]) for i in range(0, n, 512)])

    def embed(self, texts, window=4096):
        """The vectors of texts, in eight bits: half the time, and what is learned from them is a mean over many."""
        ids = [e.ids for e in self.words.encode_batch(texts)]
        out, order, i = np.zeros((len(ids), WIDTH), np.float32), sorted(range(len(ids)), key=lambda i: len(ids[i])), 0
        while i < len(order):
            j = i + 1
            while j < len(order) and len(ids[order[j]]) * (j - i + 1) <= window:
                j += 1
            out[order[i:j]] = self.run(self.quick, [ids[k] for k in order[i:j]])
            i = j
        return out
