package sentence

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/wordpiece"
)

// magic begins the model file, whose format deploy/tools/sentence/make.py describes.
const magic = "footnote-sentences-1\n"

const (
	layers     = 6
	heads      = 12
	dimensions = 384
	inner      = 4 * dimensions
	group      = 64  // number of inputs that share a scale
	window     = 256 // maximum tokens of a run, including the two around a text
)

var errDamaged = errors.New("the sentence model is damaged or of another version")

type matrix struct {
	inputs, outputs int
	weights         []byte    // panels of the file, not copied
	scale           []float32 // [panel of outputs][group of inputs][panel]
	bias            []float32
}

type norm struct{ weight, bias []float32 }

type layer struct {
	qkv, out, up, down matrix
	attended, done     norm
}

type weights struct {
	vocabulary *wordpiece.Vocabulary
	begin, end int32 // tokens around a text
	unknown    int32
	places     []float32 // [position][dimensions]
	first      norm
	scales     []float32 // [piece]
	rows       []byte    // [piece][dimensions], signed bytes of the file, not copied
	layers     [layers]layer
}

// parseFile parses the model file. The result shares memory with data.
func parseFile(data []byte) (*weights, error) {
	body, found := bytes.CutPrefix(data, []byte(magic))
	if !found || len(body) < 8 {
		return nil, fmt.Errorf("%w: wrong beginning", errDamaged)
	}
	sum := binary.LittleEndian.Uint32(body)
	body = body[4:]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return nil, fmt.Errorf("%w: wrong checksum", errDamaged)
	}
	n := int(binary.LittleEndian.Uint32(body))
	if body = body[4:]; n > len(body) {
		return nil, fmt.Errorf("%w: it ends within the vocabulary", errDamaged)
	}
	pieces := strings.Split(string(body[:n]), "\n")
	r := &reader{rest: body[n:]}
	w := &weights{vocabulary: wordpiece.New(pieces), places: r.floats(window * dimensions), first: r.norm(), scales: r.floats(len(pieces))}
	for i, piece := range pieces {
		switch piece {
		case "[CLS]":
			w.begin = int32(i)
		case "[SEP]":
			w.end = int32(i)
		case "[UNK]":
			w.unknown = int32(i)
		}
	}
	for i := range w.layers {
		l := &w.layers[i]
		for _, m := range l.matrices() {
			m.scale, m.bias = r.floats(m.outputs*m.inputs/group), r.floats(m.outputs)
		}
		l.attended, l.done = r.norm(), r.norm()
	}
	w.rows = r.bytes(len(pieces) * dimensions)
	for i := range w.layers {
		for _, m := range w.layers[i].matrices() {
			m.weights = r.bytes(m.inputs * m.outputs)
		}
	}
	switch {
	case r.short || len(r.rest) > 0:
		return nil, fmt.Errorf("%w: wrong length", errDamaged)
	case r.odd:
		return nil, fmt.Errorf("%w: a value is not a number", errDamaged)
	case w.begin == 0 || w.end == 0 || w.unknown == 0:
		return nil, fmt.Errorf("%w: the vocabulary lacks [CLS], [SEP] or [UNK]", errDamaged)
	}
	return w, nil
}

func (l *layer) matrices() []*matrix {
	l.qkv.inputs, l.qkv.outputs = dimensions, 3*dimensions
	l.out.inputs, l.out.outputs = dimensions, dimensions
	l.up.inputs, l.up.outputs = dimensions, inner
	l.down.inputs, l.down.outputs = inner, dimensions
	return []*matrix{&l.qkv, &l.out, &l.up, &l.down}
}

// reader decodes values from the front of rest. It sets short if rest is too short, and odd if a
// number is not finite.
type reader struct {
	rest       []byte
	short, odd bool
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) floats(n int) []float32 {
	b, out := r.bytes(4*n), make([]float32, n)
	for i := 0; 4*i < len(b); i++ {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if x := float64(out[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			r.odd = true
		}
	}
	return out
}

func (r *reader) norm() norm { return norm{r.floats(dimensions), r.floats(dimensions)} }
