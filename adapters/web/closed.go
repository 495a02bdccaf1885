package web

import (
	"context"
	"fmt"
	"sync/atomic"

	vanish "github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

// closePage records a page that is not public. It returns an error if the page is the starting
// point of a crawl without a sitemap. The run then removes nothing.
func (c *crawl) closePage(p page, err error) error {
	n := name(p.at)
	if !c.mapped && n == name(c.scope.start) {
		return fmt.Errorf("the first page cannot be read, so no closed page is removed: %w", err)
	}
	c.failed(p.at.String(), err)
	if known, ok := c.known[n]; ok && known.indexed() {
		c.closed[n] = true
	} else {
		c.now[n] = state{Hidden: true} // later runs request it, even if no changed page links to it
	}
	return nil
}

// addDocument adds a document to the batch. A closed document is loaded even if it is unchanged,
// since the store hides it. It remains closed until it is loaded.
func (c *crawl) addDocument(n string, item index.Item) {
	c.documents++
	if c.known[n].Closed {
		load, loaded := item.Load, new(atomic.Bool)
		c.reopening[n] = loaded
		item.Again = true
		item.Load = func(ctx context.Context) (document.Document, error) {
			d, err := load(ctx)
			loaded.Store(err == nil)
			return d, err
		}
	}
	c.batch.Documents = append(c.batch.Documents, item)
}

// reopen records which closed documents of the last batch were loaded.
func (c *crawl) reopen() {
	for n, loaded := range c.reopening {
		if s := c.now[n]; loaded.Load() {
			s.Closed = false
			c.now[n] = s
		}
	}
	clear(c.reopening)
}

// settleClosed removes the documents whose pages are no longer public. If there are too many, the
// site probably refuses the crawler. The documents are then hidden from everyone instead.
func (c *crawl) settleClosed() {
	l := vanish.List{Name: c.source.Name, Stored: c.stored, Missing: len(c.closed), Since: c.since}
	ruling := vanish.Vanish(l, c.options.Now())
	c.since = ruling.Since
	if l.Missing == 0 {
		return
	}
	ids := make(map[document.ID]bool, l.Missing)
	for n := range c.closed {
		ids[c.idOf(n)] = true
		if ruling.Fate == vanish.Remove {
			c.now[n] = state{Hidden: true}
			c.batch.Deleted = append(c.batch.Deleted, c.idOf(n))
		} else {
			c.now[n] = state{Closed: true}
		}
	}
	if ruling.Fate == vanish.Remove {
		c.skip(c.source.Name, fmt.Sprintf("%s %s not public any more: the site asks for a login, or redirects out of this source. They are removed.",
			plural.Count(l.Missing, "page"), plural.Are(l.Missing)))
		return
	}
	c.blind = true
	c.batch.Skipped = append(c.batch.Skipped, ruling.Shrunk(l, fmt.Sprintf("let the agent %q read them without a login", agent)))
	c.batch.Review = func(id document.ID) index.Verdict {
		if ids[id] {
			return ruling.Fate.Verdict()
		}
		return index.Verdict{}
	}
}
