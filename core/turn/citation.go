package turn

import (
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
)

// quoteRunes is how much of a passage a source list may show.
const quoteRunes = 160

// projectSource is the source of project files that are in no index.
const projectSource document.SourceID = "project"

// referenceKey tells references apart: by their chunks, and by what they say where they are none, such as the parts of a file.
func referenceKey(r message.Reference) string {
	if r.Chunk == nil {
		return fmt.Sprintf("%s\x00text\x00%s", r.Document.ID, r.Text)
	}
	return fmt.Sprintf("%s\x00%d", r.Document.ID, *r.Chunk)
}

// newMapping has the numbers of the session: resolvable are those of documents that the history in this prompt rests on, the others
// are only kept free.
func newMapping(req Request) *cite.Mapping {
	m := cite.NewMapping()
	for _, past := range req.History {
		for _, r := range past.Documents {
			if r.Text == "" { // no more than its title was shown
				m.Reserve(r.Number, r.Document.ID)
				continue
			}
			m.Restore(r.Number, sourceOf(r.Document, r.Document.Link(r.Anchor)))
		}
		for _, c := range past.Citations {
			m.Restore(c.ModelSees, sourceOf(c.Document, c.Link))
		}
	}
	for id, n := range req.Numbers {
		m.Reserve(n, id)
	}
	return m
}

func sourceOf(ref document.Ref, link string) cite.Source {
	return cite.Source{Document: ref.ID, Title: ref.Title, URL: link, Kind: string(ref.Kind)}
}

func projectRef(f message.File) document.Ref {
	if f.Document.ID != "" {
		return f.Document
	}
	return document.Ref{ID: document.ID(projectSource) + ":" + document.ID(f.ID), Source: projectSource, Kind: "file", Title: f.Name}
}

// citations are the footnotes of an answer, each with the passage that its number leads to, or else the one that the model was shown first under it.
func citations(cited []cite.Info, references []message.Reference, mapping *cite.Mapping) []message.Citation {
	numbers := make(map[document.ID]int)
	for n, s := range mapping.All() {
		if _, ok := numbers[s.Document]; !ok {
			numbers[s.Document] = n
		}
	}
	var out []message.Citation
	for _, info := range cited {
		link, ok := cite.LinkURL(info.URL)
		if !ok {
			link = ""
		}
		c := message.Citation{
			Number: info.Number, ModelSees: numbers[info.Document], Link: link,
			Document: document.Ref{ID: info.Document, Title: info.Title, URL: link, Kind: document.Kind(info.Kind)},
		}
		found := false
		for _, r := range references {
			if r.Document.ID != info.Document || r.Text == "" {
				continue
			}
			for _, p := range placesOf(r) {
				exact := p.source.URL == info.URL
				if found && !exact {
					continue
				}
				c.Document, c.Anchor, c.Quote = r.Document, p.anchor, beginning(p.text)
				if found = true; exact {
					break
				}
			}
			if found && r.Document.Link(c.Anchor) == info.URL {
				break
			}
		}
		out = append(out, c)
	}
	return out
}

// place is a section of a document that was shown.
type place struct {
	source cite.Source // with the address of the section
	anchor string
	text   string
}

// placesOf are the sections of a reference, itself where it is one.
func placesOf(r message.Reference) []place {
	if len(r.Sections) == 0 {
		return []place{{sourceOf(r.Document, r.Document.Link(r.Anchor)), r.Anchor, r.Text}}
	}
	out := make([]place, len(r.Sections))
	for i, s := range r.Sections {
		out[i] = place{sourceOf(r.Document, r.Document.Link(s.Anchor)), s.Anchor, s.Text}
	}
	return out
}

// lead ties a number, when it is cited for the first time, to the section that the citing sentence is from: the one that holds it word for word,
// else the one that says most of it. Later citations lead to the same place, since nobody can read one number as two.
func (w *worker) lead(sentence string, n int) bool {
	if w.led[n] {
		return true
	}
	w.led[n] = true
	words := strings.Join(strings.Fields(sentence), " ")
	best := 0.0
	for _, p := range w.places[n] {
		score := cite.Supported(sentence, []string{p.text})
		if words != "" && strings.Contains(strings.Join(strings.Fields(p.text), " "), words) {
			score++
		}
		if score > best {
			best = score
			w.known.Replace(n, p.source)
		}
	}
	return true
}

// supports reports whether a passage that this turn has shown under a number has anything in common with a sentence. Passages of earlier
// turns are not at hand and count as support.
func (w *worker) supports(sentence string, n int) bool {
	passages := w.passages[n]
	return passages == nil || cite.Supported(sentence, passages) > 0
}

// unsupported counts citations that point to documents which say nothing of what is claimed, as far as words and numbers tell.
func unsupported(text string, references []message.Reference, mapping *cite.Mapping) int {
	passages := make(map[int][]string)
	for _, r := range references {
		if r.Text != "" {
			passages[r.Number] = append(passages[r.Number], r.Text, r.Document.Title)
		}
	}
	known := func(n int) bool { _, ok := mapping.Lookup(n); return ok }
	count := 0
	for sentence, numbers := range cite.Sentences(text, known) {
		for _, n := range numbers {
			if shown := passages[n]; shown != nil && cite.Supported(sentence, shown) == 0 {
				count++
			}
		}
	}
	return count
}

func beginning(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > quoteRunes {
		return strings.TrimSpace(string(runes[:quoteRunes])) + "…"
	}
	return text
}
