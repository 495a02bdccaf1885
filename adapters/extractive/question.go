package extractive

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// query is a text whose words passages are searched for.
type query struct {
	terms  []analyse.Term
	counts []retrieve.Matched // how often each term occurs in the index
	chunks int
}

// asked is what a question looks for.
type asked struct {
	own      query // the question's own words
	all      query // and those of what it leans on
	text     string
	compared string // what the sentence model compares with passages
	leans    bool   // the question needs the one before it
	language string // of the documents
	known    map[string]stems
}

// stems are the stems of a text.
type stems map[string]int

func ask(t turn) *asked {
	a := &asked{text: t.question, compared: t.question, leans: t.before != "" && elliptic(t.question), known: map[string]stems{}}
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
	context := t.question
	if a.leans {
		a.compared = t.before + " " + t.question
		context = strings.Join(append([]string{t.before, t.question}, t.queries...), "\n")
	}
	synonyms := synonymsOf(t.common.Synonyms)
	read := func(text string) query {
		q := query{chunks: max(t.common.Chunks, len(t.passages))}
		q.terms, _ = synonyms.Query(text, []string{a.language})
		q.counts = make([]retrieve.Matched, len(q.terms))
		for i, term := range q.terms {
			q.counts[i].Frequency = max(t.common.Terms[term.Text], here[term.Text])
		}
		return q
	}
	a.own, a.all = read(t.question), read(context)
	return a
}

// synonymsOf reads sets as a search names them: "k8s: kubernetes, kube".
func synonymsOf(lines []string) *analyse.Synonyms {
	var sets [][]string
	for _, line := range lines {
		if word, others, found := strings.Cut(line, ": "); found {
			sets = append(sets, append([]string{word}, strings.Split(others, ", ")...))
		}
	}
	return analyse.NewSynonyms(sets)
}

// stems returns the stems of a text. It analyses each text once.
func (a *asked) stems(text string) stems {
	s, known := a.known[text]
	if !known {
		s = analyse.Text(text, a.language).Frequency
		a.known[text] = s
	}
	return s
}

// match returns how the terms of a query occur in texts.
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

// share returns the share of the weight of a query's words that texts hold.
func (a *asked) share(q query, texts ...string) float64 {
	return retrieve.Coverage(q.terms, a.match(q, texts), q.chunks)
}

const (
	leastShare = 0.225 // of a long question's weight: what a page holds that answers it
	shortShare = 0.3   // what a question of one word needs in addition
)

// evidence reports whether what was found of a page holds enough of the question. If half of the
// question's words occur in no document, the page's title must hold another one.
func (a *asked) evidence(p *page) bool {
	var texts []string
	for _, part := range p.parts {
		texts = append(texts, part.Title, part.Heading, part.Contents)
	}
	if a.stray() && a.share(a.own, texts[0]) == 0 {
		return false
	}
	frequency := make([]int, len(a.all.terms))
	for i := range frequency {
		frequency[i] = a.all.counts[i].Frequency
	}
	words := retrieve.Words(a.all.terms, retrieve.UnderstoodFrequencies(a.all.terms, frequency), a.all.chunks)
	return a.share(a.all, texts...) >= leastShare+shortShare/float64(max(words, 1))
}

// stray reports whether half of the question's own words or more occur in no document.
func (a *asked) stray() bool {
	known, unknown := a.occurring()
	return unknown > 0 && unknown >= known
}

// occurring counts the question's own words that occur in a document, where a name counts twice, and
// those that occur in none.
func (a *asked) occurring() (known, unknown int) {
	for w := range a.words(a.own) {
		switch {
		case w.Frequency > 0 && w.Name:
			known += 2
		case w.Frequency > 0:
			known++
		case !w.Foreign && !w.Aside:
			unknown++
		}
	}
	return known, unknown
}

// holdsMost reports whether texts hold enough of the question to be quoted without the sentence
// model. One word is enough only for a question of one known word: a rare one may weigh half of it.
func (a *asked) holdsMost(texts ...string) bool {
	known, held := 0, 0
	for w := range a.words(a.all, texts...) {
		if w.Frequency > 0 {
			known++
		}
		if w.Here {
			held++
		}
	}
	return held >= min(leastHeld, known) && a.share(a.all, texts...) >= mostWords
}

// words yields the words of a query that have a weight, and whether texts hold them.
func (a *asked) words(q query, texts ...string) iter.Seq[retrieve.Word] {
	return retrieve.WeightedWords(q.terms, a.match(q, texts))
}

var (
	continues = regexp.MustCompile(`(?i)^\W*(and|or|but|so|then|also|what about|how about|why|und|oder|aber|was ist mit|et|ou|mais|y|o|pero)\b`)
	pronoun   = regexp.MustCompile(`(?i)\b(it|its|they|them|their|theirs|this|these|those|that|one|the same|there|he|she|him|her|ihn|ihm|ihnen|dies|diese|dieser|davon|dafür|damit|dazu|ça|cela|celui|celle|eso|esto|ello)\b`)
)

// elliptic reports whether a question can only be understood by what was said before it.
func elliptic(question string) bool {
	if continues.MatchString(question) || pronoun.MatchString(question) {
		return true
	}
	return !slices.ContainsFunc(analyse.Query(question, nil), func(term analyse.Term) bool { return !term.Chatter })
}

// A command that stops, deletes or overwrites something is quoted only for a question that says so.
// Its page is linked: the command that shuts a server down must not answer how to end one query.
var (
	harms  = regexp.MustCompile("(?i)(?:^|[\\s;&|`])rm\\s|" + `\b(shut ?down|halt|reboot|stop|kill|terminate|rmdir|unlink|del|delete|drop|truncate|destroy|purge|wipe|erase|prune|clean|reset|revert|force|hard|format|mkfs|dd|overwrite|uninstall|remove|disable|revoke|expire|filter-branch)\b`)
	denied = regexp.MustCompile(`(?i)\b(without|instead of|rather than|avoid|not|never|don['’]?t|no)\s+(to\s+|any\s+|a\s+|the\s+)?[\pL]+`)
)

const maxHarms = 20 // that are looked at in one piece of code

// harmful reports whether code or steps do harm that the question does not speak of.
func (a *asked) harmful(text string) bool {
	wanted := analyse.Query(denied.ReplaceAllString(a.text, " "), []string{a.language})
	for _, word := range harms.FindAllString(text, maxHarms) {
		for stem := range a.stems(strings.ToLower(word)) {
			if !slices.ContainsFunc(wanted, func(t analyse.Term) bool { return t.Text == stem }) {
				return true
			}
		}
	}
	return false
}
