package extractive

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/retrieve"
)

const (
	maxPassages   = 60 // passages that are read
	maxHits       = 10 // first passages, from which candidates are taken
	maxCandidates = 12
	maxSimilarity = 600 // bytes of a candidate that are compared, about 128 tokens
	gateWait      = 2 * time.Second
	maxPages      = 3 // pages that are quoted
)

// rankShare and the other constants adjust the worth of a quotation, by which quotations are
// ordered. The worth begins as the cosine of the question's and the quotation's embeddings, or as
// the share of matching words.
const (
	rankShare  = 0.03 // subtracted for each rank of its page in the search
	rowsLess   = 0.05 // subtracted for table rows, which are short and alike
	namedMore  = 0.5  // added for the row that the question names
	phraseMore = 0.2  // added for a phrase that the question quotes, such as an error message
	clearBy    = 0.15 // lead over the next page with which the first page is quoted alone
	within     = 0.20 // maximum distance of further quoted pages from the best worth
	wordDecay  = 0.1  // reduction of the words' score for each rank, if words choose
	mostWords  = 0.45 // minimum share of the question's weight in a passage that words chose
	// leastHeld is the minimum number of the question's words in a passage that is quoted without a
	// sentence model. If the documents contain only one of these words, one suffices.
	leastHeld = 2
	repeats   = 0.8 // share of a block's words that the question holds, if the block repeats it
	allWords  = 0.9 // score with which a passage is quoted whatever the sentence model says
)

// phraseIn matches a phrase of at least two words in quotation marks.
var phraseIn = regexp.MustCompile(`["“]\s*([^"“”]*[^"“”\s]\s[^"“”\s][^"“”]*?)\s*["”]`)

// page is a document with its passages that the search found.
type page struct {
	rank  int
	near  bool // the sentence model finds one of its passages close enough to be linked
	parts []*passage
}

func (p *page) texts() (out []string) {
	for _, part := range p.parts {
		out = append(out, part.Title, part.Heading, part.Contents)
	}
	return out
}

// quotation is the smallest unit that is quoted: a block, the blocks that introduce it, and
// warnings next to a command.
type quotation struct {
	page        *page
	part        *passage
	blocks      []block
	head        string   // names of the columns
	rows        []string // rows of a table
	harmful     bool
	linked      bool    // only its page is linked: its rows or code may not answer
	unversioned bool    // it lacks a version of the question
	exact       bool    // its rows hold all words of the question, or one row is named
	named       bool    // one row that the question names by a cell
	score       float64 // share of the question's words
	cosine      float64 // with the question; -1: unknown
	worth       float64
}

func groupByPage(t turn) (pages []*page) {
	at := map[string]*page{}
	for i := range t.passages[:min(len(t.passages), maxPassages)] {
		p := &t.passages[i]
		id := cmp.Or(p.Page, strconv.Itoa(p.Number))
		if at[id] == nil {
			at[id] = &page{rank: len(pages)}
			pages = append(pages, at[id])
		}
		at[id].parts = append(at[id].parts, p)
	}
	return pages
}

// warns matches the start of a warning. A command is never quoted without a warning next to it.
var warns = regexp.MustCompile(`(?i)^\W*(warning|caution|danger|important|attention|beware|careful|never|do not|don['’]t|only (for|if|when))\b`)

func (a *asked) quotations(p *page) (out []quotation) {
	for _, part := range p.parts {
		if part.rank >= maxHits {
			continue
		}
		all := blocks(part.Contents, part.opening())
		var lead []block
		for i := range all {
			b := &all[i]
			if b.introduces() || i+1 < len(all) && a.leads(b, &all[i+1]) {
				pieces := b.pieces()
				lead = append(lead, pieces[len(pieces)-1])
				continue
			}
			if len(lead) > 0 && !lead[0].with(b) || len(lead) > 2 {
				lead = nil
			}
			for _, piece := range b.pieces() {
				x := quotation{page: p, part: part, blocks: append(slices.Clone(lead), piece)}
				if piece.kind == table && !a.rowsOf(&x) {
					continue
				}
				if piece.kind != list && piece.commands() != "" {
					a.extend(&x, all, i)
				}
				x.score = a.score(&x)
				x.unversioned = a.lacksVersion(&x)
				x.harmful = a.harms(&x)
				x.linked = x.linked || a.onlyTitle(&x)
				out = append(out, x)
			}
			lead = nil
		}
	}
	return out
}

// leads reports whether prose is only complete with the next block: a single sentence above code,
// no sentence above a list, or what the question repeats.
func (a *asked) leads(b, next *block) bool {
	return b.kind == prose && b.with(next) && (next.kind == code && len(document.Sentences(b.text)) == 1 ||
		next.kind == list && !sentenceEnd.MatchString(b.text) || a.repeated(label.ReplaceAllString(b.text, "")) >= repeats)
}

// extend adds the warnings directly before and after a command of the same section. A warning that
// is directly before another command belongs to that command. Code that the question repeats, such
// as an error message, comes with the prose after it.
func (a *asked) extend(x *quotation, all []block, at int) {
	near := func(n int) bool { return n >= 0 && n < len(all) && all[n].with(&all[at]) }
	if n := at - len(x.blocks); near(n) && warns.MatchString(all[n].text) {
		x.blocks = append([]block{all[n]}, x.blocks...)
	}
	if n := at + 1; near(n) && warns.MatchString(all[n].text) && (!near(n+1) || all[n+1].commands() == "") {
		x.blocks = append(x.blocks, all[n])
	} else if near(n) && all[at].kind == code && all[n].kind == prose && a.repeated(all[at].text) >= repeats {
		x.blocks = append(x.blocks, all[n].pieces()[0])
	}
}

func (x *quotation) above() []string {
	return []string{x.part.Title, x.blocks[0].section, x.part.Heading, x.blocks[0].above}
}

func (x *quotation) text() string {
	var texts []string
	for _, b := range x.blocks {
		texts = append(texts, b.text)
	}
	return strings.Join(texts, "\n")
}

// score returns the share of the question's words in a quotation. It is the mean of two shares, one
// with and one without the quotation's headings.
func (a *asked) score(x *quotation) float64 {
	text := x.text()
	return (a.share(a.all, append(x.above(), text)...) + a.share(a.all, text)) / 2
}

// onlyTitle reports whether a quotation is code that holds no word of the question but those of its
// page's title, although the question has others.
func (a *asked) onlyTitle(x *quotation) bool {
	if x.blocks[0].kind != code {
		return false
	}
	title := a.count(a.all, x.part.Title)
	return title.held > 0 && title.held < title.known && a.count(a.all, append(x.above(), x.text())...).held == title.held
}

func (a *asked) candidates(pages []*page) []quotation {
	var out []quotation
	for _, p := range pages {
		out = append(out, a.quotations(p)...)
	}
	sortBy(out, func(x quotation) float64 { return x.score - rankShare*float64(x.page.rank) })
	return out[:min(len(out), maxCandidates)]
}

// sortBy sorts quotations by worth. Those that hold the versions of the question come first.
func sortBy(all []quotation, worth func(quotation) float64) {
	slices.SortStableFunc(all, func(x, y quotation) int {
		return cmp.Or(one(x.unversioned)-one(y.unversioned), cmp.Compare(worth(y), worth(x)))
	})
}

// choose selects the quotations for an answer, and those whose pages are linked. Each quotation
// must reach the gate. If none does, their pages are linked, or nothing was found.
//
// Quotations are ranked by embeddings. If the sentence model is missing, does not know the language
// or takes too long, they are ranked by matching words.
func (m *Model) choose(ctx context.Context, a *asked, pages []*page) (quoted, linked []quotation, err error) {
	all := a.candidates(pages)
	if len(all) == 0 {
		return nil, nil, nil
	}
	similarity := -1.0
	if m.vectors != nil && !a.foreign {
		if similarity, err = m.compare(ctx, a, all); err != nil {
			return nil, nil, err
		}
	}
	covered := a.evidence(slices.MaxFunc(all, func(x, y quotation) int { return cmp.Compare(x.score, y.score) }).page)
	if similarity < 0 && !covered {
		return nil, nil, nil
	}
	for i := range all {
		a.weigh(&all[i], similarity < 0)
	}
	sortBy(all, func(x quotation) float64 { return x.worth })
	var chosen []quotation
	best := all[0].worth
	for _, x := range all {
		if similarity < 0 && len(chosen) == 0 {
			best = x.worth // words say less about what is meant
		}
		switch near := x.worth >= best-within; {
		case near && x.harmful && len(linked) == 0:
			linked = append(linked, x)
		case near && !x.harmful && len(chosen) < maxPages && !slices.ContainsFunc(chosen, x.repeats):
			chosen = append(chosen, x)
		}
	}
	if len(chosen) > 1 && chosen[0].worth-chosen[1].worth >= clearBy {
		chosen = chosen[:1]
	}
	reaches := func(x *quotation) bool {
		switch {
		case x.linked || x.unversioned:
			return false
		case x.exact:
			return true
		case similarity < 0:
			return len(quoted) > 0 || a.holdsMost(append(x.above(), x.text())...)
		}
		return m.gate.Band(x.cosine, covered) == retrieve.Quotes || x.score >= allWords && a.count(a.own).strange == 0
	}
	for i := range chosen {
		if reaches(&chosen[i]) && (len(quoted) == i || chosen[0].linked) {
			quoted = append(quoted, chosen[i])
		} else {
			linked = append(linked, chosen[i])
		}
	}
	if len(quoted) == 0 && similarity >= 0 && similarity < m.gate.Links {
		return nil, nil, nil
	}
	return quoted, linked, nil
}

// weigh computes the worth of a quotation, by which quotations are ordered. If byWords is set, the
// worth is based on the share of matching words. Otherwise it is based on the cosine from compare.
func (a *asked) weigh(x *quotation, byWords bool) {
	if byWords {
		x.worth = x.score / (1 + wordDecay*float64(x.page.rank))
	}
	x.worth -= rankShare * float64(x.page.rank)
	if phrase := phraseIn.FindStringSubmatch(a.text); phrase != nil && strings.Contains(strings.ToLower(x.text()), strings.ToLower(phrase[1])) {
		x.worth += phraseMore
	}
	switch {
	case x.named:
		x.worth += namedMore
	case len(x.rows) > 0:
		x.worth -= rowsLess
	}
}

func (a *asked) harms(x *quotation) bool {
	intro := ""
	for _, b := range x.blocks {
		if text := b.commands(); text != "" && a.harmful(append(filter.Harms(text), filter.IntroducesHarm(intro)...)) {
			return true
		}
		intro = b.text[strings.LastIndex(b.text, ". ")+1:]
	}
	return false
}

func (x *quotation) repeats(y quotation) bool { return x.page == y.page || x.text() == y.text() }

// compare sets the cosine and worth of each quotation to the cosine of its embedding and the
// question's. It returns the highest cosine, or -1 if nothing could be compared.
func (m *Model) compare(ctx context.Context, a *asked, all []quotation) (similarity float64, err error) {
	texts := []string{a.compared}
	for i := range all {
		text := all[i].part.Title + ". " + all[i].blocks[0].section + ". " + all[i].text()
		texts = append(texts, strings.ToValidUTF8(text[:min(len(text), maxSimilarity)], ""))
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(m.wait, gateWait))
	defer cancel()
	v, err := m.vectors.of(limited, texts)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return -1, nil
	}
	similarity = -1
	for i := range all {
		x := &all[i]
		if x.cosine = -1; err == nil && v[i+1] != nil && retrieve.Cosine(v[0], v[0]) > 0 && retrieve.Cosine(v[i+1], v[i+1]) > 0 {
			x.cosine = retrieve.Cosine(v[0], v[i+1])
			x.page.near = x.page.near || x.cosine >= m.gate.Links
			similarity = max(similarity, x.cosine)
		}
		x.worth = x.cosine
	}
	return similarity, err
}
