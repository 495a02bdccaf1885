package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// applyAnswer adds the result of a page to the batch, and queues its links. It returns an error if
// the run should end.
func (c *crawl) applyAnswer(p page, a answer) error {
	var busy *busyError
	switch {
	case errors.Is(a.err, errGone):
		return c.removePage(p, a.err)
	case errors.As(a.err, new(closedError)):
		return c.closePage(p, a.err)
	case a.err != nil:
		if !c.mapped && len(c.queued) == 1 {
			return a.err // without the first page nothing can be read
		}
		if errors.As(a.err, &busy) && busy.after > longestWait && busy.after != noHint {
			return a.err // the site asked for a long pause
		}
		if c.failing++; c.failing >= mostErrors && errors.As(a.err, &busy) {
			return fmt.Errorf("%d pages in a row could not be read, the last one because %w", c.failing, a.err)
		}
		c.addUnreadable(p, a.err)
		return nil
	}
	c.failing = 0
	if a.unchanged {
		c.unchanged(p, a)
		return nil
	}
	at := clean(a.address)
	if n := name(at); n != name(p.at) { // redirected
		c.moved[name(p.at)] = n
		if c.queued[n] {
			return nil
		}
		c.queued[n] = true
	}
	p.at = at
	c.addChanged(p, a)
	return nil
}

// removePage deletes the document of a page that the site no longer has. It returns an error if the
// page is the starting point of the source.
func (c *crawl) removePage(p page, err error) error {
	n := name(p.at)
	if !c.mapped && n == name(c.scope.start) {
		return fmt.Errorf("%w. Check the address", err)
	}
	c.forget(p)
	delete(c.known, n)
	if c.mapped && !c.originals[n] {
		c.skip(p.at.String(), "The sitemap names it, and the site does not have it.")
	}
	return nil
}

// forget deletes the document of a page if the last run indexed the page.
func (c *crawl) forget(p page) {
	if known, ok := c.known[name(p.at)]; ok && known.indexed() {
		c.batch.Deleted = append(c.batch.Deleted, c.id(p.at))
	}
}

// addUnreadable adds a failure to the batch. The indexed version and the state of the page are
// kept. An unknown page becomes known, so that later runs request it even if no changed page links
// to it. A document that is hidden from everyone remains closed: no answer says that it is public.
func (c *crawl) addUnreadable(p page, err error) {
	n := name(p.at)
	if known, ok := c.known[n]; ok {
		c.now[n] = known
		if known.Closed {
			c.closed[n] = true
		}
	} else {
		c.now[n] = state{Hidden: true}
	}
	sentence := errors.New(capital(err.Error()) + ".")
	c.batch.Documents = append(c.batch.Documents, index.Item{ID: c.id(p.at), Load: func(context.Context) (document.Document, error) {
		return document.Document{}, sentence
	}})
}

// unchanged adds an unchanged page to the batch. The page is fetched again if the index does not
// have it.
func (c *crawl) unchanged(p page, a answer) {
	known := c.known[name(p.at)]
	if !a.skipped {
		known.Sitemap, known.Read = p.sitemap, a.asked
	}
	if known.Hidden {
		c.now[name(p.at)] = known
		return
	}
	if c.isCopy(p, known, known.Canonical) {
		return
	}
	c.addDocument(name(p.at), index.Item{ID: c.id(p.at), ModifiedAt: known.stamp(), Wait: patience,
		Load: func(ctx context.Context) (document.Document, error) {
			got, err := c.fetch(ctx, c.request(p.at, state{}))
			if err != nil {
				return document.Document{}, fmt.Errorf("%s", capital(err.Error())+".")
			}
			return c.document(ctx, p, got)
		}})
}

// patience is the maximum time that a page may wait to be read. It waits during pauses that the
// site requests, and for a free parser.
const patience = 10 * time.Minute

func (c *crawl) addChanged(p page, a answer) {
	got := a.response
	kind := formatOf(got.header.Get("Content-Type"), p.at)
	found := state{ETag: mark(got.header, "ETag"), Modified: mark(got.header, "Last-Modified"), Sum: sum(got.body), Sitemap: p.sitemap, Read: a.asked}
	n := name(p.at)
	found.Closed = c.known[n].Closed
	c.now[n] = found
	if kind == unread {
		c.hide(p, found, fmt.Sprintf("It holds %s, and HTML, PDF, Word documents, Markdown and plain text are read.", contentKind(got.header)))
		return
	}
	var d directions
	if kind == htmlPage {
		d = readDirections(decode(got.body, got.header.Get("Content-Type")), p.at)
	}
	d.obeyHeader(got.header, p.at)
	if !c.mapped && !d.noFollow {
		for _, to := range d.links {
			c.add(to, p.depth+1, "")
		}
	}
	switch {
	case d.noIndex:
		c.hide(p, found, "It asks not to be indexed.")
		return
	case !c.included(p.at): // the page was read only for its links
		c.hide(p, found, "")
		return
	}
	original := ""
	if d.canonical != nil && c.scope.holds(clean(d.canonical)) && name(clean(d.canonical)) != n {
		original = clean(d.canonical).String()
	}
	if c.isCopy(p, found, original) {
		return
	}
	c.addDocument(n, index.Item{ID: c.id(p.at), ModifiedAt: found.stamp(), Size: int64(len(got.body)), Wait: patience,
		Load: func(ctx context.Context) (document.Document, error) { return c.document(ctx, p, got) }})
}

// longestMark is the maximum length in bytes of an ETag or Last-Modified header that is stored.
const longestMark = 256

// mark returns the value of a header that identifies a version of a page, or "" if it is too long
// to store.
func mark(header http.Header, name string) string {
	if value := header.Get(name); len(value) <= longestMark {
		return value
	}
	return ""
}

// hide excludes a page and removes its indexed version. If sentence is "", it does not report the
// page.
func (c *crawl) hide(p page, found state, sentence string) {
	found.Hidden, found.Closed = true, false
	n := name(p.at)
	c.now[n] = found
	c.forget(p)
	if sentence != "" {
		c.skip(p.at.String(), sentence)
	}
}

func (c *crawl) document(ctx context.Context, p page, got response) (document.Document, error) {
	content, err := formatOf(got.header.Get("Content-Type"), p.at).parse(ctx, got)
	if err != nil {
		return document.Document{}, errors.New(capital(err.Error()) + ".")
	}
	d := build(p.at, content, statedDate(p.sitemap, got.header))
	d.ACL = c.options.ACL
	return d, nil
}
