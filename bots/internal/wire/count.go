package wire

import (
	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/spend"
)

func counter(model string) budget.Counter { return tiktoken.ForModel(model) }

func counting(model string) spend.Counting {
	return spend.Counting{Counter: counter(model), Exact: tiktoken.Exact(model)}
}
