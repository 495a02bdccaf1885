package extractive

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve"
)

// Candidates of the sentence model.
const (
	maxHits       = 10 // passages of the search that candidates are from
	maxCandidates = 12
	ofOnePage     = 3  // at most
	mostParagraph = 90 // words that are quoted of a paragraph; a longer one is cut at a sentence
)

// What a passage is worth: the cosine of its title, heading and text with the question, and a
// little for its place in the search. Rows are short and alike.
const (
	rankShare = 0.02
	rowsLess  = 0.05
	againMore = 0.15 // for the page of the answer before, where the question leans on that
	namedMore = 0.5  // for the row that the question names
	clearBy   = 0.15 // lead over the next page from which the first page is quoted alone
	within    = 0.20 // of the first page's worth: further pages that are quoted
	mostSteps = 150  // words of a procedure's first steps
	wordDecay = 0.1  // of the words' score for each place in the search, where words choose
	sameText  = 0.98 // cosine of two passages from which on they say the same
)

// passages returns what can be quoted of a page unchanged: paragraphs with the list or code that
// they introduce, lists, rows of tables, and code.
func (s *scorer) passages(p *page) []span {
	var out []span
	keep := func(x span) {
		if x.part == nil {
			return
		}
		x.page = p
		s.base(&x)
		if x.kind == table {
			s.rowsTell(&x)
		}
		out = append(out, x)
	}
	for i := range p.parts {
		part := &p.parts[i]
		if part.rank >= maxHits {
			continue
		}
		for at := 0; at < len(part.pieces); at++ {
			switch p := &part.pieces[at]; p.kind {
			case prose:
				x := s.paragraph(part, at)
				if x.to == 0 {
					continue
				}
				last := x.to == len(p.sentences)
				if last && strings.HasSuffix(p.sentences[x.to-1].text, "?") && !s.reply(part, &x) {
					continue // a question answers none
				}
				if last && strings.HasSuffix(p.sentences[x.to-1].text, ":") {
					if x.follow = introduced(part.pieces, at, ":"); len(x.follow) == 0 && s.reply(part, &x) {
						keep(x) // code that nothing marks
						continue
					}
					if len(x.follow) == 0 {
						// It is too long: each of its items, with the introduction and a mark.
						for _, y := range s.items(part, at+1, &x) {
							keep(y)
						}
						for at+1 < len(part.pieces) && part.pieces[at+1].kind == item {
							at++
						}
						continue
					}
					for at+1 < len(part.pieces) && part.pieces[at+1].kind == x.follow[0].kind {
						at++
						if x.tail |= part.pieces[at].holds; x.follow[0].kind == code {
							break
						}
					}
				}
				keep(x)
			case item:
				if x, is := s.list(part, at); is {
					keep(x)
					at += len(x.follow) - 1
					continue
				}
				for _, y := range s.items(part, at, nil) {
					keep(y)
				}
				for at+1 < len(part.pieces) && part.pieces[at+1].kind == item {
					at++
				}
			case code:
				keep(s.code(part, at))
			case table:
				if x := s.table(part, at); len(x.rows) > 0 {
					keep(x)
				}
			case heading:
			}
		}
	}
	return slices.DeleteFunc(out, func(x span) bool { return x.text() == "\n" })
}

// reply has a paragraph that asks something quoted with the paragraph behind it, as in a thread. It
// reports whether there is one.
func (s *scorer) reply(part *part, x *span) bool {
	next := x.at + 1
	if next >= len(part.pieces) || part.pieces[next].kind != prose {
		return false
	}
	y := s.paragraph(part, next)
	if y.to == 0 {
		return false
	}
	b := part.pieces[next].block
	b.text, b.short = joined(part.pieces[next].sentences[y.from:y.to]), y.to < len(part.pieces[next].sentences)
	x.follow, x.tail, x.words = []block{b}, x.tail|y.body, x.words+y.words
	return true
}

// rowsTell says what rows are to a question. They are partial, and no answer, to "the salary of Ann"
// where they have her telephone number: they have to hold each name and number of the question, with
// what they stand under, and their page most of its words. Less of them is enough for one row that
// the question names by a cell, and by a column. They tell where they hold every word.
func (s *scorer) rowsTell(x *span) (partial bool) {
	p := &x.part.pieces[x.at]
	rows := x.body | p.under | p.above
	page := x.page.holds() | rows
	columns := s.heading(strings.Join(x.rows[0].head, " ")) | s.heading(p.section)
	words, held, column := 0, 0, false
	x.told = true
	for i := range s.asked.words {
		w := &s.asked.words[i]
		if !w.own {
			continue
		}
		words++
		if w.holds(rows) || w.holds(page) || w.value {
			held++
		}
		column = column || w.holds(columns)
		if !w.holds(rows) && !w.value {
			x.told = false
			x.partial = x.partial || w.name || w.exact
		}
	}
	if len(x.rows[0].head) == 0 { // a list of terms
		x.partial, x.named, x.told = false, false, false
		return false
	}
	x.named = x.named && (column || x.told) && !x.partial
	x.partial = x.partial || !x.named && float64(held) <= mostHeld*float64(words)
	return x.partial
}

// mostHeld is the share of a question's words of which a page has to hold more, for its rows to
// answer.
const mostHeld = 0.75

// paragraph returns a paragraph whole, or where it is long or cannot be quoted whole, the run of
// sentences that holds most of the question.
func (s *scorer) paragraph(part *part, at int) span {
	p := &part.pieces[at]
	best, most := span{}, -1.0
	for from := range p.sentences {
		x := span{part: part, at: at, from: from, to: from, kind: p.kind}
		for x.to < len(p.sentences) && p.sentences[x.to].ok && (x.words == 0 || x.words+p.sentences[x.to].words <= mostParagraph) {
			x.words += p.sentences[x.to].words
			x.body |= p.sentences[x.to].holds
			x.to++
		}
		if all, _ := s.cover(x.body, 0, 0); x.to > x.from && all > most {
			best, most = x, all
		}
		if x.to == len(p.sentences) {
			break
		}
	}
	return best
}

// items returns the items of a list that is too long to be quoted whole, each with the list's
// introduction. The writer marks what is left out.
func (s *scorer) items(part *part, at int, intro *span) (out []span) {
	if x, is := s.procedure(part, at, intro); is {
		return []span{x}
	}
	for ; at < len(part.pieces) && part.pieces[at].kind == item; at++ {
		x := s.paragraph(part, at)
		if x.to == 0 {
			continue
		}
		if intro != nil {
			b := part.pieces[at].block
			b.text, b.cut = joined(part.pieces[at].sentences[x.from:x.to]), true
			b.short = x.to < len(part.pieces[at].sentences)
			y := *intro
			y.follow, y.tail, y.words = []block{b}, x.body, y.words+x.words
			out = append(out, y)
			continue
		}
		out = append(out, x)
	}
	return out
}

// procedure returns the beginning of a procedure that is too long to be quoted whole: its first
// steps, and of each the first sentence. A step alone tells no one what to do.
func (s *scorer) procedure(part *part, at int, intro *span) (span, bool) {
	if at >= len(part.pieces) || part.pieces[at].kind != item {
		return span{}, false
	}
	x := span{part: part, at: at, kind: item}
	if intro != nil {
		x = *intro
	}
	x.follow = nil
	words := 0
	for ; at < len(part.pieces) && part.pieces[at].kind == item; at++ {
		b := part.pieces[at].block
		if !b.ordered && !b.nested {
			return span{}, false
		}
		if n := len(x.follow); b.nested {
			if n > 0 {
				x.follow[n-1].short = true
			}
			continue
		}
		b.text = strings.Join(strings.Fields(b.text), " ")
		b.shorten()
		n := len(strings.Fields(b.text))
		if !sound(b.text) || startsBlock(b.text) || len(b.text) > maxUnitRunes/2 {
			return span{}, false
		}
		if len(x.follow) == maxFollowItems || words+n > mostSteps {
			break
		}
		words += n
		x.follow, x.tail = append(x.follow, b), x.tail|part.pieces[at].holds
	}
	if len(x.follow) < 2 {
		return span{}, false
	}
	if at < len(part.pieces) && (part.pieces[at].kind == item || part.pieces[at].kind == code && strings.HasSuffix(x.follow[len(x.follow)-1].text, ":")) {
		x.follow[len(x.follow)-1].cut = true
	}
	if intro == nil {
		x.body, x.tail = x.tail, 0
	}
	x.words += words
	return x, true
}

// choose returns the passages that are quoted, or whose pages are linked. The sentence model
// chooses; where it cannot tell, since the question or the documents are not in its language or it
// takes too long, or where there is none, words do.
func (m *Model) choose(ctx context.Context, t turn, s *scorer, pages []page) (chosen []span, band retrieve.Band, err error) {
	all := s.candidates(pages)
	if len(all) == 0 {
		return nil, retrieve.Nothing, nil
	}
	best := slices.MaxFunc(all, func(a, b span) int { return cmp.Compare(a.score, b.score) })
	covered := s.answered(s.reader, best, shared(pages))
	similarity := -1.0
	if m.vectors != nil {
		if similarity, err = m.compare(ctx, t, all); err != nil {
			return nil, retrieve.Nothing, err
		}
	}
	if similarity < 0 {
		if !covered {
			return nil, retrieve.Nothing, nil
		}
		for i := range all {
			all[i].worth = all[i].score / (1 + wordDecay*float64(all[i].page.rank))
		}
	}
	for i := range all {
		x := &all[i]
		x.worth -= rankShare * float64(x.page.rank)
		if x.page.again {
			x.worth += againMore
		}
		if s.harmful(x) {
			x.worth -= harmLess
		}
		switch {
		case x.named:
			x.worth += namedMore
		case x.kind == table:
			x.worth -= rowsLess
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.worth, a.worth) })
	chosen = all[:1:1]
	for i := range all[1:] {
		x := &all[1+i]
		if len(chosen) < maxPages && x.worth >= chosen[0].worth-within && !slices.ContainsFunc(chosen, x.repeats) {
			chosen = append(chosen, *x)
		}
	}
	if len(chosen) > 1 && chosen[0].worth-chosen[1].worth >= clearBy {
		chosen = chosen[:1]
	}
	band = retrieve.Quotes
	if held, _ := s.cover(chosen[0].holds(), 0, 0); similarity < 0 && !chosen[0].named && held < mostlyHeld {
		band = retrieve.Links
	}
	if similarity >= 0 && !chosen[0].named && (!chosen[0].told || similarity < m.gate.Links) {
		band = m.gate.Band(similarity, covered)
	}
	if whole := slices.DeleteFunc(slices.Clone(chosen), func(x span) bool { return x.partial }); band == retrieve.Quotes && len(whole) > 0 {
		return whole, band, nil
	}
	return chosen, min(band, retrieve.Links), nil
}

// compare sets the worth of spans to their cosines with the question, and returns the highest: -1
// where the sentence model cannot tell.
func (m *Model) compare(ctx context.Context, t turn, all []span) (similarity float64, err error) {
	question := t.question
	if elliptic(question) {
		question = t.before + " " + question
	}
	texts := make([]string, len(all))
	for i := range all {
		x := &all[i]
		text := x.part.Title + ". " + x.part.pieces[x.at].section + ". " + x.text()
		texts[i] = strings.ToValidUTF8(text[:min(len(text), maxSimilarity)], "")
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(m.wait, gateWait))
	defer cancel()
	q, v, err := m.vectors.of(limited, question, texts)
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return -1, nil
	case err != nil:
		return -1, err
	}
	similarity = -1
	for i := range all {
		x := &all[i]
		if x.vector, x.worth = v[i], -1; x.vector != nil && retrieve.Cosine(q, q) > 0 && retrieve.Cosine(v[i], v[i]) > 0 {
			x.worth = retrieve.Cosine(q, v[i])
			x.page.near = x.page.near || x.worth >= m.gate.Links
			similarity = max(similarity, x.worth)
		}
	}
	return similarity, nil
}

// mostlyHeld is the share of the question's weight from which a passage is quoted that words chose.
// Of others the pages are linked.
const mostlyHeld = 0.45

// repeats reports whether two passages are of one page, of the same page in two sources, or say the
// same.
func (x *span) repeats(y span) bool {
	return x.page == y.page || x.text() == y.text() || x.vector != nil && y.vector != nil && x.part.Title == y.part.Title && retrieve.Cosine(x.vector, y.vector) >= sameText
}

// candidates returns the passages of the first hits that hold most of the question: the first
// ofOnePage of each page before the others.
func (s *scorer) candidates(pages []page) []span {
	var first, further []span
	for i := range pages {
		all := s.passages(&pages[i])
		slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.score, a.score) })
		n := min(len(all), ofOnePage)
		first, further = append(first, all[:n]...), append(further, all[n:]...)
	}
	for _, list := range [][]span{first, further} {
		slices.SortStableFunc(list, func(a, b span) int {
			return cmp.Compare(b.score-rankShare*float64(b.page.rank), a.score-rankShare*float64(a.page.rank))
		})
	}
	first = append(first, further...)
	return first[:min(len(first), maxCandidates)]
}

// warns begins a paragraph that a command is not quoted without.
var warns = regexp.MustCompile(`(?i)^\W*(warning|caution|danger|important|attention|beware|careful|never|do not|don['’]t|only (for|if|when))\b`)

// warned adds the warnings right before and after a command.
func (s *scorer) warned(x span) []span {
	end := x.at + len(x.follow)
	if x.kind != code && (len(x.follow) == 0 || x.follow[0].kind != code) {
		return []span{x}
	}
	out := []span{x}
	for _, at := range []int{x.at - 1, end + 1} {
		if at < 0 || at >= len(x.part.pieces) || x.part.pieces[at].kind != prose || !warns.MatchString(x.part.pieces[at].text) {
			continue
		}
		if y := s.paragraph(x.part, at); y.to > 0 {
			y.page = x.page
			if at < x.at {
				out = append([]span{y}, out...)
			} else {
				out = append(out, y)
			}
		}
	}
	return out
}
