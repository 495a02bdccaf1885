package half

import (
	"math"
	"testing"
)

// Processors differ in how they add, and in nothing else.
func TestPortable(t *testing.T) {
	t.Parallel()
	q, v := make([]float32, 300), make([]uint16, 300)
	for i := range q {
		q[i], v[i] = float32(math.Sin(float64(i))), FromFloat(float32(math.Cos(float64(3*i))))
	}
	for n := range len(q) + 1 {
		if a, b := Dot(q[:n], v[:n]), portable(q[:n], v[:n]); math.Abs(float64(a-b)) > 1e-4 {
			t.Fatalf("of %d numbers: %v and %v", n, a, b)
		}
	}
}

func BenchmarkPortable(b *testing.B) {
	q, v := make([]float32, 256), make([]uint16, 32<<20)
	var sum float32
	at := 0
	for b.Loop() {
		at = (at + 7919*256) % (len(v) - 256)
		sum += portable(q, v[at:at+256])
	}
	_ = sum
}
