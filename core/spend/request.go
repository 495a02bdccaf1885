package spend

import (
	"context"

	"github.com/footnotehq/footnote/core/llm"
)

// Request makes one request of a service that is paid by the request, within the caps, and books
// it: it counts as one token of input of a model of the service's name.
func (m *Meter) Request(ctx context.Context, service string, purpose Purpose, do func(context.Context) error) error {
	one := llm.Usage{Input: 1}
	c, err := m.begin(ctx, service, purpose, one, func() int { return 1 })
	if err != nil {
		return err
	}
	defer c.end(ctx)
	c.told = &one
	return do(ctx)
}
