// Package body parses Confluence pages and Jira issues. The formats are the storage format (XHTML
// with macros), the Atlassian Document Format (JSON), and the wiki markup of Jira Data Center.
//
// It keeps the text of the page or issue. A macro may include content from elsewhere, such as
// another page or a list of issues. That content is omitted or replaced by a link, because the
// account that reads it may see more than the person who asks.
//
// It accepts any input. Time and memory are linear in the input, even if nesting is deep or broken.
package body

import (
	"context"
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
)

// About describes the Confluence page or Jira issue to which a text belongs.
type About struct {
	Site  string // base address of the site's pages: https://acme.atlassian.net/wiki/
	Page  string // address of the page
	Space string // key of its space
	Title string
	// NewEditor means that the page was written with the new editor of Confluence Cloud, which uses
	// other anchors for headings.
	NewEditor bool
	NoAnchors bool // headings have no anchors, because the text is not a page
	// Person returns a person's name by account id or user key, or "" if unknown. If nil, no name
	// is known.
	Person func(id string) string
}

// deepest is the maximum nesting of elements, so that hostile texts do not exhaust the stack or
// take quadratic time.
const deepest = 256

type writer struct {
	About
	out   []byte
	taken map[string]int // number of headings by anchor
}

func newWriter(about About) *writer { return &writer{About: about, taken: make(map[string]int)} }

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

func (w *writer) text(s string) { w.raw(html.EscapeString(s)) }

func (w *writer) since(at int) string {
	s := string(w.out[at:])
	w.out = w.out[:at]
	return s
}

func (w *writer) code(language, code string) {
	w.raw(`<pre class="language-`)
	w.text(strings.TrimSpace(language))
	w.raw("\">\n") // HTML ignores this line break
	w.text(code)
	w.raw("</pre>")
}

func (w *writer) title(title string) {
	if title = strings.TrimSpace(title); title != "" {
		w.raw("<p><strong>")
		w.text(title)
		w.raw("</strong></p>")
	}
}

func (w *writer) link(address, content string) {
	if address == "" {
		w.raw(content)
		return
	}
	w.raw(`<a href="` + html.EscapeString(address) + `">` + content + "</a>")
}

// heading writes a heading with the anchor that Confluence gives it. For pages of the new editor,
// the anchor is like "Release-notes". For pages of the old editor, it begins with the page's title,
// as in "Handbook-Releasenotes". A repeated anchor gets a suffix such as ".1".
func (w *writer) heading(level int, content string) {
	text := plain(content)
	var anchor string
	if w.NoAnchors {
		text = ""
	} else if w.NewEditor {
		anchor = strings.Join(strings.Fields(text), "-")
	} else {
		anchor = strings.Join(strings.Fields(w.Title), "") + "-" + strings.Join(strings.Fields(text), "")
	}
	if n := w.taken[anchor]; n > 0 {
		w.taken[anchor]++
		anchor += "." + strconv.Itoa(n)
	} else {
		w.taken[anchor] = 1
	}
	tag := "h" + strconv.Itoa(min(max(level, 1), 6))
	w.raw("<" + tag)
	if text != "" {
		w.raw(` id="` + html.EscapeString(anchor) + `"`)
	}
	w.raw(">" + content + "</" + tag + ">")
}

func (w *writer) pageURL(space, title, anchor string) string {
	if title == "" {
		if anchor == "" {
			return ""
		}
		return w.Page + "#" + url.PathEscape(anchor)
	}
	if space == "" {
		space = w.Space
	}
	address := w.Site + "display/" + url.PathEscape(space) + "/" + strings.ReplaceAll(url.PathEscape(title), "%20", "+")
	if anchor != "" {
		address += "#" + url.PathEscape(anchor)
	}
	return address
}

func (w *writer) included(space, title string) {
	if title == "" {
		return
	}
	w.raw("<p>")
	w.link(w.pageURL(space, title, ""), html.EscapeString("See "+title))
	w.raw("</p>")
}

func (w *writer) issue(key, query string) {
	switch {
	case key != "":
		w.text(key)
	case query != "":
		w.text("(issues in Jira: " + query + ")")
	}
}

func (w *writer) person(id string) {
	if w.Person == nil || id == "" {
		return
	}
	if name := w.Person(id); name != "" {
		w.text("@" + name)
	}
}

func (w *writer) sections(ctx context.Context) ([]document.Section, error) {
	page, err := htmltext.Read(ctx, string(w.out))
	return page.Sections, err
}

func safe(address string) string {
	address = strings.TrimSpace(address)
	lower := strings.ToLower(address)
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(lower, scheme) {
			return address
		}
	}
	return ""
}
