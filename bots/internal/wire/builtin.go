package wire

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/adapters/sentence"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
)

// leastMemory is the smallest memory limit, in bytes, with which a process uses the sentence model.
const leastMemory = 256 << 20

func (b *Base) whyNoSentenceModel() string {
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

// withSentenceModel lets the sentence model decide when to quote. If the sentence model is not
// used, it returns quoting unchanged.
func (b *Base) withSentenceModel(quoting *extractive.Model) (*extractive.Model, error) {
	if b.whyNoSentenceModel() != "" {
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

// sentences returns the built-in model that embeds in the background. It returns nil if an endpoint
// embeds, or if search uses words alone.
func (b *Base) sentences() (*sentence.Model, error) {
	if b.Config.EmbeddingModel != "" || b.whyNoSentenceModel() != "" {
		return nil, nil
	}
	m, err := sentence.New()
	if err != nil {
		return nil, fmt.Errorf("load the sentence model: %w", err)
	}
	return m, nil
}

// quotations returns the model that quotes documents instead of writing answers.
func (b *Base) quotations() (llm.Model, error) { return b.withSentenceModel(extractive.New()) }

// standIn returns the model that quotes documents while the budget for other models is used up.
func (b *Base) standIn() (llm.Model, error) { return b.withSentenceModel(extractive.StandIn()) }
