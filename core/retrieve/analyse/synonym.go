package analyse

import (
	"slices"
	"strings"
	"sync"
)

// SynonymShare is the weight of a synonym relative to the word that it replaces. It is below 1, so
// documents with the words of the question rank first.
const SynonymShare = 0.5

const maxSynonymTerms = 100

// Synonyms are the operator's sets of words and phrases with the same meaning. If a question
// contains one member of a set, the other members are searched for too. Sets are not chained: a
// synonym is not looked up in other sets. A nil Synonyms has no sets. Synonyms are immutable and
// safe for concurrent use.
type Synonyms struct {
	sets     [][]string
	lexicons sync.Map // of *lexicon, by language
}

// NewSynonyms returns Synonyms with the given sets. It ignores phrases without a searchable word,
// such as phrases of stop words alone.
func NewSynonyms(sets [][]string) *Synonyms {
	s := &Synonyms{}
	for _, set := range sets {
		s.sets = append(s.sets, slices.Clone(set))
	}
	return s
}

// ParseSynonyms parses what [Synonyms.Query] returns: lines such as "k8s: kubernetes, kube".
func ParseSynonyms(lines []string) *Synonyms {
	var sets [][]string
	for _, line := range lines {
		if word, others, found := strings.Cut(line, ": "); found {
			sets = append(sets, append([]string{word}, strings.Split(others, ", ")...))
		}
	}
	return NewSynonyms(sets)
}

// Phrase returns a key that identifies a word or phrase regardless of letter case, hyphens and
// endings. words is the number of searchable words. It is 0 if the phrase has only stop words, such
// as "it".
func Phrase(text string) (key string, words int) {
	lang := languageOf(DefaultLanguage)
	stem := &stemmer{lang: lang}
	return strings.Join(keysOf(text, stem), " "), len(wordsOf(text, stem))
}

type lexicon struct {
	members map[string][]member // by their first key
	// terms to search for, by set and member; empty if the member has only stop words
	words [][][]string
}

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

// keysOf returns the stems of a phrase's words, for comparison. Identifiers are split into their
// parts.
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

// wordsOf returns the search terms of a phrase. Identifiers stay whole. Stop words and duplicates
// are omitted.
func wordsOf(text string, stem *stemmer) []string {
	var words []string
	units := make(map[int]int) // number of words at the start of each unit
	scan(fold(text), func(t token) bool {
		if _, begun := units[t.unit]; !begun {
			units[t.unit] = len(words)
		}
		switch {
		case t.kind == extra && isSingleCharacter(t.text):
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

// Query returns the terms of a question like the function [Query], with the terms of synonyms
// added. The terms of a synonym follow the word that they replace, and have the same Word and Part.
// The second result lists the added synonyms, such as "k8s: kubernetes".
func (s *Synonyms) Query(text string, languages []string) (terms []Term, synonyms []string) {
	if s == nil || len(s.sets) == 0 {
		return Query(text, languages), nil
	}
	q := query(text, languages)
	added, number, room := make(map[int][]Term), 0, maxSynonymTerms
	for _, m := range s.findMembers(q) {
		var names []string
		for place, name := range s.sets[m.set] {
			if place == m.place {
				continue
			}
			n := s.addPhrase(q, m, place, &number, room, added)
			if room -= n; n > 0 {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			synonyms = append(synonyms, s.sets[m.set][m.place]+": "+strings.Join(names, ", "))
		}
	}
	for i, t := range q.terms {
		terms = append(terms, t)
		if i+1 == len(q.terms) || q.terms[i+1].Word != t.Word {
			terms = append(terms, added[t.Word]...)
		}
	}
	return terms, synonyms
}

// addPhrase adds the terms of one synonym to the map added, for each word of the question that the
// synonym replaces (m). place is the index of the synonym in its set. addPhrase adds at most room
// terms and returns their number.
func (s *Synonyms) addPhrase(q *analysed, m match, place int, number *int, room int, added map[int][]Term) int {
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
				if key := w + "\x00" + own.Text; !weighed[key] { // a term of two languages counts once
					weighed[key], t.Share = true, SynonymShare/float64(len(words))
				}
				added[own.Word] = append(added[own.Word], t)
				n++
			}
		}
	}
	return n
}

type match struct {
	member
	words []int // index of the last term of each matched word
}

// findMembers returns the longest member of a set at each position of the question, without
// overlaps and duplicates.
func (s *Synonyms) findMembers(q *analysed) []match {
	keys := make([][]string, len(q.langs)) // by language and written word
	for i, lang := range q.langs {
		stem := &stemmer{lang: lang}
		for _, w := range q.words {
			keys[i] = append(keys[i], stem.stem(w.text))
		}
	}
	last := make(map[int]int) // the last term of each word
	for i, t := range q.terms {
		last[t.Word] = i
	}
	var found []match
	for at := 0; at < len(q.words); {
		best := member{}
		for i, lang := range q.langs {
			for _, m := range s.lexicon(lang).members[keys[i][at]] {
				if len(m.keys) > len(best.keys) && at+len(m.keys) <= len(q.words) && slices.Equal(m.keys, keys[i][at:at+len(m.keys)]) {
					best = m
				}
			}
		}
		if len(best.keys) == 0 {
			at++
			continue
		}
		one := match{member: best}
		for _, w := range q.words[at : at+len(best.keys)] {
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
