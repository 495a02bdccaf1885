package analyse

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQueryTerms is how many different terms a query keeps, the first ones. What is pasted beyond
// that adds cost and little meaning.
const MaxQueryTerms = 200

// Term is one thing to look for.
type Term struct {
	Text string
	// Count is how often the term stands in the query, 1 or more: whoever repeats a word asks about
	// it. In scores it weighs as many times as much.
	Count int
	// Synonym numbers, from 1, the word or phrase next to the question's own words that the term is
	// one word of (Synonyms). A document says that when it holds all its terms.
	Synonym int
	// Share is what a synonym's term weighs, of what the word of the question does.
	Share float64
	// Word numbers the word of the query that the term came from. A word gives several terms when
	// it is an identifier or when its stems in two languages differ; together they are evidence for
	// one word.
	Word int
	// Part numbers the part of the word that the term stands for. Terms of one part are its stems
	// in several languages, of which a document holds the one in its own: they are as frequent as
	// all of them together, lest the few documents of one language come first everywhere.
	Part int
	// Chatter marks words that questions carry whatever they ask about ("please", "anyone",
	// "explain"), and words that are stop words in one of the languages: they are looked for, but a
	// passage without them lacks nothing.
	Chatter bool
	// Name marks words that are written as names: identifiers, what stands between quotation marks,
	// acronyms, capitals in mid-sentence. A question that names what no document does is not
	// answered by its other words.
	Name bool
	// Aside marks words that are next to the question, such as names: whom or what it is asked for,
	// not what it is about.
	Aside bool
	// Foreign marks words of a language, or in a script, in which no document is written. That no
	// document holds one says little.
	Foreign bool
	// Joined marks the one word that a verb and its particle make together: "backup" for "back up".
	// It stands for the verb's part of the verb's word, so that a document may hold either, and the
	// rarer form does not decide alone.
	Joined bool
}

// particles are what English verbs form words with: back up and backup, log in, shut down, fail
// over, stand by.
var particles = map[string]bool{"up": true, "down": true, "in": true, "out": true, "on": true, "off": true, "over": true, "back": true, "by": true, "around": true}

// Query analyses a question in every language that the documents it is asked of are written in.
// DefaultLanguage is always among them. Greetings, thanks and signatures around the question are no
// part of it. There are no operators: quotes, brackets and the like part words and nothing else.
// The result has no term twice and may be empty.
func Query(text string, languages []string) []Term { return query(text, languages).terms }

// analysed is a question with what was seen on the way to its terms.
type analysed struct {
	terms   []Term
	langs   []language
	written []written
}

// written is one word of a question as it stands there.
type written struct {
	text string
	word int // that its terms are numbered by; -1: it has none
}

func query(text string, languages []string) *analysed {
	langs := queryLanguages(languages)
	text = fold(plainly(text))
	asked := askedIn(text, langs)
	other := speaksOther(text, langs)
	stemmers := make([]stemmer, len(langs))
	for i, l := range langs {
		stemmers[i] = stemmer{lang: l}
	}
	var terms []Term
	seen := make(map[string]occurrence)
	part := -1
	var at token
	names := namesOf(text, asked)
	var words []written
	add := func(text string, word int, chatter bool) {
		text = cut(text)
		if last, found := seen[text]; found {
			if last.part != part { // not the same stem in another language
				terms[last.term].Count++
				seen[text] = occurrence{last.term, part}
			}
			words[len(words)-1].word = terms[last.term].Word
			return
		}
		if len(terms) < MaxQueryTerms {
			seen[text] = occurrence{len(terms), part}
			words[len(words)-1].word = word
			terms = append(terms, Term{Text: text, Count: 1, Word: word, Part: part, Chatter: chatter,
				Name: !chatter && names.name(at.from, at.to), Aside: !chatter && names.aside(at.from, at.to), Foreign: other || otherScript(text, langs)})
		}
	}
	var verb token // the word just before, which may turn out to be one
	scan(text, func(t token) bool {
		if particles[t.text] && t.unit == verb.unit+1 && asked.name == DefaultLanguage && verb.kind == word && verb.text != "" && !asked.stops[verb.text] {
			n := len(terms)
			at = token{} // no word as it is written
			add(stemmers[0].stem(stemmers[0].stem(verb.text)+t.text), verb.unit, false)
			if len(terms) > n {
				terms[n].Joined = true
			}
		}
		part++
		verb, at = t, t
		if t.kind != extra {
			words = append(words, written{t.text, -1})
		}
		switch {
		case t.kind == extra && single(t.text):
			// one character of a longer run would match nearly everything
		case t.kind != word:
			add(t.text, t.unit, false)
		case asked.stops[t.text]:
			// a small word of the question's own language means nothing in another one
		default:
			// A small word of one language is looked for in the others, where it may mean
			// something, but says nothing by its absence.
			small := chatter[t.text] || bodies[t.text] && names.aside(t.from, t.to) || slices.ContainsFunc(langs, func(l language) bool { return l.stops[t.text] })
			for i := range stemmers {
				if !stemmers[i].lang.stops[t.text] {
					add(stemmers[i].stem(t.text), t.unit, small)
				}
			}
		}
		return len(terms) < MaxQueryTerms
	})
	if onlyChatter(terms) { // then these words are what is asked about
		for i := range terms {
			terms[i].Chatter = false
		}
	}
	return &analysed{terms, langs, words}
}

// Weight is how many times the inverse document frequency of a term counts in scores.
func (t Term) Weight() float64 {
	if t.Synonym > 0 {
		return t.Share * float64(t.Count)
	}
	return float64(t.Count)
}

// occurrence is where a term stood last.
type occurrence struct {
	term int // its index
	part int
}

// askedIn tells the language of a question among those of the documents: the one that most of its
// small words are of. Guess, which knows nothing of the documents and seldom dares to judge so
// short a text, decides where none is ahead. Small words of a language that is not told would be
// looked for in the documents of the others, where they are rare and therefore weigh much.
func askedIn(text string, langs []language) language {
	hits := make([]int, len(langs))
	for field := range strings.FieldsFuncSeq(text[:min(len(text), 16*guessWords)], func(r rune) bool { return !unicode.IsLetter(r) }) {
		w := lower(field)
		for i, l := range langs {
			if l.stops[w] {
				hits[i]++
			}
		}
	}
	ahead := 0
	for i := range hits {
		if hits[i] > hits[ahead] {
			ahead = i
		}
	}
	for i := range hits {
		if i != ahead && hits[i] == hits[ahead] {
			return languageOf(Guess(text))
		}
	}
	if hits[ahead] == 0 { // of a single language
		return languageOf(Guess(text))
	}
	return langs[ahead]
}

// onlyChatter reports whether a question consists of chatter, two words of it or more: "thanks!"
// asks about nothing.
func onlyChatter(terms []Term) bool {
	for _, t := range terms {
		if !t.Chatter {
			return false
		}
	}
	return len(terms) > 0 && terms[0].Word != terms[len(terms)-1].Word
}

// single reports whether s is one character of a script without spaces.
func single(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size == len(s) && unspaced(r)
}

// queryLanguages resolves names to languages, DefaultLanguage first, each once.
func queryLanguages(names []string) []language {
	langs := []language{languageOf(DefaultLanguage)}
	used := []string{DefaultLanguage}
	for _, name := range names {
		if l := languageOf(name); !slices.Contains(used, l.name) {
			used = append(used, l.name)
			langs = append(langs, l)
		}
	}
	return langs
}

// Together returns how frequent each term counts as: as its part, in all languages; a synonym,
// which is to weigh no more than the word it stands for, as whichever of the two is more frequent.
// frequency runs parallel to terms.
func Together(terms []Term, frequency []int) []int {
	parts := make(map[int]int, len(terms))
	for i, t := range terms {
		if t.Synonym == 0 {
			parts[t.Part] += frequency[i]
		}
	}
	out := make([]int, len(terms))
	for i, t := range terms {
		if out[i] = parts[t.Part]; t.Synonym > 0 {
			out[i] = max(out[i], frequency[i])
		}
	}
	return out
}
