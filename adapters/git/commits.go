package git

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/gitmirror"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
)

// commits returns the commits of the branch as documents. It omits the files that Options.Told
// rejects, and commits without other files.
func (c *Connector) commits() index.Batch {
	var b index.Batch
	for _, commit := range c.mirror.Commits() {
		if told := c.options.Told; told != nil {
			commit.Paths = slices.DeleteFunc(commit.Paths, func(path string) bool { return !told(path) })
		}
		if len(commit.Paths) == 0 {
			continue
		}
		b.Documents = append(b.Documents, index.Item{
			ID: document.ID(string(c.source.ID) + ":commit:" + commit.Hash), ModifiedAt: commit.At, Size: int64(len(commit.Message)),
			Load: func(context.Context) (document.Document, error) { return c.document(commit), nil },
		})
	}
	return b
}

func (c *Connector) document(commit gitmirror.Commit) document.Document {
	subject, body, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	text := document.Section{Blocks: []document.Block{{Kind: document.Paragraph, Text: subject}}}
	if body = strings.TrimSpace(body); body != "" {
		text.Blocks = append(text.Blocks, document.Block{Kind: document.Paragraph, Text: body})
	}
	text.Blocks = append(text.Blocks,
		document.Block{Kind: document.Paragraph, Text: "By " + strings.Join(named(commit.Authors), ", ") + " on " + commit.At.Format("2006-01-02") + "."},
		document.Block{Kind: document.List, Text: "- " + strings.Join(commit.Paths, "\n- ")})
	return document.Document{
		Ref: document.Ref{Title: strings.TrimSpace(subject), URL: c.shown(commit.Hash), UpdatedAt: commit.At}, ACL: c.options.ACL, Sections: []document.Section{text},
		Metadata: map[string]string{"author": strings.Join(commit.Authors, "; "), knowledge.ChangedFiles: strings.Join(commit.Paths[:min(len(commit.Paths), knowledge.MaxChanged)], "\n")},
	}
}

// named removes the email addresses: "Ada <ada@acme.example>" becomes "Ada".
func named(authors []string) []string {
	var names []string
	for _, a := range authors {
		name, _, _ := strings.Cut(a, " <")
		names = append(names, name)
	}
	return names
}

// below matches the part of a web address that selects a branch: "/blob/main/" on GitHub,
// "/-/blob/main/" on GitLab, "/src/branch/main/" on Forgejo.
var below = regexp.MustCompile(`(?:/-)?/(?:blob/[^/]+|src/branch/[^/]+)/$`)

// shown returns the web address of a commit, or "" if it is unknown.
func (c *Connector) shown(hash string) string {
	base := c.base()
	if at := below.FindStringIndex(base); at != nil {
		dash := ""
		if strings.HasPrefix(base[at[0]:], "/-/") {
			dash = "/-"
		}
		return base[:at[0]] + dash + "/commit/" + hash
	}
	return ""
}
