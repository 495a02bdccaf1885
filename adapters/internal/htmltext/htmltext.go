// Package htmltext parses HTML pages as documents. It extracts the title, the address, and the
// content as sections of paragraphs, lists, tables and code. It omits navigation, scripts and
// styling.
//
// It reads tokens and builds no tree. It accepts any input in linear time and memory, even if
// nesting is deep or broken.
package htmltext

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
)

// Page is the content and metadata of an HTML page.
type Page struct {
	Title string // title, or else the first heading of the highest rank; may be empty
	// Canonical is the page's canonical address as written. It may be relative or empty.
	Canonical string
	Language  string // primary subtag of the html element's lang, in lower case; may be empty
	UpdatedAt time.Time
	Sections  []document.Section
	// Base is the base of relative links as written. It may be relative. If it is empty, the base
	// is the page's address.
	Base  string
	Links []document.Link // links to other pages in Sections, as written
}

// Read parses an HTML page in UTF-8. It accepts any input, and a page without text has no Sections.
// It waits for memory from a pool that the process shares. It fails only if ctx is done.
// Read is safe for concurrent use.
func Read(ctx context.Context, text string) (Page, error) {
	return footprint.Hold(ctx, footprint.HTML, int64(len(text)), func(ctx context.Context) (Page, error) { return read(ctx, text) })
}

func read(ctx context.Context, text string) (Page, error) {
	x, err := extract(ctx, text, true)
	// everything seemed to be navigation, such as after a nav element that is never closed
	if err == nil && x.all.Size() == 0 {
		x, err = extract(ctx, text, false)
	}
	if err != nil {
		return Page{}, err
	}
	page, content, links := x.page, &x.all, x.links
	if x.main.Size()*mainShare >= x.all.Size() {
		content, links = &x.main, x.mainLinks
	}
	page.Sections, page.Links = content.Sections(), links
	joinWords(page.Sections)
	if page.Title == "" {
		page.Title = content.Title()
	}
	return page, nil
}

// mainShare decides whether a main element counts as the page's content. Its text must be at least
// 1/mainShare of the page's text.
const mainShare = 3
