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

type limitedTool struct {
	tool.Tool
	remaining *atomic.Int64
	limit     int
}

var (
	_ tool.Tool   = (*limitedTool)(nil)
	_ tool.Merger = (*limitedTool)(nil)
)

// Run implements [tool.Tool]. It fails once the limit is reached.
func (c *limitedTool) Run(ctx context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	if c.remaining.Add(-1) < 0 {
		return tool.Result{}, fmt.Errorf("all %d searches for this question were made; answer with what they found, or say that nothing was found", c.limit)
	}
	return c.Tool.Run(ctx, call, emit)
}

var errNoMerge = errors.New("the tool merges no calls")

// Merge implements tool.Merger.
func (c *limitedTool) Merge(arguments []json.RawMessage) (json.RawMessage, error) {
	if m, ok := c.Tool.(tool.Merger); ok {
		return m.Merge(arguments)
	}
	return nil, errNoMerge
}
