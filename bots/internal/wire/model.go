package wire

import (
	"cmp"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

// Model returns the model that writes the answers, for footnote doctor. Without an endpoint, it is
// the model that quotes documents.
func (b *Base) Model() (llm.Model, error) {
	if !b.Config.HasModel() {
		return b.quotations()
	}
	return b.endpointModel(b.Config.Model, b.Config.ModelWindow, spend.Checking)
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

// patience returns the timeouts for models.
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
