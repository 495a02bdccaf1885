package wire

import (
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
)

// engines returns two engines with the same tools: one that answers with single searches, and deep
// search.
func (b *Base) engines(tools tool.Set) (plain, deep answer.Engine, err error) {
	fast, err := b.FastModel(spend.Answering)
	if err != nil {
		return nil, nil, err
	}
	plain = turn.NewRunner(tools, b.Counter, turn.Config{Policy: b.patience(), DropUnsupported: b.Config.DropUnsupported}, b.Logger)
	deep, err = deepsearch.New(deepsearch.Deps{
		Plain: plain,
		Tools: tools, Counter: b.Counter, Fast: fast, Library: library{b.checked()}, Journal: pgsession.NewDeepSearches(b.DB), Logger: b.Logger,
		Prices: func() spend.Prices { return b.File().Prices }, RemainingBudget: b.Left,
	}, deepsearch.Config{Policy: b.patience(), DropUnsupported: b.Config.DropUnsupported})
	return plain, deep, err
}
