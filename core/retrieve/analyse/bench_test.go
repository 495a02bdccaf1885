package analyse_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// passage is a chunk of the usual size, about 250 words, with identifiers.
var passage = strings.Repeat("Streaming replication keeps a standby server more up to date than is possible with file-based log shipping; "+
	"set wal_level to replica and watch pg_stat_replication for progress on every standby. ", 10)

func BenchmarkText(b *testing.B) {
	b.SetBytes(int64(len(passage)))
	for b.Loop() {
		analyse.Text(passage, "en")
	}
}

func BenchmarkGuess(b *testing.B) {
	for b.Loop() {
		analyse.Guess(passage)
	}
}
