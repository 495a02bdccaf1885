package wire

import (
	"context"
	"net/http"
	"sync"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

// endpointModel records the costs of its model under purpose. Another provider would be chosen
// here.
func (b *Base) endpointModel(name string, window int, purpose spend.Purpose) (llm.Model, error) {
	m, err := b.endpoints.model(openai.Config{
		Endpoint: b.endpoint(), Model: name, Window: window, Small: b.Config.ModelProfile == "small",
		NativeTools: settingBool(b.Config.ModelTools, "native", "text"), Vision: settingBool(b.Config.ModelVision, "true", "false"),
	})
	if err != nil {
		return nil, err
	}
	return b.paid(m, purpose), nil
}

// settingBool returns nil for a setting that is neither yes nor no. nil means the known default.
func settingBool(setting, yes, no string) *bool {
	switch setting {
	case yes:
		return new(true)
	case no:
		return new(false)
	}
	return nil
}

// endpoints caches the models of a process, so that they keep what they learned about an endpoint.
// It is safe for concurrent use.
type endpoints struct {
	mu     sync.Mutex
	models map[endpointKey]*openai.Model
}

type endpointKey struct {
	name   string
	window int
}

// model uses only the name and window of c as cache key, because the other fields of c never change
// in a process.
func (e *endpoints) model(c openai.Config) (*openai.Model, error) {
	if e == nil {
		return openai.New(c)
	}
	key := endpointKey{c.Model, c.Window}
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.models[key]; m != nil {
		return m, nil
	}
	m, err := openai.New(c)
	if err != nil {
		return nil, err
	}
	if e.models == nil {
		e.models = make(map[endpointKey]*openai.Model)
	}
	e.models[key] = m
	return m, nil
}

func (b *Base) endpoint() openai.Endpoint {
	idle := b.Config.FirstToken
	if idle > 0 {
		idle = max(idle, b.Config.BetweenTokens)
	}
	return openai.Endpoint{BaseURL: b.Config.OpenAIBaseURL, APIKey: b.Config.OpenAIKey.Reveal(), HTTP: b.HTTP("model"), IdleTimeout: idle}
}

// listed reports whether the endpoint lists the configured model. Asking costs nothing.
func (b *Base) listed(ctx context.Context) bool {
	return openai.Lists(ctx, b.endpoint(), b.Config.Model)
}

func newHTTPClient(caFile string) (*http.Client, error) { return openai.NewHTTPClient(caFile) }

func (b *Base) endpointEmbedder() (*openai.Embedder, error) {
	endpoint := b.endpoint()
	if b.Config.EmbeddingBaseURL != "" {
		endpoint.BaseURL, endpoint.AddressSetting = b.Config.EmbeddingBaseURL, "EMBEDDING_BASE_URL"
	}
	if b.Config.EmbeddingKey != "" {
		endpoint.APIKey, endpoint.KeySetting = b.Config.EmbeddingKey.Reveal(), "EMBEDDING_API_KEY"
	}
	return openai.NewEmbedder(openai.EmbedderConfig{Endpoint: endpoint, Model: b.Config.EmbeddingModel, Dimensions: b.Config.EmbeddingDimensions})
}
