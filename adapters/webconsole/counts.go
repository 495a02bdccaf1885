package webconsole

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/review"
)

// countsAge is the lifetime of cached counts. Counting is slower than the rest of a page.
const countsAge = time.Minute

type counts struct {
	mu sync.Mutex
	of map[string]counted
}

type counted struct {
	at time.Time
	n  review.Counts
}

func (s *server) count(ctx context.Context, scope review.Scope, period string, since time.Time) (review.Counts, error) {
	key := fmt.Sprintf("%s %+v", period, scope)
	s.counted.mu.Lock()
	known, found := s.counted.of[key]
	s.counted.mu.Unlock()
	if found && time.Since(known.at) < countsAge {
		return known.n, nil
	}
	known.at = time.Now()
	var err error
	if known.n, err = s.Counts(ctx, scope, since); err != nil {
		return known.n, err
	}
	s.counted.mu.Lock()
	defer s.counted.mu.Unlock()
	if s.counted.of == nil || len(s.counted.of) >= maxKeys {
		s.counted.of = make(map[string]counted)
	}
	s.counted.of[key] = known
	return known.n, nil
}
