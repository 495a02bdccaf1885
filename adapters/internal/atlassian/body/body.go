// Package body parses Confluence pages and Jira issues in the formats of Atlassian's products: the
// storage format (XHTML with macros), the Atlassian Document Format (JSON), and the wiki markup of
// Jira Data Center.
//
// It keeps the text itself. It replaces content that a macro would fetch from elsewhere with a
// link, or omits it. Examples are another page, a table from Jira, or a list of pages by label. The
// account that reads here may see more than the person who asks.
//
// It accepts any input in linear time and memory, however deep or broken it is.
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

// About is context that a page's text does not contain.
type About struct {
	Site  string // where the site's pages are: https://acme.atlassian.net/wiki/
	Page  string // address of the page
	Space string // key of its space
	Title string
	// NewEditor says that the page was written with the editor of Confluence Cloud, which gives
	// headings other anchors.
	NewEditor bool
	NoAnchors bool // headings have none: it is no page
	// Person returns a person's name by account id or user key; empty if unknown. Nil: no name is
	// known.
	Person func(id string) string
}

// deepest is the maximum number of nested elements; deeper ones count as text of the last one.
const deepest = 256

// writer converts both formats to plain HTML for htmltext.
type writer struct {
	About
	out   []byte
	taken map[string]int // anchors
}

func newWriter(about About) *writer { return &writer{About: about, taken: make(map[string]int)} }

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

func (w *writer) text(s string) { w.raw(html.EscapeString(s)) }

// since removes and returns what was written since an offset.
func (w *writer) since(at int) string {
	s := string(w.out[at:])
	w.out = w.out[:at]
	return s
}

func (w *writer) code(language, code string) {
	w.raw(`<pre class="language-`)
	w.text(strings.TrimSpace(language))
	w.raw("\">\n") // the first line break is none of the code
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

// link writes a link around HTML.
func (w *writer) link(address, content string) {
	if address == "" {
		w.raw(content)
		return
	}
	w.raw(`<a href="` + html.EscapeString(address) + `">` + content + "</a>")
}

// heading writes a heading with the anchor that Confluence gives it. The editor of Confluence Cloud
// joins the words with hyphens ("#Release-notes"); the older one leaves out the spaces and puts the
// page's title before them ("#Handbook-Releasenotes"). The second of the same name has ".1" behind
// it.
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

// of is the address of a page by its title; in the page's own space where none is named.
func (w *writer) of(space, title, anchor string) string {
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

// included writes a link to a page that a macro would show here.
func (w *writer) included(space, title string) {
	if title == "" {
		return
	}
	w.raw("<p>")
	w.link(w.of(space, title, ""), html.EscapeString("See "+title))
	w.raw("</p>")
}

// issue names an issue of Jira, or a search for some, that a macro would show here.
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

// sections parses the written HTML into sections.
func (w *writer) sections(ctx context.Context) ([]document.Section, error) {
	page, err := htmltext.Read(ctx, string(w.out))
	return page.Sections, err
}

// safe returns the address of a link in a text, where it leads to the web or a mailbox.
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
