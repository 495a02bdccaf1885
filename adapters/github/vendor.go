package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/gitmirror"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

type contentSort string

const (
	issues      contentSort = "issue"
	pulls       contentSort = "pull"
	discussions contentSort = "discussion"
	files       contentSort = "file"
	wiki        contentSort = "wiki"
)

var sorts = []contentSort{discussions, files, issues, pulls, wiki}

// vendor implements [crawl.Vendor] for GitHub. If nothing has changed, a run sends one query per
// hundred repositories. It sends one more request for each page of a list whose length GitHub does
// not report.
type vendor struct {
	*Connector

	// The fields below belong to one run.
	of      map[string]repositoryState // states of repositories, by scope id
	mains   map[string]crawl.Feed      // main scans by feed id
	failing int                        // consecutive pages that could not be read
}

// changes is the prefix of the id of a feed of changes: "changes-issue/12" for the issues of
// repository 12.
const changes = "changes-"

// Source implements crawl.Vendor.
func (v *vendor) Source() document.Source { return v.source }

// reading is the version of the rules that convert content to a document. If it is raised,
// everything is read again.
const reading = 1

// Rules implements crawl.Vendor.
func (v *vendor) Rules() string {
	o := v.options
	return fmt.Sprintf("github %d %v %v %v %v %q", reading, o.Issues, o.PullRequests, o.Discussions, o.Wiki, o.Files)
}

// Scopes implements crawl.Vendor. A scope is a repository.
func (v *vendor) Scopes(ctx context.Context) ([]crawl.Scope, error) {
	ctx, v.failing = sparing(ctx), 0
	all, err := v.repositories(ctx)
	if err != nil {
		return nil, err
	}
	now, err := v.repositoryStates(ctx, inOrder(all))
	if err != nil {
		return nil, err
	}
	v.of = make(map[string]repositoryState, len(now))
	var scopes []crawl.Scope
	for _, id := range slices.Sorted(maps.Keys(now)) {
		s := now[id]
		scope := crawl.Scope{ID: s.key(), Name: s.Name}
		v.of[scope.ID] = s
		state, young := fnv.New64a(), false
		for _, of := range sorts {
			if !v.reads(of, s) {
				continue
			}
			m := v.mark(s, of)
			_, _ = fmt.Fprintf(state, "%s %s;", of, m) // writing to a hash never fails
			young = young || m.Young
			scope.Size += m.Total
			if at := time.Unix(m.At, 0); at.After(scope.Newest) {
				scope.Newest = at
			}
		}
		if !young {
			scope.State = strconv.FormatUint(state.Sum64(), 16)
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// Feeds implements crawl.Vendor.
func (v *vendor) Feeds(scopes []crawl.Scope) []crawl.Feed {
	v.mains = make(map[string]crawl.Feed)
	var feeds []crawl.Feed
	for _, scope := range scopes {
		for _, of := range sorts {
			if !v.reads(of, v.of[scope.ID]) {
				continue
			}
			main := crawl.Feed{ID: string(of) + "/" + scope.ID, Scope: scope.ID, Mode: crawl.Scan, Every: v.options.FullEvery, Retry: time.Nanosecond, Batch: pageOf[of]}
			switch of {
			case issues, pulls, discussions:
				if v.mark(v.of[scope.ID], of).Hidden {
					main.Every = 0 // so that each run says so; it makes no request
				}
			case files:
				main.Every = math.MaxInt64 // a new commit makes it due
			case wiki:
				main.Every = v.options.WikiEvery
			}
			v.mains[main.ID] = main
			feeds = append(feeds, crawl.Feed{ID: changes + main.ID, Scope: scope.ID, List: main.ID, Mode: crawl.Recent, Batch: main.Batch}, main)
		}
	}
	return feeds
}

func (v *vendor) reads(of contentSort, s repositoryState) bool {
	o := v.options
	switch of {
	case issues:
		return o.Issues && s.HasIssues
	case pulls:
		return o.PullRequests
	case discussions:
		return o.Discussions && s.HasDiscussions
	case files:
		return len(o.Files) > 0 && o.Read != nil && s.DefaultBranchRef != nil
	case wiki:
		return o.Wiki && o.Read != nil && s.HasWiki
	}
	return false
}

// Off implements crawl.Switcher. Files are off only if the options exclude them, and not if the
// branch is invisible. An invisible branch may mean that the credential lacks permission.
func (v *vendor) Off(scope, list string) bool {
	kind, _, _ := strings.Cut(list, "/")
	s, of := v.of[scope], contentSort(kind)
	if of == files {
		return len(v.options.Files) == 0 || v.options.Read == nil
	}
	return !v.reads(of, s)
}

// mark is the state of one list of a repository, such as its issues. A list has changed if its mark
// differs from the last one.
type mark struct {
	Name  string `json:"n"`           // name of the repository, which documents contain
	At    int64  `json:"a,omitempty"` // time of the newest change, in seconds since 1970
	Total int    `json:"t,omitempty"`
	Head  string `json:"h,omitempty"` // newest commit of the branch
	// Young means that At is recent. A later change may have the same date, if it happens in the
	// same second or GitHub's replicas do not show it yet. The next run therefore lists new items
	// again.
	Young  bool `json:"y,omitempty"`
	Hidden bool `json:"d,omitempty"` // the list is not shown to the credential
	// for files, index.Chunking; if it changes, files are divided again
	Cut int `json:"c,omitempty"`
}

// String returns the mark as JSON.
func (m mark) String() string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // every field can be encoded
	}
	return string(text)
}

func (v *vendor) mark(s repositoryState, of contentSort) mark {
	m := mark{Name: s.Name}
	all, is := s.list(of)
	switch {
	case is:
		m.Total, m.Hidden = all.TotalCount, all.Nodes == nil
		if len(all.Nodes) > 0 {
			at := all.Nodes[0].UpdatedAt
			m.At, m.Young = at.Unix(), v.client.config.Now().Sub(at) < v.options.Overlap
		}
	case of == files:
		m.Head, m.Cut = head(s), index.Chunking
		m.At = max(s.PushedAt.Unix(), 0)
	}
	return m
}

// list returns the state of a repository's list of threads: its length and its newest change. ok is
// false for files and wikis. If the list is invisible to the credential, list.Nodes is nil.
func (s repositoryState) list(of contentSort) (list connection[dated], ok bool) {
	list, ok = map[contentSort]connection[dated]{issues: s.Issues, pulls: s.PullRequests, discussions: s.Discussions}[of]
	return list, ok
}

func head(s repositoryState) string {
	if s.DefaultBranchRef == nil {
		return ""
	}
	return s.DefaultBranchRef.Target.OID
}

// patience is the number of consecutive failures after which a loop over pages or repositories
// fails.
const patience = 3

// Page implements crawl.Vendor.
func (v *vendor) Page(ctx context.Context, f crawl.Feed, at crawl.Place) (page crawl.Page, err error) {
	ctx = sparing(ctx)
	s := v.of[f.Scope]
	kind, _, _ := strings.Cut(f.ID, "/")
	kind, isChanges := strings.CutPrefix(kind, changes)
	switch of := contentSort(kind); {
	case isChanges:
		page, err = v.changes(ctx, s, of, at)
	case of == files || of == wiki:
		page, err = v.tree(ctx, s, of, f.Only)
	case len(f.Only) > 0:
		page, err = v.only(ctx, s, of, f.Only)
	default:
		page, err = v.threads(ctx, s, of, at)
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, crawl.ErrCursor) || errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked) {
		return page, err
	}
	if !gitmirror.TooLarge(err) && !errors.Is(err, errRenamed) { // these errors concern one repository
		v.failing++
	}
	if v.failing >= patience {
		return crawl.Page{}, err
	}
	return crawl.Page{Partial: fmt.Errorf("its %ss: %w", kind, err)}, nil
}

// changes returns a page of the threads that changed since the last run, newest first. It sets
// page.Stale if other items may have changed too, for example after a rename or a deletion.
func (v *vendor) changes(ctx context.Context, s repositoryState, of contentSort, at crawl.Place) (page crawl.Page, err error) {
	now := v.mark(s, of)
	if at.Cursor == "" {
		page.Mark = now.String()
	}
	var was mark
	if at.Mark == "" || json.Unmarshal([]byte(at.Mark), &was) != nil {
		return page, nil // a scan follows
	}
	page.Stale = at.Cursor == "" && (was.Name != now.Name || was.Head != now.Head || was.Cut != now.Cut || now.Total < was.Total || was.Hidden != now.Hidden)
	if of == files || of == wiki || was.Hidden || now.Hidden || at.Cursor == "" && now.At <= was.At && !was.Young {
		return page, nil
	}
	found, err := v.page(ctx, s, string(of)+"s", map[string]any{"by": "UPDATED_AT"}, at, pageOf[of], func(thread) bool { return true })
	if err != nil {
		return page, err
	}
	page.Next = found.next()
	stop := was.At - int64(v.options.Overlap/time.Second)
	for _, one := range found.Nodes {
		if one.valid() && one.UpdatedAt.Unix() < stop {
			page.Next = ""
			break
		}
		if one.valid() {
			page.Items = append(page.Items, v.item(s, of, one, true))
		}
	}
	return page, nil
}

// pageOf is the number of threads of each kind per query. If a query is too large for GitHub, the
// number is halved repeatedly.
var pageOf = map[contentSort]int{issues: 50, pulls: 20, discussions: 20}

// lookPage is the number of threads per query without texts.
const lookPage = 100

// threads returns a page of all threads of one kind in a repository. The first scan lists the
// newest first and includes the texts.
func (v *vendor) threads(ctx context.Context, s repositoryState, of contentSort, at crawl.Place) (page crawl.Page, err error) {
	if list, _ := s.list(of); list.Nodes == nil { // no failure: the other repositories are read
		return crawl.Page{Hidden: true, Notices: []index.Notice{{Name: s.Name, Sentence: fmt.Sprintf("Its %ss: %v.", of, errHidden)}}}, nil
	} else if list.TotalCount == 0 && at.Cursor == "" {
		return page, nil
	}
	name, first, more := "all"+string(of)+"s", lookPage, map[string]any{}
	if at.First {
		name, first, more["by"] = string(of)+"s", pageOf[of], "CREATED_AT"
	}
	found, err := v.page(ctx, s, name, more, at, first, thread.valid)
	if err != nil {
		return page, err
	}
	page.Next, page.Count = found.next(), found.TotalCount
	for _, one := range found.Nodes {
		it := v.item(s, of, one, at.First)
		it.ACL = v.acl(s.ID)
		page.Items = append(page.Items, it)
	}
	return page, nil
}

var errHidden = errors.New("GitHub does not show them: look at what the credential is allowed")

// page queries a page of a repository's threads. If the query is too large, it halves the number of
// threads. If the cursor may have expired, the error wraps crawl.ErrCursor.
func (v *vendor) page(ctx context.Context, s repositoryState, name string, variables map[string]any, at crawl.Place, first int, valid func(thread) bool) (page connection[thread], err error) {
	variables["id"], variables["after"] = s.NodeID, nil
	if at.Cursor != "" {
		variables["after"] = at.Cursor
	}
	for ; ; first /= 2 {
		variables["first"] = first
		var got struct {
			Node *struct {
				Found *connection[thread] `json:"found"`
			} `json:"node"`
		}
		_, err = v.client.query(ctx, name, variables, &got)
		var said graphErrors
		switch {
		case errors.Is(err, errHeavy) && first > 1:
			continue
		case at.Cursor != "" && errors.As(err, &said): // the cursor may have expired
			return page, errors.Join(crawl.ErrCursor, err)
		case err != nil:
			return page, err
		case got.Node == nil || got.Node.Found == nil:
			return page, errHidden
		}
		if err := sourcehttp.CheckItems(got.Node.Found.Nodes, sourcehttp.MaxItems, valid); err != nil {
			return page, fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", err)
		}
		v.failing = 0
		return *got.Node.Found, nil
	}
}

// only queries threads by number. Threads that were deleted or transferred go to page.Gone.
func (v *vendor) only(ctx context.Context, s repositoryState, of contentSort, ids []document.ID) (page crawl.Page, err error) {
	// An issue in an invisible list would look deleted.
	if list, is := s.list(of); is && list.Nodes == nil {
		return page, nil
	}
	for _, id := range ids {
		number, err := strconv.Atoi(strings.TrimPrefix(string(id), v.prefix(s.ID, of)))
		if err != nil {
			continue
		}
		var got struct {
			Node *struct {
				One *thread `json:"one"`
			} `json:"node"`
		}
		if _, err := v.client.query(ctx, string(of), map[string]any{"id": s.NodeID, "number": number}, &got); err != nil && !denied(err) {
			return page, err
		}
		switch {
		case got.Node == nil:
			return page, errHidden
		case got.Node.One == nil:
			page.Gone = append(page.Gone, id)
		case got.Node.One.valid() && got.Node.One.Number == number:
			page.Items = append(page.Items, v.item(s, of, *got.Node.One, true))
		}
	}
	return page, nil
}

type threadOf struct {
	in    repositoryState
	is    thread
	whole bool // the page contains its text
}

// threadWait is the maximum time to wait for the rate limit while the missing parts of a thread are
// read.
const threadWait = 10 * time.Minute

func (v *vendor) item(in repositoryState, of contentSort, t thread, whole bool) crawl.Item {
	return crawl.Item{
		ID: v.id(in.ID, of, strconv.Itoa(t.Number)), ModifiedAt: t.version(in.Name), Size: t.size(), Wait: threadWait, Data: threadOf{in, t, whole},
	}
}

// Load implements crawl.Vendor. It reads missing texts together. If the query is too large for
// GitHub, it reads them one by one.
func (v *vendor) Load(ctx context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	ctx = sparing(ctx)
	got := make(map[document.ID]crawl.Read, len(batch))
	var ids []string
	missing := make(map[string]crawl.Item) // by GraphQL id
	for _, it := range batch {
		switch of := it.Data.(type) {
		case threadOf:
			if of.whole {
				got[it.ID] = func(ctx context.Context) (document.Document, error) { return v.thread(ctx, it.ID, of.in, of.is) }
				continue
			}
			ids, missing[of.is.ID] = append(ids, of.is.ID), it
		case crawl.Read:
			got[it.ID] = of
		}
	}
	if len(ids) == 0 {
		return got, nil
	}
	var found struct {
		Nodes []*thread `json:"nodes"`
	}
	if _, err := v.client.query(ctx, "some", map[string]any{"ids": ids}, &found); err != nil && !denied(err) && (len(ids) == 1 || !errors.Is(err, errHeavy)) {
		return nil, err
	}
	for _, t := range found.Nodes {
		if t == nil {
			continue
		}
		it, asked := missing[t.ID]
		if of, is := it.Data.(threadOf); asked && is && of.is.Number == t.Number {
			got[it.ID] = func(ctx context.Context) (document.Document, error) { return v.thread(ctx, it.ID, of.in, *t) }
		}
	}
	return got, nil
}

func (v *vendor) thread(ctx context.Context, id document.ID, in repositoryState, t thread) (document.Document, error) {
	ctx = sparing(ctx)
	if err := v.client.complete(ctx, &t); err != nil {
		return document.Document{}, err
	}
	d, err := t.document(ctx, in.Name)
	if err != nil {
		return document.Document{}, err
	}
	if at, err := url.Parse(d.URL); err != nil || !v.client.owns(at) {
		return document.Document{}, fmt.Errorf("GitHub names %q as the address of %s#%d, which is not on %s: the next run tries again", d.URL, in.Name, t.Number, v.client.config.URL)
	}
	d.ID, d.ACL = id, v.acl(in.ID)
	return d, nil
}

// Hint implements crawl.Hinter.
func (v *vendor) Hint(subject string) []crawl.Feed {
	words := strings.Fields(subject)
	if len(words) < 2 {
		return nil
	}
	of := wiki
	if len(words) > 2 {
		of = contentSort(words[2])
	}
	feed, there := v.mains[string(of)+"/"+words[1]]
	switch {
	case !there:
		return nil
	case words[0] == hintThread && len(words) == 5:
		feed.Only = []document.ID{v.id(v.of[words[1]].ID, of, words[3])}
	case words[0] != hintWiki && words[0] != hintThreads:
		return nil
	}
	return []crawl.Feed{feed}
}

// id returns "SOURCE:12:issue:7" for issue 7 of repository 12, and "SOURCE:12:file:docs/a.md" for a
// file.
func (c *Connector) id(repository int64, of contentSort, key string) document.ID {
	return document.ID(c.prefix(repository, of) + key)
}

func (c *Connector) prefix(repository int64, of contentSort) string {
	return string(c.source.ID) + ":" + strconv.FormatInt(repository, 10) + ":" + string(of) + ":"
}

func (c *Connector) acl(repository int64) access.ACL { return access.ACL{c.node(repository)} }
