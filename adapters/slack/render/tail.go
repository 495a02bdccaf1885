package render

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/stream"
)

// Tail implements stream.Renderer.
func (r *Renderer) Tail() stream.Tail[Page] {
	t := &tail{Renderer: r, sticky: foot.Sticky(), flow: answer.NewFlow(markdown{}, answer.RuneCount, MaxMarkdown)}
	return t.next
}

type tail struct {
	*Renderer
	sticky func(answer.Policy) answer.Policy
	flow   *answer.Flow
	read   int    // bytes of the view's text that are in flow
	number int    // index of the current message
	shown  string // shown text of that message
	card   Task   // last sent card of the searches
	done   bool

	labelled bool // the text above the answer is in flow
}

// next implements stream.Tail.
func (t *tail) next(v *stream.View) (Page, bool) {
	if t.done {
		return Page{}, false
	}
	t.flow.Until(v.Abandoned)
	done, bare := v.Phase == stream.Done, false
	page := Page{Tasks: t.steps(v)}
	if !t.labelled && (done || len(page.Tasks) > 0 || v.Len() > 0) {
		t.labelled = true
		t.flow.Write(foot.Label(v))
	}
	t.flow.Write(v.TextFrom(t.read))
	t.read = v.Len()
	policy := t.sticky(foot.Policy(v, t.Links))
	first, pages := 0, []answer.Page(nil)
	if done {
		first, pages = t.flow.End(policy)
		if bare = t.flow.Empty(); bare {
			pages = foot.Instead(v, false, 0).Pages(markdown{}, policy, answer.RuneCount, MaxMarkdown)
		}
	} else {
		first, pages = t.flow.Pages(policy)
	}
	t.advance(&page, first, pages)
	page.Number = t.number
	if done {
		t.done = true
		if last := len(page.Rolls) - 1; last >= 0 {
			page.Rolls[last] += page.Cut.Close
		} else {
			page.Markdown += page.Cut.Close
		}
		page.Cut = Cut{}
		t.end(&page, v, bare)
		return page, true
	}
	return page, page.Markdown != "" || len(page.Rolls) > 0 || len(page.Tasks) > 0
}

// advance sets the text of a piece to the part of pages that was not shown yet. first is the index
// of pages[0] in the answer.
func (t *tail) advance(piece *Page, first int, pages []answer.Page) {
	open := t.number - first
	if len(pages) <= open {
		return
	}
	text := pages[open].Text
	piece.Markdown = text[common(t.shown, text):]
	t.shown = text
	for _, p := range pages[open+1:] {
		piece.Rolls = append(piece.Rolls, p.Text)
		t.shown = p.Text
	}
	last := pages[len(pages)-1]
	t.number = first + len(pages) - 1
	piece.Cut = Cut{Close: last.Close, Open: last.Open}
}

// common returns the length of the prefix of text that need not be sent again. If shown is not a
// prefix of text, it is the start of the first changed line.
func common(shown, text string) int {
	if strings.HasPrefix(text, shown) {
		return len(shown)
	}
	n := 0
	for n < min(len(shown), len(text)) && shown[n] == text[n] {
		n++
	}
	return strings.LastIndexByte(text[:n], '\n') + 1
}

const maxTask = 150

// steps returns a task card for all searches, or nil if the card has not changed. The final card
// contains the number of cited documents.
func (t *tail) steps(v *stream.View) []Task {
	if len(v.Queries) == 0 {
		return nil
	}
	card := Task{ID: "search", Title: foot.SearchTitle(v), Status: TaskComplete}
	if v.Phase == stream.Searching {
		card.Status = TaskRunning
	}
	cited := foot.Documents(v)
	if v.Phase == stream.Done && len(cited) > 0 {
		card.Output = foot.CitedCount(len(cited))
		for _, c := range cited {
			if url, ok := address(c.URL); ok && len(card.Sources) < MaxTaskSources {
				card.Sources = append(card.Sources, Source{Title: foot.Cut(Neutral(answer.Line(c.Title)), maxTask), URL: url})
			}
		}
	}
	if card.Status == t.card.Status && card.Output == "" {
		return nil
	}
	t.card = card
	return []Task{card}
}
