package extractive

const maxPages = 3

const (
	minMatch   = 0.225
	shortMatch = 0.3
)

// answered reports whether the page of the best span is reason enough to answer: what was found of
// it holds enough of the question's weight, of a short question more than of a long one. What names
// something that no document holds is answered by none, and what is mostly about something that
// none holds only by a page whose title says that it is about the rest: "I forgot my password" by
// that of passwords, and "a sauna for guests" by none that mentions guests. An entry or row that is
// called so, and the page that a follow-up leans on, say it as well.
func (a *asked) answered(r *reader, x span, everywhere mask) bool {
	if a.named {
		return false
	}
	entry := x.part.pieces[x.at].called
	for _, row := range x.rows {
		entry |= r.read(row.cells[0])
	}
	if a.stray && x.page.title&^everywhere == 0 && !x.page.again && entry == 0 {
		return false
	}
	return a.enough(x.page)
}

// enough reports whether what was found of a page holds enough of the question's weight.
func (a *asked) enough(p *page) bool {
	held, _ := a.cover(p.holds(), 0, 0)
	return held >= minMatch+shortMatch/float64(max(len(a.words), 1))
}

// shared returns the words that most titles hold, and that therefore tell nothing of a page: the
// name of the site or the book.
func shared(pages []page) (most mask) {
	for slot := range maxSlots {
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
