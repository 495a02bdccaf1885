package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
)

// Many large files in a project do not fill the memory of each question.
func TestTextsOfKeptFilesAreBounded(t *testing.T) {
	t.Parallel()
	var ids []document.ID
	for i := range 100 {
		ids = append(ids, document.ID(fmt.Sprint(i)))
	}
	large, loads := strings.Repeat("x", maxAtHand/4), 0
	texts, err := textsWithin(ids, func(document.ID) (string, error) {
		loads++
		return large, nil
	})
	if err != nil || len(texts) != 4 || loads != 5 {
		t.Errorf("%d texts are at hand after %d loads: %v", len(texts), loads, err)
	}
}
