package gitmirror

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/footnotehq/footnote/core/footprint"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// maxObjects and the other constants limit a pack. An object that is too large is omitted, as if
// the server had not sent it. A pack that exceeds another limit is refused.
const (
	maxObjects  = 400_000
	maxUnpacked = 16 << 30 // bytes of all objects, each unpacked as often as it is read
	maxCommit   = 256 << 10
	maxTree     = 8 << 20
	maxInMemory = 8 << 20  // maximum size of a delta and of its base
	maxChain    = 16 << 20 // bytes of all deltas that lead to an object
	maxDepth    = 250      // number of deltas that lead to an object
	baseCache   = 8 << 20
)

var errPack = errors.New("the repository is larger than what is read of one")

// storage stores a Git repository in a folder. It indexes packs without reading whole objects into
// memory, unlike go-git.
type storage struct {
	*filesystem.Storage
	ctx    context.Context //nolint:containedctx // the library's interface has none
	folder string
	begin  func() // called when the pack begins
}

func (m *Mirror) open(ctx context.Context, in *gogit.Repository, folder string, begin func()) (*gogit.Repository, error) {
	held, ok := in.Storer.(*filesystem.Storage)
	if !ok {
		return nil, fmt.Errorf("the repository is kept as %T", in.Storer)
	}
	limited := filesystem.NewStorageWithOptions(held.Filesystem(), cache.NewObjectLRU(baseCache), filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: maxInMemory})
	return gogit.Open(&storage{Storage: limited, ctx: ctx, folder: filepath.Join(folder, "objects", "pack"), begin: begin}, nil)
}

// PackfileWriter implements storer.PackfileWriter.
func (s *storage) PackfileWriter() (io.WriteCloser, error) {
	s.begin()
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.folder, "incoming")
	if err != nil {
		return nil, err
	}
	return &packWriter{file: f, storage: s}, nil
}

type packWriter struct {
	file    *os.File
	storage *storage
	wrote   bool
}

// Write implements io.Writer.
func (w *packWriter) Write(p []byte) (int, error) {
	w.wrote = w.wrote || len(p) > 0
	return w.file.Write(p)
}

// Close indexes the pack and moves it into the repository.
func (w *packWriter) Close() error {
	err := w.keep()
	return errors.Join(err, w.file.Close(), removeIfThere(w.file.Name()))
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (w *packWriter) keep() error {
	if !w.wrote {
		return nil
	}
	index, err := footprint.Hold(w.storage.ctx, footprint.Git, 0, func(ctx context.Context) (*idxfile.MemoryIndex, error) {
		return indexPack(ctx, w.file)
	})
	if err != nil {
		return err
	}
	name := filepath.Join(w.storage.folder, "pack-"+plumbing.Hash(index.PackfileChecksum).String())
	out, err := os.OpenFile(name+".idx", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = idxfile.NewEncoder(out).Encode(index)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, removeIfThere(name+".idx"))
	}
	w.storage.Reindex()
	return os.Rename(w.file.Name(), name+".pack")
}

type packed struct {
	offset int64
	size   int64         // unpacked; for a delta the size of the result
	base   int64         // offset of the delta's base; 0: no delta, or refs has the base's hash
	hash   plumbing.Hash // zero if unknown or skipped
	chain  int32         // bytes of all deltas that lead to it
	crc    uint32
	depth  int16
	kind   plumbing.ObjectType
	delta  bool
	out    bool // skipped
}

type indexer struct {
	ctx      context.Context //nolint:containedctx // of one call of indexPack
	scan     *packfile.Scanner
	objects  []packed              // by offset
	refs     map[int]plumbing.Hash // hash of a delta's base, by index in objects
	byHash   map[plumbing.Hash]int // index in objects by hash, if there are refs
	unpacked int64
	cached   map[int][]byte
	caching  int
}

func indexPack(ctx context.Context, f *os.File) (*idxfile.MemoryIndex, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	x := &indexer{ctx: ctx, scan: packfile.NewScanner(f), refs: make(map[int]plumbing.Hash), cached: make(map[int][]byte)}
	_, n, err := x.scan.Header()
	if err != nil {
		return nil, err
	}
	if n > maxObjects {
		return nil, fmt.Errorf("%w: the server sent %d objects, and %d are read at most", errPack, n, maxObjects)
	}
	if err := x.list(int(n)); err != nil {
		return nil, err
	}
	checksum, err := x.scan.Checksum()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := x.resolve(); err != nil {
		return nil, err
	}
	out := new(idxfile.Writer)
	if err := out.OnHeader(n); err != nil {
		return nil, err
	}
	for _, o := range x.objects {
		if !o.out && !o.hash.IsZero() {
			out.Add(o.hash, uint64(o.offset), o.crc) //nolint:gosec // a place in a file
		}
	}
	x.objects, x.refs, x.byHash, x.cached = nil, nil, nil, nil
	if err := out.OnFooter(checksum); err != nil {
		return nil, err
	}
	return out.Index()
}

func (x *indexer) list(n int) error {
	x.objects = make([]packed, 0, n)
	for i := range n {
		h, err := x.scan.NextObjectHeader()
		if err != nil {
			return err
		}
		o := packed{offset: h.Offset, size: h.Length, base: h.OffsetReference, kind: h.Type, delta: h.Type.IsDelta()}
		if err := x.count(h.Length); err != nil {
			return err
		}
		if h.Type == plumbing.REFDeltaObject {
			x.refs[i] = h.Reference
		}
		var sum plumbing.Hasher
		begins := &beginning{}
		to := io.Writer(begins)
		if !o.delta {
			sum = plumbing.NewHasher(h.Type, h.Length)
			to = sum
		}
		var wrote int64
		if wrote, o.crc, err = x.scan.NextObject(to); err != nil {
			return err
		}
		if wrote != h.Length {
			return fmt.Errorf("%w: an object has %d bytes and says %d", packfile.ErrMalformedPackFile, wrote, h.Length)
		}
		if o.delta {
			o.readDeltaSizes(begins.data, h.Length)
		} else {
			o.hash = sum.Sum()
			o.out = tooLarge(o.kind, o.size)
		}
		x.objects = append(x.objects, o)
	}
	return nil
}

func (x *indexer) count(n int64) error {
	if n < 0 || n > maxUnpacked-x.unpacked {
		return fmt.Errorf("%w: it unpacks to more than %d GB", errPack, maxUnpacked>>30)
	}
	x.unpacked += n
	return x.ctx.Err()
}

func (o *packed) readDeltaSizes(begins []byte, length int64) {
	from, n := binary.Uvarint(begins)
	if n <= 0 {
		o.out = true
		return
	}
	size, m := binary.Uvarint(begins[n:])
	if o.out = m <= 0 || from > maxInMemory || size > maxInMemory || length > maxInMemory; !o.out {
		o.size, o.chain = int64(size), int32(length) //nolint:gosec // both are at most maxInMemory
	}
}

func tooLarge(kind plumbing.ObjectType, size int64) bool {
	return kind == plumbing.CommitObject && size > maxCommit || kind == plumbing.TreeObject && size > maxTree ||
		kind == plumbing.TagObject
}

// resolve computes the hashes of objects that are stored as deltas. It needs several rounds only if
// a delta comes before its base.
func (x *indexer) resolve() error {
	x.byHash = make(map[plumbing.Hash]int)
	for i := range x.objects {
		x.indexHash(i)
	}
	for range maxDepth {
		progress := false
		for i := range x.objects {
			o := &x.objects[i]
			if !o.delta || o.out || !o.hash.IsZero() {
				continue
			}
			at, known := x.baseOf(i)
			if !known {
				continue
			}
			base := &x.objects[at]
			if base.hash.IsZero() && !base.out {
				continue
			}
			progress = true
			if o.out = base.out || base.size > maxInMemory || base.depth >= maxDepth || base.chain > maxChain-o.chain; o.out {
				continue
			}
			o.kind, o.depth, o.chain = base.kind, base.depth+1, o.chain+base.chain
			data, err := x.content(i)
			if err != nil {
				return err
			}
			if o.hash = plumbing.ComputeHash(o.kind, data); tooLarge(o.kind, o.size) {
				o.out = true
			}
			x.indexHash(i)
		}
		if !progress {
			break
		}
	}
	return nil
}

func (x *indexer) baseOf(i int) (int, bool) {
	if offset := x.objects[i].base; offset != 0 {
		return x.indexAt(offset)
	}
	at, known := x.byHash[x.refs[i]]
	return at, known
}

func (x *indexer) indexHash(i int) {
	if len(x.refs) > 0 && !x.objects[i].hash.IsZero() {
		x.byHash[x.objects[i].hash] = i
	}
}

func (x *indexer) indexAt(offset int64) (int, bool) {
	return slices.BinarySearchFunc(x.objects, offset, func(p packed, offset int64) int { return int(p.offset - offset) })
}

// content returns the unpacked bytes of an object. The objects on which it is based must have been
// resolved.
func (x *indexer) content(i int) ([]byte, error) {
	chain := []int{i}
	data, cached := x.cached[i]
	for !cached && x.objects[i].delta {
		i, _ = x.baseOf(i)
		chain = append(chain, i)
		data, cached = x.cached[i]
	}
	for n, at := range slices.Backward(chain) {
		if n == len(chain)-1 && cached {
			continue
		}
		read, err := x.inflate(at)
		if err != nil {
			return nil, err
		}
		if !x.objects[at].delta {
			data = read
		} else if data, err = packfile.PatchDelta(data, read); err != nil {
			return nil, err
		}
		if err := x.count(int64(len(data))); err != nil {
			return nil, err
		}
		if x.caching += len(data); x.caching > baseCache {
			clear(x.cached)
			x.caching = len(data)
		}
		x.cached[at] = data
	}
	return data, nil
}

func (x *indexer) inflate(i int) ([]byte, error) {
	h, err := x.scan.SeekObjectHeader(x.objects[i].offset)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(h.Length)) // at most maxInMemory
	_, _, err = x.scan.NextObject(&b)
	return b.Bytes(), err
}

type beginning struct{ data []byte }

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), 20-len(b.data))]...)
	return len(p), nil
}
