package openaitest

import (
	"io"
	"net/http"
)

// Refusal is an error response with which a server rejects tools.
type Refusal struct {
	Server string
	Status int
	Body   string
}

// ToolRefusals lists error responses of common servers to requests with tools, as users have
// reported them.
var ToolRefusals = []Refusal{
	// github.com/ollama/ollama/issues/6027: a model whose template does not mention tools.
	{"Ollama", 400, `{"error":{"message":"stablelm2:latest does not support tools","type":"api_error","param":null,"code":null}}`},
	// github.com/ollama/ollama/issues/14795: the same from Ollama's own API, as gateways forward
	// it.
	{"Ollama's own API", 400, `{"error":"registry.ollama.ai/library/Qwen3.5:0.8b does not support tools"}`},
	// github.com/langchain4j/langchain4j/issues/3475: vLLM without --enable-auto-tool-choice.
	{"vLLM", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`},
	// github.com/defilantech/LLMKube/issues/126, github.com/containers/ramalama/issues/988:
	// llama.cpp's server without --jinja.
	{"llama.cpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`},
	// github.com/ggml-org/llama.cpp/issues/10920: llama.cpp before it had --jinja.
	{"llama.cpp, older", 500, `{"error":{"code":500,"message":"Unsupported param: tools","type":"server_error"}}`},
	// github.com/ikawrakow/ik_llama.cpp/pull/677: a fork of llama.cpp.
	{"ik_llama.cpp", 500, `{"error":{"code":500,"message":"tools param is not fully supported yet","type":"server_error"}}`},
	// github.com/BerriAI/litellm/issues/7785: LiteLLM for a model that is not known to call tools.
	{"LiteLLM", 400, `{"error":{"message":"litellm.UnsupportedParamsError: together_ai does not support parameters: {'tools': [{'type': 'function', 'function': {'name': 'internal_search'}}]}, for model=meta-llama/Llama-3.3-70B-Instruct-Turbo-Free. To drop these, set ` + "`litellm.drop_params=True`" + ` or for proxy:","type":"None","param":null,"code":"400"}}`},
	// github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2012: LM Studio with a model whose
	// template fails on tools.
	{"LM Studio", 400, `{"error":"Error rendering prompt with jinja template: \"Cannot call something that is not a function: got UndefinedValue\".\n\nThis is usually an issue with the model's prompt template."}`},
	// github.com/huggingface/text-generation-inference/issues/2112: text-generation-inference with
	// a model whose template fails on tools.
	{"TGI", 422, `{"error":"Template error: template not found","error_type":"template_error"}`},
	// github.com/evalstate/fast-agent/issues/122: OpenRouter without an endpoint of the model that
	// supports tools.
	{"OpenRouter", 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`},
}

// ChoiceRefusal is the error response of a server that supports tools but cannot force a tool call
// (github.com/zed-industries/zed/issues/36094).
var ChoiceRefusal = Refusal{"OpenRouter", 404, `{"error":{"message":"No endpoints found that support the provided 'tool_choice' value. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`}

func (f Refusal) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, f.Body)
}

// NoneRefusals lists error responses of servers that support tools but not tool_choice "none".
var NoneRefusals = []Refusal{
	// github.com/tenstorrent/tt-example-apps/issues/1: vLLM versions of 2024.
	{"vLLM", 400, `{"object":"error","message":"[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, ` + "`tool_choice`" + ` must either be a named tool or \"auto\". ` + "`tool_choice=" + `\"none\" is not supported.'}]","type":"BadRequestError","param":null,"code":400}`},
	// github.com/MAXeaglet/commandcode-proxy/issues/47.
	{"Command Code", 400, `{"error":{"message":"Validation error: Invalid input: expected \"auto\" at \"params.tool_choice.type\" or Invalid input: expected \"any\" at \"params.tool_choice.type\"","type":"invalid_request_error"}}`},
	// github.com/BerriAI/litellm/issues/24443.
	{"LiteLLM", 500, `{"error":{"message":"Incompatible tool choice param submitted - {'type': 'none'}","type":"None","param":null,"code":"500"}}`},
}
