package analyse

import (
	"slices"
	"strings"
	"sync"
)

// SynonymShare is what a synonym weighs, of what the word of the question weighs that it stands
// for: a document in the asker's own words goes before one in other words. Of 20 sets of general
// words (delete and remove, folder and directory), 80 questions about two manuals had the right
// page among the first five 56 times without them, 56 times at a quarter, and 55 times at a half,
// at three quarters and at the full weight: what gains are words that only the operator knows to
// mean the same, and those lose to no word of the question at a half.
const SynonymShare = 0.5

// maxSynonymTerms bounds what synonyms add to a question.
const maxSynonymTerms = 100

// Synonyms are sets of words and phrases that mean the same, as an operator lists them. Whichever
// member of a set a question holds, the others are looked for too. They are sets and not rules, so
// that nothing leads in a circle, and what is found through one set is not looked up in another.
// nil is no set. Synonyms never change and are safe for concurrent use.
type Synonyms struct {
	sets     [][]string
	lexicons sync.Map // of *lexicon, by language
}

// NewSynonyms returns the sets. A phrase that has no word to look for, such as one of small words
// alone, is passed over.
func NewSynonyms(sets [][]string) *Synonyms {
	s := &Synonyms{}
	for _, set := range sets {
		s.sets = append(s.sets, slices.Clone(set))
	}
	return s
}

// Phrase returns what tells a word or phrase from others, whatever its letter case, hyphens and
// endings, and how many of its words are looked for: 0 for small words alone, such as "it".
func Phrase(text string) (key string, words int) {
	lang := languageOf(DefaultLanguage)
	stem := &stemmer{lang: lang}
	return strings.Join(keysOf(text, stem), " "), len(wordsOf(text, stem))
}

// lexicon holds the sets in the terms of one language.
type lexicon struct {
	members map[string][]member // by their first key
	// by set and member: the terms that are looked for, none where all are small words
	words [][][]string
}

// member is one word or phrase of a set.
type member struct {
	set, place int
	keys       []string // of its written words, in order
}

func (s *Synonyms) lexicon(lang language) *lexicon {
	if made, found := s.lexicons.Load(lang.name); found {
		return made.(*lexicon)
	}
	l := &lexicon{members: make(map[string][]member), words: make([][][]string, len(s.sets))}
	stem := &stemmer{lang: lang}
	for i, set := range s.sets {
		l.words[i] = make([][]string, len(set))
		for j, text := range set {
			l.words[i][j] = wordsOf(text, stem)
			if keys := keysOf(text, stem); len(keys) > 0 && len(l.words[i][j]) > 0 {
				l.members[keys[0]] = append(l.members[keys[0]], member{i, j, keys})
			}
		}
	}
	made, _ := s.lexicons.LoadOrStore(lang.name, l)
	return made.(*lexicon)
}

// keysOf are the written words of a phrase, parts of identifiers apart, as they are compared.
func keysOf(text string, stem *stemmer) []string {
	var keys []string
	scan(fold(text), func(t token) bool {
		if t.kind != extra {
			keys = append(keys, stem.stem(t.text))
		}
		return true
	})
	return keys
}

// wordsOf are the terms that a phrase is looked for by: of an identifier the whole, no small words,
// none twice.
func wordsOf(text string, stem *stemmer) []string {
	var words []string
	units := make(map[int]int) // how many words were there when a unit began
	scan(fold(text), func(t token) bool {
		if _, begun := units[t.unit]; !begun {
			units[t.unit] = len(words)
		}
		switch {
		case t.kind == extra && single(t.text):
		case t.kind == extra:
			words = append(words[:units[t.unit]], cut(t.text)) // instead of its parts
		case t.kind == word && !stem.lang.stops[t.text]:
			words = append(words, cut(stem.stem(t.text)))
		case t.kind == exact:
			words = append(words, cut(t.text))
		}
		return true
	})
	var once []string
	for _, w := range words {
		if !slices.Contains(once, w) {
			once = append(once, w)
		}
	}
	return once
}

// Query is the function Query with the synonyms of what the question says. Each stands for a word
// of the question: its terms follow those of the word and share its Word and Part. A phrase stands
// for each word of the one that it replaces, and its terms share the weight. told says what was
// added, such as "k8s: kubernetes". Without a synonym the terms are those of the function.
func (s *Synonyms) Query(text string, languages []string) (terms []Term, told []string) {
	if s == nil || len(s.sets) == 0 {
		return Query(text, languages), nil
	}
	q := query(text, languages)
	added, number, room := make(map[int][]Term), 0, maxSynonymTerms
	for _, m := range s.match(q) {
		var names []string
		for place, name := range s.sets[m.set] {
			if place == m.place {
				continue
			}
			n := s.stand(q, m, place, &number, room, added)
			if room -= n; n > 0 {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			told = append(told, s.sets[m.set][m.place]+": "+strings.Join(names, ", "))
		}
	}
	for i, t := range q.terms {
		terms = append(terms, t)
		if i+1 == len(q.terms) || q.terms[i+1].Word != t.Word {
			terms = append(terms, added[t.Word]...)
		}
	}
	return terms, told
}

// stand lets one phrase stand for the words of a match, in every language, and returns how many
// terms that adds.
func (s *Synonyms) stand(q *analysed, m match, place int, number *int, room int, added map[int][]Term) int {
	n := 0
	var before [][]string
	weighed := make(map[string]bool)
	for _, lang := range q.langs {
		words := s.lexicon(lang).words[m.set][place]
		if len(words) == 0 || slices.ContainsFunc(before, func(other []string) bool { return slices.Equal(other, words) }) {
			continue
		}
		before = append(before, words)
		for _, at := range m.words {
			own := q.terms[at]
			if n+len(words) > room {
				return n
			}
			*number++
			for _, w := range words {
				t := Term{Text: w, Count: own.Count, Word: own.Word, Part: own.Part, Chatter: own.Chatter, Foreign: own.Foreign, Synonym: *number}
				if key := w + "\x00" + own.Text; !weighed[key] { // what two languages share weighs once
					weighed[key], t.Share = true, SynonymShare/float64(len(words))
				}
				added[own.Word] = append(added[own.Word], t)
				n++
			}
		}
	}
	return n
}

// match is a member of a set that a question holds.
type match struct {
	member
	words []int // the last terms of the question's words that it is made of
}

// match finds the members that a question holds, the longest at each place, none within another,
// each once.
func (s *Synonyms) match(q *analysed) []match {
	keys := make([][]string, len(q.langs)) // by language and written word
	for i, lang := range q.langs {
		stem := &stemmer{lang: lang}
		for _, w := range q.written {
			keys[i] = append(keys[i], stem.stem(w.text))
		}
	}
	last := make(map[int]int) // the last term of each word
	for i, t := range q.terms {
		last[t.Word] = i
	}
	var found []match
	for at := 0; at < len(q.written); {
		best := member{}
		for i, lang := range q.langs {
			for _, m := range s.lexicon(lang).members[keys[i][at]] {
				if len(m.keys) > len(best.keys) && at+len(m.keys) <= len(q.written) && slices.Equal(m.keys, keys[i][at:at+len(m.keys)]) {
					best = m
				}
			}
		}
		if len(best.keys) == 0 {
			at++
			continue
		}
		one := match{member: best}
		for _, w := range q.written[at : at+len(best.keys)] {
			if term, any := last[w.word]; any && !slices.Contains(one.words, term) {
				one.words = append(one.words, term)
			}
		}
		at += len(best.keys)
		if len(one.words) > 0 && !slices.ContainsFunc(found, func(m match) bool { return m.set == best.set && m.place == best.place }) {
			found = append(found, one)
		}
	}
	return found
}
