package mcp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
)

func TestFirstPartIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, page("leave", members(), "Vacation."))
	texts := make([]string, 150)
	for i := range texts {
		texts[i] = fmt.Sprintf("part%d ", i+1) + strings.Repeat("word ", 400)
	}
	if err := w.index.Put(t.Context(), access.DefaultTenant, page("long", members(), texts...)); err != nil {
		t.Fatal(err)
	}
	for _, from := range []any{math.MaxInt32, 1e18, 1e30, json.Number("1e400"), -5, "2147483647", math.MinInt64, 151, "151"} {
		for id, want := range map[string]string{"leave": "The document has 1 part: write from as a number from 1 to 1.", "long": "The document has 150 parts: write from as a number from 1 to 150."} {
			if _, err := w.ask(t, "read_document", map[string]any{"document": id, "from": from}); err == nil || err.Error() != want {
				t.Errorf("%s from %v: %v, want %q", id, from, err, want)
			}
		}
	}
	if len(w.spans) > 18*10*64 {
		t.Errorf("%d spans were read", len(w.spans))
	}
	for _, from := range []any{0, 1, 150, "150", nil, "the beginning", 1.5} {
		if _, err := w.ask(t, "read_document", map[string]any{"document": "long", "from": from}); err != nil {
			t.Errorf("from %v: %v", from, err)
		}
	}
	for _, s := range w.spans {
		if s.From < 0 || s.To > math.MaxInt32 || s.To < s.From {
			t.Errorf("parts %d to %d were read", s.From, s.To)
		}
	}
	if len(w.spans) == 0 {
		t.Error("nothing was read")
	}
}
