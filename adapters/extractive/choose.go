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
	harmLess   = 0.5  // subtracted for a harmful command
	namedMore  = 0.5  // added for the row that the question names
	phraseMore = 0.2  // added for a phrase that the question quotes, such as an error message
	clearBy    = 0.15 // lead over the next page with which the first page is quoted alone
	within     = 0.20 // maximum distance of further quoted pages from the best worth
	wordDecay  = 0.1  // reduction of the words' score for each rank, if words choose
	mostWords  = 0.45 // minimum share of the question's weight in a passage that words chose
	// leastHeld is the minimum number of the question's words in a passage that is quoted without a
	// sentence model. If the documents contain only one of these words, one suffices.
	leastHeld = 2
	repeats   = 0.8 // share of the words of a block that the question holds, if the block only repeats it
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
	page   *page
	part   *passage
	blocks []block
	head   string   // names of the columns
	rows   []string // rows of a table
	// only its page is linked: it is harmful, or its rows do not answer the whole question
	linked bool
	exact  bool    // its rows hold all words of the question, or one row is named
	named  bool    // one row that the question names by a cell
	score  float64 // share of the question's words
	worth  float64
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
				out = append(out, x)
			}
			lead = nil
		}
	}
	return out
}

// label matches the label before a question, such as "Q:".
var label = regexp.MustCompile(`^\W*\pL{1,9}:\s`)

// leads reports whether prose is only complete with the next block: if it is a single sentence above
// code, or no sentence above a list, or if the question repeats it.
func (a *asked) leads(b, next *block) bool {
	return b.kind == prose && b.with(next) && (next.kind == code && len(document.Sentences(b.text)) == 1 ||
		next.kind == list && !sentenceEnd.MatchString(b.text) || a.repeated(label.ReplaceAllString(b.text, "")) >= repeats)
}

// extend adds the warnings directly before and after a command of the same section. A warning that
// is directly before another command belongs to that command. If code only repeats the question,
// such as an error message, extend also adds what follows the code.
func (a *asked) extend(x *quotation, all []block, at int) {
	near := func(n int) bool { return n >= 0 && n < len(all) && all[n].with(&all[at]) }
	if n := at - len(x.blocks); near(n) && warns.MatchString(all[n].text) {
		x.blocks = append([]block{all[n]}, x.blocks...)
	}
	switch n := at + 1; {
	case !near(n):
	case warns.MatchString(all[n].text):
		if !near(n+1) || all[n+1].commands() == "" {
			x.blocks = append(x.blocks, all[n])
		}
	case all[at].kind == code && all[n].kind == prose && a.repeated(all[at].text) >= repeats:
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

// choose selects the quotations for an answer. The [retrieve.Band] says whether to quote them, to
// link their pages, or to say that nothing was found.
//
// Quotations are ranked by embeddings. If the sentence model is missing, does not know the language
// or takes too long, they are ranked by matching words.
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

// weigh computes the worth of a quotation, by which quotations are ordered. If byWords is set, the
// worth is based on the share of matching words. Otherwise it is based on the cosine from compare.
func (a *asked) weigh(x *quotation, byWords bool) {
	if byWords {
		x.worth = x.score / (1 + wordDecay*float64(x.page.rank))
	}
	x.worth -= rankShare * float64(x.page.rank)
	if a.harms(x) {
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

func (a *asked) harms(x *quotation) bool {
	intro := ""
	for _, b := range x.blocks {
		if text := b.commands(); text != "" && (a.harmful(harms, text) || a.harmful(introducesHarm, intro)) {
			return true
		}
		intro = b.text[strings.LastIndex(b.text, ". ")+1:]
	}
	return false
}

func (x *quotation) repeats(y quotation) bool { return x.page == y.page || x.text() == y.text() }

// compare sets the worth of each quotation to the cosine of its embedding and the question's. It
// returns the highest cosine, or -1 if nothing could be compared.
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
