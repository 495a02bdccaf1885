package wire

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/tool"
)

const (
	catalogueKept = 10 * time.Minute       // lifetime of a cached list
	catalogueWait = 300 * time.Millisecond // time limit for a list, which is optional in an answer
	catalogueMost = 1000                   // maximum number of cached audiences
)

// catalogue caches the sources that each audience can search. It is safe for concurrent use.
type catalogue struct {
	list   func(context.Context, access.Audience) ([]tool.Source, error)
	logger *slog.Logger

	mu   sync.Mutex
	kept map[string]listed
}

type listed struct {
	at      time.Time
	sources []tool.Source
}

var _ answer.Catalogue = (*catalogue)(nil)

// Searchable implements answer.Catalogue. If listing takes longer than catalogueWait, it returns an
// empty list, which it caches like any other.
func (c *catalogue) Searchable(ctx context.Context, audience access.Audience) []tool.Source {
	key := audience.Key()
	c.mu.Lock()
	known, ok := c.kept[key]
	c.mu.Unlock()
	if ok && time.Since(known.at) < catalogueKept {
		return known.sources
	}
	asking, cancel := context.WithTimeout(ctx, catalogueWait)
	defer cancel()
	sources, err := c.list(asking, audience)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		c.logger.WarnContext(ctx, "sources are not listed in prompts for a while", "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= catalogueMost {
		c.kept = make(map[string]listed)
	}
	c.kept[key] = listed{time.Now(), sources}
	return sources
}
