package index_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

// shelf is a VectorStore of chunks that have no vector.
type shelf struct {
	texts  []string
	batch  int
	read   int // texts that were yielded
	stored int
	puts   int
	err    error // after the last batch
}

func (s *shelf) SearchTexts(context.Context, access.TenantID, string) iter.Seq2[[]index.ChunkText, error] {
	return func(yield func([]index.ChunkText, error) bool) {
		for texts := range slices.Chunk(s.texts, s.batch) {
			batch := make([]index.ChunkText, len(texts))
			for i, text := range texts {
				batch[i] = index.ChunkText{Chunk: document.ChunkID(s.read + i + 1), Text: text}
			}
			s.read += len(texts)
			if !yield(batch, nil) {
				return
			}
		}
		if s.err != nil {
			yield(nil, s.err)
		}
	}
}

func (s *shelf) PutVectors(_ context.Context, _ access.TenantID, _ string, chunks []document.ChunkID, _ [][]float32) error {
	s.stored += len(chunks)
	s.puts++
	return nil
}

// numbers is an embedder whose vectors say nothing.
type numbers struct{}

func (numbers) Model() string   { return "numbers" }
func (numbers) Dimensions() int { return 1 }

func (numbers) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{{1}}, len(texts)), nil
}

func TestFillReportsEachCallOfTheModel(t *testing.T) {
	t.Parallel()
	store := &shelf{texts: slices.Repeat([]string{"a b"}, 10), batch: 6}
	var done []int
	err := index.Fill(t.Context(), store, access.DefaultTenant, numbers{}, index.Config{EmbedBatch: 2}, func(n int) { done = append(done, n) })
	if want := []int{2, 4, 6, 8, 10}; err != nil || !slices.Equal(done, want) || store.stored != 10 {
		t.Errorf("reports %v, want %v; %d stored, error %v", done, want, store.stored, err)
	}
}

// A slow model's texts are embedded one by one, and stored after StoreEvery. Fill pauses once it
// has stored something.
func TestFillStoresVectorsOfASlowModelOften(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		until        time.Duration
		puts, stored int
		err          error
	}{
		{"to the end", 0, 5, 10, nil},
		{"pauses", time.Nanosecond, 1, 2, index.ErrPaused},
	} {
		store := &shelf{texts: slices.Repeat([]string{"a b"}, 10), batch: 10}
		now := time.Unix(0, 0)
		config := index.Config{StoreEvery: 2 * time.Second, Now: func() time.Time { return now }}
		if tt.until > 0 {
			config.Until = now.Add(tt.until)
		}
		err := index.Fill(t.Context(), store, access.DefaultTenant, numbers{}, config, func(int) { now = now.Add(time.Second) })
		if !errors.Is(err, tt.err) || store.puts != tt.puts || store.stored != tt.stored {
			t.Errorf("%s: stored %d in %d calls, error %v; want %d in %d, %v", tt.name, store.stored, store.puts, err, tt.stored, tt.puts, tt.err)
		}
	}
}

func TestFillStateIsCompleteWhileFewChunksLackAVector(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		chunks, missing  int64
		complete, wanted bool
	}{
		{0, 0, false, false},
		{0, 0, true, false},
		{5, 0, false, true},
		{5, 1, false, false},
		{1000, 10, false, true},
		{1000, 11, false, false},
		{1000, 200, true, true},
		{1000, 201, true, false},
	} {
		s := index.FillState{Chunks: tt.chunks, Missing: tt.missing, Complete: tt.complete}
		if got := s.IsComplete(); got != tt.wanted {
			t.Errorf("%+v: %v", s, got)
		}
	}
}

func TestFillStateSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]index.FillState{
		"3 of 3 chunks":                            {Chunks: 3, Rate: 2, Running: true},
		"1 of 3 chunks (33 %)":                     {Chunks: 3, Missing: 2, Rate: 2},
		"0 of 1 chunk (0 %), 2.0/s, 1s left":       {Chunks: 1, Missing: 1, Rate: 2, Running: true},
		"60 of 660 chunks (9 %), 2.0/s, 5m0s left": {Chunks: 660, Missing: 600, Rate: 2, Running: true},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestEstimateBacklog(t *testing.T) {
	t.Parallel()
	down := errors.New("the database is away")
	for _, tt := range []struct {
		name   string
		store  shelf
		chunks int64
		want   index.Backlog
		read   int
		err    error
	}{
		{"nothing", shelf{batch: 256, err: down}, 0, index.Backlog{}, 0, nil},
		{"few are counted", shelf{texts: []string{"a", "b c d"}, batch: 256}, 2, index.Backlog{Chunks: 2, Tokens: 4}, 2, nil},
		{"many are estimated", shelf{texts: slices.Repeat([]string{"a b c"}, 3000), batch: 256}, 3000, index.Backlog{Chunks: 3000, Tokens: 9000}, 1024, nil},
		{"embedded meanwhile", shelf{batch: 256}, 5, index.Backlog{Chunks: 5}, 0, nil},
		{"a fault", shelf{batch: 256, err: down}, 5, index.Backlog{}, 0, down},
	} {
		got, err := index.EstimateBacklog(t.Context(), &tt.store, access.DefaultTenant, "numbers", tt.chunks, words{})
		if got != tt.want || tt.store.read != tt.read || !errors.Is(err, tt.err) {
			t.Errorf("%s: %+v, %d texts read, error %v; want %+v, %d, %v", tt.name, got, tt.store.read, err, tt.want, tt.read, tt.err)
		}
	}
}
