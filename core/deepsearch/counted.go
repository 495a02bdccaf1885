package deepsearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
)

// counted is the search of a sub-question, which can be called so many times and no more.
type counted struct {
	tool.Tool
	left *atomic.Int64
	most int
}

var (
	_ tool.Tool   = (*counted)(nil)
	_ tool.Merger = (*counted)(nil)
)

// Run implements tool.Tool.
func (c *counted) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	if c.left.Add(-1) < 0 {
		return tool.Result{}, fmt.Errorf("all %d searches for this question were made; answer with what they found, or say that nothing was found", c.most)
	}
	return c.Tool.Run(ctx, call, emit)
}

// errApart leaves calls apart.
var errApart = errors.New("the tool merges no calls")

// Merge implements tool.Merger.
func (c *counted) Merge(arguments []json.RawMessage) (json.RawMessage, error) {
	if m, ok := c.Tool.(tool.Merger); ok {
		return m.Merge(arguments)
	}
	return nil, errApart
}
