package localmodel

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/localmodel"
)

const (
	openAIModels   = "/v1/models"
	ollamaVersion  = "/api/version"
	ollamaModels   = "/api/tags"
	ollamaLoaded   = "/api/ps"
	ollamaShow     = "/api/show"
	ollamaGenerate = "/api/generate"
	lmStudioModels = "/api/v0/models"
	llamaProps     = "/props"
	dockerModels   = "/engines/v1/models"
	janDescription = "/openapi.json"
	janModels      = "/v1/models/available"
)

const wantsKey = "it wants a key: set OPENAI_BASE_URL, OPENAI_API_KEY and LLM_MODEL"

type openAIList struct {
	Object string `json:"object"`
	Data   []struct {
		ID      string `json:"id"`
		OwnedBy string `json:"owned_by"`

		MaxModelLen int `json:"max_model_len"` // vLLM

		Meta struct { // llama.cpp
			Window  int     `json:"n_ctx"`
			Trained int     `json:"n_ctx_train"`
			Params  float64 `json:"n_params"`
		} `json:"meta"`

		DMR struct { // Docker
			Window     int    `json:"context_window"`
			Parameters string `json:"parameters"`
		} `json:"dmr"`
	} `json:"data"`
}

func (l openAIList) ownedBy(owner string) bool {
	return l.Object == "list" && len(l.Data) > 0 && l.Data[0].OwnedBy == owner
}

// readOllama returns Ollama's models and true, if the responses are those of Ollama. Models that
// run on the vendor's servers, or that cannot write text, get no name.
func readOllama(ctx context.Context, address string, said map[string]answer) ([]localmodel.Model, string, bool) {
	var version struct {
		Version string `json:"version"`
	}
	var tags struct {
		Models *[]struct {
			Name       string `json:"name"`
			RemoteHost string `json:"remote_host"`
			Details    struct {
				Family        string `json:"family"`
				ParameterSize string `json:"parameter_size"`
			} `json:"details"`
		} `json:"models"`
	}
	if !said[ollamaVersion].decode(&version) || version.Version == "" || !said[ollamaModels].decode(&tags) || tags.Models == nil {
		return nil, "", false
	}
	var loaded struct {
		Models []struct {
			Name   string `json:"name"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	said[ollamaLoaded].decode(&loaded) // without it, no window is known
	var models, others []localmodel.Model
	for _, t := range *tags.Models {
		m := localmodel.Model{Name: t.Name, Size: localmodel.ParseSize(t.Details.ParameterSize)}
		if t.RemoteHost != "" || localmodel.Leaves(t.Name) || !localmodel.Writes(t.Details.Family) || strings.HasSuffix(t.Details.Family, "bert") {
			others = append(others, localmodel.Model{})
			continue
		}
		for _, l := range loaded.Models {
			if l.Name == t.Name {
				m.Loaded, m.Window = true, l.Window
			}
		}
		models = append(models, localmodel.Complete(m))
	}
	slices.SortFunc(models, localmodel.Compare)
	describe(ctx, address, models[:min(described, len(models))])
	models = slices.DeleteFunc(models, func(m localmodel.Model) bool {
		if m.Name == "" {
			others = append(others, m)
		}
		return m.Name == ""
	})
	return append(models, others...), "", true
}

// describe requests the details of Ollama's models from /api/show. It sets Tools and the context
// window of the trained model. It clears the name of a model that cannot write text.
func describe(ctx context.Context, address string, models []localmodel.Model) {
	var asking sync.WaitGroup
	for i := range models {
		asking.Go(func() {
			a, err := sendRequest(ctx, address, ollamaShow, map[string]string{"model": models[i].Name})
			if err != nil { // the defaults for the model's family remain
				return
			}
			var shown struct {
				Capabilities []string                   `json:"capabilities"`
				Info         map[string]json.RawMessage `json:"model_info"`
			}
			if !a.decode(&shown) {
				return
			}
			for key, value := range shown.Info {
				if strings.HasSuffix(key, ".context_length") && json.Unmarshal(value, &models[i].Most) != nil {
					models[i].Most = 0
				}
			}
			if len(shown.Capabilities) == 0 { // an older server
				return
			}
			models[i].Tools = localmodel.ToolsNo
			if slices.Contains(shown.Capabilities, "tools") {
				models[i].Tools = localmodel.ToolsYes
			}
			if !slices.Contains(shown.Capabilities, "completion") {
				models[i].Name = ""
			}
		})
	}
	asking.Wait()
}

// readLMStudio returns LM Studio's models and true, if the responses are those of LM Studio. It
// recognises LM Studio by the field "state" of models.
func readLMStudio(_ context.Context, _ string, said map[string]answer) ([]localmodel.Model, string, bool) {
	var list struct {
		Object string `json:"object"`
		Data   *[]struct {
			ID           string   `json:"id"`
			Type         string   `json:"type"`
			State        string   `json:"state"`
			Most         int      `json:"max_context_length"`
			Window       int      `json:"loaded_context_length"`
			Capabilities []string `json:"capabilities"`
		} `json:"data"`
	}
	if !said[lmStudioModels].decode(&list) || list.Object != "list" || list.Data == nil {
		return nil, "", false
	}
	var models []localmodel.Model
	for _, d := range *list.Data {
		if d.State != "loaded" && d.State != "not-loaded" {
			return nil, "", false
		}
		m := localmodel.Model{Name: d.ID, Most: d.Most, Loaded: d.State == "loaded"}
		switch {
		case d.Type != "llm" && d.Type != "vlm":
			m.Name = ""
		case slices.Contains(d.Capabilities, "tool_use"):
			m.Tools = localmodel.ToolsYes
		}
		if m.Loaded {
			m.Window = d.Window
		}
		models = append(models, m)
	}
	return models, "", true
}

// readLlama returns the model of a llama.cpp server and true, if the responses are those of
// llama.cpp. The string says why the server cannot be used, such as that it is still loading.
func readLlama(_ context.Context, _ string, said map[string]answer) ([]localmodel.Model, string, bool) {
	var props struct {
		Defaults *struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		ModelPath string `json:"model_path"`
		Caps      *struct {
			Tools bool `json:"supports_tools"`
		} `json:"chat_template_caps"`
	}
	var list openAIList
	listed := said[openAIModels].decode(&list)
	known := said[llamaProps].decode(&props) && props.Defaults != nil
	if !known && (!listed || !list.ownedBy("llamacpp")) {
		a := said[openAIModels]
		if a.server != "llama.cpp" {
			return nil, "", false
		}
		switch {
		case a.status == http.StatusServiceUnavailable:
			return nil, "it is still loading its model", true
		case a.refused():
			return nil, wantsKey, true
		}
		return nil, "", false
	}
	if said[openAIModels].refused() {
		return nil, wantsKey, true
	}
	var m localmodel.Model
	if listed && len(list.Data) > 0 {
		first := list.Data[0]
		m = localmodel.Model{Name: first.ID, Most: first.Meta.Trained, Size: first.Meta.Params / 1e9, Window: first.Meta.Window}
	} else {
		m.Name = props.ModelPath
	}
	if known {
		m.Window = props.Defaults.Window
		if props.Caps != nil {
			m.Tools = localmodel.ToolsNo
			if props.Caps.Tools {
				m.Tools = localmodel.ToolsYes
			}
		}
	}
	m.Loaded = true
	return []localmodel.Model{m}, "", true
}

// readVLLM returns vLLM's models and true, if the responses are those of vLLM. It recognises vLLM
// by "owned_by".
func readVLLM(_ context.Context, _ string, said map[string]answer) ([]localmodel.Model, string, bool) {
	var list openAIList
	if !said[openAIModels].decode(&list) || !list.ownedBy("vllm") {
		return nil, "", false
	}
	var models []localmodel.Model
	for _, d := range list.Data {
		models = append(models, localmodel.Model{Name: d.ID, Window: d.MaxModelLen, Loaded: true})
	}
	return models, "", true
}

// readDocker returns the models of Docker Model Runner and true, if the responses are those of
// Docker.
func readDocker(_ context.Context, _ string, said map[string]answer) ([]localmodel.Model, string, bool) {
	var list openAIList
	if !said[dockerModels].decode(&list) || list.Object != "list" || len(list.Data) > 0 && !list.ownedBy("docker") {
		return nil, "", false
	}
	var models []localmodel.Model
	for _, d := range list.Data {
		models = append(models, localmodel.Model{Name: d.ID, Size: localmodel.ParseSize(d.DMR.Parameters), Window: d.DMR.Window})
	}
	return models, "", true
}

// readJan returns the running models of Jan and true, if the responses are those of Jan. It
// recognises Jan by the title of its API description. The string says why Jan cannot be used.
func readJan(_ context.Context, _ string, said map[string]answer) ([]localmodel.Model, string, bool) {
	var description struct {
		Info struct {
			Title string `json:"title"`
		} `json:"info"`
	}
	if !said[janDescription].decode(&description) || !strings.HasPrefix(description.Info.Title, "Jan API") {
		return nil, "", false
	}
	if said[janModels].refused() {
		return nil, wantsKey, true
	}
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"data"`
	}
	if !said[janModels].decode(&list) {
		return nil, "it is too old to say which models it runs", true
	}
	var models []localmodel.Model
	for _, d := range list.Data {
		if d.Status == "running" {
			models = append(models, localmodel.Model{Name: d.ID, Loaded: true})
		}
	}
	if len(models) == 0 {
		return nil, "it has loaded no model: start one there", true
	}
	return models, "", true
}
