package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

const (
	// engineAge is how long the process that changed a document has to update the search engine.
	// After that another process does it.
	engineAge  = 30 * time.Second
	enginePing = 3 * time.Second
)

// searchEngine returns nil if INDEX_URL is not set. suffix is appended to the names of its indexes.
// It sends no request.
func (b *Base) searchEngine(suffix string) (engine.Engine, error) {
	if b.Config.IndexURL == "" {
		return nil, nil
	}
	address, err := opensearch.ParseAddress(b.Config.IndexURL.Reveal())
	if err != nil {
		return nil, fmt.Errorf("read INDEX_URL: %w", err)
	}
	address.Prefix += suffix
	if address.CAFile == "" && !address.Plain {
		address.CAFile = b.Config.CAFile
	}
	return opensearch.New(opensearch.Config{Address: address, Logger: b.Logger})
}

// HasEngine reports whether a search engine is configured (INDEX_URL).
func (b *Base) HasEngine() bool { return b.Config.IndexURL != "" }

// EngineUp returns an error if the search engine does not answer within enginePing.
func (b *Base) EngineUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, enginePing)
	defer cancel()
	return b.Index.CheckEngine(ctx)
}

// EngineMetrics returns the function that provides the search engine's state for metrics, or nil if
// no search engine is configured.
func (b *Base) EngineMetrics() func(context.Context) (telemetry.Engine, error) {
	if !b.HasEngine() {
		return nil
	}
	return func(ctx context.Context) (telemetry.Engine, error) {
		state, err := b.Index.EngineState(ctx)
		if err != nil {
			return telemetry.Engine{}, err
		}
		return telemetry.Engine{Queued: state.Queued, Left: state.Left, Serving: state.Serving != "", Oldest: state.Waited}, nil
	}
}

func (b *Base) checkEngine(ctx context.Context) (string, error) {
	if !b.HasEngine() {
		state, err := b.Index.EngineState(ctx)
		if err != nil {
			return "", err
		}
		if state.Serving != "" || state.Filling != "" {
			return "", fmt.Errorf("the index %s of a search engine is kept up to date for other processes, and this one knows of none: set INDEX_URL here too, or run \"footnote engine leave\" with it", state.Serving+state.Filling)
		}
		return "none configured: PostgreSQL searches (INDEX_URL)", nil
	}
	if err := b.Index.CheckEngine(ctx); err != nil {
		return "", err
	}
	state, err := b.Index.EngineState(ctx)
	if err != nil {
		return "", err
	}
	return EngineSentence(state), nil
}

// EngineSentence describes for the operator whether the search engine answers searches, and what it
// still lacks.
func EngineSentence(s pgindex.EngineState) string {
	say := "OpenSearch answers searches from index " + s.Serving
	switch {
	case s.Serving == "" && s.Filling == "":
		say = "OpenSearch is there, and PostgreSQL answers searches: footnote engine move has OpenSearch do it"
	case s.Serving == "":
		say = "PostgreSQL answers searches while index " + s.Filling + " is filled"
	}
	if s.Filling != "" {
		say += fmt.Sprintf("; %s %s left to be brought to index %s", plural.Count(s.Left, "chunk"), plural.Are(s.Left), s.Filling)
	}
	if s.Queued > 0 {
		say += fmt.Sprintf("; %s with changes wait to be told to it, the first for %s", plural.Count(s.Queued, "document"), s.Waited.Round(time.Second))
	}
	return say
}

// tellEngine sends the search engine the changes that it lacks. It stops at until and reports
// whether more are left. An empty index moves to the engine at once.
func (b *Base) tellEngine(ctx context.Context, until time.Time) (more bool, err error) {
	if !b.HasEngine() {
		return false, nil
	}
	state, err := b.Index.EngineState(ctx)
	if err != nil {
		return false, err
	}
	if state.Serving == "" && state.Filling == "" {
		empty, err := b.Index.Empty(ctx)
		if empty && err == nil {
			err = b.Index.Rebuild(ctx, false, nil)
		}
		return false, err
	}
	_, more, err = b.Index.Drive(ctx, engineAge, until)
	return more, err
}

// sweepEngine compares a tenant's documents in the search engine with the database, and repairs
// differences.
func (b *Base) sweepEngine(ctx context.Context) error {
	if !b.HasEngine() {
		return nil
	}
	wrong, err := b.Index.SweepEngine(ctx, b.Tenant)
	if wrong > 0 {
		b.Logger.WarnContext(ctx, "the search engine did not have what the database has; it is brought again", "tenant", string(b.Tenant), "chunks", wrong)
	}
	return err
}
