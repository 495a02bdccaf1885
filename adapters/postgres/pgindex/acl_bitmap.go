package pgindex

import (
	"container/list"
	"math/bits"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// segmentKey is the key of an entry in the segment cache. Which fields are set depends on kind.
type segmentKey struct {
	tenant   access.TenantID
	kind     kind
	shard    int16
	segment  int32
	audience string // readableKey of bitmaps, access.Audience.Key of lists
	term     string
	model    int32
}

type kind uint8

const (
	kindBitmap kind = iota // chunks of a segment that some access lists allow
	kindPlaces             // documents of a segment
	kindTerm               // postings of a term in some segments
	// kindSketches is for sketches, which are compact approximations of vectors. An entry has the
	// sketches of one model for one block of chunk ids. Its field segment is the number of the
	// block.
	kindSketches
	kindOutline // outline of a tenant's index
	kindLists   // access lists that an audience may read
)

// segmentBitmap is a set of chunks of a segment, for one version (epoch) of the segment. It is
// immutable once it is cached.
type segmentBitmap struct {
	epoch int32
	bits  *bm25.Bitmap
	count int
}

// bitmapSize is the approximate size of a bitmap in the cache, in bytes, with its key and map
// entry.
const bitmapSize = bm25.BlockSize/8 + 512

// segmentCache is an LRU cache with a maximum size in bytes. It holds the data about segments that
// searches need. Readers must compare the version (epoch) of a bitmap with that of its segment.
type segmentCache struct {
	mu      sync.Mutex
	max     int64
	used    int64
	entries map[segmentKey]*list.Element
	recent  *list.List // of *cached, most recently used first
}

type cached struct {
	key      segmentKey
	bitmap   segmentBitmap
	places   places
	term     termLists
	sketches *sketches
	outline  *outline
	lists    audienceLists
	size     int64
}

func newSegmentCache(maxBytes int64) *segmentCache {
	return &segmentCache{max: maxBytes, entries: make(map[segmentKey]*list.Element), recent: list.New()}
}

func (c *segmentCache) get(key segmentKey) (*cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, found := c.entries[key]
	if !found {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached), true
}

// put stores an entry unless the cached one has a newer epoch. It evicts the least recently used
// entries if the cache is full.
func (c *segmentCache) put(entry *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, found := c.entries[entry.key]; found {
		old := e.Value.(*cached)
		if old.bitmap.epoch > entry.bitmap.epoch {
			return
		}
		c.used -= old.size
		c.recent.Remove(e)
	}
	c.entries[entry.key] = c.recent.PushFront(entry)
	c.used += entry.size
	for c.used > c.max {
		last := c.recent.Back()
		old := last.Value.(*cached)
		delete(c.entries, old.key)
		c.recent.Remove(last)
		c.used -= old.size
	}
}

func (c *segmentCache) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

func popcount(b *bm25.Bitmap) int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func clearRange(b *bm25.Bitmap, from, n int) {
	for i := from; i < min(from+n, bm25.BlockSize); i++ {
		b[i>>6] &^= 1 << (i & 63)
	}
}
