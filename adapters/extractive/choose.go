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

	"github.com/footnotehq/footnote/core/retrieve"
)

// Candidates of the sentence model.
const (
	maxPassages   = 60 // that are read
	maxHits       = 10 // passages of the search that candidates are from
	maxCandidates = 12
	maxSimilarity = 600 // bytes of a candidate that are compared, about 128 tokens
	gateWait      = 2 * time.Second
	maxPages      = 3 // that are quoted
)

// The worth of a quotation is the cosine of its title, heading and text with the question, and:
const (
	rankShare  = 0.03 // less for each place of its page in the search
	rowsLess   = 0.05 // less for rows, which are short and alike
	harmLess   = 0.5  // less for a command that does harm
	namedMore  = 0.5  // more for the row that the question names
	phraseMore = 0.2  // more for the words that the question quotes, such as an error message
	clearBy    = 0.15 // lead over the next page from which the first page is quoted alone
	within     = 0.20 // of the first page's worth: further pages that are quoted
	wordDecay  = 0.1  // of the words' score for each place in the search, where words choose
	mostWords  = 0.45 // share of the question's weight from which a passage is quoted that words chose
	leastHeld  = 2    // words of the question that such a passage holds, unless fewer of them are known
	allWords   = 0.9  // the same, whatever the sentence model says
)

// phraseIn is what a question quotes: at least two words.
var phraseIn = regexp.MustCompile(`["“]\s*([^"“”]*[^"“”\s]\s[^"“”\s][^"“”]*?)\s*["”]`)

// page is a document with the passages that were found of it.
type page struct {
	rank  int
	near  bool // the sentence model finds a passage of it close enough to be linked
	parts []*passage
}

// texts returns everything that was found of a page.
func (p *page) texts() (out []string) {
	for _, part := range p.parts {
		out = append(out, part.Title, part.Heading, part.Contents)
	}
	return out
}

// quotation is what can be quoted in one go: a block, with what introduces it, and with a warning
// next to a command.
type quotation struct {
	page   *page
	part   *passage
	blocks []block
	head   string   // names of the columns
	rows   []string // of a table
	linked bool     // it is not quoted: harmful, or rows that are no answer to the whole question
	exact  bool     // rows that hold all of it, or are named
	named  bool     // one row that the question names by a cell
	score  float64  // share of the question's words
	worth  float64
}

// read groups the passages by page.
func read(t turn) (pages []*page) {
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

// warns begins a paragraph that a command is not quoted without.
var warns = regexp.MustCompile(`(?i)^\W*(warning|caution|danger|important|attention|beware|careful|never|do not|don['’]t|only (for|if|when))\b`)

// quotations returns what can be quoted of a page.
func (a *asked) quotations(p *page) (out []quotation) {
	for _, part := range p.parts {
		if part.rank >= maxHits {
			continue
		}
		all := blocks(part.Contents, part.opening())
		var lead []block
		for i := range all {
			b := &all[i]
			if b.introduces() {
				pieces := b.pieces()
				lead = append(lead, pieces[len(pieces)-1])
				continue
			}
			if len(lead) > 0 && lead[0].section != b.section || len(lead) > 2 {
				lead = nil
			}
			for _, piece := range b.pieces() {
				x := quotation{page: p, part: part, blocks: append(slices.Clone(lead), piece)}
				if piece.kind == table && !a.rowsOf(&x) {
					continue
				}
				if piece.kind != list && piece.commands() != "" {
					x.warn(all, i)
				}
				x.score = a.score(&x)
				out = append(out, x)
			}
			lead = nil
		}
	}
	return out
}

// warn adds the warnings right before and after a command.
func (x *quotation) warn(all []block, at int) {
	if n := at - 1; n >= 0 && len(x.blocks) == 1 && warns.MatchString(all[n].text) {
		x.blocks = append([]block{all[n]}, x.blocks...)
	}
	if n := at + 1; n < len(all) && warns.MatchString(all[n].text) {
		x.blocks = append(x.blocks, all[n])
	}
}

// above returns what a quotation stands under.
func (x *quotation) above() []string {
	return []string{x.part.Title, x.blocks[0].section, x.part.Heading, x.blocks[0].above}
}

// text returns what is quoted.
func (x *quotation) text() string {
	var texts []string
	for _, b := range x.blocks {
		texts = append(texts, b.text)
	}
	return strings.Join(texts, "\n")
}

// score returns how much of the question a quotation holds, half of it without its headings.
func (a *asked) score(x *quotation) float64 {
	text := x.text()
	return (a.share(a.all, append(x.above(), text)...) + a.share(a.all, text)) / 2
}

// candidates returns the quotations that hold most of the question.
func (a *asked) candidates(pages []*page) []quotation {
	var out []quotation
	for _, p := range pages {
		out = append(out, a.quotations(p)...)
	}
	slices.SortStableFunc(out, func(x, y quotation) int {
		return cmp.Compare(y.score-rankShare*float64(y.page.rank), x.score-rankShare*float64(x.page.rank))
	})
	return out[:min(len(out), maxCandidates)]
}

// choose returns what is quoted, or whose pages are linked. The sentence model chooses. Words do if
// there is none, it does not know the language, or it takes too long.
func (m *Model) choose(ctx context.Context, a *asked, pages []*page) ([]quotation, retrieve.Band, error) {
	all := a.candidates(pages)
	if len(all) == 0 {
		return nil, retrieve.Nothing, nil
	}
	best := slices.MaxFunc(all, func(x, y quotation) int { return cmp.Compare(x.score, y.score) })
	covered := a.evidence(best.page)
	similarity := -1.0
	if m.vectors != nil {
		var err error
		if similarity, err = m.compare(ctx, a, all); err != nil {
			return nil, retrieve.Nothing, err
		}
	}
	if similarity < 0 && !covered {
		return nil, retrieve.Nothing, nil
	}
	for i := range all {
		a.weigh(&all[i], similarity < 0)
	}
	slices.SortStableFunc(all, func(x, y quotation) int { return cmp.Compare(y.worth, x.worth) })
	chosen := all[:1:1]
	for _, x := range all[1:] {
		if len(chosen) < maxPages && x.worth >= chosen[0].worth-within && !slices.ContainsFunc(chosen, x.repeats) {
			chosen = append(chosen, x)
		}
	}
	if len(chosen) > 1 && chosen[0].worth-chosen[1].worth >= clearBy {
		chosen = chosen[:1]
	}
	first, band := &chosen[0], retrieve.Quotes
	switch {
	case first.exact:
	case similarity < 0:
		if !a.holdsMost(append(first.above(), first.text())...) {
			band = retrieve.Links
		}
	default:
		if band = m.gate.Band(similarity, covered); first.score >= allWords && a.count(a.own).strange == 0 {
			band = retrieve.Quotes
		}
	}
	if whole := slices.DeleteFunc(slices.Clone(chosen), func(x quotation) bool { return x.linked }); band == retrieve.Quotes && len(whole) > 0 {
		return whole, band, nil
	}
	return chosen, min(band, retrieve.Links), nil
}

// weigh sets what a quotation is worth. byWords reports that the sentence model cannot tell.
func (a *asked) weigh(x *quotation, byWords bool) {
	if byWords {
		x.worth = x.score / (1 + wordDecay*float64(x.page.rank))
	}
	x.worth -= rankShare * float64(x.page.rank)
	if slices.ContainsFunc(x.blocks, func(b block) bool { return a.harmful(b.commands()) }) {
		x.linked = true
		x.worth -= harmLess
	}
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

// repeats reports whether two quotations are of one page, or say the same.
func (x *quotation) repeats(y quotation) bool { return x.page == y.page || x.text() == y.text() }

// compare sets the worth of quotations to their cosines with the question, and returns the highest:
// -1 where the sentence model cannot tell.
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
		if x.worth = -1; err == nil && v[i+1] != nil && retrieve.Cosine(v[0], v[0]) > 0 && retrieve.Cosine(v[i+1], v[i+1]) > 0 {
			x.worth = retrieve.Cosine(v[0], v[i+1])
			x.page.near = x.page.near || x.worth >= m.gate.Links
			similarity = max(similarity, x.worth)
		}
	}
	return similarity, err
}
