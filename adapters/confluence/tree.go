package confluence

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/access"
)

// tree has the parents and restrictions that a run has read so far. It must not be used
// concurrently.
type tree struct {
	*Connector
	parents map[string]string // parent ids by content id; "" for a content directly in its space
	kinds   map[string]string // kinds of contents; on Cloud a missing kind means a page
	lost    map[string]bool   // invisible contents: hidden from everyone, with everything below them
	unsure  map[string]bool   // temporarily unreadable contents
	lists   map[string]list
	refused map[string]error // refusals that hide content, by its id, until a notice reports them
	failing int              // consecutive failures
}

// list has the readers to which a page or folder is restricted.
type list struct {
	state   listState
	readers access.ACL
}

type listState int

const (
	unrestricted listState = iota
	restricted
	denied // invisible: hidden from everyone
	unread // temporarily unreadable
)

func (c *Connector) tree() *tree {
	return &tree{
		Connector: c, parents: make(map[string]string), kinds: make(map[string]string), lost: make(map[string]bool), unsure: make(map[string]bool),
		lists: make(map[string]list), refused: make(map[string]error),
	}
}

// place records the parent of a page or other content. It records no parent if parent is not the id
// of content, for example because it is a space.
func (t *tree) place(id, parent, kind string) {
	if !isID(parent) {
		parent = ""
	}
	t.parents[id] = parent
	if parent != "" && kind != "" {
		t.kinds[parent] = kind
	}
}

func (t *tree) entry(k content) entry {
	e := k.entry(!t.client.Cloud)
	if k.Container != nil && (e.of == comments || e.of == attachments) {
		e.above = []string{string(k.Container.ID)}
		t.kinds[string(k.Container.ID)] = k.Container.Type
	}
	return e
}

// valid drops entries that have no id or another kind. If the remaining entries list their
// ancestors, it records these.
func (t *tree) valid(all []entry, of contentSort) []entry {
	all = slices.DeleteFunc(all, func(e entry) bool { return !isID(e.id) || e.of != of && of != "" })
	for _, e := range all {
		below := e.id
		if e.of == comments || e.of == attachments {
			continue
		}
		if t.kinds[e.id] = string(e.of); e.above == nil {
			continue
		}
		for _, id := range e.above {
			t.place(below, id, "")
			below = id
		}
		t.place(below, "", "")
	}
	return all
}

// ancestryStart returns the id of the page to which a comment or file belongs, or else the id of
// the entry. The path to the root starts there.
func (e entry) ancestryStart() string {
	if (e.of == comments || e.of == attachments) && len(e.above) > 0 {
		return e.above[0]
	}
	return e.id
}

func ancestryStarts(entries []entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.ancestryStart()
	}
	return all
}

const deepest = 500

// chain returns the ids of a page and its ancestors, nearest first. whole reports whether all of
// them are known and visible. If not, the last id is the missing one.
func (t *tree) chain(id string) (ids []string, whole bool) {
	for range deepest {
		if slices.Contains(ids, id) { // a cycle
			return ids, false
		}
		ids = append(ids, id)
		above, known := t.parents[id]
		if !known || t.lost[id] {
			return ids, false
		}
		if above == "" {
			return ids, true
		}
		id = above
	}
	return ids, false
}

// load reads the unknown ancestors of some pages, and all unknown restrictions on the way to the
// root.
func (t *tree) load(ctx context.Context, feet []string) error {
	for range deepest {
		var unknown []string
		for _, id := range feet {
			ids, _ := t.chain(id)
			last := ids[len(ids)-1]
			if _, known := t.parents[last]; !known && !t.lost[last] && !t.unsure[last] {
				unknown = append(unknown, last)
			}
		}
		if len(unknown) == 0 {
			break
		}
		slices.Sort(unknown)
		if err := t.climb(ctx, slices.Compact(unknown)); err != nil {
			return err
		}
	}
	var unknown []string
	for _, id := range feet {
		ids, _ := t.chain(id)
		for _, id := range ids {
			if _, known := t.lists[id]; !known && !t.lost[id] && !t.unsure[id] {
				unknown = append(unknown, id)
			}
		}
	}
	slices.Sort(unknown)
	return t.restrictions(ctx, slices.Compact(unknown))
}

// nearest returns the nearest restricted page among a page and its ancestors, or "" if only the
// space decides. sure is false if some ancestors could not be read. An invisible page counts as
// restricted.
func (t *tree) nearest(from string) (id string, sure bool) {
	ids, whole := t.chain(from)
	for _, id := range ids {
		if t.lost[id] {
			return id, true
		}
		switch l, known := t.lists[id]; {
		case t.unsure[id] || !known || l.state == unread:
			return "", false
		case l.state == restricted || l.state == denied:
			return id, true
		}
	}
	if !whole { // a cycle, or too deep
		return ids[len(ids)-1], true
	}
	return "", true
}

// pageStatuses has the statuses of the pages that may be above others. A page with another status,
// such as a draft, counts as invisible, because the list refuses unknown statuses: "Valid values:
// current, archived, deleted, trashed"
// (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/).
const pageStatuses = "current,archived,trashed"

// climb looks up the parents of pages. On Data Center it looks up all ancestors at once. Pages that
// it does not find count as invisible.
func (t *tree) climb(ctx context.Context, ids []string) error {
	var single []string
	for some := range slices.Chunk(ids, mostExpanded) {
		if !t.client.Cloud {
			left, err := t.bulk(ctx, some, "ancestors", func(k content) { t.valid([]entry{k.entry(true)}, "") })
			if err != nil {
				return err
			}
			single = append(single, slices.Sorted(maps.Keys(left))...)
			continue
		}
		some = slices.DeleteFunc(slices.Clone(some), func(id string) bool {
			of := t.kinds[id]
			switch {
			case of == string(posts):
				t.place(id, "", "")
			case of != "" && of != string(pages):
				single = append(single, id)
			default:
				return false
			}
			return true
		})
		if len(some) == 0 {
			continue
		}
		values := []string{"limit", strconv.Itoa(mostListed), "status", pageStatuses}
		asked := atlassian.Query(values...)
		for _, id := range some {
			asked += "&id=" + id
		}
		got, err := listAll[listed](ctx, t.client, "api/v2/pages", asked)
		if err != nil {
			return err
		}
		for _, l := range got {
			t.place(string(l.ID), string(l.Parent), l.ParentType)
		}
		for _, id := range some {
			if _, found := t.parents[id]; !found {
				t.lost[id] = true
			}
		}
	}
	for _, id := range single {
		if err := t.climbOne(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// containers has the kinds of content, other than pages, that may have children
// (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-folder/).
var containers = map[string]string{"folder": "folders", "whiteboard": "whiteboards", "database": "databases", "embed": "embeds"}

func (t *tree) climbOne(ctx context.Context, id string) error {
	var err error
	if path, known := containers[t.kinds[id]]; t.client.Cloud && known {
		var l listed
		if err = t.client.Get(ctx, "api/v2/"+path+"/"+id, &l); err == nil && string(l.ID) == id {
			t.place(id, string(l.Parent), l.ParentType)
			return nil
		}
	} else if !t.client.Cloud {
		var k content
		if err = t.client.Get(ctx, "rest/api/content/"+id+"?expand=ancestors", &k); err == nil && string(k.ID) == id {
			t.valid([]entry{k.entry(true)}, "")
		}
		if _, found := t.parents[id]; found {
			return nil
		}
	}
	if err == nil || atlassian.Refused(ctx, err) {
		t.lost[id] = true
		t.noteRefusal(id, err)
		return nil
	}
	t.unsure[id] = true
	return t.fails(ctx, err)
}

// noteRefusal records why a content is hidden, together with everything below it. Invisible content
// needs no explanation.
func (t *tree) noteRefusal(id string, err error) {
	if err != nil && !atlassian.Absent(err) {
		t.refused[id] = err
	}
}

// patience is the number of consecutive failures after which a loop over pages fails.
const patience = 5

// fails counts an error about one page. It returns nil if the page can be skipped, for example
// after a server error or a malformed response. After [patience] consecutive errors it returns the
// error.
func (t *tree) fails(ctx context.Context, err error) error {
	if t.failing++; atlassian.Final(ctx, err) || !atlassian.Broken(err) && !errors.Is(err, atlassian.ErrMalformed) || t.failing >= patience {
		return err
	}
	return nil
}

func (t *tree) restrictions(ctx context.Context, ids []string) error {
	var single []string
	for some := range slices.Chunk(ids, mostExpanded) {
		some = slices.DeleteFunc(slices.Clone(some), func(id string) bool {
			_, box := containers[t.kinds[id]]
			if box { // searches do not find these
				single = append(single, id)
			}
			return box
		})
		left, err := t.bulk(ctx, some, expandRestrictions, func(k content) {
			if k.Restrictions != nil && k.Restrictions.Read.complete() {
				r := k.Restrictions.Read.Restrictions
				t.lists[string(k.ID)] = t.listOf(r.User.Results, r.Group.Results)
			}
		})
		if err != nil {
			return err
		}
		for _, id := range some {
			_, listed := t.lists[id]
			if _, missing := left[id]; missing || !listed {
				single = append(single, id)
			}
		}
	}
	for _, id := range single {
		l, err := t.restrictionOf(ctx, id)
		switch {
		case err == nil:
			t.failing = 0
		case atlassian.Refused(ctx, err):
			l = list{state: denied}
			t.noteRefusal(id, err)
		default:
			l = list{state: unread}
			if err := t.fails(ctx, err); err != nil {
				return err
			}
		}
		t.lists[id] = l
	}
	return nil
}

const expandRestrictions = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"

// bulk reads pages and other content by id. It returns the ids that it did not find: with nil if a
// search that succeeded omits them, or else with the reason why no search for them succeeded. If
// the request fails, it reads each half separately, because one failing expansion fails the whole
// request (CONFCLOUD-77618, CONFCLOUD-76424). After [patience] consecutive refusals of a single id
// it takes the search itself for refused, and sends no more requests.
func (t *tree) bulk(ctx context.Context, ids []string, expand string, use func(content)) (left map[string]error, err error) {
	left, refusals := make(map[string]error), 0
	var search func(ids []string) error
	search = func(ids []string) error {
		missing := make(map[string]bool, len(ids))
		for _, id := range ids {
			missing[id] = true
		}
		asked := atlassian.Query("cql", cqlIDs(ids), "limit", strconv.Itoa(len(ids)), "expand", expand)
		err := walk(ctx, t.client, "rest/api/content/search", asked, 2, func(got []content) bool {
			for _, k := range got {
				if missing[string(k.ID)] {
					delete(missing, string(k.ID))
					use(k)
				}
			}
			t.failing, refusals = 0, 0
			return len(missing) > 0
		})
		rest := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !missing[id] })
		switch {
		case err == nil || len(rest) == 0:
			for _, id := range rest {
				left[id] = nil
			}
			return nil
		case atlassian.Final(ctx, err) || atlassian.LacksScope(err) || !atlassian.Broken(err) && !atlassian.Refused(ctx, err):
			return err
		case len(rest) == 1:
			left[rest[0]] = err
			if !atlassian.Broken(err) {
				refusals++
			} else if t.failing++; t.failing >= patience {
				return fmt.Errorf("one content after another cannot be read: %w", err)
			}
			return nil
		}
		for _, half := range [][]string{rest[:len(rest)/2], rest[len(rest)/2:]} {
			if refusals >= patience {
				for _, id := range half {
					left[id] = err
				}
			} else if err := search(half); err != nil {
				return err
			}
		}
		return nil
	}
	if len(ids) == 0 {
		return left, nil
	}
	return left, search(ids)
}
