package localmodel_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/localmodel"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"8.2B": 8.2, "361.82 M": 0.36182, "7B": 7, "595.78M": 0.59578,
		"qwen3:8b": 8, "qwen3:30b-a3b-instruct": 30, "Meta-Llama-3.1-8B-Instruct": 8, "llama3.2:1b": 1,
		"mixtral:8x7b": 56, "SmolLM2-135M-Instruct.Q4_1": 0.135, "gemma-3-270m-q4_k_m": 0.27, "ai/smollm2:360M-Q4_K_M": 0.36,
		"phi4-mini:3.8b": 3.8, "Qwen2.5-0.5B": 0.5,
		"": 0, "gpt-oss": 0, "mistral:latest": 0, "model-v2b-x": 0, "Q8_0": 0,
	} {
		if got := localmodel.ParseSize(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q has %v billions, want %v", text, got, want)
		}
	}
}

func TestShownIsTheNameOfTheFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"/models/Qwen3-8B-Q4_K_M.gguf": "Qwen3-8B-Q4_K_M", `C:\m\a.gguf`: "a", "qwen3:8b": "qwen3:8b", "Qwen/Qwen3-8B": "Qwen/Qwen3-8B",
	} {
		if got := localmodel.Shown(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}

func TestModelsThatWriteNoAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"nomic-embed-text:latest", "text-embedding-nomic-embed-text-v1.5", "mxbai-embed-large", "all-minilm:22m", "bge-m3", "BAAI/bge-small-en-v1.5",
		"snowflake-arctic-embed2", "qwen3-embedding:8b", "qwen3-reranker-4b", "llama-guard3:8b", "whisper-large", "embeddinggemma:300m",
	} {
		if localmodel.Writes(name) {
			t.Errorf("%s counts as a model that writes", name)
		}
	}
	for _, name := range []string{"qwen3:8b", "gpt-oss:20b", "Qwen/Qwen3-8B", "deepseek-r1:14b", "gemma3:4b", "/models/Meta-Llama-3.1-8B.gguf"} {
		if !localmodel.Writes(name) {
			t.Errorf("%s counts as a model that writes nothing", name)
		}
	}
	for name, want := range map[string]bool{"gpt-oss:120b-cloud": true, "kimi-k2:cloud": true, "cloudy:8b": false, "gpt-oss:20b": false} {
		if localmodel.Leaves(name) != want {
			t.Errorf("%s runs elsewhere: %v", name, !want)
		}
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	best := []string{"gpt-oss:20b", "qwen3:14b", "qwen3:8b", "mistral-small:24b", "qwen2.5:7b", "qwen3:4b", "llama3.1:70b", "gemma3:12b", "gemma3:4b", "qwen3:1.7b", "llama3.2:1b", "gemma3:1b"}
	models := make([]localmodel.Model, len(best))
	for i, name := range best {
		models[i] = localmodel.Complete(localmodel.Model{Name: name})
	}
	mixed := slices.Clone(models)
	slices.Reverse(mixed)
	slices.SortFunc(mixed, localmodel.Compare)
	for i, m := range mixed {
		if m.Name != best[i] {
			t.Errorf("place %d has %s, want %s", i, m.Name, best[i])
		}
	}
	loaded := []localmodel.Model{{Name: "a:8b", Size: 8}, {Name: "b:8b", Size: 8, Loaded: true}}
	if slices.MinFunc(loaded, localmodel.Compare).Name != "b:8b" {
		t.Error("of two models that are alike the loaded one is not first")
	}
}

func TestWhatAServerSaysCountsBeforeTheTable(t *testing.T) {
	t.Parallel()
	m := localmodel.Complete(localmodel.Model{Name: "gemma3:4b", Size: 4.3, Tools: localmodel.ToolsYes})
	if m.Tools != localmodel.ToolsYes || m.Size != 4.3 {
		t.Errorf("it is %+v", m)
	}
}

func offer(kind localmodel.Kind, m localmodel.Model) localmodel.Offer {
	return localmodel.Offer{Server: localmodel.Server{Kind: kind, Address: "127.0.0.1:11434"}, Model: localmodel.Complete(m)}
}

func TestQuestionAndReply(t *testing.T) {
	t.Parallel()
	one := []localmodel.Offer{offer(localmodel.Ollama, localmodel.Model{Name: "qwen3:8b", Size: 8.2, Window: 32768, Most: 32768})}
	if got, want := localmodel.Question(one), "Ollama runs here with qwen3:8b (8 B, calls tools, 32k). Let it write the answers? [Y/n] Nothing leaves this machine. "; got != want {
		t.Errorf("question is\n%s\nwant\n%s", got, want)
	}
	two := append(slices.Clone(one), offer(localmodel.LMStudio, localmodel.Model{Name: "gemma-3-4b", Window: 4096, Most: 131072}))
	if got, want := localmodel.Question(two), "Ollama runs here with qwen3:8b (8 B, calls tools, 32k). 2: LM Studio with gemma-3-4b (4 B, calls no tools, 4k of 128k loaded). "+
		"Let qwen3:8b write the answers? [Y/n/2] Nothing leaves this machine. "; got != want {
		t.Errorf("question is\n%s\nwant\n%s", got, want)
	}
	small := []localmodel.Offer{offer(localmodel.LlamaCpp, localmodel.Model{Name: "/m/SmolLM2-135M.gguf"})}
	if got := localmodel.Question(small); !strings.Contains(got, "SmolLM2-135M (135 M, calls no tools). It is so small that quoting the documents is better. Let it write the answers? [y/N]") {
		t.Errorf("question is %s", got)
	}
	for _, tt := range []struct {
		line   string
		offers []localmodel.Offer
		want   int
		ok     bool
	}{
		{"", one, 0, true}, {"\r", one, 0, true}, {"Y", one, 0, true}, {"yes ", one, 0, true}, {"n", one, -1, true}, {"No", one, -1, true},
		{"2", one, 0, false}, {"2", two, 1, true}, {"1", two, 0, true}, {"0", two, 0, false}, {"-1", two, 0, false}, {"maybe", two, 0, false},
		{"", small, -1, true}, {"y", small, 0, true},
	} {
		got, ok := localmodel.Reply(tt.line, tt.offers)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q is %d, %v, want %d, %v", tt.line, got, ok, tt.want, tt.ok)
		}
	}
}

func TestRaiseNamesTheCommandOfEachServer(t *testing.T) {
	t.Parallel()
	for kind, want := range map[localmodel.Kind]string{
		localmodel.Ollama:   "OLLAMA_CONTEXT_LENGTH=32768 ollama serve",
		localmodel.LMStudio: "lms load 'my model' --context-length 32768",
		localmodel.LlamaCpp: "llama-server -m 'my model' -c 32768",
		localmodel.VLLM:     "vllm serve 'my model' --max-model-len 32768",
		localmodel.Docker:   "docker model configure --context-size 32768 'my model'",
		localmodel.Jan:      `{"model": "my model", "ctx_size": 32768}`,
	} {
		if got := offer(kind, localmodel.Model{Name: "my model"}).Raise(4096); !strings.Contains(got, want) || !strings.Contains(got, "4096 tokens") {
			t.Errorf("%s: %s", kind, got)
		}
	}
	if got := offer(localmodel.Ollama, localmodel.Model{Name: "m", Most: 131072}).Raise(32768); got != "" {
		t.Errorf("a large window is raised: %s", got)
	}
	if got := offer(localmodel.Ollama, localmodel.Model{Name: "m", Most: 8192}).Raise(8192); got != "" {
		t.Errorf("more than the model was trained for is asked: %s", got)
	}
	if got := offer(localmodel.Ollama, localmodel.Model{Name: "m", Most: 8192}).Raise(4096); !strings.Contains(got, "OLLAMA_CONTEXT_LENGTH=8192") {
		t.Errorf("the most of the model is not asked: %s", got)
	}
}

func TestCommandsQuoteNames(t *testing.T) {
	t.Parallel()
	o := offer(localmodel.Ollama, localmodel.Model{Name: "x; rm -rf '~'", Size: 14, Tools: localmodel.ToolsYes, Window: 32768})
	if got, want := o.Settings(), `OPENAI_BASE_URL=http://127.0.0.1:11434/v1 LLM_MODEL='x; rm -rf '\''~'\''' LLM_WINDOW=32768`; got != want {
		t.Errorf("settings are %s, want %s", got, want)
	}
	if got := offer(localmodel.Docker, localmodel.Model{Name: "ai/smollm2"}).Settings(); got != "OPENAI_BASE_URL=http://127.0.0.1:11434/engines/v1 LLM_MODEL=ai/smollm2 LLM_PROFILE=small" {
		t.Errorf("settings are %s", got)
	}
}

func TestAddressOfAHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "", "127.0.0.1": "127.0.0.1:11434", "localhost": "127.0.0.1:11434", "0.0.0.0": "127.0.0.1:11434", "0.0.0.0:5000": "127.0.0.1:5000",
		":5000": "127.0.0.1:5000", "http://localhost:5000/": "127.0.0.1:5000", "http://127.0.0.1": "127.0.0.1:80", "http://localhost:11434/v1": "127.0.0.1:11434", "[::1]:5000": "[::1]:5000",
		"::": "", "[::]:5000": "[::1]:5000", `"127.0.0.1:5000"`: "127.0.0.1:5000", "127.0.0.2:5000": "127.0.0.2:5000",
		"https://127.0.0.1": "", "gpu.example.org": "", "192.168.1.4:11434": "", "10.0.0.1": "", "user@127.0.0.1": "", "127.0.0.1:0": "", "127.0.0.1:99999": "", "%": "", "unix:///run/x": "",
	} {
		got, ok := localmodel.AddressOf(host)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("OLLAMA_HOST=%s is %q, want %q", host, got, want)
		}
	}
	if got, want := localmodel.Where([]string{"127.0.0.1:11434"}, "localhost"), []string{"127.0.0.1:11434"}; !slices.Equal(got, want) {
		t.Errorf("addresses are %q", got)
	}
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "127.9.9.9:1": true, "localhost:1": false, "127.0.0.1": false, "127.0.0.1:0": false, "8.8.8.8:1": false, "0.0.0.0:1": false, "[::ffff:127.0.0.1]:1": true, "[::ffff:8.8.8.8]:1": false,
	} {
		if got := localmodel.Loopback(address); got != want {
			t.Errorf("%s is loopback: %v", address, got)
		}
	}
	for _, address := range localmodel.Addresses {
		if !localmodel.Loopback(address) {
			t.Errorf("%s is no loopback address", address)
		}
	}
}
