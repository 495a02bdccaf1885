// Package render formats answers for Slack. It produces pages within Slack's limits, as messages or
// as pieces of a stream. It makes no calls.
package render

import (
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/stream"
)

// Renderer formats answers as Slack messages. It implements stream.Renderer[Page].
type Renderer struct {
	// Progress makes the current search appear as a page until there is an answer. Set Progress if
	// the workspace does not show status lines.
	Progress bool
	// Links reports whether an answer may link to an address outside of citations. It should return
	// true only for addresses from documents or people. nil allows no such links. Links may be
	// called from any goroutine.
	Links func(address string) bool
	// Now returns the current time, for the age of documents. nil means time.Now.
	Now func() time.Time
}

var _ stream.Renderer[Page] = (*Renderer)(nil)

// Render implements stream.Renderer.
func (r *Renderer) Render(v *stream.View) []Page {
	tree, bare := foot.Tree(v, r.Progress, MaxNote)
	if v.Form == stream.Plain {
		return r.plain(tree, v, bare)
	}
	policy := foot.Policy(v, r.Links)
	pages := r.pages(tree, policy, v.Form >= stream.Bare)
	if len(pages) == 0 {
		return nil
	}
	file := v.Deep && v.Form == stream.Whole && len(pages) > MaxPages
	if file {
		pages = r.pages(foot.Digest(tree), policy, false)[:1]
	}
	last := &pages[len(pages)-1]
	r.end(last, v, bare)
	switch {
	case file && last.Done:
		last.Notes, last.Done = append([]string{note(fileBelow)}, last.Notes...), false
		pages = append(pages, Page{File: r.file(tree, policy, v, bare), Done: true})
	case file:
		last.Notes = append(last.Notes, note(fileComes))
	}
	for i := range pages {
		pages[i].Number = v.First + i
		pages[i].Text = plainText(&pages[i])
	}
	return pages
}

func (r *Renderer) pages(tree *answer.Tree, policy answer.Policy, sections bool) []Page {
	var pages []Page
	if !sections {
		for _, p := range tree.Pages(markdown{}, policy, answer.RuneCount, MaxMarkdown) {
			pages = append(pages, Page{Markdown: p.Text, Text: p.Plain})
		}
		return pages
	}
	for i, p := range tree.Pages(mrkdwn{}, policy, answer.RuneCount, MaxSection) {
		if i%MaxSections == 0 {
			pages = append(pages, Page{})
		}
		last := &pages[len(pages)-1]
		last.Sections = append(last.Sections, ungapped(p.Text))
		last.Text = strings.TrimPrefix(last.Text+"\n"+p.Plain, "\n")
	}
	return pages
}

// end adds the buttons to a page, and the notes and sources if the answer is complete. If bare is
// set, it adds no notes, because the text of the page already consists of them.
func (r *Renderer) end(p *Page, v *stream.View, bare bool) {
	p.Buttons = stream.Buttons(v)
	if v.Phase != stream.Done {
		return
	}
	p.Done = true
	if !bare {
		for _, n := range foot.Notes(v) {
			p.Notes = append(p.Notes, note(n))
		}
	}
	list, more := foot.Sources(v, r.now(), MaxSources)
	for _, s := range list {
		p.Sources = append(p.Sources, sourceOf(s))
	}
	p.Heading, p.More = foot.Head(v, list), foot.More(more)
}

func (r *Renderer) plain(tree *answer.Tree, v *stream.View, bare bool) []Page {
	var pages []Page
	for _, p := range tree.Pages(mrkdwn{}, foot.Policy(v, r.Links), answer.RuneCount, MaxSection) {
		pages = append(pages, Page{Text: ungapped(p.Text)})
	}
	if len(pages) == 0 {
		return nil
	}
	var end Page
	r.end(&end, v, bare)
	lines := end.Notes
	if end.Heading != "" {
		lines = append(lines, "*"+EscapeText(end.Heading)+"*")
	}
	for _, source := range end.Sources {
		lines = append(lines, SourceLine(source))
	}
	if end.More != "" {
		lines = append(lines, EscapeText(end.More))
	}
	for _, line := range lines {
		last := &pages[len(pages)-1]
		if answer.RuneCount(last.Text)+1+answer.RuneCount(line) > MaxText {
			pages = append(pages, Page{Text: line})
			continue
		}
		last.Text += "\n" + line
	}
	for i := range pages {
		pages[i].Number = v.First + i
	}
	pages[len(pages)-1].Done = v.Phase == stream.Done
	return pages
}

// note cuts and escapes a sentence. It cuts before it escapes, because a cut must not split an
// entity.
func note(s string) string {
	for limit := MaxNote; ; limit /= 2 {
		if out := ungapped(EscapeText(foot.Cut(s, limit))); answer.RuneCount(out) <= MaxNote {
			return out
		}
	}
}

func plainText(p *Page) string {
	var b strings.Builder
	b.WriteString(p.Text)
	for _, n := range p.Notes {
		b.WriteString("\n" + unescape.Replace(n))
	}
	for i, s := range p.Sources {
		if i == 0 && p.Heading != "" {
			b.WriteString("\n" + strings.TrimSuffix(p.Heading, ":") + ":")
		}
		b.WriteString("\n" + s.labels())
	}
	text := Neutral(b.String())
	for limit := MaxText; ; limit -= limit / 8 {
		if out := Entities.Replace(foot.Cut(text, limit)); answer.RuneCount(out) <= MaxText {
			return out
		}
	}
}

var unescape = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", gap, "")

func (r *Renderer) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}
