package extractive_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

// A question of which half occurs nowhere is answered by a page that is about the other half, and
// by none that only mentions it.
func TestHalfOfAQuestionIsElsewhere(t *testing.T) {
	t.Parallel()
	berths := tool.Document{Number: 1, Title: "Berth booking", Contents: "## Guest marina\n\nGuests may use berths with a green sign."}
	passwords := tool.Document{Number: 2, Title: "Passwords", Contents: "A password is set anew at the portal."}
	v := tool.Vocabulary{Chunks: 17, Terms: map[string]int{"guest": 4, "password": 4}}
	for question, want := range map[string]string{
		"is there a sauna for guests?": "", "zzyzx guests": "", "I forgot my password": "A password is set anew at the portal.",
	} {
		got, _, _ := run(t, weighed(question, v, berths, passwords))
		if quoted := strings.Contains(got, "["); quoted != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q is answered with\n%s", question, got)
		}
	}
}

// A rare word alone weighs more than half of a question, and is about another thing.
func TestOneRareWordIsNotQuoted(t *testing.T) {
	t.Parallel()
	lifts := tool.Document{Number: 1, Title: "Limits", Contents: "This limit may be lifted in a later version."}
	v := tool.Vocabulary{Chunks: 2_000, Terms: map[string]int{"lift": 2, "build": 400, "work": 300}}
	got, _, _ := run(t, weighed("is the lift in our building working again?", v, lifts))
	if want := "These may help:\n\n- Limits [1]"; got != want {
		t.Errorf("answers %q, not %q", got, want)
	}
}
