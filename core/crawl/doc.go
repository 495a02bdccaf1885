// Package crawl is how a source is read: what a pass over a list finds, and what follows for the
// documents in the index.
package crawl
