package postgres

import (
	"container/list"
	"math/bits"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// bitmapKey names what an audience may find in a segment. An empty audience stands for everything that is in the index.
type bitmapKey struct {
	tenant   access.TenantID
	shard    int16
	segment  int32
	audience string // access.Audience.Key, with the sources asked for
}

// segmentBitmap marks the chunks of a sealed segment at an epoch. Values are never changed once cached.
type segmentBitmap struct {
	epoch int32
	bits  *bm25.Bitmap
	count int
}

// bitmapSize is what an entry of the cache takes, roughly: the bits, the key, map and list.
const bitmapSize = bm25.BlockSize/8 + 512

// bitmapCache keeps the bitmaps used last, within a number of bytes. A bitmap is right for the epoch it names and for no other: readers
// compare it with the segment's epoch in their own snapshot.
type bitmapCache struct {
	mu      sync.Mutex
	max     int
	entries map[bitmapKey]*list.Element
	recent  *list.List // of cachedBitmap, the newest use first
}

type cachedBitmap struct {
	key    bitmapKey
	bitmap segmentBitmap
}

func newBitmapCache(maxBytes int64) *bitmapCache {
	return &bitmapCache{max: int(maxBytes / bitmapSize), entries: make(map[bitmapKey]*list.Element), recent: list.New()}
}

func (c *bitmapCache) get(key bitmapKey) (segmentBitmap, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, found := c.entries[key]
	if !found {
		return segmentBitmap{}, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(cachedBitmap).bitmap, true
}

// put keeps a bitmap unless a newer one is there.
func (c *bitmapCache) put(key bitmapKey, b segmentBitmap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, found := c.entries[key]; found {
		if e.Value.(cachedBitmap).bitmap.epoch <= b.epoch {
			e.Value = cachedBitmap{key, b}
		}
		c.recent.MoveToFront(e)
		return
	}
	if c.max == 0 {
		return
	}
	c.entries[key] = c.recent.PushFront(cachedBitmap{key, b})
	for c.recent.Len() > c.max {
		last := c.recent.Back()
		delete(c.entries, last.Value.(cachedBitmap).key)
		c.recent.Remove(last)
	}
}

func popcount(b *bm25.Bitmap) int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// clearRange unmarks n chunks from an offset on.
func clearRange(b *bm25.Bitmap, from, n int) {
	for i := from; i < min(from+n, bm25.BlockSize); i++ {
		b[i>>6] &^= 1 << (i & 63)
	}
}

// bytes is what the cached bitmaps take.
func (c *bitmapCache) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.recent.Len()) * bitmapSize
}
