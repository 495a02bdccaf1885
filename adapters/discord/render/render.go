// Package render formats answers as pages within Discord's limits. It makes no calls.
package render

import (
	"cmp"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/stream"
)

const (
	// pageLimit is the maximum length of the text of a page. The rest of MaxContent is for texts
	// that are appended to the page.
	pageLimit = 1900
	// plainPage is the length of the text of a page after Discord refused longer content.
	plainPage = 900
	// noteLimit is the maximum length of a line below the answer, after escaping.
	noteLimit = 900
)

// These texts are appended to the content of a page.
const (
	Cursor    = " ▌" // is shown while the answer is being written
	continues = "\n-# The answer is longer than fits here. All of it is in " + AttachmentName + "."
	willFit   = "\n-# The answer is longer than fits here. All of it will be attached as a file."
	ends      = "\n-# The answer is longer than fits here, and no file can be attached. Ask about a part of it."
	willEnd   = "\n-# The answer is longer than fits here."
)

// Renderer formats answers as Discord messages. It implements stream.Renderer[Page].
type Renderer struct {
	stream.Paged[Page]

	// Progress shows the running searches until the answer begins.
	Progress bool
	// Links reports whether a link in the model's text is allowed. Citations are always allowed. A
	// link is allowed if its address came from a document or a person. Nil allows no links. Links
	// may be called from any goroutine.
	Links func(address string) bool
	// Now returns the current time, for computing ages. Nil means time.Now.
	Now func() time.Time
}

var _ stream.Renderer[Page] = (*Renderer)(nil)

// Render implements stream.Renderer.
func (r *Renderer) Render(v *stream.View) []Page {
	done := v.Phase == stream.Done
	most, limit, whole := MaxPages, pageLimit, v.Form == stream.Whole
	if !whole {
		most = maxSpread
	}
	if v.Form == stream.Plain {
		limit = plainPage
	}
	tree, bare := foot.Tree(v, r.Progress, noteLimit)
	tree = withQuestion(v, tree)
	policy := foot.Policy(v, r.Links)
	parts := tree.Pages(dialect{}, citing(policy, maxCited), answer.UTF16Count, limit)
	if len(parts) > most {
		parts = tree.Pages(dialect{}, citingOnce(citing(policy, maxCited)), answer.UTF16Count, limit)
	}
	if n := len(parts); n > most && n <= 2*most {
		// Without addresses, all of the text may fit. If it does not, it is cut in any case.
		if bare := tree.Pages(dialect{}, citing(policy, 0), answer.UTF16Count, limit); len(bare) <= most {
			parts = bare
		}
	}
	if len(parts) == 0 {
		return nil
	}
	long := len(parts) > most
	if long && whole && v.Deep {
		parts = foot.Digest(tree).Pages(dialect{}, citing(policy, 0), answer.UTF16Count, limit)[:1]
	}
	var pages []Page
	for _, p := range parts[:min(len(parts), most)] {
		pages = append(pages, Page{Content: p.Text})
	}
	last := &pages[len(pages)-1]
	switch {
	case long && done && whole:
		last.Content += continues
	case long && whole:
		last.Content += willFit
	case long && done:
		last.Content += ends
	case long:
		last.Content += willEnd
	case v.Phase == stream.Writing && !bare && strings.HasSuffix(last.Content, "```"):
		last.Content += "\n▌"
	case v.Phase == stream.Writing && !bare:
		last.Content += Cursor
	}
	if done {
		pages = r.end(pages, v, bare)
	}
	last = &pages[len(pages)-1]
	last.Done = done
	if v.Form != stream.Plain {
		last.Buttons = stream.Buttons(v)
	}
	if long && done && whole {
		last.Attachment = r.file(v)
	}
	for i := range pages {
		pages[i].Number, pages[i].Model = v.First+i, v.Model
	}
	return pages
}

// maxAsked and maxName are the maximum lengths of a displayed question and of the asker's name, in
// characters.
const (
	maxAsked = 300
	maxName  = 60
)

// withQuestion adds the question of a command above the answer, because Discord does not show it.
// It returns tree unchanged if v.Question is empty.
func withQuestion(v *stream.View, tree *answer.Tree) *answer.Tree {
	question := answer.Line(v.Question)
	if question == "" || v.Removed || len(tree.Blocks) == 0 {
		return tree
	}
	name := cmp.Or(answer.Line(v.Asker), "Someone")
	said := &answer.Block{Kind: answer.Paragraph, Inlines: []answer.Inline{
		{Kind: answer.Text, Text: foot.Cut(name, maxName), Style: answer.Bold}, {Kind: answer.Text, Text: " asked: " + foot.Cut(question, maxAsked)},
	}}
	quote := &answer.Block{Kind: answer.Quote, Children: []*answer.Block{said}}
	return &answer.Tree{Blocks: append([]*answer.Block{quote}, tree.Blocks...)}
}

// maxCited is the maximum length of an address that a citation links to, in bytes.
const maxCited = 120

// citing returns a policy that links a citation only if its address has at most limit bytes. Other
// citations are plain numbers. Discord counts addresses towards the length of a message.
func citing(p answer.Policy, limit int) answer.Policy {
	cited := p.Cited
	p.Cited = func(number int, address string) (string, bool) {
		to, ok := cited(number, address)
		if len(to) > limit {
			to = ""
		}
		return to, ok
	}
	return p
}

// citingOnce makes only the first citation of each document a link, to save space.
func citingOnce(p answer.Policy) answer.Policy {
	cited, led := p.Cited, make(map[string]bool)
	p.Cited = func(number int, address string) (string, bool) {
		to, ok := cited(number, address)
		key := strconv.Itoa(number) + " " + address
		if led[key] {
			to = ""
		}
		led[key] = true
		return to, ok
	}
	return p
}

func (r *Renderer) end(pages []Page, v *stream.View, bare bool) []Page {
	first, most := true, MaxContent
	if v.Form == stream.Plain {
		most = plainPage
	}
	put := func(line string) {
		last := &pages[len(pages)-1]
		gap := "\n"
		if first && last.Content != "" {
			gap = "\n\n"
		}
		first = false
		if answer.UTF16Count(last.Content)+answer.UTF16Count(line)+len(gap) > most {
			pages = append(pages, Page{Content: line})
			return
		}
		last.Content += gap + line
	}
	if !bare {
		for _, n := range foot.Notes(v) {
			put(small(n))
		}
	}
	list, more := foot.Sources(v, r.now(), MaxSources)
	var links []Link
	if v.Form == stream.Whole {
		links, list = linked(list)
	}
	if head := foot.Head(v, list); head != "" {
		put("-# **" + head + "**")
	}
	for _, s := range list {
		put("-# " + source(s))
	}
	if more > 0 {
		put("-# " + foot.More(more))
	}
	pages[len(pages)-1].Links = links
	return pages
}

// linked converts the first cited sources to link buttons. It returns the sources that have no
// button as others, which are listed as text.
func linked(list []foot.Source) (links []Link, others []foot.Source) {
	for _, s := range list {
		var listed []foot.Place
		for _, p := range s.Places() {
			to, ok := address(p.URL)
			if p.Number == 0 || !ok || !openable(to) || len(links) == maxLinks {
				listed = append(listed, p)
				continue
			}
			label := "[" + strconv.Itoa(p.Number) + "] " + p.Title
			if s.Age != "" && Units(label+" · "+s.Age) <= maxLinkLabel {
				label += " · " + s.Age
			}
			links = append(links, Link{Label: shorten(label, maxLinkLabel), URL: to})
		}
		if len(listed) > 0 {
			s.Place, s.Also = listed[0], listed[1:]
			others = append(others, s)
		}
	}
	return links, others
}

var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+([a-z]|xn--)[a-z0-9-]*[a-z0-9]$`)

// openable reports whether a link button can open an address. Discord rejects a message with an
// address over 512 characters or with a host without a dot. Numeric IPv4 addresses are allowed.
func openable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || len(address) > maxLinkURL {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(host)
	return hostName.MatchString(host) || err == nil && ip.Is4()
}

func small(s string) string {
	for limit := noteLimit; ; limit /= 2 {
		if line := "-# " + EscapeText(foot.Cut(s, limit)); answer.UTF16Count(line) <= noteLimit {
			return line
		}
	}
}

// maxSource is the maximum length of the line for one source, in UTF-16 units. A longer line is
// written without its link.
const maxSource = 900

func source(s foot.Source) string {
	line, detail := "", ""
	if d := s.Detail(); d != "" {
		detail = " · " + EscapeText(d)
	}
	for i, p := range s.Places() {
		title, number := EscapeText(p.Title), ""
		if p.Number > 0 {
			number = "[" + strconv.Itoa(p.Number) + "] "
		}
		if i > 0 {
			number = ", " + number
		}
		next := line + number + title
		if link := (dialect{}).Link(title, p.URL); link != "" && !strings.HasPrefix(link, "<") && answer.UTF16Count(line+number+link+detail) <= maxSource {
			next = line + number + link
		}
		if i > 0 && answer.UTF16Count(next+detail) > maxSource { // the text of the answer links them, too
			break
		}
		line = next
	}
	return line + detail
}

func (r *Renderer) file(v *stream.View) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(v.Text()) + "\n")
	for _, n := range foot.Notes(v) {
		b.WriteString("\n" + n + "\n")
	}
	list, _ := foot.Sources(v, r.now(), len(v.Citations)+len(v.Closest))
	for i, s := range list {
		if i == 0 {
			b.WriteString("\n" + foot.Head(v, list) + "\n\n")
		}
		for i, p := range s.Places() {
			mark := "- ["
			if i > 0 {
				mark = ", ["
			}
			b.WriteString(mark + strconv.Itoa(p.Number) + "] " + p.Title)
			if to, ok := address(p.URL); ok {
				b.WriteString(" <" + to + ">")
			}
		}
		if d := s.Detail(); d != "" {
			b.WriteString(" (" + d + ")")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (r *Renderer) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}
