// Package pgindex is the search index in PostgreSQL. It stores documents with their chunks and
// sources, and has a keyword side (keyword_*: exact BM25 from packed postings) and a semantic side
// (vector_*). It also stores who may read each document (acl_*). One [Index] writes and searches
// all of it in one snapshot of the database.
//
// Questions, answers and posts do not belong here. Package core/retrieve blends the results of both
// sides.
package pgindex

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

var (
	_ retrieve.Index = (*Index)(nil)
	_ index.Store    = (*Index)(nil)
)

// Config tunes the index. Zero fields get the defaults named.
type Config struct {
	// FreshLimit is the number of chunks that wait before they are packed into a segment; 4,096.
	// Until then a search reads them row by row.
	FreshLimit int
	// ExactLimit is the largest number of allowed chunks for which a search compares every vector
	// although sketches of them are in memory; 2,000.
	ExactLimit int
	// CacheBytes limits the memory for cached segments; 1 GiB. The cache has the bitmaps of
	// readable chunks for each combination of access lists (1 bit a chunk), and the positions of
	// documents (24 bytes a document). It also has postings of searched words (4 bytes each), and
	// sketches of vectors (4 bytes and 1 bit a dimension for each chunk). Sketches are cached only
	// while those of an index fit into three quarters of it. Searches read everything else from the
	// tables.
	CacheBytes int64
	// Precision of vectors of new models: "halfvec" (16 bits a number, the default) or "vector" (32
	// bits).
	Precision string
	// Engine is a search engine that replaces searches in PostgreSQL once it has the whole index.
	// It receives every change. Nil for none.
	Engine engine.Engine
	// Measure receives the duration of each stage of writing ("analyse", "write", "pack" …), from
	// any goroutine. It may be nil.
	Measure func(stage string, took time.Duration)
	// Logger logs packing and indexes; slog.Default if nil.
	Logger *slog.Logger
}

// DefaultCacheBytes is the default of Config.CacheBytes.
const DefaultCacheBytes = 1 << 30

func (c Config) withDefaults() Config {
	if c.FreshLimit == 0 {
		c.FreshLimit = 4096
	}
	if c.ExactLimit == 0 {
		c.ExactLimit = exactLimit
	}
	if c.CacheBytes == 0 {
		c.CacheBytes = DefaultCacheBytes
	}
	if c.Precision == "" {
		c.Precision = precisionHalf
	}
	if c.Measure == nil {
		c.Measure = func(string, time.Duration) {}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

func (c Config) validate() error {
	var faults []error
	if c.FreshLimit < 1 {
		faults = append(faults, fmt.Errorf("chunks that wait for packing: %d is below 1", c.FreshLimit))
	}
	if c.ExactLimit < 0 {
		faults = append(faults, fmt.Errorf("limit of the exact vector route: %d is below 0", c.ExactLimit))
	}
	if c.CacheBytes < 0 {
		faults = append(faults, fmt.Errorf("memory for the index: %d bytes is negative", c.CacheBytes))
	}
	if c.Precision != precisionHalf && c.Precision != precisionFull {
		faults = append(faults, fmt.Errorf("vector precision %q: write halfvec or vector", c.Precision))
	}
	return errors.Join(faults...)
}

// Index is the search index in PostgreSQL: exact BM25 from packed postings, pgvector, and access
// lists. It is safe for concurrent use by any number of processes. Searches see one consistent
// state. Documents can be found as soon as their write returns.
type Index struct {
	db       *postgres.DB
	cfg      Config
	cache    *segmentCache
	spaces   spaces
	names    *pgknowledge.Writer
	searches atomic.Int64 // number of searches that compared vectors
	rooms    sync.Map     // of space: models for which indexes of the search engine have room
}

// New returns the index stored in db.
func New(db *postgres.DB, cfg Config) (*Index, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Index{db: db, cfg: cfg, cache: newSegmentCache(cfg.CacheBytes), names: pgknowledge.NewWriter()}, nil
}

// CacheBytes returns how much memory this process's segment cache uses now.
func (x *Index) CacheBytes() int64 { return x.cache.bytes() }

// Fields of the keyword index, as stored.
const (
	fieldFlat  = 0 // title, headings and body together
	fieldTitle = 1
)

// Precisions of vectors, named like the types of pgvector.
const (
	precisionHalf = "halfvec"
	precisionFull = "vector"
)
