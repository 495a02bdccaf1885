package knowledge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/knowledge"
	"pgregory.net/rapid"
)

func TestForm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Café-Süd": "cafe sud", "CAFE  SUD": "cafe sud", "cafe\u0301 su\u0308d": "cafe sud", "Neville A. Stanton's": "neville a stanton", "git-add(1)": "git add 1",
		"Straße": "strasse", "ＷＡＬ": "wal", "Москва": "москва", "Mockba": "mockba", "東京": "東京", "…!": "", "@acme/infra": "acme infra", "O’Brien": "o brien", "Ann’s plan": "ann plan",
	} {
		if got := knowledge.Form(name); got != want {
			t.Errorf("Form(%q) = %q, want %q", name, got, want)
		}
	}
}

// What cannot be told from ordinary words is no name, whatever a document calls itself.
func TestNameable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a": false, "ab": false, "the": false, "How to use it": false, "2024": false, "1 2 3": false, "Overview": false, "": false, "wal": true, "WAL mode": true,
		"Release 2024": true, strings.Repeat("long ", 12): true, strings.Repeat("long ", 13): false, strings.Repeat("x", 201): false,
	} {
		if got := knowledge.Nameable(knowledge.Form(name)); got != want {
			t.Errorf("Nameable(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestLexicon(t *testing.T) {
	t.Parallel()
	l := knowledge.NewLexicon()
	for i, name := range []string{"John Lennon", "John Lennon Museum", "Museum of Glass", "the", "x", "Wal"} {
		l.Add(knowledge.Form(name), knowledge.NameID(i+1))
	}
	for text, want := range map[string][]knowledge.NameID{
		"The John Lennon Museum closed.":                     {2},
		"John Lennon's songs; JOHN\n LENNON again":           {1},
		"john lennon museum of glass":                        {2}, // the longest at its place, and none within another
		"a museum of glass, of which John Lennon knew the x": {3, 1},
		"walnut, wallet, John, Lennon":                       {1}, // a comma parts no name: titles are written with them
		"WAL":                                                {6},
		"nothing here":                                       nil,
	} {
		if got := l.Find(text); !slices.Equal(got, want) {
			t.Errorf("Find(%q) = %v, want %v", text, got, want)
		}
	}
	l.Remove("john lennon")
	l.Remove("never there")
	if got := l.Find("John Lennon Museum, John Lennon"); !slices.Equal(got, []knowledge.NameID{2}) || l.Len() != 3 {
		t.Errorf("after a removal: %v of %d names", got, l.Len())
	}
}

// A lexicon finds what a comparison at every place finds.
func TestLexiconEqualsComparison(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"alp", "bet", "gam", "del", "the"})
		names := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "name"), " ") }), 0, 6).Draw(t, "names")
		text := rapid.SliceOfN(word, 0, 30).Draw(t, "text")
		l := knowledge.NewLexicon()
		ids := make(map[string]knowledge.NameID)
		for i, name := range names {
			if knowledge.Nameable(name) {
				ids[name] = knowledge.NameID(i)
			}
			l.Add(name, knowledge.NameID(i))
		}
		var want []knowledge.NameID
		for at := 0; at < len(text); {
			length := 0
			var id knowledge.NameID
			for n := 1; at+n <= len(text) && n <= 4; n++ {
				if found, is := ids[strings.Join(text[at:at+n], " ")]; is {
					length, id = n, found
				}
			}
			if length > 0 && !slices.Contains(want, id) {
				want = append(want, id)
			}
			at += max(length, 1)
		}
		if got := l.Find(strings.Join(text, ", ")); !slices.Equal(got, want) || l.Len() != len(ids) {
			t.Fatalf("%q in %q: %v, want %v", names, text, got, want)
		}
	})
}

func FuzzForm(f *testing.F) {
	for _, s := range []string{"Ann’s plan", "cafe\u0301", "\xff\x00", "ẞß", "a'sb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		form := knowledge.Form(s)
		if again := knowledge.Form(form); again != form && !strings.Contains(form, "'") {
			t.Errorf("the form of %q is %q, and the form of that %q", s, form, again)
		}
		if form != strings.Join(strings.Fields(form), " ") {
			t.Errorf("the form of %q holds white space: %q", s, form)
		}
	})
}
