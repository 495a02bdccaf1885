package cite_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	known := func(n int) bool { return n <= 5 }
	tests := []struct{ name, in, want string }{
		{"all", "One [1]. Two [2, 3].", "One [1]. Two [2, 3]."},
		{"one of a list", "Bad number [1, 2].", "Bad number [2]."},
		{"one of two", "Bad number [1][2].", "Bad number [2]."},
		{"none of a sentence", "Bad [1], bad【1】 and [[1]](http://x). Good [2].", "Bad, bad and. Good [2]."},
		{"behind the full stop", "Bad. [1] Good. [1]", "Bad. Good. [1]"},
		{"same number in a good sentence", "Good [1]. Bad [1]", "Good [1]. Bad"},
		{"never a link", "Good 【2】(see) and [[2]](http://x)(y).", "Good 【2】(see) and 【2】(y)."},
		{"code and unknown", "Bad `a[1]` [2020] [1].", "Bad `a[1]` [2020]."},
		{"without a sentence", "[1]", "[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := cite.Keep(tt.in, known, func(sentence string, n int) bool {
				return n != 1 || !strings.HasPrefix(sentence, "Bad")
			})
			if got != tt.want {
				t.Errorf("Keep(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}
