package jira

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// vendor implements [crawl.Vendor] for Jira. Each run reads the changed issues. Every
// Options.SweepEvery it lists the ids of all issues to find deletions. Every Options.FullEvery, or
// if other fields restrict issues now, it reads all issues.
type vendor struct {
	*Connector

	// The fields below belong to one run. Maps are by project id.
	projects  map[string]project
	relevance map[string]relevance // fields and levels that the settings named at the last scan
	fresh     map[string]relevance // fields and levels that the settings name now
	odd       map[string]bool      // projects with a notice about hidden issues
	all       *site                // without users, which do not affect documents
}

// feedChanges is the id of the feed of latest changes. feedIssues and feedIDs are prefixes of the
// ids of a project's feeds: "issues/10001", "ids/10001".
const (
	feedChanges = "changes"
	feedIssues  = "issues/"
	feedIDs     = "ids/"
)

// Source implements crawl.Vendor.
func (v *vendor) Source() document.Source { return v.source }

// Rules implements crawl.Vendor.
func (v *vendor) Rules() string {
	return fmt.Sprintf("jira %d %v %v", reading, v.options.Comments, v.options.Attachments)
}

// Scopes implements crawl.Vendor.
func (v *vendor) Scopes(ctx context.Context) ([]crawl.Scope, error) {
	v.projects, v.relevance, v.fresh = make(map[string]project), make(map[string]relevance), make(map[string]relevance)
	v.odd, v.all = make(map[string]bool), &site{schemes: make(map[string]levels)}
	all, err := v.ours(ctx)
	if err != nil {
		return nil, err
	}
	if err := v.client.locate(ctx); err != nil {
		return nil, err
	}
	scopes := make([]crawl.Scope, len(all))
	for i, p := range all {
		v.projects[string(p.ID)] = p
		scopes[i] = crawl.Scope{ID: string(p.ID), Name: p.Key}
	}
	return scopes, nil
}

// Feeds implements crawl.Vendor. The note of a scope has, as JSON, the fields and levels that the
// project's settings refer to.
func (v *vendor) Feeds(scopes []crawl.Scope) []crawl.Feed {
	if len(scopes) == 0 {
		return nil
	}
	all := []crawl.Feed{{ID: feedChanges, Mode: crawl.Recent, Batch: mostBodies}}
	for _, s := range scopes {
		var r relevance
		if json.Unmarshal([]byte(s.Note), &r) == nil {
			v.relevance[s.ID] = r
		}
		all = append(all,
			crawl.Feed{ID: feedIssues + s.ID, Scope: s.ID, Mode: crawl.Scan, Every: v.options.FullEvery, Batch: mostBodies},
			crawl.Feed{ID: feedIDs + s.ID, Scope: s.ID, List: feedIssues + s.ID, Mode: crawl.Scan, Every: v.options.SweepEvery})
	}
	return all
}

// Page implements crawl.Vendor.
func (v *vendor) Page(ctx context.Context, f crawl.Feed, at crawl.Place) (crawl.Page, error) {
	of := v.projects[f.Scope]
	switch {
	case f.ID == feedChanges:
		return v.changes(ctx, at)
	case len(f.Only) > 0:
		return v.only(ctx, of, f.Only)
	case strings.HasPrefix(f.ID, feedIDs):
		return v.ids(ctx, of, at)
	}
	return v.issues(ctx, of, at)
}

// changes returns a page of the latest changes, newest first. Without at.Mark, the date at which
// the last run ended, it returns no items and only the date of the newest change.
func (v *vendor) changes(ctx context.Context, at crawl.Place) (p crawl.Page, err error) {
	s := searching{most: mostListed, fields: v.listed()}
	floor, err := time.Parse(time.RFC3339, at.Mark)
	if floor = floor.Add(-v.options.Overlap); err != nil {
		s.most, floor = 2, time.Unix(0, 0).Add(2*atlassian.Day)
	}
	zone, err := v.client.zone(ctx)
	if err != nil {
		return p, err
	}
	s.jql = v.scope() + "updated >= " + since(floor, zone) + " order by updated desc"
	found, next, err := v.client.search(ctx, s, at.Cursor)
	if err != nil {
		return p, v.stale(at, err)
	}
	if at.Cursor == "" && len(found) > 0 {
		p.Mark = found[0].Fields.Updated.Truncate(time.Second).Format(time.RFC3339)
	}
	if at.Mark == "" {
		return p, nil
	}
	if changed, err := v.readSettings(ctx, found, &p); err != nil {
		return p, err
	} else if changed {
		s.fields = v.listed()
		if found, next, err = v.client.search(ctx, s, at.Cursor); err != nil {
			return p, v.stale(at, err)
		}
	}
	v.list(&p, found, nil)
	p.Next = next
	return p, nil
}

// readSettings reads the settings of the projects of issues, as far as these settings referred to
// fields at the last scan. It reports whether some refer to other fields now. Nodes has then moved
// the documents to nodes by the new fields. Nodes moves nothing while a scheme is invisible, and
// such a scheme counts as unchanged.
func (v *vendor) readSettings(ctx context.Context, found []issue, p *crawl.Page) (changed bool, err error) {
	for _, one := range found {
		if one.Fields.Project == nil {
			continue
		}
		id := string(one.Fields.Project.ID)
		of, ours := v.projects[id]
		if _, known := v.fresh[id]; known || !ours || !v.relevance[id].single() {
			continue
		}
		r, err := v.settings(ctx, of, p)
		if err != nil {
			return false, err
		}
		changed = changed || !r.same(v.relevance[id])
	}
	return changed, nil
}

// issues returns a page of a project's issues. For the first page it also reads the project's
// settings.
func (v *vendor) issues(ctx context.Context, of project, at crawl.Place) (p crawl.Page, err error) {
	if at.Cursor == "" {
		r, err := v.settings(ctx, of, &p)
		if err != nil {
			return p, err
		}
		note, err := json.Marshal(r)
		if err != nil {
			return p, err
		}
		v.relevance[string(of.ID)], p.Note = r, string(note)
	}
	found, err := v.scan(ctx, of, at, &p, mostListed, v.listed())
	v.list(&p, found, &of)
	return p, err
}

// ids returns a page of the ids of a project's issues. It returns crawl.ErrRescan if the project's
// settings refer to other fields than at the last scan.
func (v *vendor) ids(ctx context.Context, of project, at crawl.Place) (p crawl.Page, err error) {
	if at.Cursor == "" {
		r, err := v.settings(ctx, of, &p)
		if err != nil {
			return p, err
		}
		if !r.same(v.relevance[string(of.ID)]) {
			return p, crawl.ErrRescan
		}
	}
	found, err := v.scan(ctx, of, at, &p, mostIDs, []string{"id"})
	for _, one := range found {
		p.Items = append(p.Items, crawl.Item{ID: v.id(string(one.ID), ""), Bare: true})
	}
	return p, err
}

// settings returns the fields and levels that a project's settings refer to. It reads them once per
// run. If they temporarily cannot be read, it adds a notice and returns the previous result. While
// the scheme is invisible, it also returns the previous result, if there is one. Nodes then hides
// all issues but moves none, so their fields must still choose their nodes.
func (v *vendor) settings(ctx context.Context, of project, p *crawl.Page) (relevance, error) {
	id := string(of.ID)
	if r, known := v.fresh[id]; known {
		return r, nil
	}
	r, err := v.scheme(ctx, v.all, of)
	switch {
	case err == nil:
		known, stored := v.relevance[id]
		if v.fresh[id] = known; !r.denied || !stored {
			v.fresh[id] = r.relevance(of)
		}
		return v.fresh[id], nil
	case atlassian.Final(ctx, err) || atlassian.LacksScope(err) ||
		!atlassian.Broken(err) && !atlassian.Refused(ctx, err) && !errors.Is(err, atlassian.ErrMalformed):
		return relevance{}, err
	}
	p.Notices = append(p.Notices, notice(of, "Who may browse it could not be read (%v). The next run tries again.", err))
	return v.relevance[id], nil
}

// scan returns a page of a project's issues, with the given page size and fields. It sets p.Partial
// if the list ends too early or the project is gone.
func (v *vendor) scan(ctx context.Context, of project, at crawl.Place, p *crawl.Page, most int, fields []string) ([]issue, error) {
	s := searching{jql: "project = " + string(of.ID) + " order by created asc", most: most, fields: fields, anchored: !at.Loose}
	found, next, err := v.client.search(ctx, s, at.Cursor)
	switch {
	case err == nil:
		p.Next = next
	case errors.Is(err, errShort):
		p.Partial = err
	case atlassian.Final(ctx, err):
		return nil, err
	case atlassian.Absent(err) || at.Cursor == "" && sourcehttp.Status(err) == http.StatusBadRequest:
		// the project is gone
		p.Partial = err
	default:
		return nil, v.stale(at, err)
	}
	return found, nil
}

// stale wraps err in crawl.ErrCursor if a position has expired or the list has shifted. It returns
// other errors unchanged.
func (v *vendor) stale(at crawl.Place, err error) error {
	if errors.Is(err, errShifted) || errors.Is(err, errExpired) || errors.Is(err, errCircle) || at.Cursor != "" && sourcehttp.Status(err) == http.StatusBadRequest {
		return errors.Join(crawl.ErrCursor, err)
	}
	return err
}

// only returns the issues in documents that exist and are visible.
func (v *vendor) only(ctx context.Context, of project, documents []document.ID) (p crawl.Page, err error) {
	var ids []string
	for _, d := range documents {
		if id, _, ok := v.placeOf(d); ok && isID(id) {
			ids = append(ids, id)
		}
	}
	there := make(map[string]issue, len(ids)) // by id; a search for deleted ids may be refused
	for some := range slices.Chunk(ids, mostBodies) {
		if err := v.bulk(ctx, some, v.listed(), there); err != nil {
			return p, err
		}
	}
	var list []issue
	for _, id := range ids {
		if one, ok := there[id]; ok {
			list = append(list, one)
		}
	}
	v.list(&p, list, &of)
	return p, nil
}

const mostKeys = 50

// scope returns a JQL condition such as "project in (10001,10002) and ". It returns "" if there are
// too many projects. Issues of other projects are then dropped later.
func (v *vendor) scope() string {
	if len(v.projects) > mostKeys {
		return ""
	}
	ids := make([]string, 0, len(v.projects))
	for id := range v.projects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return "project in (" + strings.Join(ids, ",") + ") and "
}

// listed returns the issue fields that lists need. They do not include texts.
func (v *vendor) listed() []string {
	fields := []string{"project", "updated", "security", "issuerestriction"}
	if v.options.Attachments {
		fields = append(fields, "attachment")
	}
	for id := range v.projects {
		fields = append(fields, v.current(id).Fields...)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// current returns the fields and levels that a project's settings refer to, as far as this run
// knows.
func (v *vendor) current(project string) relevance {
	if r, known := v.fresh[project]; known {
		return r
	}
	return v.relevance[project]
}

type entry struct {
	of    project
	issue issue
	file  *attached
}

// list adds issues and their attachments to p.Items. If in is not nil, it skips issues of other
// projects.
func (v *vendor) list(p *crawl.Page, found []issue, in *project) {
	for _, one := range found {
		id := string(one.ID)
		if !isID(id) || one.Fields.Project == nil {
			continue
		}
		of, ours := v.projects[string(one.Fields.Project.ID)]
		if in != nil && of.ID != in.ID || !ours {
			continue // moved meanwhile, or in a project that is not read
		}
		is := factsOf(string(of.ID), one, v.current(string(of.ID)))
		if is.Odd && !v.odd[string(of.ID)] {
			v.odd[string(of.ID)] = true
			p.Notices = append(p.Notices, notice(of, "Whether %s, or others with it, may be read by few alone is not shown to the account: they are hidden from everyone here. See deploy/docs/jira.md.", one.Key))
		}
		acl, list := v.node(is), feedIssues+string(of.ID)
		p.Items = append(p.Items, crawl.Item{
			ID: v.id(id, ""), List: list, Whole: v.options.Attachments, ModifiedAt: one.Fields.Updated.Time, ACL: acl, Data: entry{of: of, issue: one},
		})
		if !v.options.Attachments {
			continue
		}
		for _, file := range one.Fields.Attachments {
			if isID(string(file.ID)) && v.options.Takes(file.Name, file.Size) {
				p.Items = append(p.Items, crawl.Item{
					ID: v.id(id, string(file.ID)), Of: v.id(id, ""), List: list, ModifiedAt: file.Created.Time, Size: file.Size, ACL: acl,
					Data: entry{of: of, issue: one, file: &file},
				})
			}
		}
	}
}

func notice(of project, sentence string, with ...any) index.Notice {
	return index.Notice{Name: of.Key, Sentence: fmt.Sprintf(sentence, with...)}
}

// id returns the id of a document: "SOURCE:10001" for an issue, "SOURCE:10001:20002" for an
// attachment. It does not change if the issue is moved.
func (c *Connector) id(issue, file string) document.ID {
	id := string(c.source.ID) + ":" + issue
	if file != "" {
		id += ":" + file
	}
	return document.ID(id)
}

// placeOf splits a document id into an issue's id and a file's id. file is "" for an issue. ok is
// false if the document is not of this source.
func (c *Connector) placeOf(id document.ID) (issue, file string, ok bool) {
	rest, ok := strings.CutPrefix(string(id), string(c.source.ID)+":")
	issue, file, _ = strings.Cut(rest, ":")
	return issue, file, ok
}
