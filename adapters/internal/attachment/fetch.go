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

// fetchLimit is the timeout for downloading and reading all files of a message.
const fetchLimit = 8 * time.Second

// patience is how long a file can wait for others and still have its full time. A file that waited
// longer did not necessarily take too long itself.
const patience = fetchLimit - pdfLimit

// atOnce limits the concurrent downloads of one call of Fetch.
const atOnce = 4

// inFlight limits how many bytes of files the process holds in memory until they are parsed.
var inFlight = semaphore.NewWeighted(4 * MaxBytes)

// ErrTooLarge is returned by [Buffer.Write] if the buffer is full.
var ErrTooLarge = errors.New("the file is larger than was announced")

// Head is what is known of a file before it is downloaded.
type Head struct {
	ID, Name, Media string
	Size            int64 // 0: unknown
}

// room returns the maximum number of bytes to download. It may exceed the announced size, because
// platforms convert some files for download.
func (h Head) room() int64 {
	limit := Limit(h.Media)
	if h.Size <= 0 || h.Size > limit {
		return limit
	}
	return min(2*h.Size+64<<10, limit)
}

// Buffer holds the bytes of a file in memory, up to a fixed capacity.
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

// Most returns the capacity in bytes.
func (b *Buffer) Most() int64 { return b.most }

// Bytes returns what has been written. It is valid until the next call of Write.
func (b *Buffer) Bytes() []byte { return b.data.Bytes() }

// Download is a function that writes the bytes of a file into a buffer. It returns the file's
// metadata, which may be more complete than that in the message. If the download fails, refused is
// a sentence that says why.
type Download[F any] func(ctx context.Context, f F, into *Buffer) (head Head, refused string)

// Fetch downloads and reads the first [MaxFiles] files of a message, in parallel, and returns them
// in order. It stops after [fetchLimit] or when the room is used up. Fetch never fails. A file that
// cannot be read has a sentence that says why. A file that had to wait for others for too long is
// not called slow.
//
// Fetch is safe for concurrent use. All calls share a limit of the bytes in memory.
func Fetch[F any](ctx context.Context, list []F, room Room, head func(F) Head, download Download[F]) []message.File {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	began := time.Now()
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
		late := sayLate // the sentence if this file has no time because of others
		if i == 0 {
			late = sayBusy // it can only wait for files of other messages
		}
		size := h.room()
		// in the order of parsing, so that the file to parse next never waits for a later one
		err := inFlight.Acquire(ctx, size)
		group.Go(func() error {
			defer close(mine)
			if err == nil {
				defer inFlight.Release(size)
			}
			if ctx.Err() != nil {
				out[i] = Unread(h.Name, h.Media, late)
				out[i].ID = message.FileID(h.ID)
				return nil
			}
			waited := time.Since(began)
			into := &Buffer{most: size}
			into.data.Grow(int(size))
			known, refused := download(ctx, f, into)
			switch {
			case refused != "" && ctx.Err() != nil && waited > patience:
				refused = late
			case refused != "" && ctx.Err() != nil:
				refused = saySlow // what the platform says about an interrupted download is wrong
			}
			arrived := time.Now()
			<-previous
			waited += time.Since(arrived)
			if refused != "" {
				out[i] = Unread(known.Name, known.Media, refused)
			} else {
				out[i] = Read(ctx, known.Name, known.Media, into.Bytes(), &room)
			}
			if failed := out[i].Failed; waited > patience && (failed == sayTooLong || failed == sayBusy) {
				out[i].Failed = late
			}
			out[i].ID = message.FileID(h.ID)
			return nil
		})
	}
	_ = group.Wait() // the functions return no error
	return out
}
