package analyse

import (
	"slices"
	"unicode/utf8"
)

// MaxQueryTerms is how many different terms a query keeps, the first ones. What is pasted beyond that adds cost and little meaning.
const MaxQueryTerms = 200

// Term is one thing to look for.
type Term struct {
	Text string
	// Word numbers the word of the query that the term came from. A word gives several terms when it is an identifier or when its stems
	// in two languages differ; together they are evidence for one word.
	Word int
	// Chatter marks words that questions carry whatever they ask about ("please", "anybody", "explain"), and words that are stop words in
	// one of the languages: they are looked for, but a passage without them lacks nothing.
	Chatter bool
	// Foreign marks words of a language, or in a script, in which no document is written. That no document holds one says little.
	Foreign bool
}

// Query analyses a question in every language that the documents it is asked of are written in. DefaultLanguage is always among them.
// There are no operators: quotes, brackets and the like part words and nothing else. The result has no term twice and may be empty.
func Query(text string, languages []string) []Term {
	langs := queryLanguages(languages)
	asked := languageOf(Guess(text))
	other := speaksOther(text, langs)
	stemmers := make([]stemmer, len(langs))
	for i, l := range langs {
		stemmers[i] = stemmer{lang: l}
	}
	var terms []Term
	seen := make(map[string]bool)
	add := func(text string, word int, chatter bool) {
		text = cut(text)
		if !seen[text] && len(terms) < MaxQueryTerms {
			seen[text] = true
			terms = append(terms, Term{Text: text, Word: word, Chatter: chatter, Foreign: other || otherScript(text, langs)})
		}
	}
	scan(fold(text), func(t token) bool {
		switch {
		case t.kind == extra && single(t.text): // one character of a longer run would match nearly everything
		case t.kind != word:
			add(t.text, t.unit, false)
		case asked.stops[t.text]: // a small word of the question's own language means nothing in another one
		default:
			// A small word of one language is looked for in the others, where it may mean something, but says nothing by its absence.
			small := chatter[t.text] || slices.ContainsFunc(langs, func(l language) bool { return l.stops[t.text] })
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
	return terms
}

// onlyChatter reports whether a question consists of chatter, two words of it or more: "thanks!" asks about nothing.
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
