// Package pgindex is the search index in PostgreSQL. It stores documents with their chunks and
// sources, and who may read each document (acl_*). The keyword side (keyword_*) computes exact BM25
// from packed postings. The semantic side (vector_*) compares vectors. An [Index] writes and
// searches both sides in one snapshot of the database.
//
// Questions, answers and posts do not belong here. Package core/retrieve combines the results of
// both sides.
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

// Config configures the index. Zero fields get defaults.
type Config struct {
	// FreshLimit is the number of newly written chunks in a shard that triggers packing them into a
	// segment. The default is 4,096. Searches read unpacked chunks row by row.
	FreshLimit int
	// ExactLimit is the number of chunks up to which a search compares the vector of each chunk
	// that it may return. Above it, compact sketches of the vectors in memory select candidates
	// first. The default is 2,000.
	ExactLimit int
	// CacheBytes limits the memory for cached segments, in bytes. The default is 1 GiB. The cache
	// holds:
	//
	// - bitmaps of readable chunks for each combination of access lists (1 bit per chunk).
	// - positions of documents (24 bytes per document).
	// - postings of searched words (4 bytes each).
	// - sketches of vectors (4 bytes and 1 bit per dimension for each chunk).
	//
	// Sketches are cached only while the sketches of an index fit into three quarters of the cache.
	// Searches read all other data from the tables.
	CacheBytes int64
	// Precision is the precision of vectors of new models: "halfvec" (16 bits per number, the
	// default) or "vector" (32 bits).
	Precision string
	// Engine is a search engine, or nil. It receives every change. Once it has the whole index, it
	// answers searches instead of PostgreSQL.
	Engine engine.Engine
	// Measure is called with the duration of each stage of writing ("analyse", "write", "pack" …),
	// from any goroutine. It may be nil.
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

// Index is the search index in PostgreSQL: exact BM25, vectors of pgvector, and access lists. It is
// safe for concurrent use by any number of processes. A document can be found as soon as the call
// that wrote it returns.
type Index struct {
	db       *postgres.DB
	cfg      Config
	cache    *segmentCache
	spaces   spaces
	names    *pgknowledge.Writer
	searches atomic.Int64 // number of searches that compared vectors
	rooms    sync.Map     // set of space: vector fields known to exist in the search engine
}

// New returns the index stored in db.
func New(db *postgres.DB, cfg Config) (*Index, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Index{db: db, cfg: cfg, cache: newSegmentCache(cfg.CacheBytes), names: pgknowledge.NewWriter()}, nil
}

// CacheBytes returns the current size of this process's segment cache, in bytes.
func (x *Index) CacheBytes() int64 { return x.cache.bytes() }

// Numbers of the keyword index's fields, as stored in the database.
const (
	fieldFlat  = 0 // title, headings and body together
	fieldTitle = 1
)

// Precisions of vectors, by the names of the pgvector types.
const (
	precisionHalf = "halfvec"
	precisionFull = "vector"
)
