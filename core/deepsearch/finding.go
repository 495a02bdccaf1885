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

const shownRunes = 280

// setFinding sets the finding of a row and shows it. If fresh is set, it stores the finding in the
// journal.
func (s *inquiry) setFinding(ctx context.Context, r *row, f Finding, fresh bool) {
	for _, ref := range f.References {
		s.numbers.Restore(ref.Number, sourceOf(ref))
	}
	s.addBasis(message.BasisOfReferences(f.References), f.Behind)
	if s.showFinding(r, &f) && fresh {
		s.writeJournal(ctx, "finding", func(ctx context.Context) error { return s.Journal.Found(ctx, s.fence(), r.number, f) })
	}
}

// showFinding sets the finding of a row and emits its packets. If a person has dropped the row, it
// does nothing and returns false.
func (s *inquiry) showFinding(r *row, f *Finding) bool {
	s.findingMu.Lock()
	defer s.findingMu.Unlock()
	if r.finding != nil && r.finding.State == Dropped {
		return false
	}
	if f.State == Found {
		f.Shown = f.shownLine()
	}
	// Rows show no numbers, because the report numbers citations from 1 in the order of use.
	f.Citations = slices.Clone(f.Citations)
	for i := range f.Citations {
		f.Citations[i].Number = 0
	}
	s.mu.Lock()
	r.finding = f
	s.mu.Unlock()
	s.addUsage(cmp.Or(f.Model, s.fast.Info().Name), f.Usage)
	if f.Text != "" {
		s.packets.emitFor(r, 0, packet.SubAnswerStart{Documents: documents(f.References)})
		s.packets.emitFor(r, 0, packet.SubAnswerDelta{Text: f.Text})
	}
	s.packets.emitFor(r, 0, packet.Finding{State: string(f.State), Text: f.Shown})
	s.packets.emitFor(r, 0, packet.SectionEnd{})
	s.packets.emit(askBlock(r.Round), s.progress())
	return true
}

func (f *Finding) shownLine() string {
	if f.Text == "" { // search only: list document titles
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
		return cite.Cut(oneLinePlain(sentence), shownRunes)
	}
	return ""
}

// statements yields the cited statements of a text, each with its citation numbers. A statement is
// one or more sentences of a paragraph, of which only the last has citations.
func statements(text string, known func(int) bool) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		for block := range strings.SplitSeq(text, "\n\n") {
			var sentences []string
			for sentence, numbers := range cite.Sentences(block, known) {
				sentences = append(sentences, sentence)
				if len(numbers) == 0 {
					continue
				}
				if !yield(strings.Join(sentences, " "), numbers) {
					return
				}
				sentences = nil
			}
		}
	}
}

func oneLinePlain(sentence string) string {
	return strings.TrimLeft(strings.Join(strings.Fields(sentence), " "), "-*#> ")
}

// quotedParagraphs removes the paragraphs before the first paragraph with a citation. They only
// introduce the answer. Without a citation it returns "".
func quotedParagraphs(text string) string {
	for start, block := 0, ""; start < len(text); start += len(block) + len("\n\n") {
		block, _, _ = strings.Cut(text[start:], "\n\n")
		for _, numbers := range cite.Sentences(block, func(int) bool { return true }) {
			if len(numbers) > 0 {
				return text[start:]
			}
		}
	}
	return ""
}

// citedNumbers returns the set of citation numbers in the finding's text. known reports which
// numbers are citations. These are the numbers that models see. Readers see other numbers.
func (f Finding) citedNumbers(known func(int) bool) map[int]bool {
	out := make(map[int]bool)
	for _, numbers := range cite.Sentences(f.Text, known) {
		for _, n := range numbers {
			out[n] = true
		}
	}
	return out
}

// evidence returns the passages that a finding cites, or all its passages if it has no text.
func (f Finding) evidence() []message.Reference {
	numbers := f.citedNumbers(func(n int) bool {
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

func documents(references []message.Reference) []packet.Document {
	var out []packet.Document
	for _, r := range message.Distinct(references) {
		out = append(out, packet.DocumentOf(r.Document, r.Anchor, r.Score))
	}
	return out
}
