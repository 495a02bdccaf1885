package analyse

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQueryTerms is the maximum number of different terms of a query. Further terms, for example of
// pasted text, add cost and little meaning.
const MaxQueryTerms = 200

// Term is one term of a query, with the properties that decide how it counts in scores.
type Term struct {
	Text string
	// Count is how often the term occurs in the query, at least 1. It multiplies the term's weight.
	Count int
	// Synonym is the number, from 1, of the added synonym that the term belongs to. It is 0 for
	// other terms. A document contains a synonym if it contains all terms of the synonym.
	Synonym int
	// Share is the weight of a synonym's term relative to the word that the synonym replaces.
	Share float64
	// Word is the number of the word in the query that the term came from. An identifier yields
	// several terms, and so does a word with different stems in two languages.
	Word int
	// Part is the number of the part of a word. The terms of one part are its stems in several
	// languages, of which a document has only one. They share one frequency. Otherwise the few
	// documents of a rare language would rank first everywhere.
	Part int
	// Chatter marks words that occur in any question ("please", "anyone", "explain"), and stop
	// words of one of the languages. They are searched for, but a passage need not contain them.
	Chatter bool
	// Name marks words written as names: identifiers, quotations, acronyms, and capitals in
	// mid-sentence. If no document contains the name, the other words do not answer the question.
	Name bool
	// Aside marks words that are not part of the topic, such as the name of the person or
	// organisation that asks.
	Aside bool
	// Foreign marks words of a language or script that no document is written in. If such a word
	// occurs in no document, this means little.
	Foreign bool
	// Joined marks the compound of a verb and its particle, such as "backup" for "back up". It has
	// the same Part as the verb, so a document may contain either form. The rarer form then does
	// not decide alone.
	Joined bool
}

// particles form compounds with English verbs, such as "backup" for "back up".
var particles = map[string]bool{"up": true, "down": true, "in": true, "out": true, "on": true, "off": true, "over": true, "back": true, "by": true, "around": true}

// Query returns the search terms of a question, without duplicates. It analyses the question in
// DefaultLanguage and in the given languages, which are those of the documents. Greetings, thanks
// and signatures around the question are ignored. Quotes and brackets only separate words, because
// there are no operators.
func Query(text string, languages []string) []Term { return query(text, languages).terms }

type analysed struct {
	terms []Term
	langs []language
	words []writtenWord
}

type writtenWord struct {
	text string
	word int // Term.Word of its terms; -1 if it has none
}

func query(text string, languages []string) *analysed {
	langs := queryLanguages(languages)
	text = fold(withoutPoliteness(text))
	asked := questionLanguage(text, langs)
	other := isForeignQuestion(text, langs)
	stemmers := make([]stemmer, len(langs))
	for i, l := range langs {
		stemmers[i] = stemmer{lang: l}
	}
	var terms []Term
	seen := make(map[string]occurrence)
	part := -1
	var at token
	names := namesOf(text, asked)
	var words []writtenWord
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
				Name: !chatter && names.isName(at.from, at.to), Aside: !chatter && names.isAside(at.from, at.to), Foreign: other || isForeignScript(text, langs)})
		}
	}
	var verb token // previous word, which may be a verb
	scan(text, func(t token) bool {
		if particles[t.text] && t.unit == verb.unit+1 && asked.name == DefaultLanguage && verb.kind == word && verb.text != "" && !asked.stops[verb.text] {
			n := len(terms)
			at = token{} // not a written word
			add(stemmers[0].stem(stemmers[0].stem(verb.text)+t.text), verb.unit, false)
			if len(terms) > n {
				terms[n].Joined = true
			}
		}
		part++
		verb, at = t, t
		if t.kind != extra {
			words = append(words, writtenWord{t.text, -1})
		}
		switch {
		case t.kind == extra && isSingleCharacter(t.text):
			// a single character of a longer run would match nearly everything
		case t.kind != word:
			add(t.text, t.unit, false)
		case asked.stops[t.text]:
			// a stop word of the question's language has no meaning in another
		default:
			// A stop word of one language may have a meaning in another, so it is searched for, but
			// need not occur.
			small := chatter[t.text] || bodies[t.text] && names.isAside(t.from, t.to) || slices.ContainsFunc(langs, func(l language) bool { return l.stops[t.text] })
			for i := range stemmers {
				if !stemmers[i].lang.stops[t.text] {
					add(stemmers[i].stem(t.text), t.unit, small)
				}
			}
		}
		return len(terms) < MaxQueryTerms
	})
	if onlyChatter(terms) { // then the question is about these words
		for i := range terms {
			terms[i].Chatter = false
		}
	}
	return &analysed{terms, langs, words}
}

// Weight returns the factor that a score applies to the term's inverse document frequency.
func (t Term) Weight() float64 {
	if t.Synonym > 0 {
		return t.Share * float64(t.Count)
	}
	return float64(t.Count)
}

type occurrence struct {
	term int // its index
	part int
}

// questionLanguage returns the most likely language of a question. It chooses the language in langs
// with the most stop words in the question. If the question has none, or several languages have
// equally many, it returns the result of [Guess].
func questionLanguage(text string, langs []language) language {
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

func onlyChatter(terms []Term) bool {
	for _, t := range terms {
		if !t.Chatter {
			return false
		}
	}
	return len(terms) > 0 && terms[0].Word != terms[len(terms)-1].Word
}

func isSingleCharacter(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size == len(s) && isUnspaced(r)
}

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

// Together returns the document frequencies from which the weights of terms are computed.
// frequency[i] belongs to terms[i]. Terms with the same Part share the sum of their frequencies. A
// synonym is never rarer than the word that it replaces, so it never weighs more.
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
