// Package office parses files of Word, Excel and PowerPoint (Office Open XML) as documents with
// sections of paragraphs, lists and tables. Each sheet and each slide is a section with its name.
// It omits pictures, charts, comments, deleted text, headers and footers. It computes no formulas.
// A cell has the value that was saved.
//
// It accepts any input. Its memory is proportional to the amount of text that the caller wants
// (footprint.Office) and comes from the process's pool. It detects the file type by content, not by
// name.
package office

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
)

// Page is the content and metadata of an Office document.
type Page struct {
	// Title is the title from the document's properties, else the first heading of the highest rank
	// or the first slide's title. It may be empty.
	Title     string
	UpdatedAt time.Time
	Sections  []document.Section
	Cut       bool // there is more: Begin stopped at its limit
}

var endings = map[string]bool{
	".docx": true, ".docm": true, ".dotx": true, ".xlsx": true, ".xlsm": true, ".xltx": true, ".pptx": true, ".pptm": true, ".ppsx": true, ".potx": true,
}

var media = map[string]bool{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   true,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         true,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow":    true,
	"application/vnd.ms-word.document.macroenabled.12":                          true,
	"application/vnd.ms-excel.sheet.macroenabled.12":                            true,
	"application/vnd.ms-powerpoint.presentation.macroenabled.12":                true,
}

// Named reports whether [Parse] supports a file name's extension, such as ".docx".
func Named(name string) bool { return endings[strings.ToLower(path.Ext(name))] }

// Typed reports whether [Parse] supports a content type. kind must not have parameters such as a
// charset.
func Typed(kind string) bool { return media[strings.ToLower(kind)] }

// mostPart and the other constants limit what is read of one Office file. Sizes are in bytes, after
// unpacking.
const (
	mostPart = 64 << 20 // one part with text
	// mostUnpacked is the maximum total size of a file's parts. A sheet of 100,000 rows with 20
	// columns needs half of it.
	mostUnpacked   = 160 << 20
	mostStyles     = 8 << 20
	mostProperties = 1 << 20
	mostMembers    = 50_000 // sheets and slides with their related parts
	mostPages      = 10_000 // sheets or slides
	mostStates     = 65_536 // styles and formats; Excel allows 65,490
)

// Parse parses a whole Office document. It waits for memory from a pool that the process shares. An
// error's text tells a person what to do, for example if the document has more than
// document.MaxText bytes of text. If ctx is done, the error is the cause of ctx. Parse is safe for
// concurrent use.
func Parse(ctx context.Context, raw []byte) (Page, error) {
	page, err := Begin(ctx, raw, document.MaxText)
	if err == nil && page.Cut {
		return Page{}, fmt.Errorf("it unpacks to more than %d MB of text. Split it into smaller documents", document.MaxText>>20)
	}
	return page, err
}

// Begin is like [Parse], but returns only about the given number of bytes of text. It does not
// unpack the rest.
func Begin(ctx context.Context, raw []byte, most int) (Page, error) {
	page, err := footprint.Hold(ctx, footprint.Office, int64(most), func(ctx context.Context) (Page, error) { return parse(ctx, raw, most) })
	switch {
	case errors.Is(err, footprint.ErrWaiting):
		return Page{}, err
	case err != nil && ctx.Err() != nil:
		return Page{}, context.Cause(ctx)
	case err != nil:
		return Page{}, err
	}
	return page, nil
}

func parse(ctx context.Context, raw []byte, most int) (Page, error) {
	a, err := open(raw, most)
	if err != nil {
		return Page{}, err
	}
	var page Page
	if _, err := a.part("docProps/core.xml", mostProperties, func(d *boundedxml.Decoder) (err error) {
		page.Title, page.UpdatedAt, err = readProperties(ctx, d)
		return err
	}); err != nil {
		page.Title, page.UpdatedAt = "", time.Time{}
	}
	main := a.main(ctx)
	folder, _, _ := strings.Cut(main, "/")
	var title string
	switch {
	case strings.HasSuffix(main, ".bin"):
		return Page{}, errors.New("it is a workbook in Excel's binary format. Save it as .xlsx")
	case folder == "word":
		title, page.Sections, err = readWord(ctx, a, main)
	case folder == "xl":
		page.Sections, err = readWorkbook(ctx, a, main)
	case folder == "ppt":
		title, page.Sections, err = readSlides(ctx, a, main)
	default:
		return Page{}, errors.New("it holds no text as Word, Excel or PowerPoint keep it. Check what it is")
	}
	switch {
	case errors.Is(err, errEnough):
		page.Cut = true
	case err != nil:
		return Page{}, sentence(err)
	}
	// PowerPoint gives this title to every presentation
	if page.Title == "" || folder == "ppt" && page.Title == "PowerPoint Presentation" {
		page.Title = title
	}
	return page, nil
}

func sentence(err error) error {
	switch {
	case errors.Is(err, errLarge):
		return fmt.Errorf("a part of it unpacks to more than %d MB. Split it into smaller documents", mostPart>>20)
	case errors.Is(err, errUnpacked):
		return fmt.Errorf("it unpacks to more than %d MB. Split it into smaller documents, or save its largest sheet as CSV", mostUnpacked>>20)
	case errors.Is(err, errPages):
		return fmt.Errorf("it holds more than %d sheets or slides. Split it into smaller documents", mostPages)
	case errors.Is(err, boundedxml.ErrTooDeep), errors.Is(err, boundedxml.ErrTooLong):
		return fmt.Errorf("it is no document of a person: %w. Split it into smaller documents", err)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrAlgorithm), errors.Is(err, zip.ErrFormat):
		return fmt.Errorf("it is damaged: a part of it cannot be unpacked (%w). Open it in the program that wrote it and save it again", err)
	default:
		return fmt.Errorf("it is damaged: its text is not well-formed (%w). Open it in the program that wrote it and save it again", err)
	}
}
