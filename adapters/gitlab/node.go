package gitlab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

const nodeBatch = 500

var features = []feature{issues, merges, wiki, code}

func node(project int64, f feature) string { return fmt.Sprintf("%d:%s", project, f) }

// confidential returns the id of the node for all confidential issues of a project that have the
// same authors and assignees.
func confidential(project int64, people []int64) string {
	of := sha256.Sum256([]byte(fmt.Sprint(people)))
	return fmt.Sprintf("%d:confidential:%s", project, hex.EncodeToString(of[:8]))
}

func (t thread) node(f feature) string {
	if f == issues && t.Confidential {
		return confidential(t.Project, t.people())
	}
	return node(t.Project, f)
}

func (c *Connector) acl(node string) access.ACL {
	return access.ACL{access.Node(string(c.source.ID), node)}
}

// Nodes implements index.NodeReader. It yields a node for each feature of each project. It yields
// the readers of each confidential issue, so that an issue that becomes confidential is hidden at
// once.
func (c *Connector) Nodes(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.NodeBatch) error) error {
		list, err := c.projects(ctx)
		if err != nil {
			return err
		}
		batch, open := index.NodeBatch{}, make(map[int64]bool)
		flush := func(most int) error {
			if len(batch.Nodes)+len(batch.Documents) < most {
				return nil
			}
			err := emit(batch)
			batch = index.NodeBatch{}
			return err
		}
		for _, p := range list {
			for _, f := range features {
				if c.options.reads(f) && p.has(f) {
					batch.Nodes = append(batch.Nodes, index.Node{ID: node(p.ID, f), Name: p.Path + " " + string(f), Clauses: []access.ACL{c.readers(p, f)}})
				}
			}
			open[p.ID] = c.options.Issues && p.has(issues)
			if err := flush(nodeBatch); err != nil {
				return err
			}
		}
		if c.options.Issues {
			if err := c.confidential(ctx, list, open, &batch, flush); err != nil {
				return err
			}
		}
		batch.Complete = true
		return emit(batch)
	})
}

// confidential adds the nodes and access lists of confidential issues to the batch. It calls flush
// after each page.
func (c *Connector) confidential(ctx context.Context, of []project, open map[int64]bool, batch *index.NodeBatch, flush func(int) error) error {
	known := make(map[string]bool)
	for _, route := range c.routes(of) {
		from := list{path: route + "issues?scope=all&confidential=true&non_archived=false&", by: "created"}
		err := sourcehttp.EachPage("GitLab's list of confidential issues", "", func(cursor string) (string, error) {
			items, next, err := from.next(ctx, c.client, cursor)
			if err != nil && !absent(err) {
				return "", err
			}
			for _, t := range items {
				if !open[t.Project] || !t.Confidential {
					continue
				}
				id := t.node(issues)
				if !known[id] {
					known[id] = true
					batch.Nodes = append(batch.Nodes, index.Node{
						ID: id, Name: fmt.Sprintf("confidential issues of project %d", t.Project), Parent: node(t.Project, issues), Inherit: index.Narrower,
						Clauses: []access.ACL{c.readersOf(t)},
					})
				}
				if batch.Documents == nil {
					batch.Documents = make(map[document.ID]access.ACL)
				}
				batch.Documents[c.id(t.Project, issues, fmt.Sprint(t.IID))] = c.acl(id)
			}
			return next, flush(nodeBatch)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readersOf returns who may read a confidential issue: members from the role Planner on, its author
// and its assignees. A reader must also be a reader of the project's issues.
func (c *Connector) readersOf(t thread) access.ACL {
	may := access.ACL{c.role(t.Project, planner)}
	for _, id := range t.people() {
		may = append(may, c.person(id))
	}
	return may
}

// readers returns the principals who may read a feature of a project. These are the members with a
// sufficient role. If the feature is open to non-members, the project's visibility adds everyone,
// or all accounts except external ones.
func (c *Connector) readers(p project, f feature) access.ACL {
	level := reporter
	if f == issues || f == wiki {
		level = guest
	}
	members := access.ACL{c.role(p.ID, level)}
	if p.level(f) != "enabled" {
		return members
	}
	switch {
	case p.Visibility == "public" && c.options.Public == PublicAll:
		return access.ACL{access.Public}
	case p.Visibility == "public" && c.options.Public == PublicMembers:
		return append(members, access.Members)
	case p.Visibility == "internal":
		return append(members, c.internals())
	}
	return members
}

// colons encodes the colons in a name for use in a document id. In the id, a colon separates an
// attachment from its document.
var colons = strings.NewReplacer("%", "%25", ":", "%3A")

// id returns "SOURCE:12/issue/7" for issue 7 of project 12. For wiki pages and files, the last part
// is a slug or a path.
func (c *Connector) id(project int64, f feature, name string) document.ID {
	return document.ID(fmt.Sprintf("%s:%d/%s/%s", c.source.ID, project, f, colons.Replace(name)))
}

// name returns the last part of a document id: a number, a slug or a path. It returns false if the
// document is not of this project and feature.
func (c *Connector) name(id document.ID, project string, f feature) (string, bool) {
	name, ok := strings.CutPrefix(string(id), fmt.Sprintf("%s:%s/%s/", c.source.ID, project, f))
	if !ok {
		return name, false
	}
	name, err := url.PathUnescape(name)
	return name, err == nil
}

func escaped(path string) string {
	return strings.ReplaceAll(url.PathEscape(path), "%2F", "/")
}
