package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/sync/errgroup"
)

// crawl is one run over a site. Only next and the methods it calls modify it, from one goroutine.
type crawl struct {
	*Connector
	site
	robots    robots
	mapped    bool             // a sitemap names the pages; links are not followed
	known     map[string]state // states of pages after the last run, by name
	now       map[string]state // states of pages in this run, by name
	queue     []page
	queued    map[string]bool         // all pages that were ever queued, by name
	named     int                     // total bytes of these names
	variants  map[string]int          // number of queued variants of each path
	originals map[string]bool         // canonical pages named by others
	copies    []page                  // pages that were read and name another one as canonical
	moved     map[string]string       // documents of redirected pages and copies, by name
	closed    map[string]bool         // documents whose pages were last refused, by name
	reopening map[string]*atomic.Bool // closed documents of the last batch: are they loaded?
	since     time.Time               // checkpoint.Since
	stored    int                     // documents in the index when the pass began
	documents int
	unsaved   int       // pages since the last checkpoint
	saved     time.Time // time of the last checkpoint
	resumed   bool      // an earlier crawl began the pass
	failing   int       // consecutive pages that the site did not answer
	blind     bool
	done      bool // the last batch was returned
	full      bool
	reported  map[string]bool // rules already reported as excluding pages
	batch     index.Batch     // the current batch
}

type page struct {
	at      *url.URL
	depth   int
	sitemap string // date in the sitemap
	alone   bool   // it is indexed whatever page it names as canonical
}

const (
	batchSize  = 16
	batchBytes = 8 << 20 // a batch requests no more pages once it has this many bytes
	// nameSize limits the total length of a run's addresses, which every checkpoint contains. It is
	// the average length in bytes of Options.MaxPages addresses.
	nameSize   = 256
	savedEvery = 256 // pages after which the next batch has a checkpoint
	// savedAfter is the time after which the next batch has a checkpoint, so that an interruption
	// loses little work.
	savedAfter = 5 * time.Second
	mostErrors = 10 // consecutive pages without an answer after which the run fails
)

func (c *Connector) newCrawl(ctx context.Context, since index.Checkpoint) (*crawl, error) {
	r := &crawl{
		Connector: c, site: site{c.client, c.options.Politeness.of(c.scope.start.Host, c.options.Interval)},
		now: make(map[string]state), saved: time.Now(), queued: make(map[string]bool), variants: make(map[string]int),
		originals: make(map[string]bool), moved: make(map[string]string), closed: make(map[string]bool),
		reopening: make(map[string]*atomic.Bool), reported: make(map[string]bool),
	}
	r.known, r.since = readCheckpoint(since, c.rules())
	got, err := r.fetch(ctx, request{address: c.scope.resource("/robots.txt"), limit: robotsBytes, cut: true, within: func(to *url.URL) bool {
		// RFC 9309 allows redirects to other hosts
		return c.scope.sameHost(to) || !c.guard.Private(ctx, to.Hostname())
	}})
	var busy *busyError
	switch {
	case err == nil:
		r.robots = parseRobots(string(got.body))
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &busy): // RFC 9309: an unreachable file forbids everything
		return nil, fmt.Errorf("its robots.txt cannot be read, so it is not known what may be indexed: %w", err)
	}
	r.pace.slow(r.robots.delay)
	if !r.robots.allows(name(c.scope.start)) {
		return nil, errors.New("its robots.txt does not allow it: ask the site's owner to allow the agent \"footnote\"")
	}
	if p := readPass(since, c.rules()); p != nil {
		r.resume(p)
		return r, nil
	}
	for _, s := range r.known {
		if s.indexed() {
			r.stored++
		}
	}
	if r.mapped, err = r.sitemap(ctx); err != nil || r.mapped {
		return r, err
	}
	r.add(c.scope.start, 0, "")
	// known pages may still exist even if no page links to them
	for _, known := range slices.Sorted(maps.Keys(r.known)) {
		if at, err := c.scope.start.Parse(known); err == nil {
			r.add(at, 0, "")
		}
	}
	return r, nil
}

// robotsBytes is the maximum number of bytes of a robots.txt that are used. RFC 9309 requires at
// least that many.
const robotsBytes = 512 << 10

// add queues a page unless the page is already queued, outside of the scope, or excluded. It
// reports whether the page is part of the run.
func (c *crawl) add(at *url.URL, depth int, sitemap string) bool {
	at = clean(at)
	if !c.scope.holds(at) || hasNoText(at) {
		return false
	}
	n := name(at)
	if c.queued[n] {
		return true
	}
	switch {
	case c.excluded(at) || c.mapped && !c.included(at):
		return false
	case endless(at):
		c.reportOnce("endless", at, fmt.Sprintf("Its address looks like one of a trap (more than %d characters, more than %d parts, or a part that comes more than "+
			"%d times); pages like this are left out.", longestAddress, deepestPath, mostRepeats))
		return false
	case depth > c.options.MaxDepth:
		c.reportOnce("deep", at, fmt.Sprintf("It is more than %d links away from the first page; pages like this are left out. To index them, name their folder "+
			"as a separate source.", c.options.MaxDepth))
		return false
	case at.RawQuery != "" && c.variants[at.Path] >= c.options.MaxVariants:
		if c.variants[at.Path] == c.options.MaxVariants {
			c.skip(at.Path, fmt.Sprintf("It has more than %d variants that differ in their query alone; the others are left out.", c.options.MaxVariants))
			c.variants[at.Path]++
		}
		return false
	case len(c.queued) >= c.options.MaxPages || c.named+len(n) > c.options.MaxPages*nameSize:
		if !c.full {
			c.skip(c.source.Name, fmt.Sprintf("It has more than %d pages, or addresses of more than %d characters on average; the others are left out. "+
				"Index parts of it as separate sources.", c.options.MaxPages, nameSize))
		}
		c.full = true
		return false
	}
	c.queued[n] = true
	c.named += len(n)
	if !c.robots.allows(n) {
		c.skip(at.String(), "Its robots.txt does not allow it.")
		return false
	}
	if at.RawQuery != "" {
		c.variants[at.Path]++
	}
	c.queue = append(c.queue, page{at: at, depth: depth, sitemap: sitemap})
	return true
}

// reportOnce reports that a page was skipped, unless it has already reported a page for the same
// rule.
func (c *crawl) reportOnce(rule string, at *url.URL, sentence string) {
	if !c.reported[rule] {
		c.reported[rule] = true
		c.skip(at.String()[:min(len(at.String()), longestShown)], sentence)
	}
}

const longestShown = 200

func (c *crawl) included(at *url.URL) bool {
	return len(c.options.Include) == 0 || pattern.List(c.options.Include).Match(c.scope.below(at))
}

func (c *crawl) excluded(at *url.URL) bool {
	return pattern.List(c.options.Exclude).Match(c.scope.below(at))
}

func hasNoText(at *url.URL) bool {
	switch strings.ToLower(path.Ext(at.Path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".bmp", ".tif", ".tiff", ".avif", ".mp3", ".wav", ".ogg", ".flac", ".mp4", ".mov", ".avi",
		".webm", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".css", ".js", ".mjs", ".map", ".wasm", ".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar",
		".tar", ".jar", ".deb", ".rpm", ".dmg", ".iso", ".exe", ".msi", ".apk", ".bin", ".xml", ".rss", ".atom", ".json":
		return true
	}
	return false
}

func (c *crawl) skip(what, sentence string) {
	c.batch.Skipped = append(c.batch.Skipped, index.Notice{Name: what, Sentence: sentence})
}

func (c *crawl) failed(what string, err error) {
	c.batch.Failures = append(c.batch.Failures, index.Notice{Name: what, Sentence: capital(err.Error()) + "."})
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// next reads some pages and returns them as a batch. The last batch is complete, unless existing
// pages may have been missed. A checkpoint that is due while closed documents are loaded comes with
// the batch after them, which requests no pages, so that it records which of them were loaded.
func (c *crawl) next(ctx context.Context) (index.Batch, error) {
	c.reopen()
	pages := c.queue[:min(batchSize, len(c.queue))]
	if c.due() {
		pages = nil
	}
	answers, err := c.requestPage(ctx, pages)
	if err != nil {
		return index.Batch{}, err
	}
	pages = pages[:len(answers)]
	c.queue = c.queue[len(pages):]
	for i, p := range pages {
		if err := c.applyAnswer(p, answers[i]); err != nil {
			return index.Batch{}, err
		}
	}
	for len(c.queue) == 0 && len(c.copies) > 0 {
		c.settleCopies()
	}
	settled := len(c.reopening) == 0
	last := settled && len(c.queue) == 0
	c.done = last
	if last && c.documents == 0 {
		return c.batch, fmt.Errorf("none of its %d pages holds text that can be indexed. Check the address%s", len(c.queued), firstReason(c.batch))
	}
	if last {
		c.settleClosed()
	}
	batch := c.batch
	c.batch = index.Batch{}
	if c.mapped {
		batch.Total = len(c.queued)
	}
	batch.Complete, batch.Resumed = last && !c.blind && !c.full, c.resumed
	if c.unsaved += len(pages); last || settled && c.due() {
		c.unsaved, c.saved = 0, time.Now()
		batch.Next, err = c.checkpoint(last, batch.Complete)
	}
	return batch, err
}

// due reports whether the next batch should have a checkpoint.
func (c *crawl) due() bool {
	return c.unsaved >= savedEvery || c.unsaved > 0 && time.Since(c.saved) >= savedAfter
}

func firstReason(b index.Batch) string {
	if notices := append(b.Failures, b.Skipped...); len(notices) > 0 {
		return fmt.Sprintf(" (%s: %s)", notices[0].Name, notices[0].Sentence)
	}
	return ""
}

// checkpoint returns a checkpoint with the states of the pages of this run. If complete is false,
// it keeps the last run's states of other pages. If last is false, it adds the position of the
// crawl.
func (c *crawl) checkpoint(last, complete bool) (index.Checkpoint, error) {
	pages := c.now
	if !complete {
		pages = maps.Clone(c.known)
		maps.Copy(pages, c.now)
	}
	kept := checkpoint{Rules: c.rules(), Pages: pages, Since: c.since}
	if !last {
		kept.Pass = c.position()
	}
	return json.Marshal(kept)
}

type answer struct {
	response
	asked   int64 // Unix seconds
	err     error
	skipped bool // not requested, because it is unchanged according to the sitemap
}

// requestPage fetches pages concurrently. It stops once the bodies exceed batchBytes in total. The
// result has the answers for the first pages, in order. It returns an error only if ctx is done.
func (c *crawl) requestPage(ctx context.Context, pages []page) ([]answer, error) {
	answers := make([]answer, len(pages))
	var group errgroup.Group
	var size atomic.Int64
	asked := 0
	group.SetLimit(parallel)
	for i, p := range pages {
		if size.Load() >= batchBytes {
			break
		}
		asked++
		known, ok := c.known[name(p.at)]
		if ok && p.sitemap == known.Sitemap && isPast(p.sitemap, time.Unix(known.Read, 0)) {
			answers[i] = answer{response: response{address: p.at, unchanged: true}, skipped: true}
			continue
		}
		group.Go(func() error {
			began := c.options.Now().Unix()
			got, err := c.fetch(ctx, c.request(p.at, known))
			size.Add(int64(len(got.body)))
			answers[i] = answer{response: got, asked: began, err: err}
			return nil
		})
	}
	_ = group.Wait() // the answers hold the errors
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return answers[:asked], nil
}

func (c *crawl) request(at *url.URL, known state) request {
	return request{address: at, etag: known.ETag, modified: known.Modified, limit: c.options.MaxBytes, within: func(to *url.URL) bool {
		to = clean(to)
		return c.scope.holds(to) && !endless(to) && c.robots.allows(name(to))
	}}
}

func (c *crawl) id(at *url.URL) document.ID { return c.idOf(name(at)) }

func (c *crawl) idOf(name string) document.ID { return document.ID(string(c.source.ID) + ":" + name) }
