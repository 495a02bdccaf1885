package wire

import (
	"context"
	"net/http"
	"sync"

	"github.com/footnotehq/footnote/adapters/hook"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Hooks returns the HTTP handler for the webhooks of sources, to be mounted at hook.Pattern. It
// returns nil if no source in the configuration file has a webhook.
func (b *Base) Hooks() (http.Handler, error) {
	hooked := &hooked{base: b}
	if !hooked.any() {
		return nil, nil //nolint:nilnil // there is nothing to be served
	}
	client, err := jobs.New(b.DB, nil, jobs.Config{Logger: b.Logger})
	if err != nil {
		return nil, err
	}
	hints := b.Index.Hints(b.Tenant)
	return hook.New(hooked.find, func(ctx context.Context, source document.SourceID, subjects []string) error {
		if err := hints.Hear(ctx, source, subjects); err != nil {
			return err
		}
		return client.Enqueue(ctx, jobs.Job{Kind: jobs.Access, Tenant: b.Tenant, Subject: string(source)},
			jobs.Job{Kind: jobs.Sync, Tenant: b.Tenant, Subject: string(source)})
	}, b.Logger), nil
}

// hooked holds the connectors of sources with webhooks. They are built once for each version of the
// configuration file, so that a request costs only a signature check. It is safe for concurrent
// use.
type hooked struct {
	base *Base

	mu         sync.Mutex
	of         *config.File
	connectors map[document.SourceID]index.Hooked
}

func (h *hooked) any() bool {
	for _, s := range h.base.File().Sources {
		if hooks := KindOf(s).hooks; hooks != nil && hooks(h.base.Config) {
			return true
		}
	}
	return false
}

func (h *hooked) find(tenant access.TenantID, source document.SourceID) (index.Hooked, bool) {
	if tenant != h.base.Tenant {
		return nil, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if file := h.base.File(); h.of != file {
		h.of, h.connectors = file, make(map[document.SourceID]index.Hooked)
		for _, s := range file.Sources {
			if hooks := KindOf(s).hooks; hooks == nil || !hooks(h.base.Config) {
				continue
			}
			if c, err := h.base.Connect(s); err == nil { // faults are reported where it is read
				if c, ok := c.(index.Hooked); ok {
					h.connectors[c.Source().ID] = c
				}
			}
		}
	}
	c, ok := h.connectors[source]
	return c, ok
}
