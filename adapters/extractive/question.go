package extractive

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// word is one word of a question that tells something.
type word struct {
	// of its parts, by which it is found: all of them, or the last one, which is its whole
	slots   []int
	weight  float64
	own     bool // it stands in the question itself, not in one before it
	name    bool // it is written as a name
	exact   bool // it has a digit
	value   bool // it says what kind of value is asked for, as in "phone number"
	unknown bool // no document holds it
	foreign bool // it is of a language in which no document is written
}

// asked is what a question looks for.
type asked struct {
	words []word
	slots map[string]mask // the parts of words, by stem
	said  []said          // the operator's synonyms of several words
	all   float64         // what all words weigh
	own   float64         // what those of the question itself weigh
	named bool            // it names something that no document holds
	// half of its words or more occur in no document, and none of the others is a name
	stray bool
	text  string
}

// mask says which parts of a question's words a text holds.
type mask uint64

const (
	maxSlots = 32 // parts of words that are looked for
)

const contextWeight = 0.6 // of a word that only the questions before hold, or only the queries

const leastIDF = 0.3

// ask reads a question.
func ask(t turn, language string, idf func(stem string) (weight float64, known bool)) *asked {
	a := &asked{slots: map[string]mask{}, text: t.question}
	next := 0
	languages := []string{language}
	synonyms := synonymsOf(t.common.Synonyms)
	read := func(text string) []analyse.Term {
		terms, _ := synonyms.Query(text, languages)
		return terms
	}
	a.add(read(t.question), true, &next, idf)
	if t.before == "" || elliptic(t.question) || a.own == 0 {
		for _, text := range append([]string{t.before}, t.queries...) {
			a.add(read(text), false, &next, idf)
		}
	}
	a.weigh(t.common.Chunks)
	return a
}

// add takes up the words of a text that are not there yet.
func (a *asked) add(terms []analyse.Term, own bool, next *int, idf func(string) (float64, bool)) {
	for i := 0; i < len(terms); {
		number, from := terms[i].Word, i
		for i < len(terms) && terms[i].Word == number {
			i++
		}
		w := word{own: own, unknown: true}
		part, slot, counts, fresh := -1, -1, false, false
		last := ""
		lacking, whole := 0, false // parts that no document holds, and whether one holds what came last
		for _, term := range terms[from:i] {
			if term.Synonym > 0 {
				continue
			}
			if term.Chatter || small[term.Text] {
				continue
			}
			counts = true
			if term.Part != part {
				part, slot = term.Part, -1
				if *next < maxSlots {
					slot = *next
					*next++
					w.slots = append(w.slots, slot)
				}
			}
			if slot < 0 {
				continue
			}
			if a.slots[term.Text] == 0 {
				fresh = true
			}
			a.slots[term.Text] |= 1 << slot
			for _, same := range []string{inFull[term.Text], irregular[term.Text]} {
				if same != "" {
					a.slots[same] |= 1 << slot
				}
			}
			w.value = w.value || ofValue[term.Text]
			w.exact = w.exact || strings.ContainsAny(term.Text, "0123456789")
			w.name, w.foreign = w.name || term.Name, w.foreign || term.Foreign
			last = term.Text
			weight, known := idf(term.Text)
			if whole = known; known {
				w.unknown = false
				w.weight = max(w.weight, weight)
			} else {
				lacking++
			}
		}
		// A name of several words of which the documents lack one, and the whole, is the name of something else.
		w.unknown = w.unknown || w.name && !whole && (lacking > 1 || strings.Contains(last, "_"))
		a.stand(&w, terms[from:i], idf)
		// whom or what it is asked for, of which no document speaks
		apart := w.unknown && terms[from].Aside
		if counts && fresh && len(w.slots) > 0 && !apart {
			a.words = append(a.words, w)
		}
	}
}

// small are stems of words that say nothing by themselves and are no stop words.
var small = map[string]bool{"per": true, "via": true, "versus": true, "vs": true, "somehow": true, "realli": true, "happili": true, "today": true, "now": true, "perfect": true, "normal": true}

// ofValue are stems of words for a kind of value, which the names of columns leave out.
var ofValue = map[string]bool{"number": true, "address": true, "date": true, "day": true, "time": true, "name": true, "person": true, "peopl": true, "amount": true}

// unheardChunks is the size of an index in which an ordinary word that occurs nowhere weighs half of what others do, as in retrieve.Coverage.
const unheardChunks = 200

// leastUnheard is the same in the smallest one.
const leastUnheard = 0.35

// weigh sets the weights of what no document holds, and sums up.
func (a *asked) weigh(chunks int) {
	var sum float64
	known, heard, unknown, foreign, name := 0, 0, 0, 0, false
	for _, w := range a.words {
		if !w.own {
			continue
		}
		switch {
		case w.unknown:
			unknown++
			if w.foreign {
				foreign++
			}
			continue
		}
		known++
		heard++
		if w.name {
			known, heard, name = known+1, heard+1, true
		}
		sum += w.weight
	}
	average := 1.0
	if heard > 0 {
		average = sum / float64(heard)
	}
	share := 1.0
	if unknown <= known {
		share = max(leastUnheard, float64(chunks)/float64(chunks+unheardChunks))
	}
	a.stray = unknown > foreign && unknown-foreign >= known && !name
	for i := range a.words {
		w := &a.words[i]
		if w.unknown {
			w.weight = average * share
			if w.foreign {
				w.weight = average / 4
			}
			if w.name && w.own {
				a.named = true
			}
		}
		if !w.own {
			w.weight *= contextWeight
		}
		if w.own {
			a.own += w.weight
		}
		a.all += w.weight
	}
}

// holds reports whether a text holds a word.
func (w *word) holds(m mask) bool {
	n := len(w.slots)
	if m&(1<<w.slots[n-1]) != 0 {
		return true
	}
	if n == 1 {
		return false
	}
	for _, slot := range w.slots[:n-1] {
		if m&(1<<slot) == 0 {
			return false
		}
	}
	return true
}

// reader finds a question's words in texts.
type reader struct {
	language string
	slots    map[string]mask
	said     []said
	known    map[string]mask // of headings, which stand above many units
}

// read returns which words a text holds.
func (r *reader) read(text string) mask {
	var m mask
	counts := stems(text, r.language)
	for stem := range counts {
		m |= r.slots[stem]
	}
	for _, s := range r.said {
		if !slices.ContainsFunc(s.stems, func(stem string) bool { return counts[stem] == 0 }) {
			m |= s.holds
		}
	}
	return m
}

// heading returns the same, reading each text once.
func (r *reader) heading(text string) mask {
	m, there := r.known[text]
	if !there {
		m = r.read(text)
		r.known[text] = m
	}
	return m
}

// stems counts the stems of a text, irregular English verbs brought to their base.
func stems(text, language string) map[string]int {
	counts := analyse.Text(text, language).Frequency
	if language != analyse.DefaultLanguage {
		return counts
	}
	for form, base := range irregular {
		if n := counts[form]; n > 0 {
			counts[base] += n
		}
	}
	return counts
}

// inFull maps the stems of words that people shorten when they type to those of what documents write.
var inFull = map[string]string{
	"db": "databas", "repo": "repositori", "dir": "directori", "config": "configur", "app": "applic", "doc": "document", "info": "inform",
	"auth": "authent", "admin": "administr", "env": "environ", "param": "paramet", "arg": "argument", "func": "function", "pw": "password",
	"pwd": "password", "passwd": "password", "k8s": "kubernet", "msg": "messag", "temp": "temporari", "perm": "permiss", "req": "request",
	"sub": "subscript", "lib": "librari", "attr": "attribut", "var": "variabl", "stat": "statist", "max": "maximum", "min": "minimum",
}

// irregular maps stems of irregular verb forms to those of their base, for the verbs that questions about procedures use.
var irregular = map[string]string{
	"chosen": "choos", "chose": "choos", "built": "build", "sent": "send", "kept": "keep", "held": "hold", "made": "make", "written": "write",
	"wrote": "write", "taken": "take", "took": "take", "given": "give", "gave": "give", "found": "find", "begun": "begin", "began": "begin",
	"broken": "break", "broke": "break", "lost": "lose", "ran": "run", "shown": "show", "paid": "pay", "bought": "buy", "left": "leav",
	"taught": "teach", "told": "tell", "understood": "understand", "drawn": "draw", "grown": "grow", "hidden": "hide", "bound": "bind",
	"sold": "sell", "thrown": "throw", "threw": "throw", "frozen": "freez", "stolen": "steal", "stole": "steal", "got": "get", "led": "lead",
}

// languageOf guesses the language of the documents.
func languageOf(passages []passage) string {
	var b strings.Builder
	for _, p := range passages[:min(len(passages), 5)] {
		b.WriteString(p.Text)
		b.WriteByte('\n')
	}
	return analyse.Guess(b.String())
}

// rarity returns how much a stem weighs: its inverse document frequency in the index where the search has told it, else among the passages. What
// the search was not asked about and no passage holds is unknown.
func rarity(t turn, language string) func(stem string) (float64, bool) {
	here := map[string]int{}
	for _, p := range t.passages {
		for stem := range stems(p.Title+" "+p.Heading+" "+p.Text, language) {
			here[stem]++
		}
	}
	return func(stem string) (float64, bool) {
		n, told := t.common.Terms[stem]
		if told && n > 0 {
			return max(leastIDF, bm25.IDF(t.common.Chunks, n)), true
		}
		if n := here[stem]; n > 0 {
			return max(leastIDF, math.Log(1+float64(len(t.passages))/float64(n))), true
		}
		return 0, false
	}
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
