package localembed

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

var (
	_ encoding.BinaryMarshaler   = (*Model)(nil)
	_ encoding.BinaryUnmarshaler = (*Model)(nil)
)

// The binary form is: magic, then unsigned varints and strings (length and bytes): dimensions, chunks, number of languages and the languages,
// number of terms; then for every term the bytes it shares with the one before, and the rest; then all scales as little-endian float32; then
// all rows, a signed byte per value; then SHA-256 of everything before. A model of short texts has another magic, and then how many words they
// have first of all: older versions of the program, for which all texts were long, cannot read it and must not.
const (
	magic      = "footnote-lsa-1\n"
	magicShort = "footnote-lsa-2\n"
)

// errDamaged says what to do when a stored model cannot be read.
var errDamaged = errors.New("the stored local embedding model is damaged or of another version: train it again")

// MarshalBinary implements encoding.BinaryMarshaler.
func (m *Model) MarshalBinary() ([]byte, error) {
	data := m.encode()
	sum := sha256.Sum256(data)
	return append(data, sum[:]...), nil
}

func (m *Model) encode() []byte {
	b := make([]byte, 0, len(magic)+len(m.rows)+4*len(m.scales)+8*len(m.names)+64)
	if m.words < longWords {
		b = append(b, magicShort...)
		b = binary.AppendUvarint(b, uint64(m.words))
	} else {
		b = append(b, magic...)
	}
	b = binary.AppendUvarint(b, Dimensions)
	b = binary.AppendUvarint(b, uint64(m.chunks))
	b = binary.AppendUvarint(b, uint64(len(m.languages)))
	for _, language := range m.languages {
		b = appendString(b, language)
	}
	b = binary.AppendUvarint(b, uint64(len(m.names)))
	before := ""
	for _, name := range m.names {
		shared := 0
		for shared < len(name) && shared < len(before) && name[shared] == before[shared] {
			shared++
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = appendString(b, name[shared:])
		before = name
	}
	for _, scale := range m.scales {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	}
	for _, x := range m.rows {
		b = append(b, byte(x))
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func versionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It must not run while the model is in use.
func (m *Model) UnmarshalBinary(data []byte) error {
	n := len(data) - sha256.Size
	short := bytes.HasPrefix(data, []byte(magicShort))
	if n < len(magic) || !short && !bytes.HasPrefix(data, []byte(magic)) {
		return errDamaged
	}
	if sum := sha256.Sum256(data[:n]); !bytes.Equal(sum[:], data[n:]) {
		return errDamaged
	}
	r := reader{data: data[len(magic):n]}
	out := Model{words: longWords}
	if short {
		if out.words = int(min(r.number(), longWords)); out.words == longWords {
			return errDamaged
		}
	}
	if dimensions := r.number(); r.err == nil && dimensions != Dimensions {
		return fmt.Errorf("%w (%d dimensions)", errDamaged, dimensions)
	}
	out.chunks = int(r.number())
	for range r.count(1) {
		out.languages = append(out.languages, r.text())
	}
	terms := r.count(2)
	out.names = make([]string, 0, terms)
	before := ""
	for range terms {
		shared := r.number()
		if shared > uint64(len(before)) {
			return errDamaged
		}
		before = before[:shared] + r.text()
		out.names = append(out.names, before)
	}
	if r.err != nil || len(r.data) != terms*(4+Dimensions) {
		return errDamaged
	}
	out.scales = make([]float32, terms)
	for i := range out.scales {
		out.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(r.data[4*i:]))
	}
	out.rows = make([]int8, terms*Dimensions)
	for i, x := range r.data[4*terms:] {
		out.rows[i] = int8(x)
	}
	out.index()
	*m = out
	return nil
}

// reader reads from the front of data; the first error stays.
type reader struct {
	data []byte
	err  error
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.data, r.err = nil, errDamaged
		return 0
	}
	r.data = r.data[size:]
	return n
}

// count reads how many items of at least size bytes follow.
func (r *reader) count(size int) int {
	n := r.number()
	if n > uint64(len(r.data)/size) {
		r.data, r.err = nil, errDamaged
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count(1)
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}
