// Package body parses Google Docs in both of Google's formats: JSON with tabs from the Docs API,
// and Drive's HTML export.
//
// It omits comments and suggestions, because not all readers of a document can see them. It accepts
// any input. Time and memory are proportional to the input's length.
package body

import (
	"context"
	"errors"
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
)

// ErrForm means that a response is not a document in Google's format.
var ErrForm = errors.New("the text is not in the form in which Google gives out documents")

// deepest is the maximum nesting of elements. Deeper elements are dropped.
const deepest = 256

// tab is a tab of a document (https://developers.google.com/workspace/docs/api/how-tos/tabs).
type tab struct {
	Properties struct {
		ID    string `json:"tabId"`
		Title string `json:"title"`
	} `json:"tabProperties"`
	Children []tab `json:"childTabs"`
	Content  struct {
		Body      content            `json:"body"`
		Footnotes map[string]content `json:"footnotes"`
		Lists     map[string]struct {
			Properties struct {
				Levels []struct {
					GlyphType string `json:"glyphType"`
				} `json:"nestingLevels"`
			} `json:"listProperties"`
		} `json:"lists"`
	} `json:"documentTab"`
}

type content struct {
	Content []element `json:"content"`
}

type element struct {
	Paragraph *struct {
		Elements []inline `json:"elements"`
		Style    struct {
			Named     string `json:"namedStyleType"`
			HeadingID string `json:"headingId"`
		} `json:"paragraphStyle"`
		Bullet *struct {
			ListID string `json:"listId"`
			Level  int    `json:"nestingLevel"`
		} `json:"bullet"`
	} `json:"paragraph"`
	Table *struct {
		Rows []struct {
			Cells []content `json:"tableCells"`
		} `json:"tableRows"`
	} `json:"table"`
}

type inline struct {
	Text *struct {
		Content string   `json:"content"`
		Added   []string `json:"suggestedInsertionIds"`
		Style   struct {
			Bold   bool `json:"bold"`
			Italic bool `json:"italic"`
			Font   struct {
				Family string `json:"fontFamily"`
			} `json:"weightedFontFamily"`
			Link struct {
				URL string `json:"url"`
			} `json:"link"`
		} `json:"textStyle"`
	} `json:"textRun"`
	Person *struct {
		Properties struct {
			Name string `json:"name"`
		} `json:"personProperties"`
	} `json:"person"`
	Link *struct {
		Properties struct {
			Title string `json:"title"`
			URI   string `json:"uri"`
		} `json:"richLinkProperties"`
	} `json:"richLink"`
	Date *struct {
		Properties struct {
			Text string `json:"displayText"`
		} `json:"dateElementProperties"`
	} `json:"dateElement"`
	Footnote *struct {
		ID     string `json:"footnoteId"`
		Number string `json:"footnoteNumber"`
	} `json:"footnoteReference"`
}

var limits = boundedjson.Limits{Elements: 1_000_000, Depth: 10_000}

// Doc parses a response of documents.get with includeTabsContent. at is the document's web address.
// A section's anchor is that address with a tab and a heading, such as
// "…/edit?tab=t.0#heading=h.abc". Doc returns ErrForm for malformed input.
func Doc(ctx context.Context, answer []byte, at string) ([]document.Section, error) {
	var got struct {
		Tabs []tab `json:"tabs"`
	}
	if err := limits.Unmarshal(answer, &got); err != nil || len(got.Tabs) == 0 {
		return nil, ErrForm
	}
	place, err := url.Parse(at)
	if err != nil {
		return nil, ErrForm
	}
	several := len(got.Tabs) > 1 || len(got.Tabs[0].Children) > 0
	var all []document.Section
	var read func(tabs []tab, above []string) error
	read = func(tabs []tab, above []string) error {
		for _, t := range tabs {
			sections, err := t.read(ctx)
			if err != nil {
				return err
			}
			names := above
			if several {
				names = append(append([]string{}, above...), t.Properties.Title)
			}
			for i, s := range sections {
				s.Heading = append(append([]string{}, names...), s.Heading...)
				s.Anchor = address(*place, t.Properties.ID, s.Anchor, several)
				if several && i == 0 {
					title := document.Block{Kind: document.Heading, Text: "# " + t.Properties.Title}
					s.Blocks = append([]document.Block{title}, s.Blocks...)
				}
				all = append(all, s)
			}
			if len(names) < deepest {
				if err := read(t.Children, names); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := read(got.Tabs, nil); err != nil {
		return nil, err
	}
	return all, nil
}

// address returns the web address of a heading in a tab: "…/edit?tab=t.0#heading=h.abc". It omits
// the tab if the document has only one. It returns "" if there is neither a heading nor several
// tabs.
func address(place url.URL, tab, heading string, several bool) string {
	if several && tab != "" {
		asked := place.Query()
		asked.Set("tab", tab)
		place.RawQuery = asked.Encode()
	}
	if heading != "" {
		place.Fragment = "heading=" + heading
	}
	if place.Fragment == "" && !several {
		return ""
	}
	return place.String()
}

// writer converts a tab to plain HTML, which package htmltext parses.
type writer struct {
	tab   *tab
	out   strings.Builder
	open  []string // open HTML lists ("ul" or "ol"), outermost first
	notes []string // ids of footnotes, in order
	ctx   context.Context
	steps int
}

func (t *tab) read(ctx context.Context) ([]document.Section, error) {
	w := &writer{tab: t, ctx: ctx}
	w.elements(t.Content.Body.Content, 0)
	for i, id := range w.notes {
		w.out.WriteString("<p>[" + strconv.Itoa(i+1) + "] ")
		for _, e := range t.Content.Footnotes[id].Content {
			if e.Paragraph != nil {
				w.inlines(e.Paragraph.Elements)
			}
		}
		w.out.WriteString("</p>")
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	page, err := htmltext.Read(ctx, w.out.String())
	return page.Sections, err
}

func (w *writer) elements(all []element, depth int) {
	if depth > deepest {
		return
	}
	for _, e := range all {
		if w.steps++; w.steps%1024 == 0 && w.ctx.Err() != nil {
			return
		}
		p := e.Paragraph
		if p == nil || p.Bullet == nil {
			w.lists(0, "")
		}
		switch {
		case e.Table != nil:
			w.out.WriteString("<table>")
			for _, row := range e.Table.Rows {
				w.out.WriteString("<tr>")
				for _, cell := range row.Cells {
					w.out.WriteString("<td>")
					w.elements(cell.Content, depth+1)
					w.out.WriteString("</td>")
				}
				w.out.WriteString("</tr>")
			}
			w.out.WriteString("</table>")
		case p == nil:
		case p.Bullet != nil:
			w.lists(min(p.Bullet.Level, 8)+1, w.kind(p.Bullet.ListID, p.Bullet.Level))
			w.out.WriteString("<li>")
			w.inlines(p.Elements)
			w.out.WriteString("</li>")
		default:
			tag := tagOf(p.Style.Named)
			w.out.WriteString("<" + tag)
			if p.Style.HeadingID != "" {
				w.out.WriteString(` id="` + html.EscapeString(p.Style.HeadingID) + `"`)
			}
			w.out.WriteString(">")
			w.inlines(p.Elements)
			w.out.WriteString("</" + tag + ">")
		}
	}
	w.lists(0, "")
}

// tagOf returns the HTML element for a named style: "h1" for TITLE, "h2" for HEADING_2, "p" for
// other styles.
func tagOf(style string) string {
	switch level, isHeading := strings.CutPrefix(style, "HEADING_"); {
	case style == "TITLE":
		return "h1"
	case isHeading && len(level) == 1 && "1" <= level && level <= "6":
		return "h" + level
	}
	return "p"
}

// kind returns the HTML element for a list: "ol" for numbered glyphs such as "DECIMAL", "ALPHA" and
// "ROMAN", otherwise "ul".
func (w *writer) kind(list string, level int) string {
	levels := w.tab.Content.Lists[list].Properties.Levels
	if level >= 0 && level < len(levels) {
		if g := levels[level].GlyphType; g != "" && g != "NONE" && g != "GLYPH_TYPE_UNSPECIFIED" {
			return "ol"
		}
	}
	return "ul"
}

// lists opens or closes HTML lists until depth lists are open. kind is the element of new lists:
// "ul" or "ol".
func (w *writer) lists(depth int, kind string) {
	for len(w.open) > depth {
		w.out.WriteString("</" + w.open[len(w.open)-1] + ">")
		w.open = w.open[:len(w.open)-1]
	}
	for len(w.open) < depth {
		w.out.WriteString("<" + kind + ">")
		w.open = append(w.open, kind)
	}
}

func (w *writer) inlines(all []inline) {
	for _, i := range all {
		switch {
		case i.Text != nil && len(i.Text.Added) == 0:
			w.run(i)
		case i.Person != nil:
			w.text(i.Person.Properties.Name)
		case i.Date != nil:
			w.text(i.Date.Properties.Text)
		case i.Link != nil:
			w.link(i.Link.Properties.URI, html.EscapeString(i.Link.Properties.Title))
		case i.Footnote != nil:
			w.notes = append(w.notes, i.Footnote.ID)
			w.text("[" + strconv.Itoa(len(w.notes)) + "]")
		}
	}
}

func (w *writer) text(s string) {
	w.out.WriteString(strings.ReplaceAll(html.EscapeString(strings.TrimSuffix(s, "\n")), "\v", "<br>"))
}

func (w *writer) run(i inline) {
	s := strings.ReplaceAll(html.EscapeString(strings.TrimSuffix(i.Text.Content, "\n")), "\v", "<br>")
	if s == "" {
		return
	}
	switch i.Text.Style.Font.Family {
	case "Courier New", "Roboto Mono", "Consolas", "Source Code Pro", "Inconsolata":
		s = "<code>" + s + "</code>"
	}
	w.link(i.Text.Style.Link.URL, s)
}

func (w *writer) link(address, shown string) {
	if address == "" {
		w.out.WriteString(shown)
		return
	}
	w.out.WriteString(`<a href="` + html.EscapeString(address) + `">` + shown + "</a>")
}

// Plain converts plain text to sections. Blank lines separate paragraphs.
func Plain(text string) []document.Section {
	var o document.Outline
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\uFEFF")
	for p := range strings.SplitSeq(text, "\n\n") {
		o.Block(document.Paragraph, strings.TrimSpace(p))
	}
	return o.Sections()
}
