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
	guests := tool.Document{Number: 3, Title: "Guests' guide: Wine", Contents: "Guests find the wine list of the house in the cellar."}
	rules := tool.Document{Number: 4, Title: "Guests' guide: Rules", Contents: "Guests are asked to be quiet at night."}
	paths := tool.Document{Number: 5, Title: "Guests' guide: Paths", Contents: "Guests walk on the marked paths."}
	passwords := tool.Document{Number: 2, Title: "Passwords", Contents: "A password is set anew at the portal."}
	v := tool.Vocabulary{Chunks: 17, Terms: map[string]int{"guest": 4, "password": 4}}
	for question, want := range map[string]string{
		"is there a sauna for guests?": "", "zzyzx guests": "", "I forgot my password": "A password is set anew at the portal.",
	} {
		got, _, _ := run(t, weighed(question, v, berths, passwords))
		if strings.Contains(question, "sauna") { // titles that all hold the same word say nothing of it
			more, _, _ := run(t, weighed(question, v, guests, rules, paths))
			got += more
		}
		if quoted := strings.Contains(got, "["); quoted != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q is answered with\n%s", question, got)
		}
	}
}
