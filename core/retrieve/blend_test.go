package retrieve_test

import (
	"math"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func years(n float64) time.Time {
	return now.Add(-time.Duration(n * 365.25 * 24 * float64(time.Hour)))
}

func TestRecency(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		updated      time.Time
		decay, floor float64
		want         float64
	}{
		{"new", now, 0.5, 0.5, 1},
		{"one year", years(1), 0.5, 0.5, 1 / 1.5},
		{"two years is the floor of the defaults", years(2), 0.5, 0.5, 0.5},
		{"ten years", years(10), 0.5, 0.5, 0.5},
		{"ten years without a floor", years(10), 0.5, 0, 1 / 6.0},
		{"no decay", years(10), 0, 0.5, 1},
		{"undated counts as three months", time.Time{}, 0.5, 0.5, 1 / 1.125},
		{"dated 1970 with the floor that is set by default", time.Unix(0, 0), 0.5, 0.9, 0.9},
		{"dated in the future", now.AddDate(1, 0, 0), 0.5, 0.5, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := retrieve.Recency(tt.updated, now, tt.decay, tt.floor); math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("Recency = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRecencyFallsWithAgeAndDecay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		age := rapid.Float64Range(0, 50).Draw(t, "age")
		decay, floor := rapid.Float64Range(0, 5).Draw(t, "decay"), rapid.Float64Range(0, 1).Draw(t, "floor")
		r := retrieve.Recency(years(age), now, decay, floor)
		if r < floor || r > 1 {
			t.Fatalf("recency %v is not between %v and 1", r, floor)
		}
		if retrieve.Recency(years(age+1), now, decay, floor) > r || retrieve.Recency(years(age), now, decay+1, floor) > r {
			t.Fatal("more age or more decay raises the score")
		}
	})
}

func drawList(t *rapid.T) retrieve.List {
	list := retrieve.List{Semantic: rapid.Bool().Draw(t, "semantic"), Words: 2}
	n := rapid.IntRange(0, 12).Draw(t, "candidates")
	score := rapid.Float64Range(0, 20)
	for i := range n {
		e := retrieve.Candidate{Chunk: document.ChunkID(i), First: document.ChunkID(i), Siblings: 1, Boost: 1, UpdatedAt: years(rapid.Float64Range(0, 9).Draw(t, "age")),
			Flat: score.Draw(t, "flat"), Title: score.Draw(t, "title"), Cosine: rapid.Float64Range(-1, 1).Draw(t, "cosine")}
		list.MaxFlat, list.MaxTitle = max(list.MaxFlat, e.Flat), max(list.MaxTitle, e.Title)
		list.Entries = append(list.Entries, e)
	}
	return list
}

// Every component stays in its range, the result is sorted and loses nothing, and better raw scores
// never give a lower place.
func TestBlendProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		cfg := retrieve.DefaultConfig()
		cfg.TitleRatio = rapid.Float64Range(0, 1).Draw(t, "title ratio")
		b := retrieve.Blending{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), FavorRecent: rapid.Bool().Draw(t, "recent"), Now: now}
		ranked := cfg.Blend(list, b)
		if len(ranked) != len(list.Entries) {
			t.Fatalf("%d of %d candidates came back", len(ranked), len(list.Entries))
		}
		for i, r := range ranked {
			s := r.Scores
			if s.Keyword < 0 || s.Keyword > 1 || s.Semantic < 0 || s.Semantic > 1 || s.Recency < 0.5 || s.Recency > 1 || s.Score < 0 || s.Score > 1+1e-9 {
				t.Fatalf("out of range: %+v", s)
			}
			if i > 0 && s.Score > ranked[i-1].Scores.Score {
				t.Fatal("not sorted")
			}
			for _, other := range ranked[i+1:] { // ranked lower
				if other.Flat > r.Flat && other.Title > r.Title && (other.Cosine > r.Cosine || !list.Semantic) && other.UpdatedAt.After(r.UpdatedAt) &&
					other.Scores.Score < s.Score-1e-12 {
					t.Fatalf("%+v is better in everything and ranks below %+v", other, r)
				}
			}
		}
	})
}

// Each setting moves a score in the direction that its name says, and no further than the
// components allow.
func TestBlendSettings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		cfg := retrieve.DefaultConfig()
		cfg.RecencyFloor = 0.5
		scores := func(change func(*retrieve.Config, *retrieve.Blending)) map[document.ChunkID]retrieve.Scores {
			c, b := cfg, retrieve.Blending{Alpha: 0.4, Now: now}
			change(&c, &b)
			out := make(map[document.ChunkID]retrieve.Scores)
			for _, r := range c.Blend(list, b) {
				out[r.Chunk] = r.Scores
			}
			return out
		}
		low, high := rapid.Float64Range(0, 0.5).Draw(t, "lower"), rapid.Float64Range(0.5, 1).Draw(t, "higher")
		words := scores(func(_ *retrieve.Config, b *retrieve.Blending) { b.Alpha = low })
		meaning := scores(func(_ *retrieve.Config, b *retrieve.Blending) { b.Alpha = high })
		older := scores(func(c *retrieve.Config, _ *retrieve.Blending) { c.TimeDecay = 1 })
		recent := scores(func(_ *retrieve.Config, b *retrieve.Blending) { b.FavorRecent = true })
		floored := scores(func(c *retrieve.Config, _ *retrieve.Blending) { c.RecencyFloor = high })
		titles := scores(func(c *retrieve.Config, _ *retrieve.Blending) { c.TitleRatio = 1 })
		bodies := scores(func(c *retrieve.Config, _ *retrieve.Blending) { c.TitleRatio = 0 })
		for id, s := range scores(func(*retrieve.Config, *retrieve.Blending) {}) {
			blend := s.Score / (s.Boost * s.Recency)
			if blend < min(s.Keyword, s.Semantic)-1e-9 || list.Semantic && blend > max(s.Keyword, s.Semantic)+1e-9 {
				t.Fatalf("the blend %v does not lie between its sides: %+v", blend, s)
			}
			if list.Semantic && list.MaxFlat+list.MaxTitle > 0 && (meaning[id].Score-words[id].Score)*(s.Semantic-s.Keyword) < -1e-9 {
				t.Fatalf("more of the semantic side goes the wrong way: %v, then %v; %+v", words[id].Score, meaning[id].Score, s)
			}
			if older[id].Recency > s.Recency || recent[id].Recency > s.Recency || floored[id].Recency < s.Recency {
				t.Fatalf("recency %v; with more decay %v, recent favoured %v, a higher floor %v", s.Recency, older[id].Recency, recent[id].Recency, floored[id].Recency)
			}
			for other := range titles {
				a, b := list.Entries[id], list.Entries[other]
				if a.Title > b.Title && titles[id].Keyword < titles[other].Keyword || a.Flat > b.Flat && bodies[id].Keyword < bodies[other].Keyword {
					t.Fatalf("the title ratio does not choose the field: %+v and %+v", titles[id], titles[other])
				}
			}
		}
		plain := scores(func(*retrieve.Config, *retrieve.Blending) {})
		for i := range list.Entries {
			list.Entries[i].Boost = 2
		}
		for id, s := range scores(func(*retrieve.Config, *retrieve.Blending) {}) {
			if math.Abs(s.Score-2*plain[id].Score) > 1e-9 {
				t.Fatalf("a boost of 2 makes %v of %v", s.Score, plain[id].Score)
			}
		}
	})
}

func TestBlendByHand(t *testing.T) {
	t.Parallel()
	list := retrieve.List{MaxFlat: 10, MaxTitle: 4, Semantic: true, Entries: []retrieve.Candidate{
		{Chunk: 1, Boost: 1, UpdatedAt: now, Flat: 10, Title: 0, Cosine: 0.2},
		{Chunk: 2, Boost: 1, UpdatedAt: years(1), Flat: 5, Title: 4, Cosine: 0.8},
		{Chunk: 3, Boost: 2, UpdatedAt: now, Flat: 0, Title: 0, Cosine: 0.5},
	}}
	// keyword before min-max: 0.9, 0.55, 0; semantic: 0, 1, 0.5.
	got := make(map[document.ChunkID]float64)
	cfg := retrieve.DefaultConfig()
	cfg.RecencyFloor = 0.5
	for _, r := range cfg.Blend(list, retrieve.Blending{Alpha: 0.25, Now: now}) {
		got[r.Chunk] = r.Scores.Score
	}
	want := map[document.ChunkID]float64{1: 0.75, 2: (0.75*0.55/0.9 + 0.25) / 1.5, 3: 0.25 * 0.5 * 2}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

// A chunk that has no vector yet does not change how those with vectors compare.
func TestBlendByVectorsOnly(t *testing.T) {
	t.Parallel()
	config := retrieve.DefaultConfig()
	list := retrieve.List{Semantic: true, MaxFlat: 2, MaxTitle: 1, Entries: []retrieve.Candidate{
		{Chunk: 1, First: 1, Boost: 1, Flat: 2, Cosine: 0.5, KeywordPos: 1, VectorPos: 2, UpdatedAt: now},
		{Chunk: 2, First: 2, Boost: 1, Flat: 1, Cosine: 0.7, KeywordPos: 2, VectorPos: 1, UpdatedAt: now},
	}}
	semantic := func(l retrieve.List) map[document.ChunkID]float64 {
		of := make(map[document.ChunkID]float64)
		for _, r := range config.Blend(l, retrieve.Blending{Alpha: 0.5, Now: now}) {
			of[r.Chunk] = r.Scores.Semantic
		}
		return of
	}
	before := semantic(list)
	list.Entries = append(list.Entries, retrieve.Candidate{Chunk: 3, First: 3, Boost: 1, Flat: 1.5, KeywordPos: 3, UpdatedAt: now})
	after := semantic(list)
	if before[1] != after[1] || before[2] != after[2] {
		t.Errorf("the semantic scores are %v, and %v with a chunk without a vector", before, after)
	}
	if after[3] <= 0 || after[3] >= 1 {
		t.Errorf("the chunk without a vector has %v on the semantic side, its keyword score expected", after[3])
	}
}

func TestEffectiveAlpha(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		list retrieve.List
		in   float64
		want float64
	}{
		{"both sides", retrieve.List{MaxFlat: 1, Semantic: true}, 0.4, 0.4},
		{"no vectors", retrieve.List{MaxFlat: 1}, 0.4, 0},
		{"no word matched", retrieve.List{Semantic: true}, 0.4, 1},
		{"only a title matched", retrieve.List{MaxTitle: 1, Semantic: true}, 0.4, 0.4},
		{"above 1", retrieve.List{MaxFlat: 1, Semantic: true}, 3, 1},
		{"below 0", retrieve.List{MaxFlat: 1, Semantic: true}, -3, 0},
		{"not a number", retrieve.List{MaxFlat: 1, Semantic: true}, math.NaN(), 0},
	} {
		if got := retrieve.EffectiveAlpha(c.list, c.in); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFavorRecentPutsTheNewerFirst(t *testing.T) {
	t.Parallel()
	list := retrieve.List{MaxFlat: 10, Entries: []retrieve.Candidate{
		{Chunk: 1, Boost: 1, UpdatedAt: years(0.9), Flat: 10},
		{Chunk: 2, Boost: 1, UpdatedAt: now, Flat: 6.6},
		{Chunk: 3, Boost: 1, UpdatedAt: now, Flat: 0.1},
	}}
	first := func(recent bool) document.ChunkID {
		return retrieve.DefaultConfig().Blend(list, retrieve.Blending{FavorRecent: recent, Now: now})[0].Chunk
	}
	if first(false) != 1 || first(true) != 2 {
		t.Errorf("first without favouring: %d, with: %d; want 1 and 2", first(false), first(true))
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	ranked := func(ids ...document.ChunkID) []retrieve.Ranked {
		var out []retrieve.Ranked
		for _, id := range ids {
			out = append(out, retrieve.Ranked{Candidate: retrieve.Candidate{Chunk: id}, Scores: retrieve.Scores{Keyword: float64(id)}})
		}
		return out
	}
	got := retrieve.Fuse([][]retrieve.Ranked{ranked(1, 2, 3), ranked(3, 4), nil}, []float64{1, 2, 5})
	type row struct {
		ID    document.ChunkID
		Score float64
	}
	var rows []row
	for _, r := range got {
		rows = append(rows, row{r.Chunk, r.Scores.Score})
		if r.Scores.RRF != r.Scores.Score || r.Scores.Keyword != float64(r.Chunk) {
			t.Errorf("components of %d: %+v", r.Chunk, r.Scores)
		}
	}
	want := []row{{3, 1.0/53 + 2.0/51}, {4, 2.0 / 52}, {1, 1.0 / 51}, {2, 1.0 / 52}}
	if diff := cmp.Diff(want, rows, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("fused (-want +got):\n%s", diff)
	}
	if single := retrieve.Fuse([][]retrieve.Ranked{ranked(5)}, []float64{1}); single[0].Scores.RRF != 0 {
		t.Error("a single ranking was fused")
	}
}

// Ranking higher in one query, all else equal, never ranks lower in the fusion.
func TestFuseIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		perm := rapid.Permutation([]document.ChunkID{0, 1, 2, 3, 4, 5})
		var rankings [][]retrieve.Ranked
		place := make(map[document.ChunkID][]int)
		weights := make([]float64, rapid.IntRange(2, 4).Draw(t, "queries"))
		for q := range weights {
			weights[q] = rapid.Float64Range(0.1, 2).Draw(t, "weight")
			var ranking []retrieve.Ranked
			for i, id := range perm.Draw(t, "ranking") {
				ranking = append(ranking, retrieve.Ranked{Candidate: retrieve.Candidate{Chunk: id}})
				place[id] = append(place[id], i)
			}
			rankings = append(rankings, ranking)
		}
		fused := retrieve.Fuse(rankings, weights)
		for i, high := range fused {
			for _, low := range fused[i+1:] {
				better := true
				for q := range weights {
					better = better && place[low.Chunk][q] < place[high.Chunk][q]
				}
				if better {
					t.Fatalf("%d is above %d in every query and below in the fusion", low.Chunk, high.Chunk)
				}
			}
		}
	})
}

func TestConfigIsClipped(t *testing.T) {
	t.Parallel()
	h, err := retrieve.NewHybrid(empty{}, nil, retrieve.Config{Alpha: 7, TitleRatio: -1, MaxChunks: -3, Above: -1, Below: 2, TimeDecay: -1,
		FavorRecent: math.NaN(), RecencyFloor: 2, PerSide: 0, MinCoverage: 9, MinCosine: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := retrieve.Config{Alpha: 1, TitleRatio: 0, MaxChunks: 10, Above: 0, Below: 2, TimeDecay: 0, FavorRecent: 2, RecencyFloor: 1, PerSide: 300, EmbedWait: retrieve.DefaultEmbedWait,
		MinCoverage: 1, MinCosine: 0}
	if diff := cmp.Diff(want, h.Config()); diff != "" {
		t.Errorf("clipped (-want +got):\n%s", diff)
	}
	if _, err := retrieve.NewHybrid(nil, nil, retrieve.DefaultConfig()); err == nil {
		t.Error("a retriever without an index was created")
	}
}

// Where all documents have one date, or none, dates change no order, whatever the question asks
// for.
func TestEqualDatesKeepOrder(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{years(7), now, now.AddDate(3, 0, 0), time.Unix(0, 0), {}} {
		list := retrieve.List{MaxFlat: 10, Entries: []retrieve.Candidate{
			{Chunk: 1, Boost: 1, UpdatedAt: at, Flat: 5}, {Chunk: 2, Boost: 1, UpdatedAt: at, Flat: 10}, {Chunk: 3, Boost: 1, UpdatedAt: at, Flat: 7},
		}}
		for _, favored := range []bool{false, true} {
			ranked := retrieve.DefaultConfig().Blend(list, retrieve.Blending{FavorRecent: favored, Now: now})
			if len(ranked) != 3 || ranked[0].Chunk != 2 || ranked[1].Chunk != 3 || ranked[2].Chunk != 1 {
				t.Errorf("dated %v, recent favored %v: %+v", at, favored, ranked)
			}
		}
	}
}

// An old page keeps nearly all of its score, unless the newest is asked for.
func TestAgeCountsLittleByDefault(t *testing.T) {
	t.Parallel()
	list := retrieve.List{MaxFlat: 10, Entries: []retrieve.Candidate{
		{Chunk: 1, Boost: 1, UpdatedAt: years(9), Flat: 10}, {Chunk: 2, Boost: 1, UpdatedAt: now, Flat: 9}, {Chunk: 3, Boost: 1, UpdatedAt: now, Flat: 1},
	}}
	for favored, want := range map[bool]document.ChunkID{false: 1, true: 2} {
		ranked := retrieve.DefaultConfig().Blend(list, retrieve.Blending{FavorRecent: favored, Now: now})
		if ranked[0].Chunk != want {
			t.Errorf("recent favored %v: first %d, want %d", favored, ranked[0].Chunk, want)
		}
	}
}
