package spend

import (
	"context"

	"github.com/footnotehq/footnote/core/llm"
)

// Request calls do, which makes one request to a service that bills per request. It enforces the
// caps, and books one input token of a model with the service's name.
func (m *Meter) Request(ctx context.Context, service string, purpose Purpose, do func(context.Context) error) error {
	one := llm.Usage{Input: 1}
	c, err := m.begin(ctx, service, purpose, one, func() int { return 1 })
	if err != nil {
		return err
	}
	defer c.finish(ctx)
	c.reported = &one
	return do(ctx)
}
