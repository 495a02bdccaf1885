package extractive

import (
	"strings"
)

// span is what can be quoted in one go: sentences that follow one another, with the list or code
// that they introduce; a whole list; rows of a table; or a block of code.
type span struct {
	page     *page
	part     *part
	at       int // index of its piece
	from, to int // sentences of that piece, or rows of a table
	kind     blockKind
	follow   []block // what the last sentence introduces
	rows     []unit  // of a table
	code     string
	body     mask // words of the question that it holds
	tail     mask // and those that only what follows it holds
	words    int
	score    float64
	partial  bool    // rows that are no answer to the whole question
	told     bool    // rows that hold all of it
	named    bool    // one row that the question names by a cell, and by a column
	worth    float64 // to the sentence model
	vector   []float32
}

const (
	underShare = 0.9 // of a word that only the heading right above holds
	aboveShare = 0.7 // of one that only the title or another heading holds
	bodyPart   = 0.5
	partDecay  = 0.02 // per place of its passage
	mostList   = 90   // words of a list that is quoted whole
	mostWords  = 75   // of one without an introduction
)

// cover returns the share of the question's weight that a span holds together with its headings,
// and by itself.
func (a *asked) cover(body, under, above mask) (all, own float64) {
	if a.all == 0 {
		return 0, 0
	}
	for i := range a.words {
		w := &a.words[i]
		switch {
		case w.holds(body):
			all += w.weight
			own += w.weight
		case w.holds(body | under):
			all += w.weight * underShare
		case w.holds(body | under | above):
			all += w.weight * aboveShare
		}
	}
	return all / a.all, own / a.all
}

// scorer says how much of the question spans hold.
type scorer struct {
	*asked
	*reader
	actions map[string]bool // stems of what the question speaks of, without what it denies
}

// base sets what every span is scored by: the question's words in it and above it, and the
// rank of its passage.
func (s *scorer) base(x *span) {
	p := &x.part.pieces[x.at]
	all, own := s.cover(x.body, p.under|x.tail, p.above)
	x.score = ((1-bodyPart)*all + bodyPart*own) / (1 + partDecay*float64(x.part.rank))
}

// text returns what a span quotes.
func (x *span) text() string {
	var b strings.Builder
	b.WriteString(joined(x.part.pieces[x.at].sentences[x.from:x.to]))
	for _, f := range x.follow {
		b.WriteString("\n" + f.text)
	}
	for _, row := range x.rows {
		b.WriteString("\n" + row.text)
	}
	b.WriteString("\n" + x.code)
	return b.String()
}

func joined(list []sentence) string {
	if len(list) == 1 {
		return list[0].text
	}
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// holds returns which of the question's words a span holds, with its headings.
func (x *span) holds() mask {
	p := &x.part.pieces[x.at]
	return x.body | x.tail | p.under | p.above
}
