// Package pgindex is the search index in PostgreSQL: documents with their chunks and sources, the
// keyword side (keyword_*: exact BM25 from packed postings), the semantic side (vector_*), and who
// may read what (acl_*). One [Index] writes and searches all of it in one state of the database.
//
// What is asked, answered or posted does not belong here, nor how results of both sides are
// blended: that is core/retrieve.
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
	// FreshLimit is how many chunks wait before they are packed into a segment; 4,096. Until then a
	// search reads them row by row.
	FreshLimit int
	// ExactLimit is up to how many allowed chunks every vector is compared although there are
	// sketches of them in memory; 2,000.
	ExactLimit int
	// CacheBytes caps the memory for what is remembered of segments: what may be found there by
	// each combination of access lists, 1 bit a chunk; where documents begin, 24 bytes a document;
	// the postings of words that were asked for, 4 bytes each; and the sketches of vectors, 4 bytes
	// and 1 bit a dimension for each chunk, as long as those of an index fit into three quarters of
	// it; 1 GiB. What there is no room for is read from the tables.
	CacheBytes int64
	// Precision of vectors of new models: "halfvec" (16 bits a number, the default) or "vector" (32
	// bits).
	Precision string
	// Engine searches instead of PostgreSQL, once it has the whole index, and gets every change;
	// nil for none.
	Engine engine.Engine
	// Measure hears how long each stage of writing took ("analyse", "write", "pack" …), from any
	// goroutine; nil: no one.
	Measure func(stage string, took time.Duration)
	// Logger hears about packing and indexes; the default logger if nil.
	Logger *slog.Logger
}

// DefaultCacheBytes is Config.CacheBytes unless told otherwise.
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
// state; what a write stored is found from its return on.
type Index struct {
	db       *postgres.DB
	cfg      Config
	cache    *segmentCache
	spaces   spaces
	names    *pgknowledge.Writer
	searches atomic.Int64 // that compared vectors
	rooms    sync.Map     // of space: models for which indexes of the search engine have room
}

// New returns the index kept in db.
func New(db *postgres.DB, cfg Config) (*Index, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Index{db: db, cfg: cfg, cache: newSegmentCache(cfg.CacheBytes), names: pgknowledge.NewWriter()}, nil
}

// CacheBytes is how much memory this process uses now for what it remembers of segments.
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
