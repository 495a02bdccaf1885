package knowledge

import (
	"slices"
	"strings"
)

// NameID identifies a name within its tenant.
type NameID int64

// Lexicon is a set of names to find in texts. Searches may run concurrently. A change must not run
// concurrently with any other call.
type Lexicon struct {
	words map[string]uint32 // number of each word
	next  map[step]uint32   // states
	ends  map[uint32]NameID // the name that ends in a state
	names int
}

// step is a transition of the state machine: the current state and the number of the next word.
type step struct{ state, word uint32 }

// NewLexicon returns an empty lexicon.
func NewLexicon() *Lexicon {
	return &Lexicon{words: make(map[string]uint32), next: make(map[step]uint32), ends: make(map[uint32]NameID)}
}

// Len returns the number of names.
func (l *Lexicon) Len() int { return l.names }

// Add adds a name in normal form ([Form]). It ignores names that are not [Nameable].
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

// Remove removes a name in normal form. It ignores unknown names.
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

const noWord = ^uint32(0)

// Find returns the names in a text, each once, in order of occurrence. At each position it takes
// the longest name. Names do not overlap.
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
