package wire

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/sentence"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/spend"
)

// Model returns the model that writes the answers, for the doctor: the configured endpoint, or
// quotations if there is none.
func (b *Base) Model() (llm.Model, error) {
	if !b.Config.HasModel() {
		return b.gated(extractive.New())
	}
	return b.endpointModel(b.Config.Model, b.Config.ModelWindow, spend.Checking)
}

// leastMemory is the smallest memory limit of a process that uses the sentence model.
const leastMemory = 256 << 20

// wordsAlone says why the built-in sentence model is not used; empty if it is.
func (b *Base) wordsAlone() string {
	switch {
	case b.Config.Embedder == config.Words:
		return "EMBEDDER=" + config.Words
	case debug.SetMemoryLimit(-1) < leastMemory:
		return "the memory limit is below 256 MiB"
	}
	if _, err := sentence.New(); err != nil {
		return err.Error() + "; install the program again"
	}
	return ""
}

// gated makes the built-in sentence model decide when a model may quote, if the sentence model is
// used.
func (b *Base) gated(quoting *extractive.Model) (*extractive.Model, error) {
	if b.wordsAlone() != "" {
		return quoting, nil
	}
	sentences, err := sentence.New()
	if err != nil {
		return nil, fmt.Errorf("load the sentence model: %w", err)
	}
	quoting = quoting.WithSentences(sentences, retrieve.DefaultGate())
	if b.Measuring {
		quoting = quoting.Waiting(time.Minute)
	}
	return quoting, nil
}

// FastModel returns the model that rewrites follow-ups and describes the index, or nil if none is
// set.
func (b *Base) FastModel(purpose spend.Purpose) (llm.Model, error) {
	if b.Config.FastModel == "" {
		return nil, nil
	}
	return b.endpointModel(b.Config.FastModel, 0, purpose)
}

// compared returns the models that answer side by side. None has a fallback, which would answer
// under another model's name.
func (b *Base) compared(names []string) ([]llm.Model, error) {
	models := make([]llm.Model, len(names))
	for i, name := range names {
		var err error
		if models[i], err = b.namedModel(name); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// answering returns the model with a name, followed by its fallback. An empty name means the
// configured model.
func (b *Base) answering(name string) (llm.Model, error) {
	name = cmp.Or(name, b.Config.Model)
	model, err := b.namedModel(name)
	if err != nil || b.Config.FallbackModel == "" || b.Config.FallbackModel == name {
		return model, err
	}
	fallback, err := b.namedModel(b.Config.FallbackModel)
	if err != nil {
		return nil, err
	}
	return llm.NewChain(b.patience(), model, fallback), nil
}

// patience returns how long the program waits for models.
func (b *Base) patience() llm.Policy {
	return llm.Policy{FirstDelta: b.Config.FirstToken, Stall: b.Config.BetweenTokens}
}

// namedModel returns a model of the endpoint. LLM_WINDOW applies only to LLM_MODEL. The window of a
// server on this machine applies to all its models.
func (b *Base) namedModel(name string) (llm.Model, error) {
	window := 0
	if name == b.Config.Model || b.Config.FoundModel {
		window = b.Config.ModelWindow
	}
	return b.endpointModel(name, window, spend.Answering)
}

// endpointModel returns a model that is not built in. To add another provider, choose it here.
func (b *Base) endpointModel(name string, window int, purpose spend.Purpose) (llm.Model, error) {
	m, err := b.endpoints.model(openai.Config{
		Endpoint: b.endpoint(), Model: name, Window: window, Small: b.Config.ModelProfile == "small",
		NativeTools: said(b.Config.ModelTools, "native", "text"), Vision: said(b.Config.ModelVision, "true", "false"),
	})
	if err != nil {
		return nil, err
	}
	return b.paid(m, purpose), nil
}

// said converts a setting to a bool: yes is true, no is false. Any other value is nil, which means
// the known default.
func said(setting, yes, no string) *bool {
	switch setting {
	case yes:
		return new(true)
	case no:
		return new(false)
	}
	return nil
}

// endpoints caches the models of a process, so that what the program learns about an endpoint is
// kept. It is safe for concurrent use.
type endpoints struct {
	mu     sync.Mutex
	models map[endpointKey]*openai.Model
}

type endpointKey struct {
	name   string
	window int
}

// model returns the cached model with the name and window of c. The other fields of c are the same
// throughout a process.
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
