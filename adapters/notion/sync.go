package notion

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// together is how many pages are read before it is noted how far the pass came: at three requests a
// second a piece of background work reads some dozens.
const together = 8

// pass is one Sync.
type pass struct {
	*Connector
	yield   func(index.Batch) error
	state   state
	look    *look
	tree    *tree
	resumed bool
	first   bool // no page was read yet

	mu      sync.Mutex
	found   []place
	notices []index.Notice
}

// Sync implements index.Connector. Every pass looks at everything that the integration is shown, a
// hundred pages in each request, and reads what was edited.
//
// "Search is not guaranteed to return everything, and the index may change as your connection
// iterates through pages and databases"
// (https://developers.notion.com/reference/search-optimizations-and-limitations). So the pages of
// every database are listed besides, what stands on pages that are read is followed, and whatever
// is stored and was met nowhere is asked for by itself.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.Batch) error) error {
		p := &pass{Connector: c, yield: emit, state: decode(since, c.Settings()), tree: c.tree(), first: true}
		if p.resumed = p.state.Pass != nil; !p.resumed {
			p.state.Pass = &look{Began: c.client.config.Now().Unix(), Seen: make(idSet), Gone: make(idSet)}
		}
		p.look = p.state.Pass
		return p.run(ctx)
	})
}

// emit yields a batch with the state as it is now.
func (p *pass) emit(b index.Batch) error {
	b.Next = p.state.encode()
	return p.send(b)
}

// send yields a batch without noting how far the pass came.
func (p *pass) send(b index.Batch) error {
	p.mu.Lock()
	b.Resumed, b.Skipped = p.resumed, p.notices
	p.notices = nil
	p.mu.Unlock()
	return p.yield(b)
}

// meet takes note of what stands on a page.
func (p *pass) meet(found []place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = append(p.found, found...)
}

func (p *pass) note(n index.Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notices = append(p.notices, n)
}

func (p *pass) run(ctx context.Context) error {
	if !p.resumed { // so that whatever ends it, the next run knows that it goes on
		if err := p.emit(index.Batch{}); err != nil {
			return err
		}
	}
	if p.look.Stage == searching {
		if err := p.search(ctx); err != nil {
			return err
		}
		p.look.Stage, p.look.Cursor = querying, ""
	}
	if p.look.Stage == querying {
		if err := p.follow(ctx); err != nil {
			return err
		}
		p.look.Stage = verifying
	}
	if err := p.verify(ctx); err != nil {
		return err
	}
	p.state.Last, p.state.Pass = p.look.Began, nil
	return p.emit(index.Batch{})
}

// lookAtRoots looks at the roots, which a search may not show, and takes note of the databases
// among them.
func (p *pass) lookAtRoots(ctx context.Context) error {
	var pages []*object
	for _, id := range slices.Sorted(maps.Keys(p.roots)) {
		o, err := p.root(ctx, id)
		switch {
		case absent(err): // the nodes tell of it
			if p.state.Lost == nil {
				p.state.Lost = make(map[string]int64)
			}
			if p.state.Lost[id] == 0 {
				p.state.Lost[id] = p.client.config.Now().Unix()
			}
			continue
		case err != nil:
			return err
		}
		delete(p.state.Lost, id)
		pages = append(pages, &o)
	}
	return p.take(ctx, pages)
}

// search looks at everything that a search shows.
func (p *pass) search(ctx context.Context) error {
	if p.look.Cursor == "" {
		if err := p.lookAtRoots(ctx); err != nil {
			return err
		}
	}
	been := make(map[string]bool)
	for parts := 0; parts < mostParts; parts++ {
		body := map[string]any{"page_size": 100, "sort": map[string]string{"timestamp": "last_edited_time", "direction": "descending"}}
		if p.look.Cursor != "" {
			body["start_cursor"] = p.look.Cursor
		}
		var got list
		err := p.client.post(ctx, "search", body, &got)
		switch {
		case sourcehttp.Status(err) == http.StatusForbidden:
			return fmt.Errorf("Notion shows nothing to the integration: give it the capability to read content (%w): %w", err, index.ErrRevoked)
		case sourcehttp.Status(err) == http.StatusBadRequest && p.look.Cursor != "" && !p.look.Anew:
			// a cursor that is not known any more
			p.look.Cursor, p.look.Anew = "", true
			continue
		case err != nil:
			return err
		}
		objects, err := decoded(got.Results)
		if err != nil {
			return err
		}
		if err := p.take(ctx, objects); err != nil {
			return err
		}
		p.look.Found = slices.DeleteFunc(p.look.Found, func(id string) bool { return p.look.Seen[id] })
		p.look.Cursor = got.next()
		if p.look.Cursor == "" || been[p.look.Cursor] {
			return nil
		}
		been[p.look.Cursor] = true
		if err := p.emit(index.Batch{}); err != nil {
			return err
		}
	}
	return fmt.Errorf("Notion's search goes on without end: %w", errCircle)
}

func decoded(results []json.RawMessage) ([]*object, error) {
	all := make([]*object, 0, len(results))
	for _, raw := range results {
		o := new(object)
		if err := json.Unmarshal(raw, o); err != nil {
			return nil, fmt.Errorf("Notion's answer names something that is not understood: %w", err)
		}
		all = append(all, o)
	}
	return all, nil
}

// take takes in what a list shows: pages below a root are read, if they were edited, and have the
// readers that they have now; others are removed.
func (p *pass) take(ctx context.Context, objects []*object) error {
	for _, o := range objects {
		p.tree.learn(o)
	}
	verdicts := make(map[document.ID]index.Verdict)
	var items []index.Item
	for _, o := range objects {
		id := bareID(o.ID)
		if o.Object != "page" {
			if err := p.sources(ctx, o); err != nil {
				return err
			}
			continue
		}
		if p.look.Seen[id] {
			continue
		}
		root, err := p.tree.root(ctx, place{page, id})
		if err != nil {
			return err
		}
		if root == "" {
			p.look.Seen[id] = true
			verdicts[p.id(id)] = index.Verdict{Gone: true}
			continue
		}
		verdicts[p.id(id)] = index.Verdict{ACL: access.ACL{p.node(root)}}
		items = append(items, p.item(o, root, p.unsure(o.Edited)))
	}
	if len(verdicts) > 0 {
		if err := p.send(index.Batch{Review: func(id document.ID) index.Verdict { return verdicts[id] }}); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(items, together) {
		if err := p.read(some); err != nil {
			return err
		}
	}
	return nil
}

// unsure reports whether a page may have been edited once more after it was read: the time of its
// last edit is exact to the minute.
func (p *pass) unsure(edited time.Time) bool {
	return p.state.Last > 0 && edited.Unix() >= p.state.Last-int64((2*time.Minute)/time.Second)
}

// read has pages read, and then notes what stands on them. After a pass was ended between the two,
// the first pages are read once more.
func (p *pass) read(items []index.Item) error {
	if p.resumed && p.first {
		for i := range items {
			items[i].Again = true
		}
	}
	p.first = false
	if err := p.send(index.Batch{Documents: items}); err != nil {
		return err
	}
	for _, item := range items {
		p.look.Seen[p.pageOf(item.ID)] = true
	}
	p.mu.Lock()
	found := p.found
	p.found = nil
	p.mu.Unlock()
	for _, at := range found {
		name := at.id
		if at.kind == database {
			name = databaseMark + at.id
		}
		if !p.look.Seen[at.id] && !slices.Contains(p.look.Found, name) {
			p.look.Found = append(p.look.Found, name)
		}
	}
	return p.emit(index.Batch{})
}

// sources takes note of the data sources of a database below a root: their pages are listed one by
// one.
func (p *pass) sources(ctx context.Context, o *object) error {
	id := bareID(o.ID)
	at := place{database, id}
	if o.Object == "data_source" {
		at.kind = dataSource
	}
	root, err := p.tree.root(ctx, at)
	if err != nil || root == "" {
		return err
	}
	ids := []string{id}
	if at.kind == database {
		ids = nil
		for _, d := range o.DataSources {
			ids = append(ids, bareID(d.ID))
		}
	}
	for _, id := range ids {
		if !slices.Contains(p.look.Sources, id) {
			p.look.Sources = append(p.look.Sources, id)
		}
	}
	return nil
}

// follow lists the pages of databases, and looks at what stands on pages, until there is nothing
// new.
func (p *pass) follow(ctx context.Context) error {
	for {
		switch {
		case p.look.Of < len(p.look.Sources):
			if err := p.query(ctx, p.look.Sources[p.look.Of]); err != nil {
				return err
			}
			p.look.Of, p.look.Cursor, p.look.From = p.look.Of+1, "", ""
		case len(p.look.Found) > 0:
			some := p.look.Found[:min(together, len(p.look.Found))]
			if err := p.visit(ctx, some); err != nil {
				return err
			}
			p.look.Found = p.look.Found[len(some):]
		default:
			return nil
		}
		if err := p.emit(index.Batch{}); err != nil {
			return err
		}
	}
}

// visit looks at what stands on pages.
func (p *pass) visit(ctx context.Context, names []string) error {
	var met []*object
	for _, name := range names {
		id, isDatabase := strings.CutPrefix(name, databaseMark)
		at := place{page, id}
		if isDatabase && len(name) > 32 {
			at.kind = database
		} else {
			at.id = name
		}
		if p.look.Seen[at.id] {
			continue
		}
		if at.kind == database {
			p.look.Seen[at.id] = true
		}
		o := new(object)
		err := p.client.get(ctx, string(at.kind)+"/"+at.id, o)
		if absent(err) { // a view of another database, or something that is not shown
			continue
		}
		if err != nil {
			return err
		}
		met = append(met, o)
	}
	return p.take(ctx, met)
}

// query lists the pages of a data source by when they were made. "A single data source query
// returns at most 10,000 results … pagination stops": then the rest is asked for from there on
// (https://developers.notion.com/guides/data-apis/query-large-data-sources).
func (p *pass) query(ctx context.Context, id string) error {
	been := make(map[string]bool)
	last := p.look.From
	for parts := 0; parts < mostParts; parts++ {
		body := map[string]any{"page_size": 100, "sorts": []any{map[string]string{"timestamp": "created_time", "direction": "ascending"}}}
		if p.look.Cursor != "" {
			body["start_cursor"] = p.look.Cursor
		}
		if p.look.From != "" {
			body["filter"] = map[string]any{"timestamp": "created_time", "created_time": map[string]string{"on_or_after": p.look.From}}
		}
		var got list
		err := p.client.post(ctx, "data_sources/"+id+"/query", body, &got)
		if absent(err) {
			if p.look.Cursor == "" {
				return nil // it is not shown any more
			}
			p.look.Cursor = "" // the cursor may not be known any more
			been = make(map[string]bool)
			if p.look.Anew {
				return err
			}
			p.look.Anew = true
			continue
		}
		if err != nil {
			return err
		}
		objects, err := decoded(got.Results)
		if err != nil {
			return err
		}
		if err := p.take(ctx, objects); err != nil {
			return err
		}
		for _, o := range objects {
			if !o.Created.IsZero() {
				last = o.Created.UTC().Format(time.RFC3339)
			}
		}
		next := got.next()
		switch {
		case next != "" && !been[next]:
			been[next] = true
			p.look.Cursor = next
		case got.RequestStatus.Type == "incomplete" && last > p.look.From:
			p.look.Cursor, p.look.From = "", last
		case got.RequestStatus.Type == "incomplete":
			p.note(index.Notice{Name: id, Sentence: "More than 10,000 pages of a database were made in one minute, of which Notion shows no more. Move some of them into another database."})
			return nil
		default:
			return nil
		}
		if err := p.emit(index.Batch{}); err != nil {
			return err
		}
	}
	return fmt.Errorf("Notion's list of the pages of a database goes on without end: %w", errCircle)
}
