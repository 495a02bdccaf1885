package pgindex

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/sketch"
)

const (
	// sketchCandidates is the number of chunks that sketches select for the exact comparison.
	// Measured with 256 dimensions (make bench-search), 400 candidates contain 99 % of the ten most
	// similar of 100,000 chunks. They contain 96 % of the ten most similar of a million chunks.
	sketchCandidates = 600
	// sketchBatch is the number of vectors that are read at a time to compute sketches.
	// sketchRounds is the maximum number of such batches in one search.
	sketchBatch  = 8192
	sketchRounds = 16
	// sketchAfter is the number of searches after which a process computes all sketches. A command
	// that searches only once should not compute them.
	sketchAfter = 3
	// sketchShare is the part of the cache that the sketches of an index may take, in quarters.
	// Larger indexes are searched without sketches.
	sketchShare = 3
)

// sketches holds the sketches of a model's vectors for a block of chunk ids. A sketch is a compact
// approximation of a vector, and never changes. version is that of the model's row, which changes
// if chunks get vectors later.
type sketches struct {
	mu            sync.RWMutex
	block         *sketch.Block
	sketched      bm25.Bitmap
	withoutVector bm25.Bitmap // chunks that have no vector in version
	version       int64
}

type spaces struct {
	mu      sync.Mutex
	byModel map[int32]*sketch.Space
}

// mostSpaces limits how many values of type [sketch.Space] are in memory. When it is reached, all
// are dropped and built again when needed.
const mostSpaces = 1024

func (s *spaces) get(model int32) *sketch.Space {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byModel[model]
}

func (s *spaces) put(model int32, space *sketch.Space) *sketch.Space {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byModel[model]; found != nil {
		return found
	}
	if s.byModel == nil || len(s.byModel) >= mostSpaces {
		s.byModel = make(map[int32]*sketch.Space)
	}
	s.byModel[model] = space
	return space
}

func (s *search) fitting(m model) bool {
	var blocks int64
	for _, sh := range s.snapshot.shards {
		blocks += (sh.nextChunk + bm25.BlockSize - 1) / bm25.BlockSize
	}
	return blocks*sketch.BlockBytes(int(m.dimensions)) <= s.index.cfg.CacheBytes/4*sketchShare
}

// ensureSketches computes missing sketches, and reports whether every readable vector has a sketch.
// The first searches of a process compute sketches only if at most sketchBatch are missing.
func (s *search) ensureSketches(ctx context.Context, m model) (bool, error) {
	searches := s.index.searches.Add(1)
	for rounds := 0; ; rounds++ {
		missing, low, high := s.missingRange(m)
		if missing == 0 {
			return s.holdSketches(m), nil
		}
		if rounds == sketchRounds || searches <= sketchAfter && missing > sketchBatch {
			return false, nil
		}
		if err := s.sketch(ctx, m, low, high); err != nil {
			return false, err
		}
	}
}

// holdSketches stores the sketches of all allowed blocks in s.sketches. It returns false if the
// cache has just evicted some of them.
func (s *search) holdSketches(m model) bool {
	s.sketches = make(map[blockKey]*sketches, len(s.scope.allowed))
	for key := range s.scope.allowed {
		if s.sketches[key] = s.sketchesOf(m, key); s.sketches[key] == nil {
			return false
		}
	}
	return true
}

func (s *search) sketchesOf(m model, key blockKey) *sketches {
	entry, found := s.index.cache.get(s.sketchKey(m, key))
	if !found || entry.sketches.block.Space() != s.index.spaces.get(m.number) {
		return nil
	}
	return entry.sketches
}

func (s *search) sketchKey(m model, key blockKey) segmentKey {
	return segmentKey{tenant: s.request.Audience.Tenant(), kind: kindSketches, shard: key.shard, segment: key.block, model: m.number}
}

type chunkPlace struct {
	shard int16
	id    int64
}

// missingRange returns how many chunks that the search may return have no sketch in memory. It also
// returns the range of ids to read next, of at most sketchBatch ids, from low up to but excluding
// high.
func (s *search) missingRange(m model) (missing int, low, high chunkPlace) {
	for key, allowed := range s.scope.allowed {
		first := -1
		sk := s.sketchesOf(m, key)
		if sk != nil {
			sk.mu.RLock()
		}
		for i, w := range allowed {
			if sk != nil {
				w &^= sk.sketched[i]
				if sk.version == m.version {
					w &^= sk.withoutVector[i]
				}
			}
			if w != 0 && first < 0 {
				first = i << 6
			}
			missing += bits.OnesCount64(w)
		}
		if sk != nil {
			sk.mu.RUnlock()
		}
		if first >= 0 && high.id == 0 {
			low = chunkPlace{key.shard, bm25.Join(key.block, uint16(first))}
			high = chunkPlace{key.shard, min(low.id+sketchBatch, bm25.Join(key.block+1, 0), s.snapshot.nextChunk(key.shard))}
		}
	}
	return missing, low, high
}

func (s *snapshot) nextChunk(shard int16) int64 {
	for _, sh := range s.shards {
		if sh.shard == shard {
			return sh.nextChunk
		}
	}
	return 0
}

// sketch reads a range of vectors and caches their sketches, regardless of permissions. It uses the
// primary key.
func (s *search) sketch(ctx context.Context, m model, low, high chunkPlace) error {
	rows, err := s.conn.Query(ctx, `select chunk, `+m.precision+`_send(`+m.column()+`) from embedding
		where tenant_id = $1 and shard = $2 and model = $3 and chunk >= $4 and chunk < $5 order by chunk`,
		string(s.request.Audience.Tenant()), low.shard, m.number, low.id, high.id)
	if err != nil {
		return fmt.Errorf("read vectors to be sketched: %w", err)
	}
	defer rows.Close()
	var offsets []uint16
	var vectors [][]float32
	for rows.Next() {
		var id int64
		var v rawVector
		if err := rows.Scan(&id, &v); err != nil {
			return fmt.Errorf("read vectors to be sketched: %w", err)
		}
		if len(v) == int(m.dimensions) {
			offsets, vectors = append(offsets, uint16(id)), append(vectors, v)
		}
	}
	if rows.Err() != nil {
		return fmt.Errorf("read vectors to be sketched: %w", rows.Err())
	}
	space := s.index.spaces.get(m.number)
	if space == nil {
		sample := vectors
		if len(sample) == 0 {
			sample = [][]float32{make([]float32, m.dimensions)}
		}
		space = s.index.spaces.put(m.number, sketch.NewSpace(sample))
	}
	s.remember(m, space, low, high, offsets, vectors)
	return nil
}

// remember caches the sketches of vectors. It marks the other chunks of the range as chunks without
// a vector.
func (s *search) remember(m model, space *sketch.Space, low, high chunkPlace, offsets []uint16, vectors [][]float32) {
	key, from := blockOf(low.shard, low.id)
	sk := s.sketchesOf(m, key)
	if sk == nil {
		sk = &sketches{block: sketch.NewBlock(space), version: m.version}
		size := sketch.BlockBytes(int(m.dimensions)) + 2*bm25.BlockSize/8 + 512
		s.index.cache.put(&cached{key: s.sketchKey(m, key), sketches: sk, size: size})
	}
	sk.mu.Lock()
	defer sk.mu.Unlock()
	if sk.version != m.version {
		sk.version, sk.withoutVector = m.version, bm25.Bitmap{}
	}
	sk.withoutVector.Set(int(from), int(high.id-low.id))
	for _, offset := range offsets {
		sk.sketched.Set(int(offset), 1)
	}
	sk.block.Put(offsets, vectors)
}

// nearest starts a search in memory for the n most similar chunks. The caller must hold the locks
// of all sketches until the search ends.
func (s *search) nearest(q []float32, n int) *sketch.Search {
	var parts []sketch.Part
	var space *sketch.Space
	for _, key := range slices.SortedFunc(maps.Keys(s.sketches), compareBlocks) {
		sk := s.sketches[key]
		space = sk.block.Space()
		wanted := *s.scope.allowed[key]
		for i := range wanted {
			wanted[i] &= sk.sketched[i]
		}
		parts = append(parts, sketch.Part{Base: int64(chunkID(key.shard, bm25.Join(key.block, 0))), Block: sk.block, Wanted: &wanted})
	}
	return space.Query(q).Search(parts, n)
}

func (s *search) lockSketches() (unlock func()) {
	// Always in the same order, to avoid deadlocks.
	for _, key := range slices.SortedFunc(maps.Keys(s.sketches), compareBlocks) {
		s.sketches[key].mu.RLock()
	}
	return func() {
		for _, sk := range s.sketches {
			sk.mu.RUnlock()
		}
	}
}

func compareBlocks(a, b blockKey) int {
	return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.block, b.block))
}

// rawVector reads a halfvec or a vector in PostgreSQL's binary form (halfvec_send, vector_send).
type rawVector []float32

// ScanBytes implements pgtype.BytesScanner.
func (v *rawVector) ScanBytes(src []byte) error {
	if len(src) < 4 {
		return fmt.Errorf("a vector of %d bytes", len(src))
	}
	n, src := int(binary.BigEndian.Uint16(src)), src[4:]
	*v = make([]float32, n)
	switch len(src) {
	case 2 * n:
		for i := range *v {
			(*v)[i] = fromHalf(binary.BigEndian.Uint16(src[2*i:]))
		}
	case 4 * n:
		for i := range *v {
			(*v)[i] = math.Float32frombits(binary.BigEndian.Uint32(src[4*i:]))
		}
	default:
		return fmt.Errorf("a vector of %d dimensions in %d bytes", n, len(src))
	}
	return nil
}

// fromHalf converts a 16-bit floating-point number (IEEE 754 binary16). It is wrong for infinities,
// which pgvector does not store.
func fromHalf(h uint16) float32 {
	return math.Float32frombits(uint32(h&0x8000)<<16|uint32(h&0x7fff)<<13) * 0x1p112
}
