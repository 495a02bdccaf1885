package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats whose size is checked
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/message"
)

const (
	// maxImage is the largest image that providers accept, in bytes.
	maxImage = 20 << 20
	// imageTokens is the assumed cost of an image: 1,024 × 1,024 pixels in full detail.
	imageTokens = 1_105
)

// Attach reads a file that is attached to a question. If the file cannot be used, its Failed field
// says why. Attach returns an error only if there is no file at path.
func Attach(ctx context.Context, cfg *config.Config, path string) (message.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return message.File{}, fmt.Errorf("the file %s cannot be read: %w", path, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return message.File{}, fmt.Errorf("%s is not a file: name one file for each --file", path)
	}
	f := message.File{ID: fileID(path), Name: filepath.Base(path)}
	if media, data, err := readImage(path, info.Size()); err != nil || media != "" {
		f.Media, f.Image, f.Tokens = media, data, imageTokens
		return failed(f, err), nil
	}
	connector, err := files.New(files.Options{Path: path, MaxBytes: cfg.MaxDocumentBytes})
	if err != nil {
		return failed(f, err), nil
	}
	documents, err := documentsOf(ctx, connector)
	if err != nil {
		return failed(f, err), nil
	}
	for _, d := range documents {
		f.Text += d.Text()
	}
	return countTokens(cfg, f), nil
}

// countTokens replaces the text of a file by a reason if it has more than MAX_FILE_TOKENS.
func countTokens(cfg *config.Config, f message.File) message.File {
	f.Media = "text/plain"
	f.Tokens = counter(cfg.Model).Count(f.Text)
	if f.Tokens > cfg.MaxFileTokens {
		err := fmt.Errorf("it has %d tokens, and at most %d are read (MAX_FILE_TOKENS). Give a part of it", f.Tokens, cfg.MaxFileTokens)
		f.Text, f.Tokens = "", 0
		return failed(f, err)
	}
	return f
}

func failed(f message.File, err error) message.File {
	if err != nil {
		f.Failed = strings.TrimRight(index.Reason(err), ".") + "."
		f.Text, f.Image, f.Tokens = "", nil, 0
	}
	return f
}

func fileID(path string) message.FileID {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	sum := sha256.Sum256([]byte(path))
	return message.FileID("file-" + hex.EncodeToString(sum[:8]))
}

// readImage returns an empty media type for any file that is not an image that models accept.
func readImage(path string, size int64) (media string, data []byte, err error) {
	opened, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	head := make([]byte, 512)
	n, readErr := opened.Read(head)
	if err := errors.Join(readErr, opened.Close()); n == 0 || err != nil {
		return "", nil, nil // the text reader reports the fault
	}
	media = http.DetectContentType(head[:n])
	switch {
	case media != "image/png" && media != "image/jpeg" && media != "image/gif" && media != "image/webp":
		return "", nil, nil
	case size > maxImage:
		return media, nil, fmt.Errorf("it has %d MB, and images of at most %d MB are sent. Make it smaller", size>>20, maxImage>>20)
	}
	if data, err = os.ReadFile(path); err != nil {
		return media, nil, err
	}
	if _, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil && media != "image/webp" {
		return media, nil, errors.New("the image is damaged. Save it again")
	}
	return media, data, nil
}

// documentsOf fails if it cannot read one of the documents, because a person named the file and
// must learn that it is missing.
func documentsOf(ctx context.Context, connector index.Connector) ([]document.Document, error) {
	var documents []document.Document
	for batch, err := range connector.Sync(ctx, nil) {
		if err != nil {
			return nil, err
		}
		for _, notice := range append(batch.Failures, batch.Skipped...) {
			return nil, errors.New(index.Shorten(notice.Sentence))
		}
		for _, item := range batch.Documents {
			d, err := item.Load(ctx)
			if err != nil {
				return nil, index.ShortError(err)
			}
			source := connector.Source()
			d.ID, d.Source, d.Kind = item.ID, source.ID, source.Kind // as the pipeline does
			documents = append(documents, d)
		}
	}
	return documents, nil
}
