// Package onefile reads a single file of a source, such as an attachment. It writes the file into a
// separate folder and reads it like a file of a folder source.
package onefile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Read parses the content of a file in the format that the extension of name selects. read must
// return a connector for the path of a temporary file. The result has only a language and sections.
// The error wraps index.ErrSkipped if the file has no readable text.
func Read(ctx context.Context, name string, data []byte, read func(path string) (index.Connector, error)) (document.Document, error) {
	var none document.Document
	folder, err := os.MkdirTemp("", "footnote-file-")
	if err != nil {
		return none, fmt.Errorf("make a folder for a file: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // the system may also delete it
	path := filepath.Join(folder, "file"+strings.ToLower(filepath.Ext(filepath.Base(name))))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return none, fmt.Errorf("write a file: %w", err)
	}
	reader, err := read(path)
	if err != nil {
		return none, err
	}
	for batch, err := range reader.Sync(ctx, nil) {
		if err != nil {
			return none, err
		}
		for _, found := range batch.Documents {
			d, err := found.Load(ctx)
			return document.Document{Language: d.Language, Sections: d.Sections}, err
		}
		for _, n := range append(batch.Skipped, batch.Failures...) {
			return none, fmt.Errorf("%s: %w", strings.TrimSuffix(n.Sentence, "."), index.ErrSkipped)
		}
	}
	return none, fmt.Errorf("it holds nothing that can be read: %w", index.ErrSkipped)
}
