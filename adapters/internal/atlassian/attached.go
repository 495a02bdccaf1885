package atlassian

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// ReadFile reads an attached file by its name and content: it is written into a folder of its own, and read by the connector that read returns for it. The
// document has what stands in the file, and nothing else. A file that holds nothing which can be read is index.ErrSkipped.
func ReadFile(ctx context.Context, name string, data []byte, read func(path string) (index.Connector, error)) (document.Document, error) {
	var none document.Document
	folder, err := os.MkdirTemp("", "footnote-attachment-")
	if err != nil {
		return none, fmt.Errorf("make a folder for an attached file: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // it lies in the folder for what may be deleted
	path := filepath.Join(folder, "file"+strings.ToLower(filepath.Ext(filepath.Base(name))))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return none, fmt.Errorf("write an attached file: %w", err)
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
