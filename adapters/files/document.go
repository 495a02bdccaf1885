package files

import (
	"cmp"
	"context"
	"os"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/adapters/internal/office"
	"github.com/footnotehq/footnote/adapters/internal/pdf"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// parsed is the content of a file and the metadata in it.
type parsed struct {
	title     string
	canonical string
	language  string
	updated   time.Time
	sections  []document.Section
	base      string          // base address of the links; empty means the file's address
	links     []document.Link // as written
}

func (c *Connector) document(ctx context.Context, root *os.Root, f file, text string) (document.Document, error) {
	var said matter
	if f.format.matter {
		var err error
		if said, text, err = splitMatter(text); err != nil {
			return document.Document{}, err
		}
	}
	if f.format.read == nil {
		return c.named(root, f, said, f.format.parse(text))
	}
	page, err := f.format.read(ctx, text)
	if err != nil {
		return document.Document{}, err
	}
	return c.named(root, f, said, page)
}

func (c *Connector) named(root *os.Root, f file, said matter, page parsed) (document.Document, error) {
	acl := c.options.ACL
	if said.acl != nil {
		var err error
		if acl, err = index.Narrow(c.options.ACL, said.acl); err != nil {
			return document.Document{}, err
		}
	}
	name := f.name
	if !f.format.code { // "guide/install.md" is less of a title than "install"
		name = strings.TrimSuffix(path.Base(name), path.Ext(name))
		page.title = cmp.Or(said.title, page.title)
	}
	own := c.address(root.Name(), f.name)
	d := document.Document{
		Ref: document.Ref{
			Title:     cmp.Or(page.title, name),
			URL:       c.believed(root, own, append(said.claims, page.canonical)...),
			UpdatedAt: f.info.ModTime(),
		},
		ACL:      acl,
		Language: cmp.Or(said.language, page.language),
		Sections: page.sections,
		Links:    c.links(root, f.name, page),
	}
	if d.URL != own.String() {
		d.OwnURL = own.String()
	}
	for _, stated := range []time.Time{page.updated, said.updated} {
		if !stated.IsZero() {
			d.UpdatedAt = stated
		}
	}
	if len(said.stated) > 0 {
		d.Metadata = said.stated
	}
	if said.tags != "" {
		if d.Metadata == nil {
			d.Metadata = make(map[string]string)
		}
		d.Metadata["tags"] = said.tags
	}
	return d, nil
}

func readHTML(ctx context.Context, text string) (parsed, error) {
	p, err := htmltext.Read(ctx, text)
	return parsed{title: p.Title, canonical: p.Canonical, language: p.Language, updated: p.UpdatedAt, sections: p.Sections, base: p.Base, links: p.Links}, err
}

func parsePDF(ctx context.Context, raw []byte) (parsed, error) {
	p, err := pdf.Parse(ctx, raw, pdf.Options{})
	return parsed{title: p.Title, updated: p.UpdatedAt, sections: p.Sections}, err
}

func parseOffice(ctx context.Context, raw []byte) (parsed, error) {
	p, err := office.Parse(ctx, raw)
	return parsed{title: p.Title, updated: p.UpdatedAt, sections: p.Sections}, err
}

func readMarkdown(ctx context.Context, text string) (parsed, error) {
	p, err := markdown.Read(ctx, text)
	return parsed{title: p.Title, sections: p.Sections, links: p.Links}, err
}
