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

// Page is the metadata and content of a document.
type Page struct {
	// Title is the title from the document's properties, else the first heading of the highest rank
	// or the first slide's title. It may be empty.
	Title     string
	UpdatedAt time.Time
	Sections  []document.Section
	Cut       bool // there is more: Begin stopped at its limit
}

// endings lists the file name extensions that Parse supports, in lower case.
var endings = map[string]bool{
	".docx": true, ".docm": true, ".dotx": true, ".xlsx": true, ".xlsm": true, ".xltx": true, ".pptx": true, ".pptm": true, ".ppsx": true, ".potx": true,
}

// media lists the content types that Parse supports, in lower case.
var media = map[string]bool{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   true,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         true,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow":    true,
	"application/vnd.ms-word.document.macroenabled.12":                          true,
	"application/vnd.ms-excel.sheet.macroenabled.12":                            true,
	"application/vnd.ms-powerpoint.presentation.macroenabled.12":                true,
}

// Named reports whether Parse supports the extension of a file name.
func Named(name string) bool { return endings[strings.ToLower(path.Ext(name))] }

// Typed reports whether Parse supports a content type. The caller must remove the type's
// parameters.
func Typed(kind string) bool { return media[strings.ToLower(kind)] }

// mostPart and the other constants are limits. Sizes are unpacked sizes in bytes. The text of a
// thick book has less than a tenth of mostPart.
const (
	mostPart = 64 << 20 // one part with text
	// mostUnpacked limits everything that is read of a file. A sheet of 100,000 rows with 20
	// columns has half of it.
	mostUnpacked   = 160 << 20
	mostStyles     = 8 << 20
	mostProperties = 1 << 20
	mostMembers    = 50_000 // sheets and slides with their related parts
	mostPages      = 10_000 // sheets or slides
	mostStates     = 65_536 // styles and formats; Excel allows 65,490
)

// Parse parses a whole document. It is safe for concurrent use and waits for memory. A document
// with more text than document.MaxText is an error. The text of an error is a sentence that says
// what to do. If ctx is done, the error is its cause.
func Parse(ctx context.Context, raw []byte) (Page, error) {
	page, err := Begin(ctx, raw, document.MaxText)
	if err == nil && page.Cut {
		return Page{}, fmt.Errorf("it unpacks to more than %d MB of text. Split it into smaller documents", document.MaxText>>20)
	}
	return page, err
}

// Begin is like Parse, for callers that need only most bytes of text. It stops unpacking after
// about that many bytes and returns them.
func Begin(ctx context.Context, raw []byte, most int) (Page, error) {
	page, err := footprint.Hold(ctx, footprint.Office, int64(most), func(ctx context.Context) (Page, error) { return parse(ctx, raw, most) })
	switch {
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

// sentence returns a sentence that says what to do about an unreadable part.
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
