package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// ErrTooLong is the error of a document that reached a time limit.
var ErrTooLong = errors.New("it takes too long to read. Split it into smaller documents")

// Reading is the default time limit for reading a document. It is half of the time of a background
// job, so that the job can record the document as a failure before it ends.
const Reading = 20 * time.Second

const (
	// maxReadings is how often a pass begins to read a document that takes too long.
	maxReadings = 2
	maxSlow     = 1000 // documents of a pass that take too long
)

// recordSlow remembers for the rest of the pass which documents take too long. A document that a
// pause interrupted counts if the run made no other progress.
func (r *run) recordSlow(s step) error {
	before := len(r.state.Slow)
	for _, id := range s.slow {
		r.countReadings(id, maxReadings)
	}
	r.advanced = r.advanced || s.advanced || s.next != nil || len(r.state.Slow) > before
	for _, id := range s.cut {
		if !r.advanced {
			r.countReadings(id, 1)
		}
	}
	if len(r.state.Slow) > maxSlow {
		return fmt.Errorf("more than %d documents take too long to read. Leave them out of the source, or split them", maxSlow)
	}
	return nil
}

func (r *run) countReadings(id document.ID, n int) {
	if r.state.Slow == nil {
		r.state.Slow = make(map[document.ID]int)
	}
	r.state.Slow[id] = min(r.state.Slow[id]+n, maxReadings)
}

// load reads a document and checks its size. After a timeout only this document fails, not the run.
func (r *run) load(ctx context.Context, item Item) (document.Document, error) {
	timed, cancel := r.limit(ctx, item.ID, item.Wait)
	defer cancel()
	d, err := item.Load(timed)
	if err != nil {
		return d, r.ownFault(ctx, timed, err)
	}
	return d, tooLarge(&d)
}

func (r *run) cut(ctx context.Context, d *document.Document) ([]document.Chunk, error) {
	timed, cancel := r.limit(ctx, d.ID, 0)
	defer cancel()
	chunks, err := r.chunker.Chunks(timed, d)
	if err != nil {
		return nil, r.ownFault(ctx, timed, err)
	}
	return chunks, nil
}

// limit returns the context for one step of reading a document. It is done if the pass does not
// read the document again.
func (r *run) limit(ctx context.Context, id document.ID, wait time.Duration) (context.Context, context.CancelFunc) {
	limit := r.config.Reading + wait
	if r.last.Slow[id] >= maxReadings {
		limit = 0
	}
	return context.WithTimeoutCause(ctx, limit, ErrTooLong)
}

// ownFault returns ErrTooLong if timed, the context of one document, has expired but ctx, that of
// the run, has not. Otherwise it returns err.
func (r *run) ownFault(ctx, timed context.Context, err error) error {
	if ctx.Err() == nil && timed.Err() != nil {
		return ErrTooLong
	}
	return err
}

func tooLarge(d *document.Document) error {
	text, blocks := 0, 0
	for _, s := range d.Sections {
		blocks += len(s.Blocks)
		for _, b := range s.Blocks {
			text += len(b.Text)
		}
	}
	switch {
	case text > document.MaxText:
		return fmt.Errorf("it holds more than %d MB of text. Split it into smaller documents", document.MaxText>>20)
	case blocks > document.MaxBlocks:
		return fmt.Errorf("it holds more than %d headings, paragraphs and tables. Split it into smaller documents", document.MaxBlocks)
	default:
		return nil
	}
}
