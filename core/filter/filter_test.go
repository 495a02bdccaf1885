package filter_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/filter"
	"pgregory.net/rapid"
)

func list(t testing.TB, words, patterns []string) *filter.List {
	t.Helper()
	l, err := filter.NewList(words, patterns)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestList(t *testing.T) {
	t.Parallel()
	l := list(t, []string{"Project Bluebird", "straße", "c++", "new york", "new"}, []string{`\b\d{3}-\d{2}-\d{4}\b`, `sk_live_\w+`, `(?i)^internal:`})
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":              {"All is well.", "All is well."},
		"letter case":          {"PROJECT bluebird!", "███████ ████████!"},
		"white space":          {"Project\n  Bluebird", "███████\n  ████████"},
		"emphasis between":     {"Project **Bluebird** flies", "███████ **████████** flies"},
		"emphasis inside":      {"Pro**ject Blue**bird", "███**████ ████**████"},
		"code":                 {"`Project` Bluebird", "`███████` ████████"},
		"a zero-width space":   {"Proj\u200bect Bluebird", "████\u200b███ ████████"},
		"a soft hyphen":        {"Pro\u00adject Blue\u00adbird", "███\u00ad████ ████\u00ad████"},
		"a citation between":   {"Project [1] Bluebird [2].", "███████ [1] ████████ [2]."},
		"a double one":         {"Project [[12]] Bluebird", "███████ [[12]] ████████"},
		"beside citations":     {"see[1]new[2]things, newer[3]", "see[1]███[2]things, newer[3]"},
		"part of a word":       {"projects bluebirds newer", "projects bluebirds newer"},
		"beside punctuation":   {"(Straße)", "(██████)"},
		"no letters at an end": {"C++ and c++17", "███ and ███17"},
		"the longer one":       {"in New York", "in ███ ████"},
		"the shorter one":      {"in new yorkers' eyes", "in ███ yorkers' eyes"},
		"a number":             {"it is 123-45-6789, or 1123-45-6789", "it is ███████████, or 1123-45-6789"},
		"a token":              {"use sk_live_abc1 here", "use ████████████ here"},
		"at the beginning":     {"Internal: x", "█████████ x"},
		"not at the beginning": {"an internal: x", "an internal: x"},
	} {
		if got := l.Redact(tt.text); got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", name, tt.text, got, tt.want)
		}
		if got := l.Match(tt.text); got != (tt.text != tt.want) {
			t.Errorf("%s: match = %t", name, got)
		}
	}
}

func TestListSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := filter.NewList([]string{"fine", " ** "}, []string{"(", "a*", "ok"})
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{`" ** " holds nothing`, `"(" is not a regular expression: missing closing )`, `"a*" matches the empty text`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said in:\n%v", want, err)
		}
	}
}

// screened is what a stream of pieces shows, and how it ended.
func screened(f *filter.Filter, pieces []string) (string, error) {
	s := f.Screen(filter.Answer{Turn: "t", Model: "m"})
	var b strings.Builder
	for _, piece := range pieces {
		out, err := s.Push(context.Background(), piece)
		b.WriteString(out)
		if err != nil {
			return b.String(), err
		}
	}
	out, err := s.Flush(context.Background())
	return b.String() + out, err
}

// cut cuts a text at any bytes.
func cut(t *rapid.T, text string) []string {
	var pieces []string
	for len(text) > 0 {
		n := min(len(text), rapid.OneOf(rapid.IntRange(1, 4), rapid.IntRange(1, 200)).Draw(t, "piece"))
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

var stuff = []string{
	"secret", "Secret ", "sec", "ret", "**", "`", "top", " ", "\n", "\n\n", "x", "é", "🛑", "\u200b", "[1]", "[", "1", "2, 3]", "ab", "b", "-", "key=", "99",
	"The quick brown fox jumps over the lazy dog. ", "\t", "[[4]]", "~", "aaaa",
}

// However an answer is cut, the same is shown, and that is what would be shown of the whole text,
// paragraph by paragraph.
func TestAnyCutShowsTheSame(t *testing.T) {
	t.Parallel()
	lists := []*filter.List{
		list(t, []string{"secret", "top secret"}, nil), list(t, []string{"top"}, []string{`ab{1,3}`, `\bx\b`}),
		list(t, []string{"secret"}, []string{`key=\S+`}), list(t, nil, []string{`(?s)aaaa.{0,40}b`}),
	}
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(lists).Draw(t, "list")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(stuff), 0, 80).Draw(t, "text"), "")
		f := &filter.Filter{Answers: l, Stages: []filter.Stage{filter.Listed{List: l}}}
		got, err := screened(f, cut(t, text))
		var want strings.Builder
		for _, paragraph := range regexp.MustCompile(`(?s).*?\n[ \t\r]*\n|.+`).FindAllString(text, -1) {
			want.WriteString(l.Redact(paragraph))
		}
		if err != nil || got != want.String() {
			t.Fatalf("%q shows\n%q, want\n%q (%v)", text, got, want.String(), err)
		}
		f.Stages = []filter.Stage{filter.Listed{List: l, Action: filter.Stop}}
		got, err = screened(f, cut(t, text))
		first := strings.IndexRune(want.String(), '█')
		var blocked *filter.Blocked
		switch {
		case first < 0 && (err != nil || got != text):
			t.Fatalf("%q has nothing to stop at and shows %q (%v)", text, got, err)
		case first >= 0 && (!errors.As(err, &blocked) || got != text[:first]):
			t.Fatalf("%q shows %q, want %q (%v)", text, got, text[:first], err)
		}
	})
}

// A paragraph without an end is shown in time, the same however it comes, and nothing of the list
// is in it.
func TestLongParagraphs(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < 100_000 {
		b.WriteString(stuff[random.IntN(len(stuff))])
	}
	text := strings.ReplaceAll(b.String(), "\n", " ")
	l := list(t, []string{"secret"}, []string{`ab{1,3}`})
	f := &filter.Filter{Stages: []filter.Stage{filter.Listed{List: l}}}
	want, err := screened(f, []string{text})
	if err != nil || want != l.Redact(text) {
		t.Fatalf("it differs from the text that is looked at as a whole (%v)", err)
	}
	for _, size := range []int{1, 7, 1000, 16 << 10} {
		var pieces []string
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got, err := screened(f, pieces); err != nil || got != want {
			t.Errorf("in pieces of %d bytes it differs (%v)", size, err)
		}
	}
	s := f.Screen(filter.Answer{})
	if out, err := s.Push(t.Context(), text); err != nil || len(text)-len(out) > 1000 {
		t.Errorf("%d bytes are held back (%v)", len(text)-len(out), err)
	}
}

// reviewer says what a test wants.
type reviewer func(filter.Paragraph) (filter.Verdict, string, error)

func (r reviewer) Review(_ context.Context, p filter.Paragraph) (filter.Verdict, string, error) {
	return r(p)
}

func TestReviewedParagraphs(t *testing.T) {
	t.Parallel()
	const text = "First.\n\nSecond\nline.\n \n\n- a\n- b\n"
	secret := list(t, []string{"secret"}, nil)
	for name, tt := range map[string]struct {
		open    bool
		review  reviewer
		want    string
		seen    []string
		blocked bool
		err     error
	}{
		"allowed": {review: func(filter.Paragraph) (filter.Verdict, string, error) { return filter.Allow, "", nil }, want: text, seen: []string{"First.", "Second\nline.", "- a\n- b"}},
		"replaced, and then kept from showing what is on the list": {review: func(p filter.Paragraph) (filter.Verdict, string, error) {
			return filter.Replace, strings.ToUpper(p.Text) + " secret", nil
		}, want: "FIRST. ██████\n\nSECOND\nLINE. ██████\n \n\n- A\n- B ██████\n", seen: []string{"First.", "Second\nline.", "- a\n- b"}},
		"left out": {review: func(p filter.Paragraph) (filter.Verdict, string, error) {
			if p.Number == 2 {
				return filter.Replace, "", nil
			}
			return filter.Allow, "", nil
		}, want: "First.\n\n\n- a\n- b\n", seen: []string{"First.", "Second\nline.", "- a\n- b"}},
		"blocked": {review: func(p filter.Paragraph) (filter.Verdict, string, error) {
			if p.Number == 2 {
				return filter.Block, "", nil
			}
			return filter.Allow, "", nil
		}, want: "First.\n\n", seen: []string{"First.", "Second\nline."}, blocked: true},
		"failing": {review: func(filter.Paragraph) (filter.Verdict, string, error) { return filter.Allow, "", errors.New("away") },
			seen: []string{"First."}, err: filter.ErrUnchecked},
		"failing open": {open: true, review: func(filter.Paragraph) (filter.Verdict, string, error) { return filter.Block, "", errors.New("away") },
			want: text, seen: []string{"First.", "Second\nline.", "- a\n- b"}},
	} {
		for _, pieces := range [][]string{{text}, strings.Split(text, "")} {
			var seen []string
			f := &filter.Filter{Stages: []filter.Stage{filter.Reviewed{Open: tt.open, Reviewer: reviewer(func(p filter.Paragraph) (filter.Verdict, string, error) {
				seen = append(seen, p.Text)
				return tt.review(p)
			})}, filter.Listed{List: secret}}}
			got, err := screened(f, pieces)
			var blocked *filter.Blocked
			if got != tt.want || errors.As(err, &blocked) != tt.blocked || tt.err != nil && !errors.Is(err, tt.err) || tt.err == nil && !tt.blocked && err != nil {
				t.Errorf("%s: shows %q (%v), want %q", name, got, err, tt.want)
			}
			if strings.Join(seen, "|") != strings.Join(tt.seen, "|") {
				t.Errorf("%s: the reviewer saw %q", name, seen)
			}
		}
	}
}

func TestReviewEndsWithItsContext(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &filter.Filter{Stages: []filter.Stage{filter.Reviewed{Open: true, Reviewer: reviewer(func(filter.Paragraph) (filter.Verdict, string, error) {
		cancel(stopped)
		return filter.Allow, "", ctx.Err()
	})}}}
	out, err := f.Screen(filter.Answer{}).Push(ctx, "A paragraph.\n\n")
	if out != "" || !errors.Is(err, stopped) {
		t.Errorf("shows %q, ends with %v", out, err)
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	var none *filter.Filter
	if none.Refuse("anything") != "" || none.Screens() || none.Redact("a") != "a" {
		t.Error("without a filter something is held back")
	}
	f := &filter.Filter{Questions: list(t, []string{"layoffs"}, nil)}
	if f.Refuse("What of vacation?", "a file about Layoffs.") != filter.DefaultRefusal || f.Refuse("What of vacation?") != "" {
		t.Error("a word in a file is not found, or one that is not there is")
	}
	if f.Refusal = "Ask HR."; f.Refuse("layoffs") != "Ask HR." {
		t.Errorf("it says %q", f.Refuse("layoffs"))
	}
}

// What a block list costs an answer of 1,800 words.
func BenchmarkScreen(b *testing.B) {
	l := list(b, []string{"secret", "project bluebird"}, []string{`\b\d{3}-\d{2}-\d{4}\b`, `sk_live_\w{1,64}`})
	f := &filter.Filter{Stages: []filter.Stage{filter.Listed{List: l}}}
	pieces := strings.SplitAfter(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 200), " ")
	for b.Loop() {
		if _, err := screened(f, pieces); err != nil {
			b.Fatal(err)
		}
	}
}
