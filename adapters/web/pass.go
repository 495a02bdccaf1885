package web

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/footnotehq/footnote/core/index"
)

// pass is the part of a checkpoint that has the position of an unfinished crawl. The states of
// pages are in checkpoint.Pages.
type pass struct {
	Done      []string          `json:"done"` // pages read, by name
	Queue     []waiting         `json:"queue"`
	Queued    []string          `json:"queued"` // names of all other pages that were queued
	Variants  map[string]int    `json:"variants,omitempty"`
	Originals []string          `json:"originals,omitempty"`
	Said      []string          `json:"said,omitempty"`
	Closed    []string          `json:"closed,omitempty"`
	Copies    []waiting         `json:"copies,omitempty"`
	Moved     map[string]string `json:"moved,omitempty"`
	Stored    int               `json:"stored,omitempty"`
	Documents int               `json:"documents"`
	Mapped    bool              `json:"mapped,omitempty"`
	Blind     bool              `json:"blind,omitempty"`
	Full      bool              `json:"full,omitempty"`
}

type waiting struct {
	Address string `json:"a"`
	Depth   int    `json:"n,omitempty"`
	Sitemap string `json:"d,omitempty"`
	Alone   bool   `json:"l,omitempty"`
}

func waits(p page) waiting { return waiting{p.at.String(), p.depth, p.sitemap, p.alone} }

// pages converts stored entries of the queue to pages. It drops entries with an invalid address.
func (c *crawl) pages(all []waiting) (pages []page) {
	for _, w := range all {
		if at, err := c.scope.start.Parse(w.Address); err == nil {
			pages = append(pages, page{at, w.Depth, w.Sitemap, w.Alone})
		}
	}
	return pages
}

// Restart implements index.Resumer.
func (c *Connector) Restart(since index.Checkpoint) index.Checkpoint {
	var last checkpoint
	if json.Unmarshal(since, &last) != nil || last.Pass == nil {
		return since
	}
	last.Pass = nil
	fresh, err := json.Marshal(last)
	if err != nil { // cannot happen: it was just read from JSON
		return nil
	}
	return fresh
}

// readPass returns the position of the unfinished crawl in a checkpoint. It returns nil if there is
// none, or if that crawl had other rules than the current ones.
func readPass(since index.Checkpoint, rules string) *pass {
	var last checkpoint
	if json.Unmarshal(since, &last) != nil || last.Rules != rules || last.Pass == nil || len(last.Pass.Queue) == 0 {
		return nil
	}
	return last.Pass
}

func (c *crawl) position() *pass {
	p := &pass{
		Done: slices.Sorted(maps.Keys(c.now)), Variants: c.variants,
		Originals: slices.Sorted(maps.Keys(c.originals)), Said: slices.Sorted(maps.Keys(c.reported)), Closed: slices.Sorted(maps.Keys(c.closed)),
		Stored: c.stored, Documents: c.documents, Mapped: c.mapped, Blind: c.blind, Full: c.full, Moved: c.moved,
	}
	queued := make(map[string]bool, len(c.queue))
	for _, w := range c.queue {
		queued[name(w.at)] = true
		p.Queue = append(p.Queue, waits(w))
	}
	for _, w := range c.copies {
		p.Copies = append(p.Copies, waits(w))
	}
	for _, n := range slices.Sorted(maps.Keys(c.queued)) {
		if _, done := c.now[n]; !done && !queued[n] {
			p.Queued = append(p.Queued, n)
		}
	}
	return p
}

func (c *crawl) resume(p *pass) {
	c.resumed, c.mapped, c.stored, c.documents, c.blind, c.full = true, p.Mapped, p.Stored, p.Documents, p.Blind, p.Full
	for _, n := range p.Done {
		c.now[n], c.queued[n] = c.known[n], true
	}
	for _, set := range []struct {
		names []string
		in    map[string]bool
	}{{p.Queued, c.queued}, {p.Originals, c.originals}, {p.Said, c.reported}, {p.Closed, c.closed}} {
		for _, n := range set.names {
			set.in[n] = true
		}
	}
	maps.Copy(c.variants, p.Variants)
	maps.Copy(c.moved, p.Moved)
	c.queue, c.copies = c.pages(p.Queue), c.pages(p.Copies)
	for _, w := range c.queue {
		c.queued[name(w.at)] = true
	}
	for n := range c.queued {
		c.named += len(n)
	}
}
