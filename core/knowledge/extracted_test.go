package knowledge_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/knowledge"
)

// A name is found as whole words, and comes back as the text writes it.
func TestSpelling(t *testing.T) {
	t.Parallel()
	text := "Jana\n  Roth’s team runs Café-Süd (v2). The post of Müller-Lüdenscheid is in Größe X."
	for name, want := range map[string]string{
		"jana roth": "Jana Roth", "cafe sud": "Café-Süd", "JANA ROTH TEAM": "Jana Roth’s team", "Muller Ludenscheid": "Müller-Lüdenscheid", "grösse": "Größe", "v2": "",
		"Jana R": "", "ana Roth": "", "the": "", "": "", "Post Müller": "", "Roth Jana": "",
	} {
		if got := knowledge.NewSpelling(text).Of(name); got != want {
			t.Errorf("%q is written %q, want %q", name, got, want)
		}
	}
}

// Every name that the graph would find in a text is found by its spelling, and in no other form.
func FuzzSpelling(f *testing.F) {
	for _, text := range []string{"Scott's plan", "a ﬁne İstanbul", "x’s’s y", "\xff\x80 word\u0301 e", "Ⅷ ℃ ß"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form := knowledge.Form(text)
		if got := knowledge.NewSpelling(text).Of(text); knowledge.Nameable(form) && knowledge.Form(got) != form {
			t.Errorf("%q (%q) is written %q (%q)", text, form, got, knowledge.Form(got))
		} else if !strings.Contains(strings.Join(strings.Fields(text), " "), got) {
			t.Errorf("%q does not stand in %q", got, text)
		}
	})
}

// Somebody is the same person whether a line or a model says so; facts that are there already stay
// as they are.
func TestWhatAModelReadsJoinsWhatDocumentsState(t *testing.T) {
	t.Parallel()
	for kind, want := range map[knowledge.Kind]knowledge.Entity{
		knowledge.Person: {Kind: knowledge.Person, Key: "jana roth"}, knowledge.Team: {Kind: knowledge.Team, Key: "jana roth"}, "system": {Kind: "system", Key: "jana roth"},
	} {
		if got := knowledge.EntityOf(kind, "Jana Roth"); got == nil || got.Kind != want.Kind || got.Key != want.Key {
			t.Errorf("a %s is %+v", kind, got)
		}
	}
	if knowledge.EntityOf(knowledge.Person, "the") != nil {
		t.Error("an ordinary word is somebody")
	}
	owns := knowledge.Fact{Subject: knowledge.EntityOf(knowledge.Person, "Jana Roth"), Relation: knowledge.Owns}
	uses := knowledge.Fact{Subject: knowledge.EntityOf("system", "Ledger"), Relation: "uses", Object: knowledge.EntityOf("system", "Postgres")}
	if got := (knowledge.Reading{Facts: []knowledge.Fact{owns}}).With([]knowledge.Fact{owns, uses, uses}, 5); len(got.Facts) != 2 || got.Facts[1].Relation != "uses" {
		t.Errorf("together they are %+v", got.Facts)
	}
	if got := (knowledge.Reading{}).With([]knowledge.Fact{owns, uses}, 1); len(got.Facts) != 1 {
		t.Errorf("one was wanted: %+v", got.Facts)
	}
}
