package half_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/half"
	"pgregory.net/rapid"
)

// Every number of 16 bits is converted as IEEE 754 has it, and back.
func TestEveryNumber(t *testing.T) {
	t.Parallel()
	for bits := range 1 << 16 {
		h := uint16(bits)
		exponent, fraction := int(h>>10&31), float64(h&0x3ff)
		if exponent == 31 {
			continue // infinities and what is no number
		}
		want := math.Ldexp(1024+fraction, exponent-25)
		if exponent == 0 {
			want = math.Ldexp(fraction, -24)
		}
		if h>>15 == 1 {
			want = math.Copysign(want, -1)
		}
		if got := half.Float(h); float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
		if back := half.FromFloat(half.Float(h)); back != h {
			t.Fatalf("%#04x came back as %#04x", h, back)
		}
	}
}

func TestDot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "length")
		before := rapid.IntRange(0, 9).Draw(t, "before") // vectors lie anywhere in memory
		q := rapid.SliceOfN(rapid.Float32Range(-1, 1), before+n, before+n).Draw(t, "q")[before:]
		v := make([]uint16, before+n)[before:]
		var want, most float64
		for i := range v {
			v[i] = half.FromFloat(rapid.Float32Range(-1, 1).Draw(t, "v"))
			product := float64(q[i]) * float64(half.Float(v[i]))
			want += product
			most += math.Abs(product)
		}
		if got := float64(half.Dot(q, v)); math.Abs(got-want) > 1e-5*most+1e-30 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestDotOfDifferentLengths(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("vectors of different lengths were compared")
		}
	}()
	half.Dot(make([]float32, 33), make([]uint16, 32))
}

// The vectors lie apart, as those of a search do: 64 MB of them.
func BenchmarkDot(b *testing.B) {
	for _, dimensions := range []int{256, 1024} {
		b.Run(fmt.Sprint(dimensions), func(b *testing.B) {
			q, v := make([]float32, dimensions), make([]uint16, 32<<20)
			for i := range v {
				v[i] = half.FromFloat(float32(i%100) / 100)
			}
			for i := range q {
				q[i] = float32(i%7) / 7
			}
			var sum float32
			at := 0
			for b.Loop() {
				at = (at + 7919*dimensions) % (len(v) - dimensions)
				sum += half.Dot(q, v[at:at+dimensions])
			}
			_ = sum
		})
	}
}
