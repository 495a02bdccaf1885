package knowledge

import (
	"slices"
	"strings"
)

// NameID is the number of a name within its tenant.
type NameID int64

// Lexicon holds names and finds them in text. It grows while it is used by one goroutine; once it
// is whole any number of them may search it.
type Lexicon struct {
	words map[string]uint32 // that names consist of, by number
	next  map[step]uint32   // states
	ends  map[uint32]NameID // names that end in a state
	names int
}

// step is a way from one state to another: by a word.
type step struct{ state, word uint32 }

// NewLexicon returns an empty lexicon.
func NewLexicon() *Lexicon {
	return &Lexicon{words: make(map[string]uint32), next: make(map[step]uint32), ends: make(map[uint32]NameID)}
}

// Len is how many names it holds.
func (l *Lexicon) Len() int { return l.names }

// Add takes in a name by its normal form. Forms that cannot be told from ordinary words are left
// out.
func (l *Lexicon) Add(form string, id NameID) {
	if !Nameable(form) {
		return
	}
	state := uint32(0)
	for word := range strings.SplitSeq(form, " ") {
		number, known := l.words[word]
		if !known {
			number = uint32(len(l.words))
			l.words[strings.Clone(word)] = number
		}
		to, there := l.next[step{state, number}]
		if !there {
			to = uint32(len(l.next)) + 1
			l.next[step{state, number}] = to
		}
		state = to
	}
	if _, there := l.ends[state]; !there {
		l.names++
	}
	l.ends[state] = id
}

// Remove takes a name out again; unknown ones are ignored.
func (l *Lexicon) Remove(form string) {
	state := uint32(0)
	for word := range strings.SplitSeq(form, " ") {
		number, known := l.words[word]
		if !known {
			return
		}
		to, there := l.next[step{state, number}]
		if !there {
			return
		}
		state = to
	}
	if _, there := l.ends[state]; there {
		delete(l.ends, state)
		l.names--
	}
}

// noWord stands for a word that no name holds.
const noWord = ^uint32(0)

// Find returns the names in a text, each once, in the order of their first place: at each place the
// longest, and none within another. It reads each place at most MaxNameWords times, whatever the
// names are.
func (l *Lexicon) Find(text string) []NameID {
	if l.names == 0 {
		return nil
	}
	var numbers []uint32
	for word := range words(text) {
		number, known := l.words[word]
		if !known {
			number = noWord
		}
		numbers = append(numbers, number)
	}
	var found []NameID
	for at := 0; at < len(numbers); {
		length, id := l.longest(numbers[at:])
		if length == 0 {
			at++
			continue
		}
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
		at += length
	}
	return found
}

// longest is the longest name that a text begins with, and how many words it has; 0 where there is
// none.
func (l *Lexicon) longest(numbers []uint32) (length int, id NameID) {
	state := uint32(0)
	for i, number := range numbers {
		if number == noWord {
			break
		}
		to, there := l.next[step{state, number}]
		if !there {
			break
		}
		state = to
		if name, ends := l.ends[state]; ends {
			length, id = i+1, name
		}
	}
	return length, id
}
