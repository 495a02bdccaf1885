package wire

import (
	"cmp"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

// Model is what writes the answers, for the doctor: the configured endpoint, or quotations where there is none.
func (b *Base) Model() (llm.Model, error) {
	if !b.Config.HasModel() {
		return extractive.New(), nil
	}
	return b.endpointModel(b.Config.Model, b.Config.ModelWindow, spend.Checking)
}

// FastModel rewrites follow-ups and describes what is indexed; nil without one.
func (b *Base) FastModel(purpose spend.Purpose) (llm.Model, error) {
	if b.Config.FastModel == "" {
		return nil, nil
	}
	return b.endpointModel(b.Config.FastModel, 0, purpose)
}

// compared are models that answer side by side. None has a fallback: it would answer under the name of another.
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

// answering is the model of that name, no name being the configured one, with the fallback behind it.
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
	return llm.NewChain(llm.Policy{}, model, fallback), nil
}

// namedModel is a model of the endpoint. What LLM_WINDOW says holds for LLM_MODEL alone.
func (b *Base) namedModel(name string) (llm.Model, error) {
	window := 0
	if name == b.Config.Model {
		window = b.Config.ModelWindow
	}
	return b.endpointModel(name, window, spend.Answering)
}

// endpointModel is every model that is not built in: another provider is chosen here.
func (b *Base) endpointModel(name string, window int, purpose spend.Purpose) (llm.Model, error) {
	m, err := openai.New(openai.Config{Endpoint: b.endpoint(), Model: name, Window: window})
	if err != nil {
		return nil, err
	}
	return b.paid(m, purpose), nil
}

func (b *Base) endpoint() openai.Endpoint {
	return openai.Endpoint{BaseURL: b.Config.OpenAIBaseURL, APIKey: b.Config.OpenAIKey.Reveal(), HTTP: b.HTTP("model")}
}
