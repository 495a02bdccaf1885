package analyse_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

func TestForeignWords(t *testing.T) {
	t.Parallel()
	for question, c := range map[string]struct {
		languages []string
		foreign   bool // some term is
	}{
		"Wie richte ich streaming replication ein?": {[]string{"en"}, true},
		"Wie groß sollte shared_buffers sein?":      {[]string{"en"}, true},
		"Wie richte ich die Replikation ein?":       {[]string{"en", "de"}, false},
		"how do I set up streaming replication?":    {[]string{"en", "de"}, false},
		"что такое checkpoint_timeout?":             {[]string{"en", "ru"}, false},
		"where is the café, and what is a fiancée?": {[]string{"en"}, false},
	} {
		got := 0
		for _, term := range analyse.Query(question, c.languages) {
			if term.Foreign {
				got++
			}
		}
		if c.foreign != (got > 0) {
			t.Errorf("%q asked of documents in %v has %d foreign terms: %+v", question, c.languages, got, analyse.Query(question, c.languages))
		}
	}
	terms := analyse.Query("ما هو shared_buffers؟", []string{"en"})
	for _, term := range terms {
		if latin := term.Text[0] < 128; term.Foreign == latin {
			t.Errorf("of a question in two scripts %q is foreign: %v", term.Text, term.Foreign)
		}
	}
}
