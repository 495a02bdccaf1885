package sketch_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/sketch"
	"pgregory.net/rapid"
)

// clustered makes n vectors of length 1 around 50 centres, with most of their variance in few
// directions, as embeddings have it.
func clustered(rng *rand.Rand, n, dimensions int) [][]float32 {
	around := func(centre []float32, spread float64) []float32 {
		v := make([]float32, dimensions)
		var sum float64
		for i := range v {
			v[i] = float32(rng.NormFloat64() * spread / math.Sqrt(1+float64(i)/8))
			if centre != nil {
				v[i] += centre[i]
			}
			sum += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	offset := around(nil, 1) // embeddings do not lie around zero
	centres := make([][]float32, 50)
	for i := range centres {
		centres[i] = around(offset, 0.4)
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = around(centres[rng.IntN(len(centres))], 0.25)
	}
	return vectors
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// nearest searches with a single goroutine.
func nearest(q *sketch.Query, parts []sketch.Part, n int) []int64 {
	near, _ := q.Search(parts, n).Work()
	return near
}

// However many goroutines work, one of them finishes, and what it finds is the same.
func TestWorkIsShared(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	vectors := clustered(rng, 20_000, 256)
	space := sketch.NewSpace(vectors[:500])
	parts := []sketch.Part{{Block: sketch.NewBlock(space), Wanted: new(bm25.Bitmap)}, {Base: 1 << 20, Block: sketch.NewBlock(space), Wanted: new(bm25.Bitmap)}}
	for i, v := range vectors {
		parts[i%2].Block.Put([]uint16{uint16(i)}, [][]float32{v})
		parts[i%2].Wanted.Set(i, 1)
	}
	for _, v := range clustered(rng, 20, 256) {
		q := space.Query(v)
		want := nearest(q, parts, 500)
		s := q.Search(parts, 500)
		var finished atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if got, last := s.Work(); last {
					finished.Add(1)
					if !slices.Equal(got, want) {
						t.Errorf("%d chunks shared, %d alone", len(got), len(want))
					}
				}
			})
		}
		all.Wait()
		if finished.Load() != 1 {
			t.Fatalf("%d goroutines finished the work", finished.Load())
		}
		if _, late := s.Work(); late {
			t.Fatal("the work was finished twice")
		}
	}
}

// Of the ten most similar chunks, at least 95 % are among the 400 returned, whatever the length of
// vectors and whichever may be read.
func TestNearestContainsMostSimilar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dimensions, share int }{{200, 2}, {256, 1}, {384, 1}} {
		t.Run(fmt.Sprintf("%d dimensions, one of %d wanted", c.dimensions, c.share), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(c.dimensions)))
			vectors := clustered(rng, 8_000, c.dimensions)
			space := sketch.NewSpace(vectors[:500])
			part := sketch.Part{Base: 1 << 20, Block: sketch.NewBlock(space), Wanted: new(bm25.Bitmap)}
			var wanted []int
			for i, v := range vectors {
				part.Block.Put([]uint16{uint16(i)}, [][]float32{v})
				if i%c.share == 0 {
					part.Wanted.Set(i, 1)
					wanted = append(wanted, i)
				}
			}
			found, all := 0, 0
			for _, q := range clustered(rng, 20, c.dimensions) {
				cosine := make([]float64, len(vectors))
				for i, v := range vectors {
					cosine[i] = dot(v, q)
				}
				slices.SortFunc(wanted, func(a, b int) int { return cmp.Compare(cosine[b], cosine[a]) })
				near := nearest(space.Query(q), []sketch.Part{part}, 400)
				if len(near) != 400 {
					t.Fatalf("%d chunks, want 400", len(near))
				}
				for _, id := range near {
					if int(id-1<<20)%c.share != 0 {
						t.Fatalf("chunk %d was not asked for", id)
					}
				}
				for _, i := range wanted[:10] {
					all++
					if slices.Contains(near, 1<<20+int64(i)) {
						found++
					}
				}
			}
			if found*100 < all*95 {
				t.Errorf("%d of the %d most similar are among the nearest", found, all)
			}
		})
	}
}

// Few chunks are all returned, each once, in any number of blocks.
func TestNearestReturnsAllOfFew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		dimensions := rapid.IntRange(1, 130).Draw(t, "dimensions")
		vectors := clustered(rng, 10, dimensions)
		space := sketch.NewSpace(vectors)
		want := make(map[int64]bool)
		var parts []sketch.Part
		for b := range rapid.IntRange(1, 3).Draw(t, "blocks") {
			p := sketch.Part{Base: int64(b) << 16, Block: sketch.NewBlock(space), Wanted: new(bm25.Bitmap)}
			for _, offset := range rapid.SliceOfN(rapid.Uint16(), 0, 40).Draw(t, "offsets") {
				p.Block.Put([]uint16{offset}, [][]float32{vectors[rng.IntN(len(vectors))]})
				p.Wanted.Set(int(offset), 1)
				want[p.Base+int64(offset)] = true
			}
			parts = append(parts, p)
		}
		got := nearest(space.Query(vectors[0]), parts, 1000)
		seen := make(map[int64]bool)
		for _, id := range got {
			if !want[id] || seen[id] {
				t.Fatalf("%d was returned: wanted %v, seen before %v", id, want[id], seen[id])
			}
			seen[id] = true
		}
		if len(got) != len(want) {
			t.Fatalf("%d chunks, want %d", len(got), len(want))
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	vectors := clustered(rng, 2000, 256)
	space := sketch.NewSpace(vectors)
	part := sketch.Part{Block: sketch.NewBlock(space), Wanted: new(bm25.Bitmap)}
	for i := range bm25.BlockSize {
		part.Block.Put([]uint16{uint16(i)}, vectors[i%2000:i%2000+1])
	}
	part.Wanted.Set(0, bm25.BlockSize)
	b.Run("block of 65,536", func(b *testing.B) {
		for b.Loop() {
			nearest(space.Query(vectors[0]), []sketch.Part{part}, 400)
		}
	})
	b.Run("sketch 1,000 vectors", func(b *testing.B) {
		for b.Loop() {
			for i := range 1000 {
				part.Block.Put([]uint16{uint16(i)}, vectors[i:i+1])
			}
		}
	})
}
