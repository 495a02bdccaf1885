package confluence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// file reads an attached file: it is written into a folder of its own, and read by Options.Read.
func (c *Connector) file(ctx context.Context, s space, e entry, acl access.ACL) (document.Document, error) {
	var none document.Document
	k, err := c.attachment(ctx, e)
	if err != nil {
		return none, err
	}
	answer, err := c.client.http.Do(ctx, sourcehttp.Request{Path: strings.TrimPrefix(k.Links.Download, "/")})
	if errors.Is(err, sourcehttp.ErrTooLarge) {
		return none, fmt.Errorf("the file is larger than what is read of one: %w", index.ErrSkipped)
	}
	if err != nil {
		return none, gone(err)
	}
	folder, err := os.MkdirTemp("", "footnote-attachment-")
	if err != nil {
		return none, fmt.Errorf("make a folder for an attached file: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // it lies in the folder for what may be deleted
	name := filepath.Join(folder, "file"+strings.ToLower(filepath.Ext(filepath.Base(e.title))))
	if err := os.WriteFile(name, answer.Body, 0o600); err != nil {
		return none, fmt.Errorf("write an attached file: %w", err)
	}
	reader, err := c.options.Read(name)
	if err != nil {
		return none, err
	}
	for batch, err := range reader.Sync(ctx, nil) {
		if err != nil {
			return none, err
		}
		for _, found := range batch.Documents {
			d, err := found.Load(ctx)
			if err != nil {
				return none, err
			}
			return document.Document{
				Ref: document.Ref{Title: e.title, URL: c.client.address(cmp.Or(k.Links.WebUI, k.Links.Download)), UpdatedAt: k.Version.When}, ACL: acl,
				Metadata: map[string]string{"space": cmp.Or(s.Name, s.Key)}, Language: d.Language, Sections: d.Sections,
			}, nil
		}
		for _, n := range append(batch.Skipped, batch.Failures...) {
			return none, fmt.Errorf("%s: %w", strings.TrimSuffix(n.Sentence, "."), index.ErrSkipped)
		}
	}
	return none, fmt.Errorf("it holds nothing that can be read: %w", index.ErrSkipped)
}

// attachment reads what is to be known of a file: where it lies.
func (c *Connector) attachment(ctx context.Context, e entry) (k content, err error) {
	left, err := c.tree().bulk(ctx, []string{e.id}, "version,container", func(found content) { k = found })
	switch {
	case err != nil:
		return k, err
	case len(left) > 0 || k.Links.Download == "":
		return k, fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return k, nil
}
