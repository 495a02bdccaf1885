package read

import (
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/call"
)

// A file may be larger than was said of it, and say nothing itself.
func TestDownloadEndsWhereItIsTooLarge(t *testing.T) {
	t.Parallel()
	b := &bounded{most: 10}
	if n, err := b.Write([]byte("ten bytes.")); n != 10 || err != nil || b.full {
		t.Errorf("Write() = %d, %v, full %v", n, err, b.full)
	}
	if n, err := b.Write([]byte("!")); n != 0 || !errors.Is(err, call.ErrTooLarge) || !b.full || b.data.String() != "ten bytes." {
		t.Errorf("Write() = %d, %v, full %v, holding %q", n, err, b.full, b.data.String())
	}
}
