package console_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/footnotehq/footnote/adapters/console"
	"pgregory.net/rapid"
)

// unseen are characters of every kind that is not seen, or changes what is.
const unseen = "\x00\x07\x1b\x7f\u0080\u009b\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2063\u2066\u2067\u2068\u2069" +
	"\u206f\u3164\ufeff\ufff9\U0001d173\U000e0001\U000e0041\U000e007f\U000e0101"

func TestSanitizeTakesOutWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	got := console.Sanitize("a" + unseen + "\n\tz")
	for _, r := range got {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Errorf("%U came through", r)
		}
	}
	for _, kept := range []string{"می‌خواهم", "👩‍👩‍👧", "क्‍ष", "x\u0600y", "line\n\tnext", "ÄÖÜ ☕️"} {
		if got := console.Sanitize(kept); got != kept {
			t.Errorf("%q became %q", kept, got)
		}
	}
}

// The values are the same, nothing is hidden, however the text is cut into writes.
func TestJSONShowsEveryCharacter(t *testing.T) {
	t.Parallel()
	letters := rapid.RuneFrom(append([]rune(unseen), []rune(`ab"\/{}[]:,é☕👩‍`)...))
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{rapid.StringOf(letters).Draw(t, "key"): rapid.StringOf(letters).Draw(t, "value")}
		var raw, got bytes.Buffer
		encoder := json.NewEncoder(&raw)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "\t")
		if err := encoder.Encode(want); err != nil {
			t.Fatal(err)
		}
		to := console.JSON(&got)
		for rest := raw.Bytes(); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			if written, err := to.Write(rest[:n]); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if i := strings.IndexFunc(got.String(), func(r rune) bool {
			return r != '\n' && r != '\t' && strings.ContainsRune(unseen, r)
		}); i >= 0 {
			t.Fatalf("a character is not seen in %q", got.String())
		}
		var back map[string]string
		if err := json.Unmarshal(got.Bytes(), &back); err != nil {
			t.Fatalf("%v in %s", err, got.String())
		}
		for k, v := range want {
			if back[k] != v {
				t.Fatalf("%q became %q", v, back[k])
			}
		}
	})
}

func TestPlainSanitizesHoweverTextIsCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune(unseen+"ab é☕\n"))).Draw(t, "text")
		var got strings.Builder
		to := console.Plain(&got)
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			if _, err := to.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		var whole strings.Builder
		if _, err := console.Plain(&whole).Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got.String() != whole.String() || strings.ContainsAny(whole.String(), "\x1b\u009b\u202e\U000e0041") {
			t.Fatalf("%q, want %q", got.String(), whole.String())
		}
	})
}
