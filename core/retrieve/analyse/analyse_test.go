package analyse_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, language string
		want                 map[string]int
		length               int
	}{
		{"stems and stop words", "The servers are running on a server", "en", map[string]int{"server": 2, "run": 1}, 3},
		{"snake case", "pg_stat_replication", "en", map[string]int{"pg": 1, "stat": 1, "replic": 1, "pg_stat_replication": 1}, 3},
		{"camel case", "getUser HTTPServer", "en", map[string]int{"get": 1, "user": 1, "getuser": 1, "http": 1, "server": 1, "httpserver": 1}, 4},
		{"version", "v1.2.3", "en", map[string]int{"v1": 1, "2": 1, "3": 1, "1.2.3": 1, "v1.2.3": 1}, 3},
		{"ticket", "ERR-42", "en", map[string]int{"err": 1, "42": 1, "err-42": 1}, 2},
		{"file name at the end of a sentence", "Edit postgresql.conf.", "en", map[string]int{"edit": 1, "postgresql": 1, "conf": 1, "postgresql.conf": 1}, 3},
		{"typographic hyphen", "hot\u2010standby", "en", map[string]int{"hot": 1, "standbi": 1, "hot-standby": 1}, 2},
		{"languages with signs", "C++ and C# code", "en", map[string]int{"c": 2, "c++": 1, "c#": 1, "code": 1}, 3},
		{"apostrophes", "O'Reilly's don't", "en", map[string]int{"o": 1, "reilli": 1}, 2},
		{"double underscore", "__init__", "en", map[string]int{"init": 1}, 1},
		{"full width and ligature", "ＷＡＬ ﬁle", "en", map[string]int{"wal": 1, "file": 1}, 2},
		{"German", "Die Häuser und das Haus", "de", map[string]int{"haus": 2}, 2},
		{"sharp s folds", "STRASSE straße", "xx", map[string]int{"strasse": 2}, 2},
		{"Chinese", "全文检索", "zh", map[string]int{"全": 1, "全文": 1, "文": 1, "文检": 1, "检": 1, "检索": 1, "索": 1}, 3},
		{"one character", "水", "zh", map[string]int{"水": 1}, 1},
		{"mixed scripts", "Go言語", "ja", map[string]int{"go": 1, "言": 1, "言語": 1, "語": 1}, 2},
		{"unknown language", "servers", "xx", map[string]int{"servers": 1}, 1},
		{"invalid bytes", "a\xffb c\x00d", "xx", map[string]int{"a": 1, "b": 1, "c": 1, "d": 1}, 4},
		{"nothing", " -- \n…", "en", map[string]int{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := analyse.Text(tt.text, tt.language)
			if diff := cmp.Diff(analyse.Counts{Frequency: tt.want, Length: tt.length}, got); diff != "" {
				t.Errorf("Text(%q, %q) (-want +got):\n%s", tt.text, tt.language, diff)
			}
		})
	}
}

func TestGuess(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How do I set up the replication of a server that is in another place?":           "en",
		"Wie richte ich die Replikation ein, wenn der Server nicht in der Nähe ist?":      "de",
		"Comment est-ce que je peux configurer la réplication dans les serveurs?":         "fr",
		"Cómo puedo configurar la replicación de los servidores en una red que no es mía": "es",
		"Как настроить репликацию":                                                        "ru",
		"全文検索はどうやって使うのですか":                                                                "ja",
		"如何设置流复制":             "zh",
		"복제를 어떻게 설정합니까":       "ko",
		"wal_level = replica": "en",
		"":                    "en",
		"func addVW(z, x []Word, y Word) (c Word) { c = y; for i := range z { e, d := l[i], n[i] } }":       "en",
		"de.Add(de.Len(), de.Cap()); de.Close()":                                                            "en",
		"SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON c.relnamespace = n.oid LIMIT d": "en",
	} {
		if got := analyse.Guess(text); got != want {
			t.Errorf("Guess(%q) = %q, want %q", text, got, want)
		}
	}
}

// What stands in a document is found by asking for it in the same words, whatever the language of
// the document.
func TestQueryFindsItsOwnText(t *testing.T) {
	t.Parallel()
	parts := []string{"getUserName", "pg_stat_replication", "v1.2.3", "ERR-42", "replication", "Häuser", "réplication", "検索", "水", "C++", "a.b.c", "x-ray", "naïve", "42"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 5).Draw(t, "parts"), " ")
		language := rapid.SampledFrom([]string{"en", "de", "fr", "ja"}).Draw(t, "language")
		counts := analyse.Text(text, language)
		found := make(map[int]bool)
		words := make(map[int]bool)
		for _, term := range analyse.Query(text, []string{language}) {
			words[term.Word] = true
			found[term.Word] = found[term.Word] || counts.Frequency[term.Text] > 0
		}
		for word := range words {
			if !found[word] {
				t.Fatalf("word %d of %q is not found in itself (%s)", word, text, language)
			}
		}
	})
}

func TestQueryIsBounded(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 10_000 {
		long.WriteString("word" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + " ")
	}
	if n := len(analyse.Query(long.String(), []string{"en", "de"})); n == 0 || n > analyse.MaxQueryTerms {
		t.Errorf("%d terms of a query of 10,000 words, want at most %d", n, analyse.MaxQueryTerms)
	}
	for _, q := range []string{"", "what is the", "?!*()\"' && || -", "\x00\xff"} {
		if got := analyse.Query(q, nil); len(got) != 0 {
			t.Errorf("Query(%q) = %v, want nothing", q, got)
		}
	}
	chatter := analyse.Query("could somebody please explain vacuum", nil)
	last := chatter[len(chatter)-1]
	if last.Text != "vacuum" || last.Chatter || !chatter[0].Chatter {
		t.Errorf("chatter is not told from the topic: %+v", chatter)
	}
}

// No text breaks the analysis: terms are valid, short and never empty, and the same text always
// gives the same terms.
func FuzzText(f *testing.F) {
	for _, s := range []string{"getUser v1.2.3 ERR-42", "pg_stat_replication", "全文検索 ไทย 복제", "C++ C# a-b.c_d", "\xff\x00", strings.Repeat("a", 500), "ﷺ ß İ", "-.-.", "__", "v.", "v1."} {
		f.Add(s, "en")
	}
	f.Add("Häuser", "de")
	f.Fuzz(func(t *testing.T, text, language string) {
		got := analyse.Text(text, language)
		total := 0
		for _, term := range slices.Collect(maps.Keys(got.Frequency)) {
			if term == "" || len(term) > analyse.MaxTerm || !utf8.ValidString(term) || strings.ContainsAny(term, "\x00 \n") {
				t.Errorf("term %q of %q", term, text)
			}
			total += got.Frequency[term]
		}
		if got.Length > total || got.Length < 0 {
			t.Errorf("%q has length %d and %d terms", text, got.Length, total)
		}
		if diff := cmp.Diff(got, analyse.Text(text, language)); diff != "" {
			t.Errorf("the second analysis differs: %s", diff)
		}
		for _, term := range analyse.Query(text, []string{language}) {
			if term.Text == "" || len(term.Text) > analyse.MaxTerm {
				t.Errorf("query term %q of %q", term.Text, text)
			}
		}
		analyse.Guess(text)
	})
}
