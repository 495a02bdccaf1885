package notion

import (
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
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// longest is for how long a page may wait for Notion's limits while it is read.
const longest = 30 * time.Minute

// item is a page to be read that stands below a root.
func (p *pass) item(o *object, root string, again bool) index.Item {
	return index.Item{
		ID: p.id(bareID(o.ID)), ModifiedAt: o.Edited, Again: again, Wait: longest,
		Load: func(ctx context.Context) (document.Document, error) { return p.load(ctx, o, root) },
	}
}

// load reads a page, and takes note of what else stands on it.
func (p *pass) load(ctx context.Context, o *object, root string) (document.Document, error) {
	id := bareID(o.ID)
	w := &writer{Connector: p.Connector, tree: p.tree, page: id, root: root, half: p.client.resume(id, o.Edited)}
	d := document.Document{
		Ref: document.Ref{Title: o.name(), URL: o.address(), UpdatedAt: o.Edited}, ACL: access.ACL{p.node(root)},
	}
	lines, metadata := properties(o.Properties, func(runs []rich) string { return w.text(ctx, runs) })
	d.Metadata = metadata
	w.outline.Block(document.Paragraph, strings.Join(lines, "\n"))
	err := w.blocks(ctx, id, 0, 0)
	if err == nil {
		err = w.failed
	}
	if err == nil {
		err = w.attached(ctx, p)
	}
	switch {
	case ctx.Err() != nil || errors.Is(err, index.ErrPaused):
		p.client.keep(id, w.half)
		return d, err
	case absent(err) && sourcehttp.Status(err) != http.StatusBadRequest:
		return d, fmt.Errorf("it is not shown to the integration any more: %w", index.ErrSkipped)
	case err != nil:
		return d, err
	}
	d.Sections = w.outline.Sections()
	p.meet(w.found)
	if w.left != nil {
		p.note(index.Notice{Name: d.Title, Sentence: fmt.Sprintf("What stands in a block of the page is not given out by Notion, and is left out (%v). The rest of the page is read.", w.left)})
	}
	return d, nil
}

// attached writes the files that stand on the page, each below its name. One that cannot be read is
// left out, and told of.
func (w *writer) attached(ctx context.Context, p *pass) error {
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
			p.note(index.Notice{Name: name, Sentence: "The file on the page " + w.page + " could not be read: " + strings.TrimSuffix(err.Error(), ".") + ". Attach it again, or leave it."})
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

// file reads a file that Notion keeps. Its address is good for an hour, and holds what lets anyone
// fetch it: it stands in no error.
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
