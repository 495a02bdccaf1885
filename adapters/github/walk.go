package github

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func (p *progress) walk(of sort) *walk {
	w := p.Walks[of]
	if w == nil {
		w = &walk{}
		p.Walks[of] = w
	}
	return w
}

func (p *progress) tree(of sort) *grown {
	g := p.Trees[of]
	if g == nil {
		g = &grown{}
		p.Trees[of] = g
	}
	return g
}

// due reports whether something is to be read, by the date of the newest and the number of them.
func (p *pass) due(w *walk, at int64, total int) bool {
	if w.Next == 0 && (at > w.Known || w.Again || w.Known == 0 && total > 0) {
		w.Next, w.Cursor, w.Floor = max(at, 1), "", 0
		// A change within the second that was read last, or one that a replica of GitHub's did not
		// show yet, has no later date: what is new is read twice, whatever the clocks say.
		w.Again = at > w.Known || p.now.Unix()-at < int64(p.options.Overlap/time.Second)
	}
	if w.Full == 0 && p.first {
		w.Full = sourcepass.Seconds(p.now)
	}
	if w.Look == nil && (w.Full == 0 || total < w.Total || w.Shrunk != 0 && total != w.Total ||
		(total > 0 || w.Shrunk != 0) && p.now.Sub(time.Unix(w.Full, 0)) >= p.options.FullEvery) {
		w.Look = &looks{Began: sourcepass.Seconds(p.now)}
	}
	w.Total = total
	return w.Next != 0 || w.Look != nil
}

// step reads a page of a walk, or of a look at everything.
func (p *pass) step(ctx context.Context, t *task) (more bool, err error) {
	w := p.state.of(t.repository.id, t.repository.name).walk(t.of)
	if w.Next != 0 {
		if err := p.walkOn(ctx, t, w); err != nil {
			return false, err
		}
	} else if err := p.look(ctx, t, w); err != nil {
		return false, err
	}
	if w.Next == 0 && w.Look != nil {
		t.at = 0 // after everything that is new
	}
	return w.Next != 0 || w.Look != nil, nil
}

// How many of each are asked for in one query; where that is too much for GitHub, half as many, and
// so on.
var pageOf = map[sort]int{issues: 50, pulls: 20, discussions: 20}

// errHidden says that a part of a repository is not shown to the credential.
var errHidden = errors.New("GitHub does not show them: look at what the credential is allowed")

// page asks for a page of a repository's things.
func (p *pass) page(ctx context.Context, t *task, name, cursor string, first int, valid func(thread) bool) (page connection[thread], err error) {
	var after any
	if cursor != "" {
		after = cursor
	}
	if err := t.pages.Next(name + " " + cursor); err != nil {
		return page, unending(err)
	}
	for ; ; first /= 2 {
		var got struct {
			Node *struct {
				Found *connection[thread] `json:"found"`
			} `json:"node"`
		}
		_, err = p.client.query(ctx, name, map[string]any{"id": t.repository.node, "first": first, "after": after}, &got)
		if errors.Is(err, errHeavy) && first > 1 {
			continue
		}
		if err != nil {
			return page, err
		}
		if got.Node == nil || got.Node.Found == nil {
			return page, errHidden
		}
		if err := sourcehttp.CheckItems(got.Node.Found.Nodes, sourcehttp.MaxItems, valid); err != nil {
			return page, fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", err)
		}
		return *got.Node.Found, nil
	}
}

// walkOn reads the next page, newest first, and ends where everything was read before.
func (p *pass) walkOn(ctx context.Context, t *task, w *walk) error {
	page, err := p.page(ctx, t, string(t.of)+"s", w.Cursor, pageOf[t.of], func(thread) bool { return true })
	if err != nil {
		if w.Cursor != "" && !errors.Is(err, index.ErrPaused) && ctx.Err() == nil {
			w.Cursor = "" // it may not be taken any more: the walk begins again
		}
		return err
	}
	var items []index.Item
	stop := w.Known - int64(p.options.Overlap/time.Second)
	ended := !page.PageInfo.HasNextPage
	seen := make(map[int]bool)
	for _, one := range page.Nodes {
		if one.valid() && one.UpdatedAt.Unix() < stop {
			ended = true
			break
		}
		if one.valid() && !seen[one.Number] {
			seen[one.Number] = true
			items = append(items, p.item(t.repository, t.of, one, true))
			w.Floor, t.at = one.UpdatedAt.Unix(), one.UpdatedAt.Unix()
		}
	}
	if w.Cursor = page.PageInfo.EndCursor; ended {
		w.Known, w.Next, w.Cursor, w.Floor = w.Next, 0, "", 0
	}
	return p.emit(index.Batch{Documents: items})
}

// lookPage is how many are looked at in one query.
const lookPage = 100

// look looks at the next of all, oldest first, and settles in the end what was not among them:
// GitHub tells of what was deleted, or transferred to another repository, by webhooks alone.
func (p *pass) look(ctx context.Context, t *task, w *walk) error {
	page, err := p.page(ctx, t, "all"+string(t.of)+"s", w.Look.Cursor, lookPage, thread.valid)
	if err != nil {
		if !errors.Is(err, index.ErrPaused) && ctx.Err() == nil {
			w.Look, w.Full = nil, 0 // the next run begins it again
		}
		return err
	}
	var items []index.Item
	seen := make(map[int]bool)
	for _, one := range page.Nodes {
		if !seen[one.Number] {
			seen[one.Number] = true
			w.Look.Seen.add(one.Number)
			items = append(items, p.item(t.repository, t.of, one, false))
		}
	}
	if page.PageInfo.HasNextPage {
		w.Look.Cursor = page.PageInfo.EndCursor
		return p.emit(index.Batch{Documents: items})
	}
	if n := w.Look.Seen.count(); n < page.TotalCount {
		p.Notices = append(p.Notices, crawl.Incomplete(t.repository.name, fmt.Errorf("%d of %d %ss are listed", n, page.TotalCount, t.of)))
		w.Look, w.Full = nil, 0 // the next run begins it again
		return p.emit(index.Batch{Documents: items})
	}
	there := w.Look.Seen
	unmet, err := p.unmet(index.Batch{Documents: items}, t.repository.id, t.of, func(id document.ID, key string) bool {
		number, err := strconv.Atoi(key)
		_, came := p.Sent[id] // what came since is there
		return err == nil && (there.has(number) || came)
	})
	if err != nil {
		return err
	}
	w.Full, w.Look = w.Look.Began, nil
	return p.settle(t.repository, t.of, unmet, &w.Shrunk)
}

// unmet sends a batch, and returns the stored documents of a sort that a look at all of them did
// not meet.
func (p *pass) unmet(b index.Batch, repository int64, of sort, met func(id document.ID, key string) bool) (sourcepass.Unmet, error) {
	return sourcepass.FindUnmet(p.emit, b, func(id document.ID) (in, is bool) {
		at, sort, key, ok := p.place(id)
		if in = ok && at == repository && sort == of; !in {
			return false, false
		}
		return true, met(id, key)
	})
}

// settle has the rule of crawl.Vanish decide about unmet documents of a sort. Others of the sort
// are shown again if a ruling before hid them.
func (p *pass) settle(in repositoryOf, of sort, unmet sourcepass.Unmet, since *int64) error {
	list := crawl.List{Name: in.name, Stored: unmet.Stored, Missing: len(unmet.IDs), Since: sourcepass.Time(*since)}
	r := crawl.Vanish(list, p.now)
	if r.Fate == crawl.Hide {
		p.Notices = append(p.Notices, r.Shrunk(list, "give the credential back its right to see them"))
	}
	batch := unmet.Review(r.Fate.Verdict())
	if missing := batch.Review; *since != 0 {
		batch.Review = func(id document.ID) index.Verdict {
			v := missing(id)
			if at, sort, _, ok := p.place(id); ok && at == in.id && sort == of && !v.Gone && v.ACL == nil {
				v.ACL = p.acl(in.id)
			}
			return v
		}
	}
	*since = sourcepass.Seconds(r.Since)
	return p.emit(batch)
}
