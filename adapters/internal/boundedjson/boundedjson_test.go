package boundedjson_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
)

func TestReadKeepsLimits(t *testing.T) {
	t.Parallel()
	limits := boundedjson.Limits{Bytes: 100, Elements: 10, Depth: 3}
	for _, tc := range []struct {
		name, text string
		over       bool
	}{
		{"a small text", `{"a":[1,2,{"b":null}]}`, false},
		{"no text", ``, false},
		{"as many elements as allowed", `[1,1,1,1,1,1,1,1,1,1]`, false},
		{"one element more", `[1,1,1,1,1,1,1,1,1,1,1]`, true},
		{"elements in empty arrays", `[[],[],[],[],[],[]]`, true},
		{"marks inside a string", `["{{{{[[[[,,,,,,,,,,,,,,\"]]]]"]`, false},
		{"a string that ends in a backslash", `["\\",[],[],[],[],[],[],[]]`, true},
		{"too deep", `[[[[]]]]`, true},
		{"too long", `"` + strings.Repeat("a", 100) + `"`, true},
		{"closing marks do not make room below", `]]]][[[[[[[[[[[`, true},
	} {
		for _, in := range []io.Reader{strings.NewReader(tc.text), iotest.OneByteReader(strings.NewReader(tc.text))} {
			text, err := limits.Read(in)
			if errors.Is(err, boundedjson.ErrLimit) != tc.over {
				t.Errorf("%s: %v", tc.name, err)
			}
			if err == nil && string(text) != tc.text {
				t.Errorf("%s: read %q", tc.name, text)
			}
		}
		if err := limits.Check([]byte(tc.text)); errors.Is(err, boundedjson.ErrLimit) != tc.over {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestReadStopsAnEndlessText(t *testing.T) {
	t.Parallel()
	in := io.MultiReader(strings.NewReader("["), endless("{},"))
	if _, err := (boundedjson.Limits{Elements: 1000}).Read(in); !errors.Is(err, boundedjson.ErrLimit) {
		t.Error(err)
	}
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	var out []int
	if err := (boundedjson.Limits{Elements: 3}).Unmarshal([]byte("[1,2,3]"), &out); err != nil || len(out) != 3 {
		t.Error(out, err)
	}
	if err := (boundedjson.Limits{Elements: 2}).Unmarshal([]byte("[1,2,3]"), &out); !errors.Is(err, boundedjson.ErrLimit) {
		t.Error(err)
	}
}

// endless repeats a text.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}
