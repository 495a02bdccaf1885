package spend

import (
	"context"

	"github.com/footnotehq/footnote/core/llm"
)

// Request calls do, which sends one request to a service that charges per request. It enforces the
// caps. It books the request as one token of a model that is named after the service.
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
