package gdrive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/crawl"
)

// run reads the changes of all drives. It scans all files instead if a full scan is due, or if a
// change log has expired.
func (n *nodes) run(ctx context.Context) error {
	if n.state.Pass == nil && !n.due() {
		err := n.logs(ctx)
		if !errors.Is(err, crawl.ErrRescan) {
			return err
		}
	}
	return n.everything(ctx)
}

// due reports whether a full scan is due, because Options.SweepEvery has passed or a drive has
// disappeared.
func (n *nodes) due() bool {
	for id := range n.state.Logs {
		if _, there := n.byID[id]; !there {
			return true
		}
	}
	return n.state.Swept == 0 || n.now.Sub(time.Unix(n.state.Swept, 0)) >= n.options.SweepEvery
}

func (n *nodes) everything(ctx context.Context) error {
	if n.state.Pass == nil {
		n.state.Pass = &pass{Began: n.now.Unix(), Done: make(map[string]string)}
	}
	p := n.state.Pass
	for _, in := range n.corpora {
		if _, done := p.Done[in.id]; done {
			continue
		}
		if p.At != in.id {
			p.At, p.Token, p.Log = in.id, "", ""
		}
		if err := n.list(ctx, in); errors.Is(err, crawl.ErrRefused) {
			p.Log = ""
		} else if err != nil {
			return err
		}
		p.Done[in.id], p.At = p.Log, ""
		if err := n.flush(false); err != nil {
			return err
		}
	}
	n.state.Logs = make(map[string]string)
	for id, token := range p.Done {
		if _, there := n.byID[id]; there && token != "" {
			n.state.Logs[id] = token
		}
	}
	n.state.Swept, n.state.Pass = p.Began, nil
	return n.flush(!p.Holes)
}

// list scans all files of a drive. It continues at the page token of an interrupted scan.
func (n *nodes) list(ctx context.Context, in corpus) error {
	p := n.state.Pass
	if p.Log == "" {
		// before the files, so that the log contains later changes
		first, err := n.page(ctx, crawl.Feed{ID: feedLog + in.id, Scope: in.id}, crawl.Place{})
		if err != nil {
			return err
		}
		p.Log = first.mark
	}
	err := n.follow(ctx, crawl.Feed{ID: feedFiles + in.id, Scope: in.id}, crawl.Place{Cursor: p.Token}, func(got part) error {
		p.Holes = p.Holes || got.partial != nil
		if p.Token = got.next; p.Token == "" {
			return nil
		}
		return n.flush(false)
	})
	if errors.Is(err, errEndless) {
		p.Holes, p.Token = true, ""
		return nil
	}
	return err
}

var errEndless = errors.New("the list does not end")

// follow reads all pages of a feed, and of the further feeds that these pages name. It calls step
// after each page of f, unless step is nil. If a cursor expires, it restarts the feed once.
func (n *nodes) follow(ctx context.Context, f crawl.Feed, at crawl.Place, step func(part) error) error {
	again, pages := false, new(sourcehttp.Pages)
	for {
		got, err := n.fetch(ctx, f, at)
		if errors.Is(err, crawl.ErrCursor) {
			if again {
				return refused(ctx, err)
			}
			again, at.Cursor, pages = true, "", new(sourcehttp.Pages)
			continue
		}
		if err != nil {
			return err
		}
		n.removeNodes(got.gone)
		if err := n.found(ctx, got.found); err != nil {
			return err
		}
		for _, more := range got.more {
			if err := n.follow(ctx, more, crawl.Place{}, nil); err != nil {
				return err
			}
		}
		if step != nil {
			if err := step(got); err != nil {
				return err
			}
		}
		if at.Cursor = got.next; at.Cursor == "" {
			return nil
		}
		if err := pages.Next(at.Cursor); err != nil {
			return errors.Join(errEndless, err)
		}
	}
}

type fetched struct {
	part
	err error
}

// fetch returns the next page of a feed. If fetchLogs has already fetched the page, it returns that
// result.
func (n *nodes) fetch(ctx context.Context, f crawl.Feed, at crawl.Place) (part, error) {
	if first, there := n.ahead[f.ID]; there {
		delete(n.ahead, f.ID)
		return first.part, first.err
	}
	return n.page(ctx, f, at)
}

const mostAhead = 64

// logs reads the change log of each drive, and scans new drives completely.
func (n *nodes) logs(ctx context.Context) error {
	for some := range slices.Chunk(n.corpora, mostAhead) {
		n.fetchLogs(ctx, some)
		for _, in := range some {
			if err := n.log(ctx, in); err != nil {
				return err
			}
		}
	}
	return n.flush(false)
}

// fetchLogs fetches the first page of each drive's change log, all concurrently. The results are
// stored in n.ahead.
func (n *nodes) fetchLogs(ctx context.Context, some []corpus) {
	n.ahead = make(map[string]fetched, len(some))
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, in := range some { // the client limits concurrent requests
		token, known := n.state.Logs[in.id]
		if !known {
			continue
		}
		f := crawl.Feed{ID: feedLog + in.id, Scope: in.id}
		all.Go(func() {
			got, err := n.page(ctx, f, crawl.Place{Mark: token})
			mu.Lock()
			defer mu.Unlock()
			n.ahead[f.ID] = fetched{got, err}
		})
	}
	all.Wait()
}

func (n *nodes) log(ctx context.Context, in corpus) error {
	token, known := n.state.Logs[in.id]
	if !known {
		return n.newcomer(ctx, in)
	}
	err := n.follow(ctx, crawl.Feed{ID: feedLog + in.id, Scope: in.id}, crawl.Place{Mark: token}, func(got part) error {
		n.state.Logs[in.id] = got.mark + got.next // one of the two is set
		if got.mark != "" && len(got.found)+len(got.gone) == 0 {
			return nil // only the page token changed: store it later
		}
		return n.flush(false)
	})
	switch {
	case errors.Is(err, errEndless):
		return fmt.Errorf("%w: the log of %s does not end: %w", crawl.ErrRescan, in.name, err)
	case errors.Is(err, crawl.ErrRescan):
		delete(n.state.Logs, in.id)
	}
	return err
}

// newcomer scans all files of a drive that is new to the source. The change log has no entries for
// files that the drive already had.
func (n *nodes) newcomer(ctx context.Context, in corpus) error {
	p := &pass{}
	n.state.Pass = p
	err := n.list(ctx, in)
	switch n.state.Pass = nil; {
	case errors.Is(err, crawl.ErrRefused):
		return nil
	case err != nil:
		return err
	}
	n.state.Logs[in.id] = p.Log
	return n.flush(false)
}
