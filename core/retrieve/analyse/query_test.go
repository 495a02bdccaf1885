package analyse_test

import (
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/google/go-cmp/cmp"
)

// One document in another language must not turn the small words of every question into rare,
// weighty ones.
func TestStopWordsOfOtherLanguages(t *testing.T) {
	t.Parallel()
	small := map[string]bool{"how": true, "do": true, "i": true, "up": true, "the": true}
	var first []string
	for _, term := range analyse.Query("how do I set up the replication?", []string{"fr", "it"}) {
		if small[term.Text] {
			t.Errorf("%q is looked for", term.Text)
		}
		first = append(first, term.Text)
	}
	if diff := cmp.Diff([]string{"set", "setup", "replic"}, first[:3]); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
}

// What English writes in two words as a verb, it writes in one as a noun.
func TestVerbWithParticle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string // want: the joined word; empty for none
	}{
		"a verb":             {"how do I back up a database", "backup"},
		"its forms":          {"setting up replication", "setup"},
		"in the past":        {"who logged in yesterday", "login"},
		"with a small word":  {"what is up with it", ""},
		"first":              {"up the hill", ""},
		"apart":              {"back it up", ""},
		"identifiers":        {"x.y up", ""},
		"in other languages": {"die Sicherung ist in dem Netz und auf der Platte", ""},
	} {
		terms := analyse.Query(c.text, []string{"de"})
		joined := ""
		for i, term := range terms {
			if !term.Joined {
				continue
			}
			joined = term.Text
			if i == 0 || terms[i-1].Word != term.Word || terms[i-1].Part != term.Part || term.Chatter {
				t.Errorf("%s: %+v stands behind %+v", name, term, terms[max(i-1, 0)])
			}
		}
		if joined != c.want {
			t.Errorf("%s: joined %q, want %q", name, joined, c.want)
		}
	}
}

// A short question has too few small words to tell its language by, unless one knows which
// languages there are.
func TestLanguageOfShortQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text      string
		languages []string
		want      []string // what is looked for, without what only another language's stemmer makes of it
		not       []string
	}{
		"French":             {"vérifier la cohérence de la base", []string{"fr"}, []string{"bas"}, []string{"la", "de"}},
		"German":             {"die Adresse im Netz", []string{"de"}, []string{"netz"}, []string{"die", "im"}},
		"English beside":     {"how can people die of thirst", []string{"de"}, []string{"die", "thirst"}, []string{"how", "of"}},
		"as many small ones": {"die in prison", []string{"de", "nl"}, []string{"die", "prison"}, nil},
		"none":               {"replication", []string{"de"}, []string{"replic"}, nil},
		"not of the documents": {"comment est-ce que je peux configurer la réplication dans les serveurs", nil,
			[]string{"configur"}, []string{"la", "les", "que"}},
	} {
		found := make(map[string]bool)
		for _, term := range analyse.Query(c.text, c.languages) {
			found[term.Text] = true
		}
		for _, term := range c.want {
			if !found[term] {
				t.Errorf("%s: %q is not looked for, but %v", name, term, found)
			}
		}
		for _, term := range c.not {
			if found[term] {
				t.Errorf("%s: %q is looked for", name, term)
			}
		}
	}
}

func TestChatterOnlyQuestion(t *testing.T) {
	t.Parallel()
	for _, term := range analyse.Query("What does happens before mean?", nil) {
		if term.Chatter {
			t.Errorf("%q says nothing, and so the question asks about nothing", term.Text)
		}
	}
}

func TestGreetingHasNoTerms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"thanks!", "hello", "Please?"} {
		for _, term := range analyse.Query(text, nil) {
			if !term.Chatter {
				t.Errorf("%q asks about %q", text, term.Text)
			}
		}
	}
}

// "serveurs" is "serveur" in French and stays as it is in Danish, say: a French document holds the
// one stem and a Danish the other.
func TestStemsShareFrequency(t *testing.T) {
	t.Parallel()
	terms := analyse.Query("nationale serveurs", []string{"french", "danish"})
	frequency := make([]int, len(terms))
	words := make(map[int]int) // sum of the stems' frequencies
	for i, term := range terms {
		frequency[i] = 10 * (i + 1)
		words[term.Word] += frequency[i]
	}
	if len(words) != 2 || len(terms) < 4 {
		t.Fatalf("the words have the stems %+v", terms)
	}
	for i, got := range analyse.Together(terms, frequency) {
		if want := words[terms[i].Word]; got != want {
			t.Errorf("%s counts as in %d chunks, want %d", terms[i].Text, got, want)
		}
	}
}

// The parts of an identifier are words of their own: a rare one is not made frequent by its
// neighbour.
func TestIdentifierPartsAreCountedSeparately(t *testing.T) {
	t.Parallel()
	terms := analyse.Query("pg_basebackup", nil)
	frequency := make([]int, len(terms))
	for i := range terms {
		frequency[i] = 1 + i
	}
	if got := analyse.Together(terms, frequency); len(terms) < 2 || !slices.Equal(got, frequency) {
		t.Errorf("%+v count as in %v chunks, want %v", terms, got, frequency)
	}
}
