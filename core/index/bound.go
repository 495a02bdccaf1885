package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/document"
)

var errTooLong = errors.New("it takes too long to read. Split it into smaller documents")

// load reads a document and checks its size. After a timeout only this document fails, not the run.
func (r *run) load(ctx context.Context, item Item) (document.Document, error) {
	timed, cancel := context.WithTimeoutCause(ctx, r.config.Reading+item.Wait, errTooLong)
	defer cancel()
	d, err := item.Load(timed)
	if err != nil {
		return d, r.ownFault(ctx, timed, err)
	}
	return d, tooLarge(&d)
}

func (r *run) cut(ctx context.Context, d *document.Document) ([]document.Chunk, error) {
	timed, cancel := context.WithTimeoutCause(ctx, r.config.Reading, errTooLong)
	defer cancel()
	chunks, err := r.chunker.Chunks(timed, d)
	if err != nil {
		return nil, r.ownFault(ctx, timed, err)
	}
	return chunks, nil
}

// ownFault returns errTooLong if only the time limit of a single document has expired, and err
// otherwise. timed is the context with that limit. ctx is the context of the run.
func (r *run) ownFault(ctx, timed context.Context, err error) error {
	if ctx.Err() == nil && timed.Err() != nil {
		return errTooLong
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
