package jira

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// mostBodies is the maximum number of issues per bulk request
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/). If the response
// is too large, each half is requested separately.
const mostBodies = 100

// Load implements crawl.Vendor.
func (v *vendor) Load(ctx context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	if e := batch[0].Data.(entry); e.file != nil {
		return map[document.ID]crawl.Read{batch[0].ID: func(ctx context.Context) (document.Document, error) {
			return v.file(ctx, e, batch[0].ACL)
		}}, nil
	}
	fields, ids := v.wanted(), make([]string, len(batch))
	for i, it := range batch {
		ids[i] = string(it.Data.(entry).issue.ID)
	}
	there := make(map[string]issue, len(ids))
	var err error
	if len(ids) == 1 {
		there[ids[0]], err = v.alone(ctx, ids[0], fields)
	} else if err = v.bulk(ctx, ids, fields, there); !atlassian.Final(ctx, err) {
		err = nil // missing issues are read one by one
	}
	if err != nil {
		return nil, err
	}
	got := make(map[document.ID]crawl.Read, len(there))
	for _, it := range batch {
		of := it.Data.(entry).of
		k, found := there[string(it.Data.(entry).issue.ID)]
		if !found {
			continue
		}
		got[it.ID] = func(ctx context.Context) (document.Document, error) {
			if k.Fields.Project == nil || k.Fields.Project.ID != of.ID {
				return document.Document{}, fmt.Errorf("it was moved to another project, and is read again by the next run: %w", index.ErrWithdrawn)
			}
			return v.document(ctx, of, k, v.current(string(of.ID)))
		}
	}
	return got, nil
}

func (v *vendor) wanted() []string {
	fields := append([]string{
		"summary", "description", "environment", "issuetype", "status", "priority", "resolution", "labels", "components", "fixVersions", fieldReporter, fieldAssignee,
		"created", "duedate", "parent", "issuelinks",
	}, v.listed()...)
	if v.options.Comments {
		fields = append(fields, "comment")
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// alone reads one issue with a separate request. It is for issues that failed in a bulk request or
// are not yet in the search index.
func (c *Connector) alone(ctx context.Context, id string, fields []string) (k issue, err error) {
	return k, asGone(c.client.get(ctx, "issue/"+id+"?"+atlassian.Query("fields", strings.Join(fields, ",")), &k))
}

// attempts limits how often a bulk request is sent. It is low, because one of the issues may cause
// the failure.
const attempts = 2

// bulk reads issues into a map by id. If a request fails, it requests each half separately. It
// omits issues that fail alone or are invisible.
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

// asGone wraps err in index.ErrSkipped if the issue is no longer visible. It returns other errors
// unchanged.
func asGone(err error) error {
	if atlassian.Absent(err) {
		return fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return err
}

const serviceDesk = "service_desk"

// comments returns the comments that all readers of the issue may read. It omits comments that are
// restricted to a role or group, or internal to a service desk.
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
			return nil, asGone(err)
		}
	}
	return slices.DeleteFunc(list, func(one comment) bool {
		limited := len(one.Visibility) > 0 && !bytes.Equal(one.Visibility, []byte("null"))
		return limited || one.Public != nil && !*one.Public || desk && one.Public == nil && one.internal()
	}), nil
}
