package jira

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// mostBodies is how many texts are read in one request: "up to 100 issues" are fetched in bulk
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/). Where an answer
// becomes too large, halves of it are read.
const mostBodies = 100

// shelf makes items whose texts are read together: the first one that is read brings those beside
// it along.
type shelf struct {
	*Connector
	fields []string // besides those of every issue
	last   *bundle
}

// bundle is some issues that are read in one request. Whoever is the first asks; the others wait.
type bundle struct {
	ids    []string
	fields []string
	busy   atomic.Bool
	done   chan struct{}
	got    map[string]issue // once done
	err    error
}

func (p *pass) shelf() *shelf { return &shelf{Connector: p.Connector, fields: p.listed()} }

// item is an issue to be read, of whose fields the settings of its project name some.
func (h *shelf) item(of project, one issue, relevant relevance) index.Item {
	if h.last == nil || len(h.last.ids) >= mostBodies {
		h.last = &bundle{done: make(chan struct{}), fields: h.wanted()}
	}
	b, id := h.last, string(one.ID)
	b.ids = append(b.ids, id)
	return index.Item{ID: h.id(id, ""), ModifiedAt: one.Fields.Updated.Time, Load: func(ctx context.Context) (document.Document, error) {
		k, err := h.text(ctx, b, id)
		if err != nil {
			return document.Document{}, err
		}
		if k.Fields.Project == nil || k.Fields.Project.ID != of.ID {
			return document.Document{}, fmt.Errorf("it was moved to another project, and is read again by the next run: %w", index.ErrWithdrawn)
		}
		return h.document(ctx, of, k, relevant)
	}}
}

// wanted are the fields of which a document is made.
func (h *shelf) wanted() []string {
	fields := append([]string{
		"summary", "description", "environment", "issuetype", "status", "priority", "resolution", "labels", "components", "fixVersions", fieldReporter, fieldAssignee,
		"created", "duedate", "parent", "issuelinks",
	}, h.fields...)
	if h.options.Comments {
		fields = append(fields, "comment")
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// text reads an issue, with those of its bundle.
func (c *Connector) text(ctx context.Context, b *bundle, id string) (issue, error) {
	if b.busy.CompareAndSwap(false, true) {
		b.got = make(map[string]issue, len(b.ids))
		b.err = c.bulk(ctx, b.ids, b.fields, b.got)
		close(b.done)
	}
	select {
	case <-b.done:
	case <-ctx.Done():
		return issue{}, context.Cause(ctx)
	}
	if b.err != nil && atlassian.Final(ctx, b.err) {
		return issue{}, b.err
	}
	if k, found := b.got[id]; found {
		return k, nil
	}
	var alone issue // what is not among them may fail by itself, or not be in the index of searches yet
	if err := c.client.get(ctx, "issue/"+id+"?"+atlassian.Query("fields", strings.Join(b.fields, ",")), &alone); err != nil {
		return alone, gone(err)
	}
	return alone, nil
}

// attempts is how often several texts at once are asked for, of which one may be at fault.
const attempts = 2

// bulk reads some issues. Where that fails, each half is tried by itself; those of which one alone
// fails are missing, and so are those that are not shown.
func (c *Connector) bulk(ctx context.Context, ids, fields []string, into map[string]issue) error {
	var got struct {
		Issues []issue `json:"issues"`
	}
	var err error
	if c.client.Cloud {
		err = c.client.post(ctx, "issue/bulkfetch", map[string]any{"issueIdsOrKeys": ids, "fields": fields}, &got, attempts)
	} else {
		err = c.client.post(ctx, "search", map[string]any{
			"jql": "id in (" + strings.Join(ids, ",") + ")", "maxResults": len(ids), "fields": fields, "validateQuery": false,
		}, &got, attempts)
	}
	switch {
	case err == nil:
		for _, k := range got.Issues {
			into[string(k.ID)] = k
		}
		return nil
	case atlassian.Final(ctx, err) || !atlassian.Broken(err) && !errors.Is(err, atlassian.ErrMalformed) && sourcehttp.Status(err) != http.StatusBadRequest:
		return err
	case len(ids) == 1:
		return nil
	}
	half := len(ids) / 2
	if err := c.bulk(ctx, ids[:half], fields, into); err != nil {
		return err
	}
	return c.bulk(ctx, ids[half:], fields, into)
}

// gone says of what is not shown any more that its document is to go.
func gone(err error) error {
	if atlassian.Absent(err) {
		return fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return err
}

// serviceDesk is the type of projects of which comments may be internal.
const serviceDesk = "service_desk"

// comments are those that everybody may read who may read the issue. What is limited to a role or a
// group is left out, and so is what is internal to a service desk: they have other readers. Data
// Center tells what is internal only where it is asked for the properties of comments.
func (c *Connector) comments(ctx context.Context, of project, k issue) ([]comment, error) {
	all := k.Fields.Comment
	if all == nil {
		return nil, nil
	}
	list, expand := all.Comments, ""
	desk := !c.client.Cloud && of.Type == serviceDesk
	if desk {
		expand = "properties"
	}
	if all.Total != nil && *all.Total > len(list) || desk && len(list) > 0 {
		var err error
		list, err = listAll[comment](ctx, c.client, "issue/"+string(k.ID)+"/comment", "maxResults", "100", "orderBy", "created", "expand", expand)
		if err != nil {
			return nil, gone(err)
		}
	}
	return slices.DeleteFunc(list, func(one comment) bool {
		limited := len(one.Visibility) > 0 && !bytes.Equal(one.Visibility, []byte("null"))
		return limited || one.Public != nil && !*one.Public || desk && one.Public == nil && one.internal()
	}), nil
}
