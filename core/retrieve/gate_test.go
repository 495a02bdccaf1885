package retrieve_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/retrieve"
)

func TestGateParts(t *testing.T) {
	t.Parallel()
	gate := retrieve.Gate{Links: 0.2, Quotes: 0.4}
	for _, tt := range []struct {
		similarity float64
		covered    bool
		want       retrieve.Band
	}{
		{-1, true, retrieve.Nothing}, {0.19, true, retrieve.Nothing}, {0.2, true, retrieve.Links}, {0.39, true, retrieve.Links},
		{0.4, true, retrieve.Quotes}, {0.4, false, retrieve.Links}, {1, false, retrieve.Links}, {0.19, false, retrieve.Nothing},
	} {
		if got := gate.Band(tt.similarity, tt.covered); got != tt.want {
			t.Errorf("Band(%g, %t) = %d, not %d", tt.similarity, tt.covered, got, tt.want)
		}
	}
}
