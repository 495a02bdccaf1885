// Package console is the platform that needs no setup: a terminal or a pipe. Each input line is a
// question. Answers are streamed to standard output. The whole conversation is one thread.
package console

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/tool/openurl"
)

// Renderer writes answers as text. It implements stream.Renderer[string].
type Renderer struct {
	// Terminal turns footnotes into OSC 8 hyperlinks and shows running searches in dimmed text.
	// Without Terminal, the output is plain text, and the list of sources contains the addresses.
	Terminal bool
	// Marked keeps the Markdown of the answer for Layout. It requires Terminal.
	Marked bool
	// Width is the number of columns for wrapping lines between words. 0 leaves wrapping to the
	// terminal.
	Width int
	// Now returns the current time, for the age of documents. nil means time.Now.
	Now func() time.Time
}

var _ stream.Renderer[string] = (*Renderer)(nil)

// Render implements stream.Renderer. It returns the answer as one page.
func (r *Renderer) Render(v *stream.View) []string {
	t := &tail{Renderer: r, wrap: wrapper{width: r.Width}}
	page, ok := t.next(v)
	if !ok {
		return nil
	}
	return []string{page}
}

// Tail implements stream.Renderer.
func (r *Renderer) Tail() stream.Tail[string] {
	return (&tail{Renderer: r, wrap: wrapper{width: r.Width}}).next
}

// tail is the state of an answer that is being written to the terminal.
type tail struct {
	*Renderer
	text    int      // bytes of the view's text that were written
	queries int      // queries that were shown
	rows    []string // states of the plan's rows that were shown
	status  string
	last    byte
	ends    rune // last character of the text that was written
	done    bool
	wrap    wrapper
	marked  bool // Markdown was begun and not ended
}

// footnote matches a citation such as [[2]](https://acme.example/plan). The address is escaped, so
// it contains no parenthesis or space.
var footnote = regexp.MustCompile(`\[\[(\d+)\]\]\(([^()\s]+)\)`)

func (t *tail) next(v *stream.View) (string, bool) {
	var b strings.Builder
	if t.Terminal && len(v.Queries) > t.queries {
		t.endMarkdown(&b)
		for _, q := range v.Queries[t.queries:] {
			if slices.ContainsFunc(v.Plan, func(r stream.Row) bool { return r.Question == q }) {
				continue // the plan shows it
			}
			t.line(&b, dim("Searching: "+q))
		}
		t.queries = len(v.Queries)
	}
	if t.Terminal && !t.done {
		t.plan(&b, v)
	}
	if t.Terminal && v.Status != "" && v.Status != t.status {
		t.status = v.Status
		t.line(&b, dim(v.Status))
	}
	if v.Len() > t.text {
		text := answer.VisibleAfter(t.ends, printed(v.TextFrom(t.text)))
		if text != "" {
			t.ends, _ = utf8.DecodeLastRuneInString(text)
		}
		if t.Marked && !t.marked && text != "" {
			t.marked = true
			b.WriteString(markdownBegins)
		}
		b.WriteString(t.wrap.write(t.links(text, v.Citations)))
		t.text = v.Len()
	}
	if v.Phase == stream.Done && !t.done {
		t.done = true
		b.WriteString(t.wrap.flush())
		t.endMarkdown(&b)
		t.end(&b, v)
	}
	if b.Len() == 0 {
		return "", false
	}
	out := b.String()
	t.last = out[len(out)-1]
	return out, true
}

func (t *tail) plan(b *strings.Builder, v *stream.View) {
	for i, r := range v.Plan {
		said := ""
		switch {
		case i == len(t.rows):
			t.rows = append(t.rows, "")
			said = fmt.Sprintf("%d. %s", i+1, r.Question)
		case !r.Settled() || r.State == t.rows[i]:
			continue
		default:
			t.rows[i] = r.State
			said = fmt.Sprintf("%d. %s", i+1, cmp.Or(states[r.State], r.State))
			if found := numbers.ReplaceAllString(r.Text, ""); found != "" {
				said += ": " + cite.Cut(oneLine(found), maxFinding)
			}
		}
		t.endMarkdown(b)
		t.line(b, dim(said))
	}
}

// numbers matches the footnotes in an intermediate result of a deep search. They are removed,
// because the final report has different footnote numbers.
var numbers = regexp.MustCompile(` ?\[\[\d+\]\]\([^()\s]+\)`)

// maxFinding is the maximum length of an intermediate result in characters.
const maxFinding = 170

var states = map[string]string{"missing": "not in the documents", "dropped": "left out"}

// dim returns a dimmed line. Dimmed lines show progress and are not part of the answer.
func dim(s string) string { return "\x1b[2m" + Sanitize(oneLine(s)) + "\x1b[0m" }

func (t *tail) endMarkdown(b *strings.Builder) {
	if t.marked {
		t.marked = false
		b.WriteString(markdownEnds)
		t.last = '\n' // Layout adds the line end
	}
}

func (t *tail) line(b *strings.Builder, s string) {
	last := t.last
	if b.Len() > 0 {
		last = b.String()[b.Len()-1]
	}
	if last == markdownEnds[0] {
		last = '\n'
	}
	if last != 0 && last != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(s)
	b.WriteByte('\n')
}

// links converts the footnotes in text for the output. text never ends within a footnote, because
// the stream does not split them.
func (t *tail) links(text string, cited []packet.CitationInfo) string {
	return footnote.ReplaceAllStringFunc(text, func(link string) string {
		m := footnote.FindStringSubmatch(link)
		n, err := strconv.Atoi(m[1])
		if err != nil || !slices.ContainsFunc(cited, func(c packet.CitationInfo) bool { return c.Number == n }) {
			if t.Marked {
				return `\[\[` + m[1] + `\]\]` + link[len(m[1])+4:]
			}
			return link // the model wrote it without citing a document
		}
		if t.Marked {
			return link
		}
		return t.anchor("["+m[1]+"]", m[2])
	})
}

func (t *tail) anchor(label, address string) string {
	if !t.Terminal {
		return label
	}
	return anchor(label, address)
}

func (t *tail) end(b *strings.Builder, v *stream.View) {
	if v.Problem != nil {
		t.line(b, Sanitize(v.Problem.Message))
		if v.Problem.Reference != "" {
			t.line(b, "Reference: "+Sanitize(v.Problem.Reference))
		}
	}
	if v.Message != "" {
		if t.last != 0 || b.Len() > 0 {
			t.line(b, "")
		}
		t.line(b, Sanitize(v.Message))
	}
	for _, notice := range v.Notices {
		t.line(b, Sanitize(notice))
	}
	if len(v.Closest) > 0 {
		if v.Outcome != session.Answered { // otherwise the message introduces them
			t.line(b, "These may help:")
		}
		for _, d := range v.Closest {
			t.line(b, "  "+t.document(d))
		}
	}
	if owner := foot.OwnerNote(v); owner != "" {
		t.line(b, Sanitize(owner))
	}
	if groups := foot.Groups(v); len(groups) > 0 {
		t.line(b, "")
		t.line(b, "Sources")
		for _, group := range groups {
			for _, c := range group { // each on a separate line, because its address is shown
				t.line(b, t.source(v, c))
			}
		}
	}
	if t.Terminal && len(v.Plan) > 0 {
		t.line(b, dim(stream.ProgressText(v)))
	}
	t.line(b, "")
}

func (t *tail) document(d packet.Document) string {
	title, address := Sanitize(oneLine(d.Title)), Sanitize(d.URL)
	if address == "" {
		return title
	}
	return title + " – " + t.anchor(address, address)
}

func (t *tail) source(v *stream.View, c packet.CitationInfo) string {
	address := Sanitize(c.URL)
	s := "  " + t.anchor("["+strconv.Itoa(c.Number)+"]", address) + " " + Sanitize(oneLine(c.Title))
	if openurl.Fetched(c.Document) {
		s += foot.Web
	}
	if section := oneLine(c.Section); section != "" && !strings.EqualFold(section, oneLine(c.Title)) {
		s += " › " + Sanitize(section)
	}
	if address != "" {
		s += " – " + t.anchor(address, address)
	}
	if at := foot.Updated(v, c); at != nil {
		s += " (" + foot.Age(at, t.now()) + ")"
	}
	return s
}

func (r *Renderer) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// Heading returns the line above the answer of one model, for a question that several models
// answer.
func Heading(model string) string { return "── " + Sanitize(oneLine(model)) + " ──\n" }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
