package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// load reads a file as a document.
func (c *Connector) load(ctx context.Context, root *os.Root, f file) (document.Document, error) {
	raw, err := c.read(root, f.name)
	if err != nil {
		return document.Document{}, err
	}
	if f.format.unpack != nil {
		page, err := f.format.unpack(ctx, raw, c.options.CacheDir)
		if err != nil {
			return document.Document{}, err
		}
		return c.named(root.Name(), f, matter{}, page)
	}
	text, err := decode(raw, f.format.html)
	if err != nil {
		return document.Document{}, err
	}
	return c.document(root.Name(), f, text)
}

// read returns the content of a file. It is opened without waiting and looked at again once open, because it may have been replaced by a
// pipe, or have grown, since the folder was listed.
func (c *Connector) read(root *os.Root, name string) ([]byte, error) {
	opened, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read (%w). Check its permissions", reason(err))
	}
	defer func() { _ = opened.Close() }() // nothing was written
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read (%w)", reason(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is no longer a file: %w", index.ErrSkipped)
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
