package extractive

import (
	"cmp"
	"slices"
)

const maxPages = 3

// isQuestion is the likeness from which a section's heading is the question, word for word.
const isQuestion = 0.9

const (
	againShare = 1.5 // of its prior: a page that the answer before rests on, where the question leans on that one
	further    = 0.6 // of the best span's score: what a further span of the best page must reach
)

// Where one page is enough: measured with 182 questions about six collections, of what is told
// alone the first page is the right one nine times in ten, and of the others six times in ten.
const (
	clearTold = 0.6 // of the question's weight, at least, is told by the best quotation and its headings
	clearNext = 0.5 // of its score, at most, is that of the next page
)

// rowsMatch is the share of the best quotation's match that rows of a table on a further page must
// reach: rows are short, and one common word is in many.
const rowsMatch = 0.5

const enough = 60 // words of the best page beside which nothing more of it is quoted

// choose returns the spans to quote, those of one page together, the best page first; none where
// the question's words are no evidence. best has the best span of each page, quoted or not.
func choose(a *asked, r *reader, pages []page) (chosen, best []span) {
	s := &scorer{asked: a, reader: r, likely: map[string]float64{}, counted: quantity, compared: a.sides(r)}
	for i := range a.words {
		if a.words[i].own {
			s.asking = append(s.asking, i)
		}
	}
	if atWhatTime.MatchString(a.text) {
		s.counted = moment
	}
	var comparing []span
	of := map[*page][]span{}
	for i := range pages {
		all := s.spans(&pages[i])
		if len(all) == 0 {
			continue
		}
		slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.score, a.score) })
		x := all[0]
		x.score *= pages[i].prior(x)
		best, of[x.page] = append(best, x), all
		for _, y := range all {
			if y.compares {
				y.score *= pages[i].prior(y)
				comparing = append(comparing, y)
			}
		}
	}
	slices.SortStableFunc(best, func(a, b span) int { return cmp.Compare(b.score, a.score) })
	if len(best) == 0 || !a.answered(r, best[0], shared(pages)) {
		return nil, best
	}
	chosen = s.compare(comparing)
	compared := len(chosen) > 0
	if !compared {
		chosen = best[:1:1]
	}
	if first := of[chosen[0].page]; len(chosen) == 1 && !best[0].defines {
		words := chosen[0].size()
		for _, x := range first {
			if words < enough && (x.compares || !compared) && !overlap(x, chosen) && !same(x, chosen) && x.score >= further*first[0].score && words+x.size() <= mostWords+enough/2 {
				chosen = append(chosen, x)
				break
			}
		}
	}
	if compared || a.clear(best) {
		return chosen, best
	}
	n := 1
	for _, x := range best[1:] {
		if n < maxPages && !same(x, chosen) && a.names(x.holds()) >= a.names(best[0].page.holds()) && (x.kind != table || x.match >= rowsMatch*best[0].match) {
			chosen = append(chosen, x)
			n++
		}
	}
	return chosen, best
}

// holds returns which of the question's words a span holds, with its headings.
func (x *span) holds() mask {
	p := &x.part.pieces[x.at]
	return x.body | x.tail | p.under | p.above
}

// names is how much of what the question names a text holds: names as a whole.
func (a *asked) names(m mask) (held float64) {
	for i := range a.words {
		if w := &a.words[i]; w.own && w.name && m&(1<<w.slots[len(w.slots)-1]) != 0 {
			held += w.weight
		}
	}
	return held
}

// clear reports whether the first page answers for itself: it says what is asked about is, it has a
// section that is the question, the search's first page has one that is what is asked about, or it
// tells most of the question and the next page has little to say. Otherwise the answer is as likely
// on one of the next pages.
func (a *asked) clear(best []span) bool {
	first := best[0]
	return len(best) == 1 || first.defines || first.like >= isQuestion || first.like >= isNamed && first.page.rank == 0 ||
		best[1].score < clearNext*first.score && a.told(best[:1]) > clearTold
}

// told is the share of the question's weight that the quotations and their headings hold.
func (a *asked) told(quoted []span) float64 {
	var body, above mask
	for i := range quoted {
		p := &quoted[i].part.pieces[quoted[i].at]
		body, above = body|quoted[i].body|quoted[i].tail|p.under, above|p.above
	}
	all, _ := a.cover(body|above, 0, 0)
	return all
}

// prior is what speaks for a page before any of it is read. A page with a section that is the
// question loses nothing by its rank, and one that compares what is to be compared little: such
// pages are seldom those that mention one side most.
func (p *page) prior(x span) float64 {
	decay := rankDecay
	switch {
	case x.like >= isQuestion:
		decay = 0
	case x.compares:
		decay = rankDecay / 3
	}
	share := 1 / (1 + decay*float64(p.rank))
	if p.again {
		share *= againShare
	}
	return share
}

// size is how long a span is to read: lists and code are read faster than prose.
func (x *span) size() int {
	n := x.words
	for _, b := range x.follow {
		n += len(b.text) / 12
	}
	return n
}

// overlap reports whether a span repeats a part of what is chosen.
func overlap(x span, chosen []span) bool {
	return slices.ContainsFunc(chosen, func(c span) bool {
		return c.part == x.part && c.at <= x.at+len(x.follow) && x.at <= c.at+len(c.follow)
	})
}

// same reports whether a span says what is chosen already, as pages do that repeat one another.
func same(x span, chosen []span) bool {
	if x.kind != prose && x.kind != item || x.from == x.to {
		return false
	}
	text := x.part.pieces[x.at].sentences[x.from].text
	return slices.ContainsFunc(chosen, func(c span) bool {
		for _, s := range c.part.pieces[c.at].sentences {
			if s.text == text {
				return true
			}
		}
		return false
	})
}

// answered reports whether the page of the best span is reason enough to answer: what was found of
// it holds enough of the question's weight, of a short question more than of a long one. What names
// something that no document holds is answered by none, and what is mostly about something that
// none holds only by a page whose title says that it is about the rest: "I forgot my password" by
// that of passwords, and "a sauna for guests" by none that mentions guests. An entry or row that is
// called so, and the page that a follow-up leans on, say it as well.
func (a *asked) answered(r *reader, x span, everywhere mask) bool {
	if a.named && !a.is(failure) {
		return false
	}
	entry := x.part.pieces[x.at].called
	for _, row := range x.rows {
		entry |= r.read(row.cells[0])
	}
	if a.stray && x.page.title&^everywhere == 0 && !x.page.again && entry == 0 {
		return false
	}
	if !a.fits(r, x) {
		return false
	}
	held, _ := a.cover(x.page.holds(), 0, 0)
	return held >= minMatch+shortMatch/float64(max(len(a.words), 1))
}

// shared returns the words that most titles hold, and that therefore tell nothing of a page: the
// name of the site or the book.
func shared(pages []page) (most mask) {
	for slot := range 2 * maxSlots {
		n := 0
		for i := range pages {
			if pages[i].title&(1<<slot) != 0 {
				n++
			}
		}
		if n > 2 && 2*n > len(pages) {
			most |= 1 << slot
		}
	}
	return most
}

const (
	minMatch   = 0.225
	shortMatch = 0.3
)

// holds returns which of the question's words what was found of a page holds.
func (p *page) holds() mask {
	var m mask
	for i := range p.parts {
		for j := range p.parts[i].pieces {
			m |= p.parts[i].pieces[j].holds | p.parts[i].pieces[j].above
		}
	}
	return m
}
