// Package pdf parses PDF files as documents. A document has sections of headings, paragraphs,
// lists, tables and code, each with its page number.
//
// PDFium parses the files. It is compiled to WebAssembly and runs in a sandbox without files,
// network or clock. A hostile file can at worst exhaust the memory and time allowed for one file.
// Every file gets a new sandbox, which is discarded afterwards.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/index"
)

// Page is the content and metadata of a PDF file. The anchor of a section is "page=N", which
// browsers understand in a URL's fragment.
type Page struct {
	Title     string // from the properties, or derived from the text; may be empty
	UpdatedAt time.Time
	Sections  []document.Section
}

// Options configure [Parse]. Zero fields get defaults.
type Options struct {
	Timeout time.Duration // for one file; index.Reading
}

// These constants are limits for one file. The sandbox also limits the memory.
const (
	mostPages = 5_000
	mostText  = document.MaxText
	mostRuns  = 500_000
)

var (
	errPassword = errors.New("it is protected by a password. Save a copy without one")
	errNoText   = errors.New("it has no text, as when its pages are scanned pictures. Run OCR on it first")
)

// Parse parses a PDF file in a sandbox. An error's text tells a person what to do. If ctx is done,
// the error wraps the cause of ctx, and [footprint.ErrWaiting] if the file was not begun. Parse is
// safe for concurrent use, but parses only one file of each [footprint.Lane] at a time.
func Parse(ctx context.Context, raw []byte, o Options) (Page, error) {
	if len(bytes.TrimSpace(raw[:min(len(raw), 1024)])) == 0 {
		return Page{}, errors.New("it is empty. Export or download it again")
	}
	if !bytes.Contains(raw[:min(len(raw), 1024)], []byte("%PDF-")) { // PDFium itself looks that far
		return Page{}, errors.New("it is no PDF file: the mark that one begins with is missing. Check what it is")
	}
	if o.Timeout <= 0 {
		o.Timeout = index.Reading
	}
	page, err := footprint.Hold(ctx, footprint.PDF, int64(len(raw)), func(ctx context.Context) (Page, error) { return parse(ctx, raw, o) })
	if err != nil && ctx.Err() != nil && !errors.Is(err, footprint.ErrWaiting) {
		return Page{}, context.Cause(ctx)
	}
	return page, err
}

func parse(ctx context.Context, raw []byte, o Options) (Page, error) {
	box, err := open(ctx)
	if err == nil {
		defer box.close()
	}
	switch {
	case ctx.Err() != nil:
		return Page{}, fmt.Errorf("%w: %w", footprint.ErrWaiting, context.Cause(ctx))
	case err != nil:
		return Page{}, explain(ctx, err)
	}
	timed, cancel := context.WithTimeoutCause(ctx, o.Timeout, index.ErrTooLong)
	defer cancel()
	read, err := box.read(timed, raw)
	switch {
	case err == nil:
	case timed.Err() != nil && ctx.Err() == nil:
		return Page{}, index.ErrTooLong
	default:
		return Page{}, explain(ctx, err)
	}
	page, err := read.document(timed)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return Page{}, index.ErrTooLong
	}
	return page, err
}

func explain(ctx context.Context, err error) error {
	var broken *trapError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &broken):
		return fmt.Errorf("it is damaged, or needs more than %d MB of memory to read. Open it in a PDF reader and print it to a new file, or split it", memoryLimit>>20)
	default:
		return err
	}
}
