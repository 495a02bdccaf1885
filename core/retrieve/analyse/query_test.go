package analyse_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/google/go-cmp/cmp"
)

// One document in another language must not turn the small words of every question into rare, weighty ones.
func TestSmallWordsOfTheQuestionsLanguageMeanNothingElsewhere(t *testing.T) {
	t.Parallel()
	small := map[string]bool{"how": true, "do": true, "i": true, "up": true, "the": true}
	var first []string
	for _, term := range analyse.Query("how do I set up the replication?", []string{"fr", "it"}) {
		if small[term.Text] {
			t.Errorf("%q is looked for", term.Text)
		}
		first = append(first, term.Text)
	}
	if diff := cmp.Diff([]string{"set", "replic"}, first[:2]); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
}

func TestAQuestionOfChatterAloneIsAboutItsWords(t *testing.T) {
	t.Parallel()
	for _, term := range analyse.Query("What does happens before mean?", nil) {
		if term.Chatter {
			t.Errorf("%q says nothing, and so the question asks about nothing", term.Text)
		}
	}
}

func TestAGreetingAsksAboutNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"thanks!", "hello", "Please?"} {
		for _, term := range analyse.Query(text, nil) {
			if !term.Chatter {
				t.Errorf("%q asks about %q", text, term.Text)
			}
		}
	}
}
