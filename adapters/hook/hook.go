// Package hook takes the requests by which sources tell of changes. What they say is believed only
// as far as that something may have changed: the rest is read from the source.
package hook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/inbound"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Pattern is where the Handler is mounted: the tenant's and the source's ids stand in the path.
const Pattern = "POST /hooks/{tenant}/{source}"

const (
	// maxBody is how long a request may be. GitHub's longest are 25 MB, of pushes with thousands of
	// commits; what is longer is found without it.
	maxBody = 5 << 20
	// atOnce is how many requests are read at the same time, so that a flood takes neither memory
	// nor connections from answering.
	atOnce = 8
	// storing bounds how long a request waits for the database: sources want their answer within
	// seconds, and some within one.
	storing = 800 * time.Millisecond
)

// Handler answers the requests. It is safe for concurrent use.
type Handler struct {
	// Find returns the connector of a source that takes requests, and false for none.
	Find func(tenant access.TenantID, source document.SourceID) (index.Hooked, bool)
	// Hear keeps what was heard of a source, and has it read soon.
	Hear   func(ctx context.Context, source document.SourceID, subjects []string) error
	Logger *slog.Logger

	bodies *inbound.Bodies
}

// New returns a handler.
func New(
	find func(access.TenantID, document.SourceID) (index.Hooked, bool), hear func(context.Context, document.SourceID, []string) error, logger *slog.Logger,
) *Handler {
	return &Handler{Find: find, Hear: hear, Logger: logger, bodies: inbound.NewBodies(maxBody, atOnce)}
}

// ServeHTTP implements http.Handler. A source that is not there, and one that takes no requests,
// are alike.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	source := document.SourceID(r.PathValue("source"))
	connector, ok := h.Find(access.TenantID(r.PathValue("tenant")), source)
	if !ok {
		http.Error(w, "there is no such source", http.StatusNotFound)
		return
	}
	body, done, ok := h.bodies.Take(w, r)
	if !ok {
		return
	}
	defer done()
	subjects, err := connector.Hook(r.Header.Get, body)
	switch {
	case errors.Is(err, index.ErrUnsigned):
		http.Error(w, "the signature is missing or wrong", http.StatusUnauthorized)
		return
	case err != nil:
		h.Logger.WarnContext(r.Context(), "a signed request of a source could not be understood", "source", string(source), "error", err)
		http.Error(w, "the request could not be understood", http.StatusBadRequest)
		return
	case len(subjects) == 0:
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), storing)
	defer cancel()
	if err := h.Hear(ctx, source, subjects); err != nil {
		h.Logger.WarnContext(r.Context(), "what a source told could not be kept; it is found by the next look at everything", "source", string(source), "error", err)
		http.Error(w, "it could not be kept", http.StatusServiceUnavailable)
	}
}

// Bounded hands requests on whose bodies were read whole: at most atOnce bodies of at most most
// bytes are held.
func Bounded(most int64, atOnce int, next http.Handler) http.Handler {
	return inbound.Bounded(most, atOnce, next)
}
