// Package hook receives the change notifications (webhooks) of sources. A notification only says
// that something may have changed. The changes themselves are read from the source.
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

// Pattern is the route of the Handler. It contains the ids of the tenant and the source.
const Pattern = "POST /hooks/{tenant}/{source}"

const (
	// maxBody is the maximum size of a request in bytes. A larger notification is rejected, and a
	// later scan finds its changes.
	maxBody = 5 << 20
	// atOnce limits concurrent requests, so that a flood of them leaves memory and connections for
	// answers.
	atOnce = 8
	// storing is the timeout for storing a notification in the database. Most sources expect a
	// response within seconds, and some within one second.
	storing = 800 * time.Millisecond
)

// Handler is an http.Handler that receives change notifications (webhooks) of document sources. It
// is safe for concurrent use.
type Handler struct {
	// Find returns the connector of a source. It returns false if the source does not exist or does
	// not accept notifications.
	Find func(tenant access.TenantID, source document.SourceID) (index.Hooked, bool)
	// Hear stores the changed subjects of a source and schedules a run of the source.
	Hear   func(ctx context.Context, source document.SourceID, subjects []string) error
	Logger *slog.Logger

	bodies *inbound.Bodies
}

// New returns a handler. find returns the connector of a source. The handler calls hear with
// descriptions of what has changed in the source ([index.Hint.Subject]).
func New(
	find func(access.TenantID, document.SourceID) (index.Hooked, bool), hear func(context.Context, document.SourceID, []string) error, logger *slog.Logger,
) *Handler {
	return &Handler{Find: find, Hear: hear, Logger: logger, bodies: inbound.NewBodies(maxBody, atOnce)}
}

// ServeHTTP implements http.Handler. The response is the same for an unknown source and for a
// source that does not accept notifications.
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

// Bounded returns a handler that reads the whole body of each request before it calls next. most is
// the maximum size of a body in bytes. The handler holds at most atOnce bodies in memory.
func Bounded(most int64, atOnce int, next http.Handler) http.Handler {
	return inbound.Bounded(most, atOnce, next)
}
