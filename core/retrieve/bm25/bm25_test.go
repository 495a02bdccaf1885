package bm25_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestImpact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tf, dl := rapid.IntRange(1, 1000).Draw(t, "tf"), rapid.IntRange(1, 5000).Draw(t, "dl")
		average := rapid.Float64Range(1, 2000).Draw(t, "average")
		w := bm25.Impact(tf, dl, average)
		if w <= 0 || w >= bm25.MaxImpact {
			t.Fatalf("Impact = %v is not between 0 and %v", w, bm25.MaxImpact)
		}
		if bm25.Impact(tf+1, dl, average) <= w {
			t.Fatal("another occurrence does not raise the impact")
		}
		if bm25.Impact(tf, dl+1, average) >= w {
			t.Fatal("a longer text does not lower the impact")
		}
		if math.Abs(bm25.Value(bm25.Quantise(w))-w) > bm25.MaxImpact/math.MaxUint16 {
			t.Fatalf("Quantise(%v) stands for %v", w, bm25.Value(bm25.Quantise(w)))
		}
	})
}

func TestFrequencyFromImpact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tf := rapid.IntRange(1, 60).Draw(t, "tf")
		dl := tf + rapid.IntRange(0, 2000).Draw(t, "other words")
		average := rapid.Float64Range(20, 1000).Draw(t, "average")
		if got := bm25.Frequency(bm25.Quantise(bm25.Impact(tf, dl, average)), dl, average); got != tf {
			t.Fatalf("Frequency = %d, want %d", got, tf)
		}
		other := average * rapid.Float64Range(0.5, 2).Draw(t, "new average")
		large := rapid.IntRange(1, 60_000).Draw(t, "large tf")
		restated := bm25.Impact(bm25.Frequency(bm25.Quantise(bm25.Impact(large, dl, average)), dl, average), dl, other)
		if math.Abs(restated-bm25.Impact(large, dl, other)) > 1e-3 {
			t.Fatalf("the restated impact of %d occurrences is %v, want %v", large, restated, bm25.Impact(large, dl, other))
		}
	})
}

func TestIDF(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1_000_000).Draw(t, "n")
		df := rapid.IntRange(0, n-1).Draw(t, "df")
		if bm25.IDF(n, df) <= bm25.IDF(n, df+1) || bm25.IDF(n, df+1) < 0 {
			t.Fatalf("IDF(%d, %d) = %v, IDF(%d, %d) = %v", n, df, bm25.IDF(n, df), n, df+1, bm25.IDF(n, df+1))
		}
	})
}

func TestPostingLists(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		offsets := rapid.SliceOfDistinct(rapid.Uint16(), func(o uint16) uint16 { return o }).Draw(t, "offsets")
		slices.Sort(offsets)
		var sealed, fresh []byte
		for i, o := range offsets {
			sealed = bm25.AppendSealed(sealed, o, uint16(i+1))
			fresh = bm25.AppendFresh(fresh, o, i+1, 100_000)
		}
		if bm25.SealedLen(sealed) != len(offsets) || bm25.FreshLen(fresh) != len(offsets) {
			t.Fatalf("%d and %d of %d postings", bm25.SealedLen(sealed), bm25.FreshLen(fresh), len(offsets))
		}
		var a, b bm25.Sums
		a.AddSealed(sealed, 2)
		b.AddFresh(fresh, 2, 50_000)
		for i, o := range offsets {
			if offset, impact := bm25.Sealed(sealed, i); offset != o || impact != uint16(i+1) {
				t.Fatalf("sealed posting %d is (%d, %d)", i, offset, impact)
			}
			if offset, tf, dl := bm25.Fresh(fresh, i); offset != o || tf != i+1 || dl != math.MaxUint16 {
				t.Fatalf("fresh posting %d is (%d, %d, %d)", i, offset, tf, dl)
			}
			if want := 2 * bm25.Value(uint16(i+1)); math.Abs(float64(a[o])-want) > 1e-5 {
				t.Fatalf("sealed sum %v, want %v", a[o], want)
			}
			if want := 2 * bm25.Value(bm25.Quantise(bm25.Impact(i+1, math.MaxUint16, 50_000))); math.Abs(float64(b[o])-want) > 1e-5 {
				t.Fatalf("fresh sum %v, want %v", b[o], want)
			}
		}
	})
}

func TestTop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.Float64Range(0, 3)).Draw(t, "scores")
		k := rapid.IntRange(0, 12).Draw(t, "k")
		top := bm25.NewTop(k)
		var all []bm25.Scored
		for i, s := range scores {
			all = append(all, bm25.Scored{ID: int64(i), Score: math.Round(s)})
			top.Offer(all[i])
		}
		slices.SortFunc(all, func(a, b bm25.Scored) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		want := append([]bm25.Scored{}, all[:min(k, len(all))]...)
		if diff := gocmp.Diff(want, append([]bm25.Scored{}, top.Best()...)); diff != "" {
			t.Fatalf("best (-want +got):\n%s", diff)
		}
	})
}

func TestBitmap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, n := rapid.IntRange(-5, bm25.BlockSize+5).Draw(t, "from"), rapid.IntRange(0, 200).Draw(t, "n")
		var a, b bm25.Bitmap
		a.Set(from, n)
		b.Or(&a)
		for i := max(from-70, 0); i < min(from+n+70, bm25.BlockSize); i++ {
			if want := i >= from && i < from+n; b.Has(uint16(i)) != want {
				t.Fatalf("after Set(%d, %d), Has(%d) = %v", from, n, i, !want)
			}
		}
	})
}

func TestSplitJoin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Int64Range(0, 1<<31-1).Draw(t, "id")
		if got := bm25.Join(bm25.Split(id)); got != id {
			t.Fatalf("Join(Split(%d)) = %d", id, got)
		}
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.IntRange(0, 20)).Draw(t, "scores")
		n := rapid.IntRange(-1, len(scores)+1).Draw(t, "n")
		all := make([]bm25.Scored, len(scores))
		top := bm25.NewTop(max(n, 0))
		for i, s := range scores {
			all[i] = bm25.Scored{ID: int64(i), Score: float64(s)}
			top.Offer(all[i])
		}
		byID := func(a, b bm25.Scored) int { return cmp.Compare(a.ID, b.ID) }
		got, want := bm25.Select(all, n), top.Best()
		slices.SortFunc(got, byID)
		slices.SortFunc(want, byID)
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
