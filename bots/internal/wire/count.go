package wire

import (
	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/spend"
)

// counter returns the token counter for a model.
func counter(model string) budget.Counter { return tiktoken.ForModel(model) }

// counting returns the counter of a model, and whether it is exact.
func counting(model string) spend.Counting {
	return spend.Counting{Counter: counter(model), Exact: tiktoken.Exact(model)}
}
