package localembed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The eigenvectors of any symmetric matrix are orthonormal and reproduce it.
func TestEigen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		m, original := make([][]float64, n), make([][]float64, n)
		for i := range m {
			m[i], original[i] = make([]float64, n), make([]float64, n)
		}
		var scale float64 = 1
		for i := range n {
			for j := range i + 1 {
				x := rapid.Float64Range(-100, 100).Draw(t, "x")
				m[i][j], m[j][i], original[i][j], original[j][i] = x, x, x, x
				scale = max(scale, math.Abs(x))
			}
		}
		values, vectors := eigen(m)
		for a := range n {
			if a > 0 && values[a] > values[a-1] {
				t.Fatalf("values are not in order: %v", values)
			}
			for b := range n {
				var product, back float64
				for k := range n {
					product += vectors[k][a] * vectors[k][b]
					back += vectors[a][k] * values[k] * vectors[b][k]
				}
				want := 0.0
				if a == b {
					want = 1
				}
				if math.Abs(product-want) > 1e-9 {
					t.Fatalf("vectors %d and %d have product %v", a, b, product)
				}
				if math.Abs(back-original[a][b]) > 1e-7*scale {
					t.Fatalf("entry %d,%d is %v, want %v", a, b, back, original[a][b])
				}
			}
		}
	})
}

// A matrix that has rank r is described wholly by r vectors, and there are no more.
func TestRightVectors(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	const rows, columns, rank = 300, 120, 5
	left, right := newDense(rows, rank), newDense(columns, rank)
	for i := range left.data {
		left.data[i] = float32(random.NormFloat64())
	}
	for i := range right.data {
		right.data[i] = float32(random.NormFloat64())
	}
	a := sparse{rows: rows, columns: columns, starts: []int{0}}
	for i := range rows {
		for j := range columns {
			a.at = append(a.at, int32(j))
			a.values = append(a.values, dot(left.row(i), right.row(j)))
		}
		a.starts = append(a.starts, len(a.at))
	}
	vectors, err := rightVectors(t.Context(), a, 10, 8)
	if err != nil {
		t.Fatal(err)
	}
	for j := range 10 {
		var length float64
		for i := range columns {
			length += float64(vectors.row(i)[j]) * float64(vectors.row(i)[j])
		}
		want := 1.0
		if j >= rank {
			want = 0
		}
		if math.Abs(length-want) > 1e-3 {
			t.Errorf("vector %d has length %v, want %v", j, length, want)
		}
	}
	// What the rank-r space keeps of a row is the row.
	for i := range rows {
		row := a.values[a.starts[i]:a.starts[i+1]]
		back := make([]float32, columns)
		for j := range rank {
			var share float32
			for c, x := range row {
				share += x * vectors.row(c)[j]
			}
			for c := range back {
				back[c] += share * vectors.row(c)[j]
			}
		}
		for c, x := range row {
			if math.Abs(float64(back[c]-x)) > 1e-2 {
				t.Fatalf("row %d column %d is %v, want %v", i, c, back[c], x)
			}
		}
	}
}

// Every text has the same chance to be kept.
func TestSample(t *testing.T) {
	t.Parallel()
	const texts, wanted = 40_000, 4_000
	kept, seen, err := sample(t.Context(), func(yield func(string, error) bool) {
		for i := range texts {
			if !yield(fmt.Sprint(i), nil) {
				return
			}
		}
	}, wanted)
	if err != nil || seen != texts || len(kept) != wanted {
		t.Fatalf("kept %d of %d, error %v", len(kept), seen, err)
	}
	var quarters [4]int
	distinct := map[string]bool{}
	for _, text := range kept {
		var i int
		if _, err := fmt.Sscan(text, &i); err != nil {
			t.Fatal(err)
		}
		quarters[i/(texts/4)]++
		distinct[text] = true
	}
	for i, n := range quarters { // five standard deviations of a fair draw
		if n < 850 || n > 1150 {
			t.Errorf("quarter %d gave %d texts, want about %d", i, n, wanted/4)
		}
	}
	if len(distinct) != wanted {
		t.Errorf("%d different texts, want %d", len(distinct), wanted)
	}
}

func TestVocabularyIsBounded(t *testing.T) {
	t.Parallel()
	var counts []map[string]int
	for i := range 100 {
		counts = append(counts, map[string]int{"everywhere": 1, fmt.Sprint("once", i): 1, fmt.Sprint("often", i%5): 1, fmt.Sprint("seldom", i%40): 1})
	}
	terms, weights := vocabulary(counts, 7)
	if len(terms) != 7 || len(weights) != 7 {
		t.Fatalf("%d terms, want 7: %v", len(terms), terms)
	}
	for i, term := range terms[:5] {
		if term != fmt.Sprint("often", i) {
			t.Errorf("term %d is %s", i, term)
		}
	}
}

// No bytes make decoding panic, and what is accepted is written back the same.
func FuzzUnmarshal(f *testing.F) {
	m := newModel([]string{"pump", "pumps", "valve"}, []float32{1, 2, 3}, newDense(3, Dimensions), []string{"en"}, 3, 200)
	f.Add(m.encode())
	f.Add(newModel([]string{"pump"}, []float32{1}, newDense(1, Dimensions), []string{"en"}, 3, 20).encode())
	f.Add([]byte(magic))
	f.Add(binary.AppendUvarint([]byte(magic), Dimensions))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		data := append(bytes.Clone(body), sum[:]...)
		var m Model
		if m.UnmarshalBinary(data) != nil {
			return
		}
		back, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var again Model
		if err := again.UnmarshalBinary(back); err != nil || again.Model() != m.Model() {
			t.Fatalf("read back as %s, error %v; want %s", again.Model(), err, m.Model())
		}
	})
}
