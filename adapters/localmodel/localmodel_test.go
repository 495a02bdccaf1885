package localmodel_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/localmodel"
	"github.com/footnotehq/footnote/adapters/localmodel/localmodeltest"
	core "github.com/footnotehq/footnote/core/localmodel"
)

type answers = map[string]localmodeltest.Answer

// llama answers as llama.cpp's README says ("GET /props … default_generation_settings … n_ctx"),
// with the listing that a real server of October 2026 wrote.
func llama(window, trained int, tools bool) answers {
	return answers{
		"/props": {Header: map[string]string{"Server": "llama.cpp"}, Body: fmt.Sprintf(`{"default_generation_settings":{"params":{"temperature":0.8},"n_ctx":%d},
			"total_slots":1,"model_path":"/m/Qwen3-8B-Q4_K_M.gguf","chat_template_caps":{"supports_tools":%v,"supports_tool_calls":%v},"build_info":"b8681"}`, window, tools, tools)},
		"/v1/models": {Header: map[string]string{"Server": "llama.cpp"}, Body: fmt.Sprintf(`{"models":[{"name":"/m/Qwen3-8B-Q4_K_M.gguf","capabilities":["completion"]}],"object":"list",
			"data":[{"id":"/m/Qwen3-8B-Q4_K_M.gguf","object":"model","created":1795878461,"owned_by":"llamacpp","meta":{"n_ctx":%d,"n_ctx_train":%d,"n_params":8190735360}}]}`, window, trained)},
	}
}

// LM Studio's REST API v0, and loaded_context_length of a model that is loaded.
const lmStudio = `{"object":"list","data":[
	{"id":"qwen2-vl-7b-instruct","object":"model","type":"vlm","publisher":"mlx-community","arch":"qwen2_vl","compatibility_type":"mlx","quantization":"4bit","state":"not-loaded","max_context_length":32768},
	{"id":"meta-llama-3.1-8b-instruct","object":"model","type":"llm","publisher":"lmstudio-community","arch":"llama","compatibility_type":"gguf","quantization":"Q4_K_M","state":"loaded","max_context_length":131072,"loaded_context_length":4096,"capabilities":["tool_use"]},
	{"id":"text-embedding-nomic-embed-text-v1.5","object":"model","type":"embeddings","publisher":"nomic-ai","arch":"nomic-bert","compatibility_type":"gguf","quantization":"Q4_0","state":"not-loaded","max_context_length":2048}]}`

// vLLM's model card in /v1/models.
const vllm = `{"object":"list","data":[{"id":"Qwen/Qwen3-32B","object":"model","created":1739935000,"owned_by":"vllm","root":"Qwen/Qwen3-32B","parent":null,"max_model_len":40960}]}`

// Docker's model-runner: owned_by "is always docker", and "dmr" with metadata.
const docker = `{"object":"list","data":[{"id":"ai/smollm2","object":"model","created":1742816981,"owned_by":"docker","dmr":{"architecture":"llama","parameters":"361.82 M"}},
	{"id":"ai/qwen3:8B","object":"model","created":1742816982,"owned_by":"docker","dmr":{"context_window":16384,"parameters":"8.19 B"}}]}`

func jan(models string) answers {
	return answers{
		"/openapi.json":        {Body: `{"openapi":"3.0.0","info":{"title":"Jan API Server Endpoints","version":"1.0"}}`},
		"/v1/models/available": {Body: models},
		// Models of other providers, to which texts would go.
		"/v1/models": {Body: `{"object":"list","data":[{"id":"gpt-5","object":"model","created":1,"owned_by":"openai"}]}`},
	}
}

func find(t *testing.T, servers ...*localmodeltest.Server) []core.Server {
	t.Helper()
	var addresses []string
	for _, s := range servers {
		addresses = append(addresses, s.Address)
	}
	return localmodel.Find(t.Context(), addresses, time.Minute)
}

func TestFindIdentifiesServersByTheirAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server *localmodeltest.Server
		kind   core.Kind
		base   string
		best   core.Model
	}{
		"Ollama": {
			localmodeltest.Ollama(t,
				localmodeltest.OllamaModel{Name: "nomic-embed-text:latest", Family: "nomic-bert", Size: "137M", Capabilities: []string{"embedding"}, Trained: 2048},
				localmodeltest.OllamaModel{Name: "gpt-oss:120b-cloud", Family: "gptoss", Size: "116.8B", RemoteHost: "https://ollama.com:443", Capabilities: []string{"completion", "tools"}},
				localmodeltest.OllamaModel{Name: "qwen3:8b", Family: "qwen3", Size: "8.2B", Capabilities: []string{"completion", "tools", "thinking"}, Trained: 40960},
				localmodeltest.OllamaModel{Name: "gemma3:4b", Family: "gemma3", Size: "4.3B", Capabilities: []string{"completion", "vision"}, Trained: 131072, Window: 4096, Loaded: true},
			), core.Ollama, "/v1", core.Model{Name: "qwen3:8b", Size: 8.2, Tools: core.ToolsYes, Most: 40960},
		},
		"loaded with 4k of 32k": {
			localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "mine", Family: "qwen3", Size: "8.2B", Capabilities: []string{"completion", "tools"}, Trained: 32768, Window: 4096, Loaded: true}),
			core.Ollama, "/v1", core.Model{Name: "mine", Size: 8.2, Tools: core.ToolsYes, Window: 4096, Most: 32768, Loaded: true},
		},
		"LM Studio": {
			localmodeltest.New(t, answers{"/api/v0/models": {Body: lmStudio}, "/v1/models": {Body: `{"object":"list","data":[{"id":"qwen2-vl-7b-instruct","object":"model","owned_by":"organization_owner"}]}`}}),
			core.LMStudio, "/v1", core.Model{Name: "meta-llama-3.1-8b-instruct", Size: 8, Tools: core.ToolsYes, Window: 4096, Most: 131072, Loaded: true},
		},
		"llama.cpp": {
			localmodeltest.New(t, llama(8192, 40960, true)), core.LlamaCpp, "/v1",
			core.Model{Name: "/m/Qwen3-8B-Q4_K_M.gguf", Size: 8.19073536, Tools: core.ToolsYes, Window: 8192, Most: 40960, Loaded: true},
		},
		"llamafile, of an older llama.cpp": {
			localmodeltest.New(t, answers{"/props": {Body: `{"default_generation_settings":{"n_ctx":8192},"total_slots":1,"model_path":"gemma-2-9b.gguf"}`}}), core.LlamaCpp, "/v1",
			core.Model{Name: "gemma-2-9b.gguf", Size: 9, Tools: core.ToolsNo, Window: 8192, Loaded: true},
		},
		"vLLM": {
			localmodeltest.New(t, answers{"/v1/models": {Body: vllm}, "/version": {Body: `{"version":"0.11.0"}`}}), core.VLLM, "/v1",
			core.Model{Name: "Qwen/Qwen3-32B", Size: 32, Tools: core.ToolsYes, Window: 40960, Loaded: true},
		},
		"Docker Model Runner": {
			localmodeltest.New(t, answers{"/engines/v1/models": {Body: docker}}), core.Docker, "/engines/v1",
			core.Model{Name: "ai/qwen3:8B", Size: 8.19, Tools: core.ToolsYes, Window: 16384},
		},
		"Jan": {
			localmodeltest.New(t, jan(`{"data":[{"id":"Jan-v3-4b","object":"model","engine":"llamacpp","status":"running"},{"id":"Qwen3-14B","object":"model","engine":"llamacpp","status":"available"}]}`)),
			core.Jan, "/v1", core.Model{Name: "Jan-v3-4b", Size: 4, Loaded: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := find(t, tt.server)
			if len(found) != 1 || found[0].Kind != tt.kind || found[0].Fault != "" {
				t.Fatalf("found %+v", found)
			}
			if want := "http://" + tt.server.Address + tt.base; found[0].BaseURL() != want {
				t.Errorf("base URL is %s, want %s", found[0].BaseURL(), want)
			}
			if best := core.Offers(found)[0].Model; best != tt.best {
				t.Errorf("the best model is\n%+v, want\n%+v", best, tt.best)
			}
			for _, m := range found[0].Models {
				if core.Leaves(m.Name) || strings.Contains(m.Name, "embed") || m.Name == "gpt-5" {
					t.Errorf("%s is offered", m.Name)
				}
			}
			if posts := tt.server.Asked("POST"); slices.ContainsFunc(posts, func(line string) bool { return !strings.HasPrefix(line, "POST /api/show") }) {
				t.Errorf("looking changed something: %q", posts)
			}
		})
	}
}

func TestFindSaysWhyNoModelCanBeUsed(t *testing.T) {
	t.Parallel()
	loading := localmodeltest.Answer{Status: http.StatusServiceUnavailable, Header: map[string]string{"Server": "llama.cpp"}, Body: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`}
	locked := localmodeltest.Answer{Status: http.StatusUnauthorized, Header: map[string]string{"Server": "llama.cpp"}, Body: `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`}
	janLocked := jan("")
	janLocked["/v1/models/available"] = localmodeltest.Answer{Status: http.StatusUnauthorized, Body: "Invalid or missing authorization token"}
	for name, tt := range map[string]struct {
		server *localmodeltest.Server
		want   string
	}{
		"no model": {localmodeltest.Ollama(t), "it has no model"},
		"only embedding models": {localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "all-minilm:22m", Family: "bert", Size: "23M", Capabilities: []string{"embedding"}},
			localmodeltest.OllamaModel{Name: "private", Family: "qwen3", Size: "8B", Capabilities: []string{"embedding"}}), "none of its models writes answers on this machine"},
		"only models of its cloud": {localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "kimi-k2:cloud", RemoteHost: "https://ollama.com:443", Capabilities: []string{"completion"}}), "none of its models writes answers on this machine"},
		"a tiny window":            {localmodeltest.New(t, llama(512, 40960, true)), "it has loaded a window of 512 tokens, and at least 2048 are needed"},
		"loading":                  {localmodeltest.New(t, answers{"/props": loading, "/v1/models": loading}), "it is still loading its model"},
		"a key":                    {localmodeltest.New(t, answers{"/props": locked, "/v1/models": locked}), "it wants a key: set OPENAI_BASE_URL, OPENAI_API_KEY and LLM_MODEL"},
		"a key of Jan":             {localmodeltest.New(t, janLocked), "it wants a key: set OPENAI_BASE_URL, OPENAI_API_KEY and LLM_MODEL"},
		"Jan without a loaded one": {localmodeltest.New(t, jan(`{"data":[{"id":"m","status":"available"}]}`)), "it has loaded no model: start one there"},
		"Docker without a model":   {localmodeltest.New(t, answers{"/engines/v1/models": {Body: `{"object":"list","data":[]}`}}), "it has no model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := find(t, tt.server)
			if len(found) != 1 || found[0].Fault != tt.want || len(found[0].Models) > 0 {
				t.Errorf("found %+v, want %q", found, tt.want)
			}
		})
	}
}

// everywhere answers alike at every path.
func everywhere(handler http.HandlerFunc) func(t *testing.T) *localmodeltest.Server {
	return func(t *testing.T) *localmodeltest.Server {
		t.Helper()
		s := localmodeltest.New(t, answers{})
		s.Otherwise = handler
		return s
	}
}

func TestFindPassesOverEverythingElse(t *testing.T) {
	t.Parallel()
	page := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	for name, start := range map[string]func(t *testing.T) *localmodeltest.Server{
		"HTML":       everywhere(page("<!doctype html><title>It works</title>")),
		"null":       everywhere(page("null")),
		"empty":      everywhere(page("")),
		"a list":     everywhere(page("[]")),
		"an object":  everywhere(page("{}")),
		"a version":  everywhere(page(`{"version":"1.0"}`)), // of anything
		"data":       everywhere(page(`{"object":"list","data":[{"id":"gpt-5","object":"model","owned_by":"openai"}]}`)),
		"our server": everywhere(http.NotFound),
		"10 MB": everywhere(func(w http.ResponseWriter, _ *http.Request) {
			for range 10 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
					return
				}
			}
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","owned_by":"vllm"}]}`)
		}),
		"a refusal": everywhere(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if found := find(t, start(t)); len(found) > 0 {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func TestFindFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	target := localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "qwen3:8b", Family: "qwen3", Size: "8.2B", Capabilities: []string{"completion"}})
	s := everywhere(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+target.Address+r.URL.Path, http.StatusTemporaryRedirect)
	})(t)
	if found := find(t, s); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	if asked := target.Asked(""); len(asked) > 0 {
		t.Errorf("the target was asked: %q", asked)
	}
}

// A server that takes connections and says nothing costs Patience, and the others are found.
func TestFindDoesNotWaitForAServerThatHangs(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	if found := localmodel.Find(t.Context(), []string{listener.Addr().String()}, localmodel.Patience); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
	good := localmodeltest.New(t, answers{"/v1/models": {Body: vllm}})
	found := localmodel.Find(t.Context(), []string{listener.Addr().String(), good.Address}, time.Second)
	if len(found) != 1 || found[0].Kind != core.VLLM {
		t.Errorf("found %+v", found)
	}
}

func TestFindConnectsToLoopbackAlone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"192.0.2.1:80", "example.org:80", "0.0.0.0:80", "169.254.169.254:80", "nonsense"} {
		if found := localmodel.Find(t.Context(), []string{address}, time.Minute); len(found) > 0 {
			t.Errorf("%s: found %+v", address, found)
		}
	}
}

func TestFindReturnsTwoServersInOrder(t *testing.T) {
	t.Parallel()
	first := localmodeltest.New(t, llama(8192, 40960, true))
	second := localmodeltest.New(t, answers{"/v1/models": {Body: vllm}})
	found := find(t, first, second)
	if len(found) != 2 || found[0].Kind != core.LlamaCpp || found[1].Kind != core.VLLM {
		t.Fatalf("found %+v", found)
	}
	if offers := core.Offers(found); offers[0].Server.Kind != core.VLLM {
		t.Errorf("%s is offered first", offers[0].Server.Kind)
	}
}

func TestLoadReadsTheWindowThatTheServerHasLoaded(t *testing.T) {
	t.Parallel()
	t.Run("Ollama", func(t *testing.T) {
		t.Parallel()
		s := localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "qwen3:8b", Family: "qwen3", Size: "8.2B", Capabilities: []string{"completion", "tools"}, Trained: 40960, Window: 4096})
		m, err := localmodel.Load(t.Context(), core.Offers(find(t, s))[0])
		if err != nil || m.Window != 4096 || !m.Loaded {
			t.Errorf("loaded %+v: %v", m, err)
		}
		if asked := s.Asked("POST /api/generate"); len(asked) != 1 || strings.Contains(asked[0], "options") || strings.Contains(asked[0], "prompt") {
			t.Errorf("it was loaded by %q", asked)
		}
	})
	t.Run("LM Studio", func(t *testing.T) {
		t.Parallel()
		unloaded := strings.NewReplacer(`"state":"loaded"`, `"state":"not-loaded"`, `"loaded_context_length":4096,`, "").Replace(lmStudio)
		s := localmodeltest.New(t, answers{"/api/v0/models": {Body: unloaded}})
		o := core.Offers(find(t, s))[0]
		if o.Model.Window != 0 {
			t.Fatalf("a model that is not loaded has the window %d", o.Model.Window)
		}
		s.Set("/v1/chat/completions", localmodeltest.Answer{Do: func(w http.ResponseWriter, _ []byte) {
			s.Set("/api/v0/models", localmodeltest.Answer{Body: lmStudio})
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Hi"}}]}`)
		}})
		m, err := localmodel.Load(t.Context(), o)
		if err != nil || m.Window != 4096 {
			t.Errorf("loaded %+v: %v", m, err)
		}
	})
	t.Run("loaded already", func(t *testing.T) {
		t.Parallel()
		s := localmodeltest.New(t, llama(8192, 40960, true))
		m, err := localmodel.Load(t.Context(), core.Offers(find(t, s))[0])
		if err != nil || m.Window != 8192 || len(s.Asked("POST")) > 0 {
			t.Errorf("loaded %+v: %v", m, err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		s := localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "big", Family: "llama", Size: "70B", Capabilities: []string{"completion"}})
		s.Set("/api/generate", localmodeltest.Answer{Status: http.StatusInternalServerError, Body: `{"error":"model requires more system memory (40.0 GiB) than is available (8.0 GiB)"}`})
		if _, err := localmodel.Load(t.Context(), core.Offers(find(t, s))[0]); err == nil || !strings.Contains(err.Error(), "more system memory (40.0 GiB)") {
			t.Errorf("loading failed with %v", err)
		}
	})
}
