package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/index"
)

func (c *Connector) load(ctx context.Context, root *os.Root, f file) (document.Document, error) {
	ctx, release, err := footprint.Acquire(ctx, f.format.memory(f.info.Size()))
	if err != nil {
		return document.Document{}, err
	}
	defer release()
	raw, err := c.readFile(root, f.place)
	if err != nil {
		return document.Document{}, err
	}
	// these formats contain nothing but text
	plain := f.format.cost == footprint.Text || f.format.cost == footprint.CSV
	// UTF-16 has two bytes where UTF-8 has one
	if plain && len(raw) > 2*document.MaxText {
		return document.Document{}, errTooMuchText
	}
	if f.format.unpack != nil {
		page, err := f.format.unpack(ctx, raw)
		if err != nil {
			return document.Document{}, err
		}
		return c.named(root, f, matter{}, page)
	}
	text, err := decode(raw, f.format.html)
	switch {
	case err != nil:
		return document.Document{}, err
	case plain && len(text) > document.MaxText:
		return document.Document{}, errTooMuchText
	}
	return c.document(ctx, root, f, text)
}

func (f format) memory(size int64) int64 {
	if f.unpack != nil {
		return f.cost.Max + size // the unpacked size is unknown
	}
	return f.cost.Of(size) + size
}

var errTooMuchText = fmt.Errorf("it holds more than %d MB of text. Split it into smaller documents", document.MaxText>>20)

var errMoved = errors.New("it was moved or replaced while it was read. The next run tries again")

// open opens a file without blocking. It checks each part of the path before and after opening it.
// This detects a file or folder that is replaced by a link at the same time.
func open(root *os.Root, place string) (*os.File, error) {
	folder := root
	defer func() {
		if folder != root {
			_ = folder.Close() // nothing was written
		}
	}()
	parts := strings.Split(place, "/")
	for _, part := range parts[:len(parts)-1] {
		listed, err := folder.Lstat(part)
		if err != nil {
			return nil, err
		}
		if !listed.IsDir() {
			return nil, errMoved
		}
		inner, err := folder.OpenRoot(part)
		if err != nil {
			return nil, err
		}
		if folder != root {
			_ = folder.Close() // nothing was written
		}
		folder = inner
		if met, err := folder.Stat("."); err != nil || !os.SameFile(listed, met) {
			return nil, errMoved
		}
	}
	last := parts[len(parts)-1]
	listed, err := folder.Lstat(last)
	if err != nil {
		return nil, err
	}
	if !listed.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no longer a file: %w", index.ErrSkipped)
	}
	opened, err := folder.OpenFile(last, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if met, err := opened.Stat(); err != nil || !os.SameFile(listed, met) {
		_ = opened.Close() // nothing was written
		return nil, errMoved
	}
	return opened, nil
}

func (c *Connector) readFile(root *os.Root, place string) ([]byte, error) {
	opened, err := open(root, place)
	switch {
	case errors.Is(err, errMoved), errors.Is(err, index.ErrSkipped):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("it cannot be read (%w). Check its permissions", reason(err))
	}
	defer func() { _ = opened.Close() }() // nothing was written
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read (%w)", reason(err))
	case info.Size() > c.options.MaxBytes:
		return nil, c.tooLarge(info.Size())
	}
	raw := make([]byte, 0, info.Size()+1)
	for {
		n, err := opened.Read(raw[len(raw):cap(raw)])
		raw = raw[:len(raw)+n]
		if int64(len(raw)) > c.options.MaxBytes {
			return nil, c.tooLarge(int64(len(raw)))
		}
		if errors.Is(err, io.EOF) {
			return raw, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it cannot be read to its end (%w). The next run tries again", reason(err))
		}
		if len(raw) == cap(raw) {
			raw = append(raw, 0)[:len(raw)]
		}
	}
}

func (c *Connector) tooLarge(size int64) error {
	return fmt.Errorf("it has %d MB, and files of more than %d MB are not read. Split it into smaller ones", size>>20, c.options.MaxBytes>>20)
}
