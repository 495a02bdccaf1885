package notion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// longest is the maximum time to wait for Notion's rate limits while a page is read.
const longest = 30 * time.Minute

// Load implements crawl.Vendor.
func (v *vendor) Load(_ context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	got := make(map[document.ID]crawl.Read, len(batch))
	for _, it := range batch {
		if of, ok := it.Data.(entry); ok {
			got[it.ID] = func(ctx context.Context) (document.Document, error) { return v.load(ctx, it, of.object, of.root) }
		}
	}
	return got, nil
}

// load reads a page as a document. It passes the pages and databases on the page to it.Found. If it
// is interrupted, the next call continues.
func (v *vendor) load(ctx context.Context, it crawl.Item, o *object, root string) (document.Document, error) {
	id := bareID(o.ID)
	w := &writer{Connector: v.Connector, tree: v.tree, page: id, root: root, partial: v.client.resume(id, o.Edited)}
	d := document.Document{
		Ref: document.Ref{Title: cmp.Or(oneLine(w.text(ctx, o.title())), untitled), URL: o.address(), UpdatedAt: o.Edited}, ACL: access.ACL{v.node(root)},
	}
	lines, metadata := properties(o.Properties, func(runs []rich) string { return w.text(ctx, runs) })
	d.Metadata = metadata
	w.outline.Block(document.Paragraph, strings.Join(lines, "\n"))
	err := w.blocks(ctx, id, 0, 0)
	if err == nil {
		err = w.failed
	}
	if err == nil {
		err = w.attached(ctx)
	}
	switch {
	case ctx.Err() != nil || errors.Is(err, index.ErrPaused):
		v.client.cachePartial(id, w.partial)
		return d, err
	case absent(err) && sourcehttp.Status(err) != http.StatusBadRequest:
		return d, fmt.Errorf("it is not shown to the integration any more: %w", index.ErrSkipped)
	case err != nil:
		return d, err
	}
	d.Sections = w.outline.Sections()
	if w.omitted != nil {
		w.note(d.Title, "What stands in a block of the page is not given out by Notion, and is left out (%v). The rest of the page is read.", w.omitted)
	}
	if it.Found != nil {
		err = it.Found(ctx, w.found)
	}
	return d, err
}

func (w *writer) note(name, sentence string, with ...any) {
	w.found.Skipped = append(w.found.Skipped, index.Notice{Name: name, Sentence: fmt.Sprintf(sentence, with...)})
}

// attached writes the files on the page, each below its name. It replaces unreadable files by a
// notice.
func (w *writer) attached(ctx context.Context) error {
	for _, b := range w.files {
		name := b.Name
		if w.options.Read == nil || b.Source != "file" || name == "" || w.options.Wanted != nil && !w.options.Wanted(name) {
			continue
		}
		sections, err := w.file(ctx, b)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			w.note(name, "The file on the page %s could not be read: %s. Attach it again, or leave it.", w.page, strings.TrimSuffix(err.Error(), "."))
			continue
		}
		w.outline.Heading(1, name, b.ID)
		for _, s := range sections {
			for _, part := range s.Blocks {
				w.outline.Block(part.Kind, part.Text)
			}
		}
	}
	return nil
}

// file reads a file that Notion stores. The file's address is a credential valid for an hour, so it
// must not appear in errors.
func (w *writer) file(ctx context.Context, b block) ([]document.Section, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.File.URL, nil)
	if err != nil || request.URL.Scheme != "https" && len(w.client.config.AllowHosts) == 0 {
		return nil, errors.New("its address is none")
	}
	answer, err := w.client.files.Do(request)
	if err != nil {
		return nil, errors.New("it could not be fetched")
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, w.options.MaxBytes+1))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it could not be fetched: the answer was %d", answer.StatusCode)
	case err != nil:
		return nil, errors.New("it could not be fetched to its end")
	case int64(len(raw)) > w.options.MaxBytes:
		return nil, fmt.Errorf("it is larger than %d MB", w.options.MaxBytes>>20)
	}
	d, err := onefile.Read(ctx, b.Name, raw, w.options.Read)
	return d.Sections, err
}
