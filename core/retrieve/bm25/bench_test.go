package bm25_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// A term that every tenth chunk of a full block holds.
func BenchmarkAddSealed(b *testing.B) {
	var list []byte
	for offset := 0; offset < bm25.BlockSize; offset += 10 {
		list = bm25.AppendSealed(list, uint16(offset), uint16(offset))
	}
	sums := new(bm25.Sums)
	b.SetBytes(int64(len(list)))
	for b.Loop() {
		sums.AddSealed(list, 1.5)
	}
}
