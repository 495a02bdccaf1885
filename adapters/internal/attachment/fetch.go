package attachment

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/message"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// FetchLimit bounds the fetching of all files of a message.
const FetchLimit = 8 * time.Second

// atOnce is how many files of a message are fetched at once.
const atOnce = 4

// inFlight bounds the bytes of files that this process has fetched, or is fetching, and has not
// read.
var inFlight = semaphore.NewWeighted(4 * MaxBytes)

// ErrTooLarge is the error of a Buffer that is full.
var ErrTooLarge = errors.New("the file is larger than was announced")

// Head is what is known of a file before it is read.
type Head struct {
	ID, Name, Media string
	Size            int64 // 0: unknown
}

// room returns how many bytes a file may have: platforms convert some files when they hand them
// out.
func (h Head) room() int64 {
	limit := Limit(h.Media)
	if h.Size <= 0 || h.Size > limit {
		return limit
	}
	return min(2*h.Size+64<<10, limit)
}

// Buffer takes the bytes of a file, up to about as many as its Head announced.
type Buffer struct {
	data bytes.Buffer
	most int64
}

// Write implements io.Writer. Its error is ErrTooLarge.
func (b *Buffer) Write(p []byte) (int, error) {
	if int64(b.data.Len()+len(p)) > b.most {
		return 0, ErrTooLarge
	}
	return b.data.Write(p)
}

// Most returns how many bytes the buffer takes.
func (b *Buffer) Most() int64 { return b.most }

// Bytes returns what was written.
func (b *Buffer) Bytes() []byte { return b.data.Bytes() }

// Download writes the bytes of a file into a buffer. It returns what is known of the file by then,
// and a sentence if the file cannot be had.
type Download[F any] func(ctx context.Context, f F, into *Buffer) (head Head, refused string)

// Fetch reads the files of a message in their order, of which some are fetched at once, in
// FetchLimit altogether and as far as the room of the message goes. It never fails: a file that
// cannot be read says why. Files after the first MaxFiles are not read. It is safe for concurrent
// use; calls share the bytes that the process may have in flight.
func Fetch[F any](ctx context.Context, list []F, room Room, head func(F) Head, download Download[F]) []message.File {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, FetchLimit)
	defer cancel()
	out := make([]message.File, len(list))
	var group errgroup.Group
	group.SetLimit(atOnce)
	before := make(chan struct{}) // closed when the files before are read
	close(before)
	for i, f := range list {
		h := head(f)
		if i >= MaxFiles {
			out[i] = Unread(h.Name, h.Media, sayTooMany)
			out[i].ID = message.FileID(h.ID)
			continue
		}
		mine, previous := make(chan struct{}), before
		before = mine
		size := h.room()
		// in the order of reading, so that the next to be read is never the one that waits
		err := inFlight.Acquire(ctx, size)
		group.Go(func() error {
			defer close(mine)
			if err != nil {
				out[i] = Unread(h.Name, h.Media, sayBusy)
				out[i].ID = message.FileID(h.ID)
				return nil
			}
			defer inFlight.Release(size)
			into := &Buffer{most: size}
			into.data.Grow(int(size))
			known, refused := download(ctx, f, into)
			<-previous
			if refused != "" {
				out[i] = Unread(known.Name, known.Media, refused)
			} else {
				out[i] = Read(ctx, known.Name, known.Media, into.Bytes(), &room)
			}
			out[i].ID = message.FileID(h.ID)
			return nil
		})
	}
	_ = group.Wait() // nothing of it fails
	return out
}
