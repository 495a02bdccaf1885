package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/body"
	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// document converts an issue to a document. Each comment becomes a section that links to the
// comment.
func (c *Connector) document(ctx context.Context, of project, k issue, relevant relevance) (document.Document, error) {
	said, err := c.comments(ctx, of, k)
	if err != nil {
		return document.Document{}, err
	}
	c.client.cacheNames(k.Fields.Reporter, k.Fields.Assignee)
	for _, one := range said {
		c.client.cacheNames(one.Author)
	}
	d := document.Document{
		Ref: document.Ref{Title: strings.TrimSpace(k.Key + ": " + k.Fields.Summary), URL: c.client.Address("browse/" + url.PathEscape(k.Key)), UpdatedAt: k.Fields.Updated.Time},
		ACL: c.node(factsOf(string(of.ID), k, relevant)), Metadata: metadata(of, k),
	}
	about := body.About{Site: c.client.Address(""), Page: d.URL, Title: d.Title, NoAnchors: true, Person: c.client.Called}
	if d.Sections, err = parseText(ctx, k.Fields.Description, about); err != nil {
		return d, err
	}
	around, err := parseText(ctx, k.Fields.Environment, about)
	if err != nil {
		return d, err
	}
	d.Sections = append(d.Sections, quoted("Environment:", "", around)...)
	for _, one := range said {
		sections, err := parseText(ctx, one.Body, about)
		if err != nil {
			return d, err
		}
		who := one.Author.called()
		if who == "" {
			who = "Someone"
		}
		head := fmt.Sprintf("%s commented (%s UTC):", who, one.Created.UTC().Format("2006-01-02 15:04"))
		d.Sections = append(d.Sections, quoted(head, c.commentURL(k, one), sections)...)
	}
	if len(d.Sections) == 0 { // no text: use the summary
		d.Sections = []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: k.Fields.Summary}}}}
	}
	return d, nil
}

// commentURL returns an address that opens the issue and scrolls to the comment.
func (c *Connector) commentURL(k issue, one comment) string {
	return c.client.Address("browse/" + url.PathEscape(k.Key) + "?" + atlassian.Query("focusedCommentId", string(one.ID)))
}

// parseText parses a long text of an issue: ADF (JSON) on Cloud, wiki markup on Data Center. It
// returns no sections for an empty text or an unknown format.
func parseText(ctx context.Context, raw json.RawMessage, about body.About) ([]document.Section, error) {
	var marked string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case json.Unmarshal(raw, &marked) == nil:
		return body.Wiki(ctx, marked, about)
	}
	sections, err := body.ADF(ctx, string(raw), about)
	if errors.Is(err, body.ErrForm) {
		return nil, nil // unknown format
	}
	return sections, err
}

// quoted joins the sections of a text, such as a comment, into one section that begins with head.
// Headings become paragraphs. It returns nil for an empty text.
func quoted(head, anchor string, from []document.Section) []document.Section {
	s := document.Section{Anchor: anchor}
	for _, part := range from {
		for _, b := range part.Blocks {
			if b.Kind == document.Heading {
				b = document.Block{Kind: document.Paragraph, Text: strings.TrimLeft(b.Text, "# ")}
			}
			s.Blocks = append(s.Blocks, b)
		}
	}
	switch {
	case len(s.Blocks) == 0:
		return nil // empty text
	case s.Blocks[0].Kind == document.Paragraph:
		s.Blocks[0].Text = head + " " + s.Blocks[0].Text
	default:
		s.Blocks = append([]document.Block{{Kind: document.Paragraph, Text: head}}, s.Blocks...)
	}
	return []document.Section{s}
}

// metadata returns the short fields of an issue, by name. For a linked issue it has only the key,
// and no text that other readers should not see.
func metadata(of project, k issue) map[string]string {
	m := make(map[string]string)
	set := func(name, value string) {
		if value = strings.TrimSpace(value); value != "" {
			m[name] = value
		}
	}
	names := func(list []named) string {
		var all []string
		for _, one := range list {
			all = append(all, one.Name)
		}
		return strings.Join(all, ", ")
	}
	f := k.Fields
	set("project", of.Name)
	set("type", f.Type.name())
	set("status", f.Status.name())
	set("priority", f.Priority.name())
	set("resolution", f.Resolution.name())
	set("reporter", f.Reporter.called())
	set("assignee", f.Assignee.called())
	set("labels", strings.Join(f.Labels, ", "))
	set("components", names(f.Components))
	set("fix versions", names(f.Versions))
	if !f.Created.IsZero() {
		set("created", f.Created.Format("2006-01-02"))
	}
	set("due", f.Due)
	if f.Parent != nil {
		set("parent", f.Parent.Key)
	}
	var links []string
	for _, l := range f.Links {
		switch {
		case l.Outward != nil:
			links = append(links, l.Type.Outward+" "+l.Outward.Key)
		case l.Inward != nil:
			links = append(links, l.Type.Inward+" "+l.Inward.Key)
		}
	}
	set("links", strings.Join(links, ", "))
	return m
}

// file reads an attachment, which has the same readers as its issue.
func (c *Connector) file(ctx context.Context, e entry, acl access.ACL) (document.Document, error) {
	path := c.client.api + "attachment/content/" + string(e.file.ID)
	if !c.client.Cloud { // Data Center gives the file's address
		path = e.file.Content
	}
	answer, err := c.client.Download(ctx, path)
	if errors.Is(err, sourcehttp.ErrTooLarge) {
		return document.Document{}, fmt.Errorf("the file is larger than what is read of one: %w", index.ErrSkipped)
	}
	if err != nil {
		return document.Document{}, asGone(err)
	}
	d, err := onefile.Read(ctx, e.file.Name, answer.Body, c.options.Read)
	d.Ref = document.Ref{Title: e.file.Name, URL: c.client.Address("browse/" + url.PathEscape(e.issue.Key)), UpdatedAt: e.file.Created.Time}
	d.ACL, d.Metadata = acl, map[string]string{"project": e.of.Name, "issue": e.issue.Key}
	return d, err
}
