package deepsearch

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
)

// shownRunes is how much of a finding its row in the plan shows.
const shownRunes = 280

// settle gives a row its finding and shows it; where it is new, it is kept.
func (s *inquiry) settle(ctx context.Context, r *row, f Finding, fresh bool) {
	for _, ref := range f.References {
		s.numbers.Restore(ref.Number, sourceOf(ref))
	}
	s.learn(message.BasisOfReferences(f.References), f.Behind)
	if s.show(r, &f) && fresh {
		s.keep(ctx, "finding", func(ctx context.Context) error { return s.Journal.Found(ctx, s.fence(), r.number, f) })
	}
}

// show sends a finding on its way, unless a person dropped the row meanwhile.
func (s *inquiry) show(r *row, f *Finding) bool {
	s.settling.Lock()
	defer s.settling.Unlock()
	if r.finding != nil && r.finding.State == Dropped {
		return false
	}
	if f.State == Found {
		f.Shown = f.line()
	}
	// A row shows no numbers: those of the report begin at 1, in the order of use.
	f.Citations = slices.Clone(f.Citations)
	for i := range f.Citations {
		f.Citations[i].Number = 0
	}
	s.mu.Lock()
	r.finding = f
	s.mu.Unlock()
	s.spend(cmp.Or(f.Model, s.fast.Info().Name), f.Usage)
	if f.Text != "" {
		s.out.at(r, 0, packet.SubAnswerStart{Documents: documents(f.References)})
		s.out.at(r, 0, packet.SubAnswerDelta{Text: f.Text})
	}
	s.out.at(r, 0, packet.Finding{State: string(f.State), Text: f.Shown})
	s.out.at(r, 0, packet.SectionEnd{})
	s.out.emit(askBlock(r.Round), s.progress())
	return true
}

// line is what a row shows of a finding: its first cited statement, without the numbers.
func (f *Finding) line() string {
	if f.Text == "" { // nothing was written: documents alone were looked for
		var titles []string
		for _, r := range message.Distinct(f.References) {
			titles = append(titles, strings.Join(strings.Fields(r.Document.Title), " "))
		}
		return cite.Cut(strings.Join(titles[:min(len(titles), 3)], ", "), shownRunes)
	}
	known := func(n int) bool {
		return slices.ContainsFunc(f.Citations, func(c message.Citation) bool { return c.ModelSees == n })
	}
	for sentence := range statements(f.Text, known) {
		return cite.Cut(plain(sentence), shownRunes)
	}
	return ""
}

// statements yields what a text says with citations: each time one or several sentences of one
// paragraph, of which the last one cites.
func statements(text string, known func(int) bool) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		for block := range strings.SplitSeq(text, "\n\n") {
			var said []string
			for sentence, numbers := range cite.Sentences(block, known) {
				said = append(said, sentence)
				if len(numbers) == 0 {
					continue
				}
				if !yield(strings.Join(said, " "), numbers) {
					return
				}
				said = nil
			}
		}
	}
}

// plain is a sentence on one line, without the marks that begin an item or a heading.
func plain(sentence string) string {
	return strings.TrimLeft(strings.Join(strings.Fields(sentence), " "), "-*#> ")
}

// quotations are the paragraphs of what was quoted that cite something, with the code that they
// introduce. What else stands there speaks of the answer, not of the documents.
func quotations(text string) string {
	var kept []string
	introduced := false
	for block := range strings.SplitSeq(text, "\n\n") {
		cites := false
		for _, numbers := range cite.Sentences(block, func(int) bool { return true }) {
			cites = cites || len(numbers) > 0
		}
		if cites || introduced {
			kept = append(kept, block)
		}
		fenced := strings.Count(strings.Join(kept, "\n\n"), "```")%2 == 1
		introduced = cites && strings.HasSuffix(strings.TrimSpace(block), ":") || introduced && fenced
	}
	return strings.Join(kept, "\n\n")
}

// cites are the numbers, as models see them, that a finding's text cites.
func (f Finding) cites(known func(int) bool) map[int]bool {
	out := make(map[int]bool)
	for _, numbers := range cite.Sentences(f.Text, known) {
		for _, n := range numbers {
			out[n] = true
		}
	}
	return out
}

// evidence are the passages that a finding rests on.
func (f Finding) evidence() []message.Reference {
	numbers := f.cites(func(n int) bool {
		for _, r := range f.References {
			if r.Number == n {
				return true
			}
		}
		return false
	})
	var out []message.Reference
	for _, r := range f.References {
		if r.Text != "" && (numbers[r.Number] || f.Text == "") {
			out = append(out, r)
		}
	}
	return out
}

func sourceOf(r message.Reference) cite.Source {
	return cite.Source{Document: r.Document.ID, Part: r.Part, Title: r.Document.Title, Section: r.Heading, URL: r.Document.Link(r.Anchor), Kind: string(r.Document.Kind)}
}

// documents are those of references, each once, as packets show them.
func documents(references []message.Reference) []packet.Document {
	var out []packet.Document
	for _, r := range message.Distinct(references) {
		out = append(out, packet.DocumentOf(r.Document, r.Anchor, r.Score))
	}
	return out
}
