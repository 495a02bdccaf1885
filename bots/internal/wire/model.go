package wire

import (
	"cmp"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

// Model returns the model of LLM_MODEL for a check. If no endpoint is configured, it returns the
// model that quotes documents.
func (b *Base) Model() (llm.Model, error) {
	if !b.Config.HasModel() {
		return b.quotations()
	}
	return b.endpointModel(b.Config.Model, b.Config.ModelWindow, spend.Checking)
}

// FastModel returns the model of FAST_LLM_MODEL, or nil if that is not set. Its costs are recorded
// under purpose.
func (b *Base) FastModel(purpose spend.Purpose) (llm.Model, error) {
	if b.Config.FastModel == "" {
		return nil, nil
	}
	return b.endpointModel(b.Config.FastModel, 0, purpose)
}

// compared returns models without a fallback, because each answers under its own name.
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

// answering returns a model with its fallback. An empty name means LLM_MODEL.
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

func (b *Base) patience() llm.Policy {
	return llm.Policy{FirstDelta: b.Config.FirstToken, Stall: b.Config.BetweenTokens}
}

// namedModel applies LLM_WINDOW only to LLM_MODEL. The window of a server on this machine applies
// to all its models.
func (b *Base) namedModel(name string) (llm.Model, error) {
	window := 0
	if name == b.Config.Model || b.Config.FoundModel {
		window = b.Config.ModelWindow
	}
	return b.endpointModel(name, window, spend.Answering)
}
