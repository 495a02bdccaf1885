package extractive

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

type query struct {
	terms  []analyse.Term
	counts []retrieve.Matched // how often each term occurs in the index
	chunks int
}

type asked struct {
	own, all query // own: words of the question; all: also of the earlier question that it refers to
	text     string
	compared string                    // text, after the earlier question that it refers to
	language string                    // language of the documents
	foreign  bool                      // the question is in another language
	versions []*regexp.Regexp          // match the versions in the question
	cited    []llm.Delta               // sections that the answer cites
	known    map[string]map[string]int // cached stems by text
}

func ask(t turn) *asked {
	a := &asked{text: t.question, compared: t.question, known: map[string]map[string]int{}}
	var sample strings.Builder
	for _, p := range t.passages[:min(len(t.passages), 5)] {
		sample.WriteString(p.Contents + "\n")
	}
	a.language = analyse.Guess(sample.String())
	here := map[string]int{}
	for _, p := range t.passages {
		for stem := range analyse.Text(p.Title+" "+p.Heading+" "+p.Contents, a.language).Frequency {
			here[stem]++
		}
	}
	if t.before != "" && elliptic(t.question) {
		a.compared = t.before + " " + t.question
	}
	synonyms := analyse.ParseSynonyms(t.common.Synonyms)
	read := func(text string) query {
		q := query{chunks: max(t.common.Chunks, len(t.passages))}
		q.terms, _ = synonyms.Query(text, []string{a.language})
		q.counts = make([]retrieve.Matched, len(q.terms))
		for i, term := range q.terms {
			q.counts[i].Frequency = max(t.common.Terms[term.Text], here[term.Text])
		}
		return q
	}
	a.own, a.all = read(t.question), read(a.compared)
	a.foreign = len(a.own.terms) > 0 && !slices.ContainsFunc(a.own.terms, func(t analyse.Term) bool { return !t.Foreign })
	for _, found := range version.FindAllStringSubmatch(t.question, maxVersions) {
		a.versions = append(a.versions, regexp.MustCompile(`\b`+regexp.QuoteMeta(found[1])+`\b`))
	}
	return a
}

func (a *asked) stems(text string) map[string]int {
	s, known := a.known[text]
	if !known {
		s = analyse.Text(text, a.language).Frequency
		a.known[text] = s
	}
	return s
}

func (a *asked) match(q query, texts []string) []retrieve.Matched {
	found := slices.Clone(q.counts)
	for _, text := range texts {
		in := a.stems(text)
		for i, term := range q.terms {
			found[i].Here = found[i].Here || in[term.Text] > 0
		}
	}
	retrieve.Understand(q.terms, found)
	return found
}

// share returns the weighted share of a query's words that occur in texts, as computed by
// [retrieve.Coverage].
func (a *asked) share(q query, texts ...string) float64 {
	return retrieve.Coverage(q.terms, a.match(q, texts), q.chunks)
}

const (
	leastShare  = 0.225 // minimum share of a long question's weight in a page that answers it
	shortShare  = 0.3   // additional share for a question of one word
	maxVersions = 8     // of a question
)

type count struct {
	all     int
	known   int // words that occur in the documents
	strange int // words that occur nowhere, although they should
	named   int // known names
	held    int // words in the texts
	lost    int // names and numbers that are not in the texts
	telling int // names and numbers in the texts
}

func (a *asked) count(q query, texts ...string) (c count) {
	for w := range retrieve.WeightedWords(q.terms, a.match(q, texts)) {
		c.all++
		telling := w.Name || strings.ContainsFunc(w.Text, unicode.IsDigit)
		switch {
		case w.Here:
			c.held++
			c.telling += one(telling)
		case telling:
			c.lost++
		}
		c.known += one(w.Frequency > 0)
		c.named += one(w.Frequency > 0 && w.Name)
		c.strange += one(w.Frequency == 0 && !w.Foreign && !w.Aside)
	}
	return c
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// evidence reports whether the passages of a page have enough of the question's words. If at least
// half of these words occur in no document, the page's title must also have a word of the question.
func (a *asked) evidence(p *page) bool {
	c := a.count(a.own)
	stray := c.strange > 0 && c.strange >= c.known+c.named
	if stray && a.share(a.own, p.parts[0].Title) == 0 {
		return false
	}
	words := a.count(a.all).all
	return a.share(a.all, p.texts()...) >= leastShare+shortShare/float64(max(words, 1))
}

// lacksVersion reports whether a version of the question is missing in a quotation. It is there if
// a more exact one is, as 4.2.1 is for 4.2. A passage may begin below the heading of another one.
func (a *asked) lacksVersion(x *quotation) bool {
	text := strings.Join([]string{x.part.Title, x.blocks[0].above, cmp.Or(version.FindString(x.blocks[0].above), x.part.Heading), x.text()}, "\n")
	return slices.ContainsFunc(a.versions, func(n *regexp.Regexp) bool { return !n.MatchString(text) })
}

// holdsMost reports whether texts have enough of the question's words to be quoted without a
// sentence model. One word suffices only if the documents contain no other word of the question. A
// question in another language needs most of its words.
func (a *asked) holdsMost(texts ...string) bool {
	c := a.count(a.all, texts...)
	if a.foreign {
		return c.held >= leastHeld && 2*c.held > c.all
	}
	return c.held >= min(leastHeld, c.known) && a.share(a.all, texts...) >= mostWords
}

// leans matches words that refer to earlier messages: a conjunction at the beginning, or a pronoun.
var leans = regexp.MustCompile(`(?i)^\W*(and|or|but|so|then|also|what about|how about|why|und|oder|aber|was ist mit|et|ou|mais|y|o|pero)\b|` +
	`\b(it|its|they|them|their|theirs|this|these|those|that|one|the same|there|he|she|him|her|ihn|ihm|ihnen|dies|diese|dieser|davon|dafür|damit|dazu|ça|cela|celui|celle|eso|esto|ello)\b`)

// elliptic reports whether a question cannot be understood without earlier messages.
func elliptic(question string) bool {
	return leans.MatchString(question) || !slices.ContainsFunc(analyse.Query(question, nil), func(t analyse.Term) bool { return !t.Chatter })
}

// denied matches words that the question rejects, as in "without deleting".
var denied = regexp.MustCompile(`(?i)\b(without|instead of|rather than|avoid|not|never|don['’]?t|no)\s+(to\s+|any\s+|a\s+|the\s+)?[\pL]+`)

// harmful reports whether the question does not ask for one of the harmful commands.
func (a *asked) harmful(commands []filter.Command) bool {
	wanted := analyse.Query(denied.ReplaceAllString(a.text, " "), []string{a.language})
	for _, c := range commands {
		name := a.stems(c.Name)
		for stem := range a.stems(c.Verb) {
			inflected := len(c.Name) > len(c.Verb) && name[stem] > 0 // as "deleted" is, and "dropdb" is not
			if !inflected && !slices.ContainsFunc(wanted, func(t analyse.Term) bool { return t.Text == stem || name[t.Text] > 0 }) {
				return true
			}
		}
	}
	return false
}
