package gitlab

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// loadWait is the maximum time to wait for the instance's rate limit while a document is read.
const loadWait = 10 * time.Minute

// threadOf, pageOf and fileOf hold the data from which Load makes a document. They are for issues
// and merge requests, for wiki pages, and for files.
type (
	threadOf struct {
		project project
		feature feature
		thread  thread
	}
	pageOf struct {
		project project
		page    wikiPage
	}
	fileOf struct {
		project
		path string
	}
)

// note is a comment (https://docs.gitlab.com/api/notes/).
type note struct {
	ID           int64     `json:"id"`
	Text         string    `json:"body"`
	Author       *account  `json:"author"`
	Created      time.Time `json:"created_at"`
	System       bool      `json:"system"`
	Internal     bool      `json:"internal"`
	Confidential bool      `json:"confidential"` // former name of Internal
}

func (n note) valid() bool { return n.ID > 0 && !n.Created.IsZero() }

type wikiPage struct {
	Slug    string `json:"slug"`
	Title   string `json:"title"`
	Format  string `json:"format"`
	Content string `json:"content"`
}

func (w wikiPage) valid() bool { return w.Slug != "" }

// mostNotes is the maximum number of pages of comments that are read per thread.
const mostNotes = 50

// notes reads the comments of a thread. It omits internal notes, because not every reader of the
// thread sees them (https://docs.gitlab.com/user/discussions/#add-an-internal-note). It omits
// system notes, which GitLab writes.
func (v *vendor) notes(ctx context.Context, of threadOf) (shown []note, err error) {
	t := of.thread
	first := fmt.Sprintf("projects/%d/%s/%d/notes?sort=asc&per_page=100", t.Project, segment(of.feature), t.IID)
	read := 0
	err = sourcehttp.EachPage(fmt.Sprintf("the comments of %s!%d", of.project.Path, t.IID), first, func(path string) (string, error) {
		items, next, err := page(ctx, v.client, path, note.valid)
		for _, n := range items {
			if !n.System && !n.Internal && !n.Confidential {
				shown = append(shown, n)
			}
		}
		if read++; read == mostNotes {
			next = ""
		}
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return shown, nil
}

// thread converts an issue or merge request to a document. The description and each comment become
// separate sections, so that citations can link to them.
func (v *vendor) thread(ctx context.Context, i crawl.Item, of threadOf) (document.Document, error) {
	t, p := of.thread, of.project
	var said []note
	if t.Notes > 0 {
		var err error
		said, err = v.notes(ctx, of)
		if sourcehttp.Status(err) == http.StatusNotFound {
			return document.Document{}, fmt.Errorf("it is gone: %w", index.ErrWithdrawn)
		}
		if err != nil {
			return document.Document{}, err
		}
	}
	mark, place := "#", "/-/issues/"
	if of.feature == merges {
		mark, place = "!", "/-/merge_requests/"
	}
	d := document.Document{Ref: document.Ref{
		ID: i.ID, Title: fmt.Sprintf("%s (%s%s%d)", t.Title, p.Path, mark, t.IID), UpdatedAt: t.Updated,
		URL: fmt.Sprintf("%s/%s%s%d", v.client.config.URL, escaped(p.Path), place, t.IID),
	}, ACL: i.ACL, Metadata: t.metadata(p)}
	for _, n := range append([]note{{Text: t.Text, Author: t.Author, Created: t.Created}}, said...) {
		blocks, err := n.blocks(ctx)
		if err != nil {
			return document.Document{}, err
		}
		section := document.Section{Blocks: blocks}
		if n.ID != 0 {
			section.Anchor = fmt.Sprintf("note_%d", n.ID)
		}
		d.Sections = append(d.Sections, section)
	}
	return d, nil
}

func (t thread) metadata(p project) map[string]string {
	m := map[string]string{"project": p.Path, "state": t.State}
	if t.Draft && t.State == "opened" {
		m["state"] = "draft"
	}
	var assignees []string
	for _, a := range t.Assignees {
		assignees = append(assignees, a.shown())
	}
	set := func(key, value string) {
		if value != "" {
			m[key] = value
		}
	}
	set("author", t.Author.shown())
	set("assignees", strings.Join(assignees, ", "))
	set("labels", strings.Join(t.Labels, ", "))
	if t.Milestone != nil {
		set("milestone", t.Milestone.Title)
	}
	return m
}

// shown returns the display name or, if there is none, the user name.
func (a *account) shown() string {
	switch {
	case a == nil:
		return "Ghost User" // deleted account
	case a.Name != "":
		return a.Name
	}
	return a.Username
}

// blocks parses a comment and puts the author's name in front, so that excerpts show it.
func (n note) blocks(ctx context.Context) ([]document.Block, error) {
	text, err := markdown.Read(ctx, n.Text)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("%s (%s UTC):", n.Author.shown(), n.Created.UTC().Format("2006-01-02 15:04"))
	var blocks []document.Block
	for _, part := range text.Sections {
		for _, b := range part.Blocks {
			if b.Kind == document.Heading { // a heading in a comment is not one of the thread
				b = document.Block{Kind: document.Paragraph, Text: strings.TrimLeft(b.Text, "# ")}
			}
			blocks = append(blocks, b)
		}
	}
	if len(blocks) > 0 && blocks[0].Kind == document.Paragraph {
		blocks[0].Text = head + " " + blocks[0].Text
		return blocks, nil
	}
	return append([]document.Block{{Kind: document.Paragraph, Text: head}}, blocks...), nil
}

func (v *vendor) page(ctx context.Context, i crawl.Item, of pageOf) (document.Document, error) {
	endings := map[string]string{"markdown": ".md", "asciidoc": ".adoc", "rdoc": ".rdoc", "org": ".org"}
	ending, known := endings[of.page.Format]
	if !known || v.options.Wanted != nil && !v.options.Wanted("page"+ending) {
		return document.Document{}, fmt.Errorf("pages in the format %q are not read: %w", sourcehttp.Short(of.page.Format), index.ErrSkipped)
	}
	d, err := onefile.Read(ctx, "page"+ending, []byte(of.page.Content), v.options.Read)
	if err != nil {
		return document.Document{}, err
	}
	d.ID, d.ACL, d.Title = i.ID, i.ACL, fmt.Sprintf("%s (%s)", of.page.Title, of.project.Path)
	d.URL = fmt.Sprintf("%s/%s/-/wikis/%s", v.client.config.URL, escaped(of.project.Path), escaped(of.page.Slug))
	d.Metadata = map[string]string{"project": of.project.Path}
	return d, nil
}

// content converts a file to a document. If the file is too large, the error wraps
// index.ErrSkipped.
func (v *vendor) content(ctx context.Context, i crawl.Item, of fileOf, text []byte) (document.Document, error) {
	if int64(len(text)) > v.options.MaxBytes {
		return document.Document{}, fmt.Errorf("it has more than %d MB: %w", v.options.MaxBytes>>20, index.ErrSkipped)
	}
	d, err := onefile.Read(ctx, of.path, text, v.options.Read)
	if err != nil {
		return document.Document{}, err
	}
	d.ID, d.ACL, d.Title = i.ID, i.ACL, title(d, of.path)
	d.URL = fmt.Sprintf("%s/%s/-/blob/%s/%s", v.client.config.URL, escaped(of.project.Path), escaped(of.Branch), escaped(of.path))
	d.Metadata = map[string]string{"project": of.project.Path, "path": of.path}
	return d, nil
}

func title(d document.Document, name string) string {
	for _, s := range d.Sections {
		if len(s.Heading) > 0 {
			return s.Heading[0]
		}
	}
	return path.Base(name)
}
