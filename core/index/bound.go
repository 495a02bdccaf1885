package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/document"
)

// errTooLong is the cancellation cause when reading or cutting a document exceeds its time limit.
var errTooLong = errors.New("it takes too long to read. Split it into smaller documents")

// load reads a document within its time limit. After a timeout only this document fails, and the
// run continues with the next document.
func (r *run) load(ctx context.Context, item Item) (document.Document, error) {
	timed, cancel := context.WithTimeoutCause(ctx, r.config.Reading+item.Wait, errTooLong)
	defer cancel()
	d, err := item.Load(timed)
	if err != nil {
		return d, r.ownFault(ctx, timed, err)
	}
	return d, tooLarge(&d)
}

// cut cuts a document into chunks within its time limit.
func (r *run) cut(ctx context.Context, d *document.Document) ([]document.Chunk, error) {
	timed, cancel := context.WithTimeoutCause(ctx, r.config.Reading, errTooLong)
	defer cancel()
	chunks, err := r.chunker.Chunks(timed, d)
	if err != nil {
		return nil, r.ownFault(ctx, timed, err)
	}
	return chunks, nil
}

// ownFault returns errTooLong if the time limit of a document (timed) has expired. Otherwise, or if
// the whole run was cancelled (ctx), it returns err.
func (r *run) ownFault(ctx, timed context.Context, err error) error {
	if ctx.Err() == nil && timed.Err() != nil {
		return errTooLong
	}
	return err
}

// tooLarge returns an error if a document has more than document.MaxText bytes or
// document.MaxBlocks blocks.
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
