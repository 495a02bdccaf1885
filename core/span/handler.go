package span

import (
	"context"
	"log/slog"
	"slices"
)

// Handler adds the tags of the context ([Tag]) to each log line. It does not add a tag if the line
// already has an attribute with the same name.
type Handler struct {
	slog.Handler
	named []string // names of the attributes that WithAttrs added
}

var _ slog.Handler = (*Handler)(nil)

// NewHandler returns a handler that passes its lines to inner.
func NewHandler(inner slog.Handler) *Handler { return &Handler{Handler: inner} }

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, line slog.Record) error {
	tags := stateOf(ctx).tags
	if len(tags) == 0 {
		return h.Handler.Handle(ctx, line)
	}
	named := slices.Clip(h.named)
	line.Attrs(func(a slog.Attr) bool {
		named = append(named, a.Key)
		return true
	})
	line = line.Clone()
	for _, tag := range tags {
		if !slices.Contains(named, tag.Key) {
			line.AddAttrs(tag)
		}
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	named := slices.Clip(h.named)
	for _, a := range attrs {
		named = append(named, a.Key)
	}
	return &Handler{Handler: h.Handler.WithAttrs(attrs), named: named}
}

// WithGroup implements slog.Handler. The tags appear inside the group.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{Handler: h.Handler.WithGroup(name)}
}
