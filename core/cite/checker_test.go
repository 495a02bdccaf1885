package cite_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// judged runs deltas through a processor that leaves citations out.
func judged(keep func(string, int) bool, deltas ...string) shown {
	p := cite.NewProcessor(library(), cite.Options{Keep: keep})
	var s shown
	for _, d := range deltas {
		collect(p.Push(d, nil), &s)
	}
	collect(p.Flush(nil), &s)
	return s
}

// honest refuses document 1 in sentences that begin with Bad.
func honest(sentence string, n int) bool { return n != 1 || !strings.HasPrefix(sentence, "Bad") }

func TestUnsupportedCitationsAreDropped(t *testing.T) {
	t.Parallel()
	tests := []example{
		same("text alone", "Good. Bad.\n\nGood"),
		{"good and bad", "Good [1]. Bad [1]. Good [2].", "Good [[1]](http://a). Bad. Good [[2]](http://b)."},
		{"numbers are given to what is kept", "Bad [1]. Bad [2]. Good [1].", "Bad. Bad [[1]](http://b). Good [[2]](http://a)."},
		{"one of a list", "Bad number [1, 2].", "Bad number [[1]](http://b)."},
		{"one of two", "Bad number [1][2], and [2] [1].", "Bad number [[1]](http://b), and [[1]](http://b)."},
		{"behind the full stop", "Bad. [1] Good. [1]", "Bad. Good. [[1]](http://a)"},
		{"at the end of a line", "Bad [1]\nGood [1]\n", "Bad\nGood [[1]](http://a)\n"},
		{"at the beginning of a line", "Good.\n[1] Bad it is.\n[1] Good.", "Good.\nBad it is.\n[[1]](http://a) Good."},
		{"what follows decides", "On the whole [1] it is bad. Bad as [1] it is. Good", "On the whole [[1]](http://a) it is bad. Bad as it is. Good"},
		{"no end of the sentence", "Bad [1] e.g. this [1]", "Bad e.g. this"},
		{"in code", "Bad `a[1]` and `b [1]` [1].", "Bad `a[1]` and `b [1]`."},
		{"other scripts", "Bad 日本語【1】です。Good 日本語【1】です。", "Bad 日本語です。Good 日本語[[1]](http://a)です。"},
		{"after an exclamation mark", "Bad![1] Good![1]", "Bad! Good! [[1]](http://a)"},
		{"a linked citation", "Bad [[1]](http://x). Good [[1]](http://x).", "Bad. Good [[1]](http://a)."},
		{"a list", "- Bad [1]\n- Good [1]\n", "- Bad\n- Good [[1]](http://a)\n"},
		{"a long sentence is judged by its beginning", "Bad [1] " + strings.Repeat("word ", 1000) + "end.", "Bad " + strings.Repeat("word ", 1000) + "end."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, deltas := range [][]string{{tt.in}, bytewise(tt.in), cut(tt.in, []byte{3, 5, 16, 1, 7, 2, 11, 13})} {
				if got := judged(honest, deltas...).Text; got != tt.want {
					t.Errorf("%q became %q, want %q", deltas, got, tt.want)
				}
			}
		})
	}
}

// A citation waits for the end of its sentence, and nothing waits for longer.
func TestTextWaitsAtMostOneSentence(t *testing.T) {
	t.Parallel()
	p := cite.NewProcessor(library(), cite.Options{Keep: honest})
	for i, step := range []struct{ delta, want string }{
		{"Set it up ", "Set it up"}, {"so [1].", " so"}, {" ", ""}, {"Then", " [[1]](http://a). Then"}, {" go on", " go on"},
	} {
		got := ""
		for _, e := range p.Push(step.delta, nil) {
			got += e.Text
		}
		if got != step.want {
			t.Errorf("step %d: %q shows %q, want %q", i, step.delta, got, step.want)
		}
	}
}

// A sentence that ends with a citation has ended, also if the next one begins with a small letter:
// answers about programs often do.
func TestTextDoesNotWaitForCapital(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Set it up so [1].", "Set it up so. [1]", "Set it up so [1]!"} {
		p := cite.NewProcessor(library(), cite.Options{Keep: honest})
		for _, delta := range []string{text, " npm"} {
			got := ""
			for _, e := range p.Push(delta, nil) {
				got += e.Text
			}
			if delta == " npm" && !strings.HasSuffix(got, "npm") {
				t.Errorf("%q: then %q shows %q", text, delta, got)
			}
		}
	}
}

// Judging as it is written and judging at the end come to the same.
func TestCheckerMatchesKeep(t *testing.T) {
	t.Parallel()
	known := func(n int) bool { _, ok := library().Lookup(n); return ok }
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"Good it is", "Bad it is", "Bad `code[1]`", "Bad, e.g. here", "bad in small letters", "good so"}).Draw(t, "claim") +
				rapid.SampledFrom([]string{"", " [1]", " [2]", "[1][2]", " [1, 3]", " [99]", " [1] [4]", "【1】"}).Draw(t, "cited") +
				rapid.SampledFrom([]string{". ", ".\n\n", "! ", "\n- ", ". [1] ", " and more. "}).Draw(t, "end")
		})
		text := strings.Join(rapid.SliceOfN(sentence, 0, 8).Draw(t, "sentences"), "")
		want := convert(library(), cite.Keep(text, known, honest))
		if diff := cmp.Diff(want, judged(honest, cut(text, rapid.SliceOf(rapid.Byte()).Draw(t, "cuts"))...)); diff != "" {
			t.Errorf("%q (-at the end +as it is written):\n%s", text, diff)
		}
	})
}

// FuzzJudge holds that keeping everything changes nothing, and that cutting the text into deltas
// changes nothing.
func FuzzJudge(f *testing.F) {
	for _, text := range append([]string{"Bad [1]. Good. [1]\n\n[1] Bad.\nbad [2] \xe3\x80"}, texts...) {
		f.Add(text, []byte{1, 2, 3, 5, 8, 13, 1, 1, 1, 0, 4})
	}
	f.Fuzz(func(t *testing.T, text string, cuts []byte) {
		if len(text) > maxFuzzed {
			return
		}
		deltas := cut(text, cuts)
		if diff := cmp.Diff(convert(library(), deltas...), judged(func(string, int) bool { return true }, deltas...)); diff != "" {
			t.Errorf("%q cut at %v, everything kept (-plain +judged):\n%s", text, cuts, diff)
		}
		whole := judged(honest, text)
		for _, other := range [][]string{deltas, bytewise(text)} {
			if diff := cmp.Diff(whole, judged(honest, other...)); diff != "" {
				t.Errorf("%q cut at %v (-whole +cut):\n%s", text, cuts, diff)
			}
		}
	})
}
