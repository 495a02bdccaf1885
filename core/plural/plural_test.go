package plural_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/plural"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"1 source": plural.Count(1, "source"), "0 sources": plural.Count(0, "source"), "2 replies": plural.Count(2, "reply"), "1 reply": plural.Count(1, "reply"),
		"3 days": plural.Count(3, "day"), "2 branches": plural.Count(2, "branch"), "2 addresses": plural.Count(int64(2), "address"), "2 people": plural.Count(2, "person"),
		"waits": plural.Does(1, "wait"), "wait": plural.Does(2, "wait"), "matches": plural.Does(1, "match"), "match": plural.Does(0, "match"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
