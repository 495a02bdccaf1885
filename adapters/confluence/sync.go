package confluence

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// pass is one Sync.
type pass struct {
	*Connector
	sourcepass.Documents
	state  state
	tree   *tree
	now    time.Time
	spaces map[string]space
}

// Sync implements index.Connector. A pass over spaces in which nothing happened asks for the
// spaces, for what was changed last and, on Cloud, for what was thrown away last. Every
// Options.SweepEvery it looks at everything besides, for what those do not tell: moves,
// restrictions, what was deleted for good.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.Batch) error) error {
		p := &pass{Connector: c, state: decode(since, c.Settings()), tree: c.tree(), now: c.client.Config.Now(), spaces: make(map[string]space)}
		p.Documents = sourcepass.Documents{Emit: emit, Encode: p.state.encode, Resumed: p.state.Open}
		return p.run(ctx)
	})
}

// listSpaces lists the spaces of the source.
func (c *Connector) listSpaces(ctx context.Context) ([]space, error) {
	all, err := c.spaces(ctx, c.client)
	switch sourcehttp.Status(err) {
	case http.StatusForbidden:
		return nil, fmt.Errorf("Confluence shows no spaces to the credential: give it the rights that footnote sources add confluence lists (%w): %w", err, index.ErrRevoked)
	case http.StatusNotFound:
		return nil, fmt.Errorf("there is no Confluence at %s: check the address of the source (%w)", c.client.Config.URL, err)
	}
	return all, err
}

func (p *pass) run(ctx context.Context) error {
	all, err := p.listSpaces(ctx)
	if err != nil {
		return err
	}
	p.state.Open = true
	for _, s := range all {
		p.spaces[string(s.ID)] = s
		p.state.of(s)
	}
	if err := p.forget(); err != nil {
		return err
	}
	if err := p.changes(ctx); err != nil {
		return err
	}
	for _, s := range all {
		if at := p.state.of(s); at.Sweep != nil || p.now.Sub(time.Unix(at.Swept, 0)) >= p.options.SweepEvery {
			if err := p.sweep(ctx, s, at); err != nil {
				return err
			}
		}
	}
	p.state.Open = false
	return p.Save(index.Batch{})
}

// forget removes the documents of spaces that were not seen for long. No one may read them since
// their nodes were first missing.
func (p *pass) forget() error {
	forgotten := make(map[string]bool)
	for id, at := range p.state.Spaces {
		if _, there := p.spaces[id]; there {
			at.Gone = 0
			continue
		}
		r := crawl.Vanish(crawl.List{Lost: true, Since: sourcepass.Time(at.Gone)}, p.now)
		if at.Gone = sourcepass.Seconds(r.Since); r.Fate == crawl.Remove {
			forgotten[id] = true
			delete(p.state.Spaces, id)
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	return p.Send(index.Batch{Review: func(id document.ID) index.Verdict {
		space, _, ok := p.placeOf(id)
		return index.Verdict{Gone: !ok || forgotten[space]}
	}})
}

// sorts are what is read of a space.
func (c *Connector) sorts() []sort {
	all := []sort{pages, posts}
	if c.options.Comments {
		all = append(all, comments)
	}
	if c.options.Attachments {
		all = append(all, attachments)
	}
	return all
}

// sweep looks at everything in a space, and removes in the end what was not among it.
func (p *pass) sweep(ctx context.Context, s space, at *progress) error {
	if at.Sweep == nil {
		at.Sweep = &sweep{Began: sourcepass.Seconds(p.now), Seen: make(atlassian.IDSet)}
	}
	w, pages := at.Sweep, &sourcehttp.Pages{Read: at.Sweep.Parts}
	for sorts := p.sorts(); w.Of < len(sorts); {
		asked := w.Asked
		if asked == "" {
			_, asked = p.first(s, sorts[w.Of])
		}
		entries, next, err := p.listing(ctx, p.tree, s, sorts[w.Of], asked)
		switch {
		case err == nil:
		case atlassian.Final(ctx, err) || !atlassian.Absent(err) && sourcehttp.Status(err) != http.StatusBadRequest:
			return err
		case w.Asked != "": // the place in the list may not be known any more
			at.Sweep = nil
			if err := p.Save(index.Batch{}); err != nil { // the next run begins with a new one
				return err
			}
			return fmt.Errorf("the list of %s has changed while it was read, and is read again by the next run: %w", s.Key, err)
		default: // the space has gone since, or a sort of it is not shown: its nodes tell who may read it
			p.Notices = append(p.Notices, index.Notice{Name: s.Key, Sentence: fmt.Sprintf("Its %ss could not be read (%v). The next run tries again.", sorts[w.Of], err)})
			w.Holes, next = true, ""
		}
		if err := p.tree.load(ctx, feet(entries)); err != nil {
			return err
		}
		w.Parts++
		if next != "" {
			if err := pages.Next(next); err != nil {
				p.Notices = append(p.Notices, crawl.Incomplete(s.Key, err))
				w.Holes, next = true, ""
			}
		}
		if w.Asked = next; next == "" {
			w.Of++
			pages = new(sourcehttp.Pages)
		}
		if err := p.found(s, at, entries); err != nil {
			return err
		}
	}
	return p.ended(s, at)
}

func feet(entries []entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.feet()
	}
	return all
}

// found yields what a part of a list holds, and has documents that are stored already name the
// nodes by which they are read now.
func (p *pass) found(s space, at *progress, entries []entry) error {
	now := make(map[document.ID]access.ACL, len(entries))
	var items []index.Item
	load := p.shelf()
	for _, e := range entries {
		if e.of == attachments && !p.options.Takes(e.title, e.size) {
			continue
		}
		id := p.id(string(s.ID), e.id)
		if at.Sweep != nil && !at.Sweep.Seen[e.id] {
			at.Sweep.Seen[e.id] = true
			at.Sweep.Number++
		}
		node, sure := p.tree.nearest(e.feet())
		if !sure {
			p.Notices = append(p.Notices, index.Notice{Name: e.title, Sentence: "Who may read it could not be read. It stays as it is, and the next run tries again."})
			continue
		}
		now[id] = access.ACL{p.node(s.within(node))}
		items = append(items, load.item(s, e, s.within(node)))
	}
	return p.Send(index.Batch{Documents: items, Review: func(id document.ID) index.Verdict { return index.Verdict{ACL: now[id]} }})
}

// ended has the rule of crawl.Vanish decide about what a whole look at a space did not meet.
func (p *pass) ended(s space, at *progress) error {
	w := at.Sweep
	var unmet sourcepass.Unmet
	if !w.Holes {
		var err error
		unmet, err = sourcepass.FindUnmet(p.Send, index.Batch{}, func(id document.ID) (in, met bool) {
			space, content, ok := p.placeOf(id)
			return !ok || space == string(s.ID), ok && w.Seen[content]
		})
		if err != nil {
			return err
		}
	}
	at.Sweep, at.Swept = nil, w.Began
	if at.Mark == 0 {
		at.Mark = w.Began
	}
	list := crawl.List{Name: s.Key, Stored: unmet.Stored, Missing: len(unmet.IDs), Partial: w.Holes, Since: sourcepass.Time(at.Shrunk)}
	r := crawl.Vanish(list, p.now)
	switch at.Shrunk = sourcepass.Seconds(r.Since); {
	case r.Fate == crawl.Hide:
		p.Notices = append(p.Notices, r.Shrunk(list, "give the account back its right to see them"))
	case r.Fate == crawl.Remove:
		at.Count = w.Number
	}
	return p.Send(unmet.Review(r.Fate.Verdict()))
}

// changes reads what was changed last, back to what was read before.
func (p *pass) changes(ctx context.Context) error {
	floor := int64(0)
	var keys []string
	for id, s := range p.spaces {
		if mark := p.state.Spaces[id].Mark; mark > 0 {
			keys = append(keys, quoted(s.Key))
			if floor == 0 || mark < floor {
				floor = mark
			}
		}
	}
	if floor == 0 {
		return nil
	}
	slices.Sort(keys)
	cql := "type in ("
	for i, of := range p.sorts() {
		if i > 0 {
			cql += ", "
		}
		cql += string(of)
	}
	cql += ")"
	if len(keys) <= mostKeys {
		cql += " and space in ("
		for i, key := range keys {
			if i > 0 {
				cql += ", "
			}
			cql += key
		}
		cql += ")"
	}
	until := floor - int64(p.options.Overlap/time.Second)
	newest := floor
	asked := atlassian.Query("cql", cql+" order by lastmodified desc", "limit", strconv.Itoa(mostExpanded), "expand", "version,container,space,ancestors")
	for pages := new(sourcehttp.Pages); asked != ""; {
		if err := pages.Next(asked); err != nil {
			return fmt.Errorf("Confluence's list of changes cannot be read: the next run tries again (%w)", err)
		}
		got, next, err := part[content](ctx, p.client, "rest/api/content/search", asked, 0)
		if err != nil {
			return err
		}
		bySpace := make(map[string][]entry)
		for _, k := range got {
			e := p.changed(k)
			if at := p.state.Spaces[e.space]; at == nil || at.Mark == 0 {
				continue
			}
			if newest = max(newest, sourcepass.Seconds(e.when)); sourcepass.Seconds(e.when) < until {
				next = ""
				continue
			}
			bySpace[e.space] = append(bySpace[e.space], e)
		}
		for id, entries := range bySpace {
			entries = p.tree.valid(entries, "")
			if err := p.tree.load(ctx, feet(entries)); err != nil {
				return err
			}
			if err := p.found(p.spaces[id], p.state.Spaces[id], entries); err != nil {
				return err
			}
		}
		asked = next
	}
	if err := p.trash(ctx); err != nil {
		return err
	}
	for id := range p.spaces {
		if at := p.state.Spaces[id]; at.Mark > 0 {
			at.Mark = max(at.Mark, newest)
		}
	}
	return nil
}

// mostKeys is how many spaces a search names.
const mostKeys = 50

// changed is a content as the list of changes tells of it.
func (p *pass) changed(k content) entry {
	e := k.entry(!p.client.Cloud)
	if k.Container != nil && (e.of == comments || e.of == attachments) {
		e.above = []string{string(k.Container.ID)}
		p.tree.kinds[string(k.Container.ID)] = k.Container.Type
	}
	return e
}

// trash removes what was thrown away last. Data Center lists that only for single spaces: there it
// is found missing when everything is looked at.
func (p *pass) trash(ctx context.Context) error {
	if !p.client.Cloud {
		return nil
	}
	var gone []document.ID
	for _, of := range []sort{pages, posts} {
		got, _, err := part[listed](ctx, p.client, "api/v2/"+string(of)+"s", atlassian.Query("status", "trashed", "sort", "-modified-date", "limit", strconv.Itoa(mostExpanded)), 0)
		if err != nil && (atlassian.Final(ctx, err) || !atlassian.Absent(err) && sourcehttp.Status(err) != http.StatusBadRequest) {
			return err
		}
		for _, l := range got {
			if _, ours := p.spaces[string(l.Space)]; ours && isID(string(l.ID)) {
				gone = append(gone, p.id(string(l.Space), string(l.ID)))
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return p.Send(index.Batch{Deleted: gone})
}
