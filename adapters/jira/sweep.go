package jira

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// look looks at a project as far as it is time to: at its settings and ids, or at everything.
func (p *pass) look(ctx context.Context, of project, at *progress) error {
	since := func(t int64) time.Duration { return p.now.Sub(time.Unix(t, 0)) }
	full := at.Full == 0 || since(at.Full) >= p.options.FullEvery
	if at.Sweep == nil {
		if !full && since(at.Swept) < p.options.SweepEvery {
			return nil
		}
		relevant, err := p.relevance(ctx, of, at)
		if err != nil {
			return err
		}
		full = full || !relevant.same(at.Relevant)
		at.Sweep = &sweep{Began: sourcepass.Seconds(p.now), Full: full, Relevant: relevant, Seen: make(atlassian.IDSet)}
	}
	return p.sweep(ctx, of, at)
}

// relevance reads what the settings of a project name. Where they are not shown nobody may read,
// whatever a document names; where they cannot be read for now, it is what it was.
func (p *pass) relevance(ctx context.Context, of project, at *progress) (relevance, error) {
	r, err := p.scheme(ctx, p.all, of)
	switch {
	case err == nil:
		return r.relevance(of), nil
	case atlassian.Final(ctx, err) || !atlassian.Broken(err) && !errors.Is(err, atlassian.ErrMalformed):
		return relevance{}, err
	}
	p.note(of, "Who may browse it could not be read (%v). The next run tries again.", err)
	return at.Relevant, nil
}

// mostAgain is how often a list that changes while it is read is begun anew.
const mostAgain = 3

// sweep looks at all issues of a project, or at their ids, and removes in the end what was not
// among them.
func (p *pass) sweep(ctx context.Context, of project, at *progress) error {
	w, pages := at.Sweep, &sourcehttp.Pages{Read: at.Sweep.Parts}
	s := searching{jql: "project = " + string(of.ID) + " order by created asc", most: mostIDs, fields: []string{"id"}, anchored: true}
	if w.Full {
		s.most, s.fields = mostListed, p.listed()
	}
	for done := false; !done; {
		found, next, err := p.client.search(ctx, s, w.At)
		switch {
		case err == nil:
		case errors.Is(err, errShifted) && w.Again < mostAgain:
			w.At, w.Seen = "", make(atlassian.IDSet)
			w.Again++
			pages = new(sourcehttp.Pages)
			continue
		case errors.Is(err, errShifted):
			w.Holes, next, s.anchored = true, w.At, false // it is read to its end, and nothing is removed by it
		case errors.Is(err, errShort):
			p.Notices = append(p.Notices, crawl.Incomplete(of.Key, err))
			w.Holes = true
		case errors.Is(err, errExpired), w.At != "" && sourcehttp.Status(err) == http.StatusBadRequest:
			at.Sweep = nil
			if err := p.Save(index.Batch{}); err != nil { // the next run begins with a new one
				return err
			}
			return fmt.Errorf("the list of %s is read again by the next run: %w", of.Key, errors.Join(errExpired, err))
		case atlassian.Final(ctx, err) || !atlassian.Absent(err) && sourcehttp.Status(err) != http.StatusBadRequest:
			return err
		default: // the project has gone since
			p.note(of, "Its issues could not be read (%v). The next run tries again.", err)
			w.Holes = true
		}
		w.Parts++
		if next != "" && err == nil {
			if err := pages.Next(next); err != nil {
				p.Notices = append(p.Notices, crawl.Incomplete(of.Key, err))
				w.Holes, next = true, ""
			}
		}
		w.At, done = next, next == ""
		if err := p.part(w, of, found); err != nil {
			return err
		}
	}
	return p.ended(ctx, of, at)
}

// part takes in a part of the list.
func (p *pass) part(w *sweep, of project, found []issue) error {
	if w.Full {
		return p.found(found, &of)
	}
	for _, one := range found {
		if id := string(one.ID); isID(id) {
			w.Seen[id] = true
		}
	}
	return nil
}

// ended has the rule of crawl.Vanish decide about what a whole look at a project did not meet.
func (p *pass) ended(ctx context.Context, of project, at *progress) error {
	w := at.Sweep
	if !w.Full && !w.Holes {
		if err := p.strangers(ctx, of, at); err != nil {
			return err
		}
	}
	at.Sweep, at.Swept = nil, w.Began
	if w.Full {
		at.Full, at.Relevant, p.state.Strays = w.Began, w.Relevant, true
	}
	gone := make(atlassian.IDSet)
	for id := range at.Known {
		if !w.Seen[id] {
			gone[id] = true
		}
	}
	list := crawl.List{Name: of.Key, Stored: len(at.Known), Missing: len(gone), Partial: w.Holes, Since: sourcepass.Time(at.Shrunk)}
	r := crawl.Vanish(list, p.now)
	if r.Fate == crawl.Remove && at.Shrunk != 0 && at.Hidden == nil && !w.Full {
		at.Full = 0 // an earlier version hid issues, and did not note which: all are read again
	}
	at.Shrunk = sourcepass.Seconds(r.Since)
	switch r.Fate {
	case crawl.Keep:
		return p.Send(index.Batch{})
	case crawl.Hide:
		at.Hidden = maps.Clone(gone)
		p.Notices = append(p.Notices, r.Shrunk(list, "give the account back its right to see them"))
		return p.Send(index.Batch{Review: func(id document.ID) index.Verdict {
			if issue, _, ok := p.placeOf(id); ok && gone[issue] {
				return r.Fate.Verdict()
			}
			return index.Verdict{}
		}})
	}
	at.Hidden = nil
	for id := range gone {
		delete(at.Known, id)
		if p.state.knows(id) { // in another project
			delete(gone, id)
		}
	}
	return p.Send(index.Batch{Review: func(id document.ID) index.Verdict {
		issue, _, ok := p.placeOf(id)
		return index.Verdict{Gone: !ok || gone[issue]}
	}})
}

// strangers reads issues whose ids were met, and of which no list of changes told or which were
// hidden while they were missing.
func (p *pass) strangers(ctx context.Context, of project, at *progress) error {
	var new []string
	for id := range at.Sweep.Seen {
		if !at.Known[id] || at.Hidden[id] {
			new = append(new, id)
		}
	}
	slices.Sort(new)
	for some := range slices.Chunk(new, mostBodies) {
		there := make(map[string]issue, len(some)) // without those that were deleted meanwhile, for which a search that names them may be refused
		if err := p.bulk(ctx, some, p.listed(), there); err != nil {
			return err
		}
		var list []issue
		for _, id := range some {
			if one, ok := there[id]; ok {
				list = append(list, one)
			}
		}
		if err := p.found(list, &of); err != nil {
			return err
		}
	}
	return nil
}
