package turn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
)

const quoteRunes = 160

// projectSource is the source id of a project's files if they are not in the index.
const projectSource document.SourceID = "project"

// referenceKey returns a map key for a reference. It is built from the document, the number and the
// chunk, or the text if there is no chunk.
func referenceKey(r message.Reference) string {
	if r.Chunk == nil {
		return fmt.Sprintf("%s\x00%d\x00text\x00%s", r.Document.ID, r.Number, r.Text)
	}
	return fmt.Sprintf("%s\x00%d\x00%d", r.Document.ID, r.Number, *r.Chunk)
}

// newMapping returns the citation numbers that are in use in a session. Numbers of documents in the
// history can be cited. All other numbers of the session are reserved, so that new documents get
// different ones.
func newMapping(req Request) *cite.Mapping {
	m := cite.NewMapping()
	part := func(n int, id document.ID, otherwise string) string {
		if p, known := req.Numbers[n]; known && p.Document == id && p.Part != "" {
			return p.Part
		}
		return otherwise
	}
	for _, n := range ambiguous(req.History) {
		m.Reserve(n, cite.Passage{})
	}
	for _, past := range req.History {
		for _, r := range past.Documents {
			if r.Chunk != nil {
				r.Part = cite.ChunkPart(*r.Chunk)
			}
			// only its title was shown
			if r.Part = part(r.Number, r.Document.ID, r.Part); r.Text == "" {
				m.Reserve(r.Number, cite.Passage{Document: r.Document.ID, Part: r.Part})
				continue
			}
			m.Restore(r.Number, sourceOf(r))
		}
		for _, c := range past.Citations {
			s := sourceOf(message.Reference{Document: c.Document, Heading: c.Section, Part: part(c.ModelSees, c.Document.ID, "")})
			s.URL = c.Link
			m.Restore(c.ModelSees, s)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(req.Numbers)) {
		m.Reserve(n, req.Numbers[n])
	}
	return m
}

// ambiguous returns the citation numbers that a history uses for more than one document. Citations
// with such a number get no link, because it could be wrong.
func ambiguous(history []message.Message) (numbers []int) {
	owner := make(map[int]document.ID)
	note := func(n int, id document.ID) {
		if first, known := owner[n]; !known {
			owner[n] = id
		} else if first != id {
			numbers = append(numbers, n)
		}
	}
	for _, past := range history {
		for _, r := range past.Documents {
			if r.Text != "" {
				note(r.Number, r.Document.ID)
			}
		}
		for _, c := range past.Citations {
			note(c.ModelSees, c.Document.ID)
		}
	}
	return numbers
}

func sourceOf(r message.Reference) cite.Source {
	return cite.Source{
		Document: r.Document.ID, Part: r.Part, Title: r.Document.Title, Section: r.Heading, URL: r.Document.Link(r.Anchor), Kind: string(r.Document.Kind),
	}
}

func projectRef(f message.File) document.Ref {
	if f.Document.ID != "" {
		return f.Document
	}
	return document.Ref{ID: document.ID(projectSource) + ":" + document.ID(f.ID), Source: projectSource, Kind: "file", Title: f.Name}
}

// citations returns the footnotes of an answer, each with a quotation from its document. The
// quotation comes from the passage to which the footnote links, or else from the first passage of
// the document that the model saw.
func citations(cited []cite.Info, references []message.Reference, mapping *cite.Mapping) []message.Citation {
	var out []message.Citation
	for _, info := range cited {
		link, ok := cite.LinkURL(info.URL)
		if !ok {
			link = ""
		}
		c := message.Citation{
			Number: info.Number, ModelSees: numberOf(info, mapping), Section: info.Section, Link: link,
			Document: document.Ref{ID: info.Document, Title: info.Title, URL: link, Kind: document.Kind(info.Kind)},
		}
		found := false
		for _, r := range references {
			if r.Document.ID != info.Document || r.Text == "" {
				continue
			}
			for _, p := range addSections(nil, r) {
				exact := p.source.URL == info.URL
				if found && !exact {
					continue
				}
				c.Document, c.Anchor, c.Quote = r.Document, p.anchor, excerpt(p.text)
				if found = true; exact {
					c.ModelSees = r.Number
					break
				}
			}
			if found && r.Document.Link(c.Anchor) == info.URL {
				break
			}
		}
		if info.Section == "" && c.Document.URL == info.URL {
			c.Anchor = "" // the page without a section
		}
		out = append(out, c)
	}
	return out
}

// numberOf returns the first number by which the model knows a footnote's link. If it knows only
// the document, numberOf returns the document's first number, and otherwise 0.
func numberOf(info cite.Info, mapping *cite.Mapping) int {
	first := 0
	for n, s := range mapping.All() {
		if s.Document != info.Document {
			continue
		}
		if s.URL == info.URL {
			return n
		}
		if first == 0 {
			first = n
		}
	}
	return first
}

type shownSection struct {
	source cite.Source // with the address of the section
	page   cite.Source // with the address of the page
	anchor string
	text   string
}

// addSections adds the sections of a reference to places. Sections with the same link become one. A
// reference without sections counts as one section.
func addSections(places []shownSection, r message.Reference) []shownSection {
	sections := r.Sections
	if len(sections) == 0 {
		sections = []message.Section{{Anchor: r.Anchor, Heading: r.Heading, Text: r.Text}}
	}
	for _, s := range sections {
		at := r
		at.Anchor, at.Heading = s.Anchor, s.Heading
		source := sourceOf(at)
		same := slices.IndexFunc(places, func(p shownSection) bool { return p.source.URL == source.URL })
		if same < 0 {
			at.Anchor, at.Heading = "", ""
			places = append(places, shownSection{source, sourceOf(at), s.Anchor, s.Text})
		} else if !strings.Contains(places[same].text, s.Text) {
			places[same].text += "\n\n" + s.Text
		}
	}
	return places
}

// chooseSection returns a function that chooses the section of passage n that best matches a
// sentence, or that the model has quoted. It returns nil for a passage with one section.
func (w *worker) chooseSection(n int) func(sentence string) cite.Source {
	places := w.places[n]
	if quoted, found := w.quoted[n]; found && len(places) > 0 {
		return func(string) cite.Source { return quotedSection(places, quoted) }
	}
	if len(places) < 2 {
		return nil
	}
	return func(sentence string) cite.Source {
		texts := make([]string, len(places))
		for i, p := range places {
			texts[i] = p.text
		}
		at := cite.Section(sentence, texts)
		if at < 0 {
			return cite.Source{}
		}
		return places[at].source
	}
}

// quotedSection returns the section that a quotation is from. If no section has the heading that
// readers see above the quotation, it returns the page without a section.
func quotedSection(places []shownSection, q llm.Quoted) cite.Source {
	text := squash(q.Text)
	holds := func(p shownSection) bool { return strings.Contains(squash(p.text), text) }
	named := func(p shownSection) bool { return squash(p.source.Section) == squash(q.Section) }
	for _, fits := range []func(shownSection) bool{
		func(p shownSection) bool { return named(p) && holds(p) }, named,
		func(p shownSection) bool { return p.source.Section == "" && text != "" && holds(p) },
	} {
		if at := slices.IndexFunc(places, fits); at >= 0 {
			return places[at].source
		}
	}
	return places[0].page
}

// squash returns the letters and digits of a text, because markup and white space of a quotation
// may differ.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// supports reports whether passage n shares a word or number with a sentence. A passage of an
// earlier turn is not available, so it counts as support.
func (w *worker) supports(sentence string, n int) bool {
	passages := w.passages[n]
	return passages == nil || cite.Supported(sentence, passages) > 0
}

func unsupported(text string, references []message.Reference, mapping *cite.Mapping) int {
	passages := make(map[int][]string)
	for _, r := range references {
		if r.Text != "" {
			passages[r.Number] = append(passages[r.Number], r.Text, r.Document.Title, r.Heading)
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

func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > quoteRunes {
		return strings.TrimSpace(string(runes[:quoteRunes])) + "…"
	}
	return text
}
