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

// FetchLimit is the timeout for fetching all files of a message.
const FetchLimit = 8 * time.Second

// atOnce limits concurrent downloads of a message's files.
const atOnce = 4

// inFlight limits the bytes of all files that this process is fetching or has not parsed yet.
var inFlight = semaphore.NewWeighted(4 * MaxBytes)

// ErrTooLarge is returned by Write of a full Buffer.
var ErrTooLarge = errors.New("the file is larger than was announced")

// Head is the metadata of a file before it is read.
type Head struct {
	ID, Name, Media string
	Size            int64 // 0: unknown
}

// room returns the maximum number of bytes of a file. It may exceed the announced size, because
// platforms convert some files for download.
func (h Head) room() int64 {
	limit := Limit(h.Media)
	if h.Size <= 0 || h.Size > limit {
		return limit
	}
	return min(2*h.Size+64<<10, limit)
}

// Buffer stores the bytes of a file. Its capacity is about the size that the file's Head announced.
type Buffer struct {
	data bytes.Buffer
	most int64
}

// Write implements io.Writer. It returns ErrTooLarge if the buffer is full.
func (b *Buffer) Write(p []byte) (int, error) {
	if int64(b.data.Len()+len(p)) > b.most {
		return 0, ErrTooLarge
	}
	return b.data.Write(p)
}

// Most returns the capacity of the buffer in bytes.
func (b *Buffer) Most() int64 { return b.most }

// Bytes returns the written bytes.
func (b *Buffer) Bytes() []byte { return b.data.Bytes() }

// Download writes the bytes of a file into a buffer. It returns the file's metadata, which the
// download may have updated. If the download fails, refused is a sentence that says why.
type Download[F any] func(ctx context.Context, f F, into *Buffer) (head Head, refused string)

// Fetch reads the files of a message in order, and downloads some of them concurrently. It stops
// after FetchLimit or when the room is full, and reads only the first MaxFiles. It never fails. A
// file that cannot be read contains the reason. It is safe for concurrent use. All calls share the
// process's limit of bytes in transfer.
func Fetch[F any](ctx context.Context, list []F, room Room, head func(F) Head, download Download[F]) []message.File {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, FetchLimit)
	defer cancel()
	out := make([]message.File, len(list))
	var group errgroup.Group
	group.SetLimit(atOnce)
	before := make(chan struct{}) // closed when all earlier files are parsed
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
		// in the order of parsing, so that the file to parse next never waits for a later one
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
	_ = group.Wait() // the functions return no error
	return out
}
