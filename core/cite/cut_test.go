package cite_test

import (
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/cite"
	"pgregory.net/rapid"
)

func TestCutEndsWithASentenceOrAClause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		runes int
		want  string
	}{
		"it fits":             {"One two.", 8, "One two."},
		"a sentence":          {"It runs in Frankfurt. It moved there in May.", 30, "It runs in Frankfurt."},
		"a clause":            {"It runs in Frankfurt, where the database is too.", 40, "It runs in Frankfurt…"},
		"the clause is early": {"Yes, it runs in Frankfurt where the database is too.", 40, "Yes, it runs in Frankfurt where the…"},
		"a number":            {"It costs the team 10,000 of v1.2 a month for everything.", 40, "It costs the team 10,000 of v1.2 a…"},
		"an abbreviation":     {"It is in use by teams, e.g. billing and its neighbours.", 40, "It is in use by teams…"},
		"between words":       {"aaa bbb ccc ddd", 12, "aaa bbb ccc…"},
		"one word":            {"aaaaaaaaaaaaaaa", 12, "aaaaaaaaaaa…"},
		"wide":                {"日本語日本語。日本語日本語", 9, "日本語日本語。"},
	} {
		if got := cite.Cut(c.text, c.runes); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCutRespectsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, runes := rapid.StringMatching(`[a-z .,;日。]*`).Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "runes")
		if got := cite.Cut(text, runes); utf8.RuneCountInString(got) > runes {
			t.Fatalf("%q is longer than %d", got, runes)
		}
	})
}
