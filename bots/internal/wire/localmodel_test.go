package wire_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/localmodel/localmodeltest"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/localmodel"
	"github.com/footnotehq/footnote/core/spend"
)

func settings(t *testing.T, pairs ...string) *config.Config {
	t.Helper()
	values := map[string]string{"FOOTNOTE_DATA": filepath.Join(t.TempDir(), "new", "data")}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	cfg, err := config.Load(func(name string) string { return values[name] })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestLocalChoiceIsKept(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	if _, ok, err := wire.ReadLocalChoice(cfg); ok || err != nil {
		t.Fatalf("nothing was chosen, and it reads %v, %v", ok, err)
	}
	for _, choice := range []wire.LocalChoice{{}, {Use: true, Kind: localmodel.Ollama, Address: "127.0.0.1:11434", Model: "qwen3:8b"}} {
		if err := wire.KeepLocalChoice(cfg, choice); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := wire.ReadLocalChoice(cfg); got != choice || !ok || err != nil {
			t.Errorf("%+v reads %+v, %v, %v", choice, got, ok, err)
		}
	}
	file := filepath.Join(cfg.DataDir, "local-model.json")
	for _, damaged := range []string{"", "{", "null x", `{"use":true}`, `{"use":true,"model":"m","address":"10.1.1.1:80"}`, `{"use":true,"model":"m","address":"models.example.org:80"}`} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := wire.ReadLocalChoice(cfg); ok || err != nil || got.Use {
			t.Errorf("%q reads %+v, %v, %v", damaged, got, ok, err)
		}
	}
}

func TestLocalModelsAreLookedForOnlyWithoutAnEndpoint(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pairs []string
		want  bool
	}{
		"nothing":    {nil, true},
		"again":      {[]string{"LOCAL_MODEL", "again"}, true},
		"no":         {[]string{"LOCAL_MODEL", "no"}, false},
		"a key":      {[]string{"OPENAI_API_KEY", "k"}, false},
		"an address": {[]string{"OPENAI_BASE_URL", "http://127.0.0.1:1/v1"}, false},
	} {
		if got := wire.LooksForLocalModels(settings(t, tt.pairs...)); got != tt.want {
			t.Errorf("with %s: %v", name, got)
		}
	}
}

func TestWithLocalModel(t *testing.T) {
	t.Parallel()
	offer := localmodel.Offer{Server: localmodel.Server{Kind: localmodel.Ollama, Address: "127.0.0.1:11434"}, Model: localmodel.Model{Name: "qwen3:14b", Size: 14, Tools: localmodel.ToolsYes, Window: 20000}}
	cfg := settings(t, "EMBEDDING_MODEL", "text-embedding-3-small", "EMBEDDING_API_KEY", "sk-secret", "COST_CAP_DAILY", "1")
	cfg.File.Prices = spend.Prices{Models: map[string]spend.Price{"text-embedding-3-small": {}}}
	with := wire.WithLocalModel(cfg, offer)
	if with.OpenAIBaseURL != "http://127.0.0.1:11434/v1" || with.Model != "qwen3:14b" || with.ModelWindow != 20000 || with.ModelProfile != "full" {
		t.Errorf("settings are %s, %s, %d, %s", with.OpenAIBaseURL, with.Model, with.ModelWindow, with.ModelProfile)
	}
	if with.EmbeddingBaseURL != "https://api.openai.com/v1" {
		t.Errorf("the key of the embedding endpoint goes to %q", with.EmbeddingBaseURL)
	}
	if err := with.CheckPrices(with.File); err != nil {
		t.Errorf("a model of this machine wants a price: %v", err)
	}
	if cfg.HasModel() || len(cfg.File.Prices.Models) != 1 {
		t.Error("the settings before were changed")
	}
	offer.Model.Size = 8
	if small := wire.WithLocalModel(cfg, offer); small.ModelProfile != "small" {
		t.Errorf("8 B have the profile %s", small.ModelProfile)
	}
	offer.Model.Window = 0
	if unknown := wire.WithLocalModel(cfg, offer); unknown.ModelWindow != localmodel.AssumedWindow {
		t.Errorf("an unknown window is %d", unknown.ModelWindow)
	}
	if said := wire.WithLocalModel(settings(t, "LLM_WINDOW", "9000"), offer); said.ModelWindow != 9000 {
		t.Errorf("LLM_WINDOW=9000 is %d", said.ModelWindow)
	}
}

func TestFindChosenSaysWhyItCannotBeUsed(t *testing.T) {
	t.Parallel()
	server := localmodeltest.Ollama(t, localmodeltest.OllamaModel{Name: "qwen3:8b", Family: "qwen3", Size: "8.2B", Capabilities: []string{"completion", "tools"}})
	empty := localmodeltest.Ollama(t)
	page := localmodeltest.New(t, map[string]localmodeltest.Answer{"/": {Status: http.StatusOK, Body: "<html>"}})
	for name, tt := range map[string]struct {
		choice wire.LocalChoice
		want   string
	}{
		"there":          {wire.LocalChoice{Kind: localmodel.Ollama, Address: server.Address, Model: "qwen3:8b"}, ""},
		"another model":  {wire.LocalChoice{Kind: localmodel.Ollama, Address: server.Address, Model: "gone:8b"}, "it has no such model any more"},
		"another server": {wire.LocalChoice{Kind: localmodel.VLLM, Address: server.Address, Model: "qwen3:8b"}, "Ollama answers there"},
		"no model":       {wire.LocalChoice{Kind: localmodel.Ollama, Address: empty.Address, Model: "qwen3:8b"}, "it has no model"},
		"a page":         {wire.LocalChoice{Kind: localmodel.Ollama, Address: page.Address, Model: "qwen3:8b"}, "it does not answer"},
		"nothing":        {wire.LocalChoice{Kind: localmodel.Ollama, Address: "127.0.0.1:9", Model: "qwen3:8b"}, "it does not answer"},
	} {
		offer, why := wire.FindChosen(t.Context(), tt.choice)
		if why != tt.want || why == "" && offer.Model.Name != "qwen3:8b" {
			t.Errorf("%s: %q with %+v, want %q", name, why, offer.Model, tt.want)
		}
		if strings.Contains(why, "context") {
			t.Errorf("%s: %s", name, why)
		}
	}
}
