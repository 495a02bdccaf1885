package wire

import (
	"testing"
	"time"
)

func TestEmbeddingSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		done, total int64
		elapsed     time.Duration
		want        string
	}{
		{64, 256, 2 * time.Second, "Embedding: 64 of 256 chunks, 32/s, 6s left"},
		{256, 256, 8 * time.Second, "Embedding: 256 of 256 chunks, 32/s"},
		{300, 256, 10 * time.Second, "Embedding: 300 of 300 chunks, 30/s"}, // chunks came meanwhile
		{64, 256, 0, "Embedding: 64 of 256 chunks"},
	} {
		if got := embedding(tt.done, tt.total, tt.elapsed); got != tt.want {
			t.Errorf("after %d of %d in %s: %q, want %q", tt.done, tt.total, tt.elapsed, got, tt.want)
		}
	}
}
