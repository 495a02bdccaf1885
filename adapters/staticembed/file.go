package staticembed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/footnotehq/footnote/adapters/internal/wordpiece"
)

// magic is the start of the binary format. The rest of the file has these parts, in this order:
//
//   - the dimensions and the number of pieces, as unsigned varints.
//   - the length and bytes of every piece.
//   - a scale for each piece, as little-endian float32.
//   - a row for each piece, with a signed byte per dimension.
const magic = "footnote-word-vectors-1\n"

const (
	maxDimensions = 1024
	maxPieces     = 1 << 18
	maxPiece      = 64 // bytes
)

var errDamaged = errors.New("the word vectors are damaged or of another version")

// parseFile returns a model that shares the memory of data.
func parseFile(data string) (*Model, error) {
	if len(data) < len(magic) || data[:len(magic)] != magic {
		return nil, fmt.Errorf("%w: they begin otherwise", errDamaged)
	}
	r := reader{rest: data[len(magic):]}
	dimensions, count := r.number(maxDimensions), r.number(maxPieces)
	if dimensions == 0 || count == 0 {
		return nil, fmt.Errorf("%w: no dimensions or no words", errDamaged)
	}
	pieces := make([]string, 0, min(count, len(r.rest)))
	for range count {
		n := r.number(maxPiece)
		if n == 0 || n > len(r.rest) {
			return nil, fmt.Errorf("%w: they end within the vocabulary", errDamaged)
		}
		pieces, r.rest = append(pieces, r.rest[:n]), r.rest[n:]
	}
	if len(r.rest) != count*(4+dimensions) {
		return nil, fmt.Errorf("%w: %d bytes where %d words of %d dimensions take %d", errDamaged, len(r.rest), count, dimensions, count*(4+dimensions))
	}
	m := &Model{dimensions: dimensions, vocabulary: wordpiece.New(pieces), scales: make([]float32, count)}
	for i := range m.scales {
		m.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(r.rest[4*i:][:4])))
		if s := float64(m.scales[i]); math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("%w: a value is no number", errDamaged)
		}
	}
	m.rows = r.rest[4*count:]
	return m, nil
}

// reader reads numbers from the front of rest. A number that is invalid or too large reads as 0.
type reader struct{ rest string }

func (r *reader) number(most int) int {
	n, size := uint64(0), 0
	for shift := 0; size < len(r.rest) && shift < 64; shift += 7 {
		b := r.rest[size]
		size++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			r.rest = r.rest[size:]
			if n > uint64(most) {
				return 0
			}
			return int(n)
		}
	}
	r.rest = ""
	return 0
}
