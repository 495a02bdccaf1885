package review_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/review"
)

func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "plain": "plain", "5 - 3": "5 - 3", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", " =1": "' =1", "\t=1": "'\t=1", "\tx": "'\tx",
		"\r\n=1": "'\r\n=1", "＝1": "'＝1", "\u00a0@x": "'\u00a0@x", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
	} {
		if got := review.Cell(text); got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
		}
	}
}
