package analyse_test

import (
	"math"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/google/go-cmp/cmp"
)

func synonyms(sets ...string) *analyse.Synonyms {
	var all [][]string
	for _, set := range sets {
		all = append(all, strings.Split(set, ", "))
	}
	return analyse.NewSynonyms(all)
}

func TestSynonymsOfAQuestion(t *testing.T) {
	t.Parallel()
	known := synonyms("k8s, kubernetes, kube cluster", "PTO, paid time off, vacation", "write-ahead log, WAL", "log, journal", "back up, save", "e-mail, mail")
	for name, c := range map[string]struct {
		question string
		added    string // the synonyms' terms, in order
		told     string
	}{
		"none":                             {"how do I bake bread", "", ""},
		"a word":                           {"upgrade k8s", "kubernet kube cluster", "k8s: kubernetes, kube cluster"},
		"whatever its case and ending":     {"How many VACATIONS do I get?", "pto paid time", "vacation: PTO, paid time off"},
		"a phrase, with its small words":   {"is paid time off paid out", "pto vacat pto vacat", "paid time off: PTO, vacation"},
		"a phrase in other words between":  {"paid all the time, off we go", "", ""},
		"the longest":                      {"size of the write ahead log", "wal wal wal", "write-ahead log: WAL"},
		"a shorter one by itself":          {"size of the log", "journal", "log: journal"},
		"an identifier, with a hyphen":     {"the write-ahead log", "wal wal", "write-ahead log: WAL"},
		"for an identifier the whole":      {"move my mail", "e-mail", "mail: e-mail"},
		"a word that stands twice":         {"k8s or k8s", "kubernet kube cluster", "k8s: kubernetes, kube cluster"},
		"two of a set":                     {"k8s kubernetes", "kubernet kube cluster k8s kube cluster", "k8s: kubernetes, kube cluster | kubernetes: k8s, kube cluster"},
		"what was added leads no further":  {"WAL", "write-ahead log", "WAL: write-ahead log"},
		"a verb with its particle":         {"how to back up a database", "save", "back up: save"},
		"greetings ask for nothing":        {"Hi WAL, how do I bake bread?", "", ""},
		"a question of small words":        {"who is it", "", ""},
		"an empty one":                     {"", "", ""},
		"in another language of documents": {"wie viel vacation bekomme ich", "pto paid time", "vacation: PTO, paid time off"},
	} {
		terms, told := known.Query(c.question, []string{"en"})
		var own []analyse.Term
		var added []string
		weights := make(map[int]float64) // of the synonyms, by the word that they stand for
		for i, term := range terms {
			if term.Synonym == 0 {
				own = append(own, term)
				continue
			}
			added = append(added, term.Text)
			weights[term.Word*1000+term.Synonym] += term.Weight() / float64(term.Count)
			if before := terms[i-1]; before.Word != term.Word || before.Part != term.Part || before.Chatter != term.Chatter {
				t.Errorf("%s: %+v stands behind %+v", name, term, before)
			}
		}
		if diff := cmp.Diff(analyse.Query(c.question, []string{"en"}), own); diff != "" {
			t.Errorf("%s: the question's own terms (-without +with synonyms):\n%s", name, diff)
		}
		if got := strings.Join(added, " "); got != c.added {
			t.Errorf("%s: %q is looked for too, want %q", name, got, c.added)
		}
		if got := strings.Join(told, " | "); got != c.told {
			t.Errorf("%s: told %q, want %q", name, got, c.told)
		}
		for _, weight := range weights {
			if math.Abs(weight-analyse.SynonymShare) > 1e-9 {
				t.Errorf("%s: a synonym weighs %g of its word", name, weight)
			}
		}
	}
}

// What two languages share weighs once, and each language's stems belong together.
func TestSynonymsInSeveralLanguages(t *testing.T) {
	t.Parallel()
	terms, _ := synonyms("Urlaub, freie Tage").Query("Urlaub beantragen", []string{"de"})
	weight, stems := 0.0, make(map[int][]string)
	for _, term := range terms {
		if term.Synonym > 0 {
			stems[term.Synonym] = append(stems[term.Synonym], term.Text)
			if term.Text == "tag" || term.Text == "frei" {
				weight += term.Weight()
			}
		}
	}
	if len(stems) != 2 || weight > analyse.SynonymShare {
		t.Errorf("terms %v, the German ones weigh %g", stems, weight)
	}
}

func TestSynonymsAreBounded(t *testing.T) {
	t.Parallel()
	var sets [][]string
	var question strings.Builder
	for i := range 200 {
		word := "w" + strings.Repeat("a", i+1)
		sets = append(sets, []string{word, word + "b one", word + "c two three", word + "d"})
		question.WriteString(word + " ")
	}
	terms, _ := analyse.NewSynonyms(sets).Query(question.String(), nil)
	added := 0
	for _, term := range terms {
		if term.Synonym > 0 {
			added++
		}
	}
	if added > 100 || added < 90 {
		t.Errorf("%d terms were added", added)
	}
}

func TestSynonymsWithoutSets(t *testing.T) {
	t.Parallel()
	var none *analyse.Synonyms
	for _, s := range []*analyse.Synonyms{none, analyse.NewSynonyms(nil)} {
		terms, told := s.Query("how do I bake bread", nil)
		if diff := cmp.Diff(analyse.Query("how do I bake bread", nil), terms); diff != "" || told != nil {
			t.Errorf("told %q; %s", told, diff)
		}
	}
}
