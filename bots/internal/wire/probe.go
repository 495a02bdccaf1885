package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

// Seen says what a credential can see in a source.
type Seen struct {
	Sees  []string // visible items: "12 channels"
	Lacks []string // requested items that cannot be read: one sentence each, which says what to do
	Notes []string // findings that may be intended, such as single unreadable documents
}

const probeTimeout = time.Minute

// Probe checks, without changing anything, whether a source can be read. The error says why not,
// and what to do.
func Probe(ctx context.Context, cfg *config.Config, s config.Source) (Seen, error) {
	seen, err := newClients(cfg).probe(ctx, s)
	return seen, unhidden(err)
}

// unhidden removes the remark of index.ErrRevoked that a source is hidden, because a probed source
// does not exist yet.
func unhidden(err error) error {
	if errors.Is(err, index.ErrRevoked) {
		return refusal{err}
	}
	return err
}

type refusal struct{ error }

func (r refusal) Error() string {
	text := r.error.Error()
	for _, before := range []string{": ", "; "} {
		text = strings.ReplaceAll(text, before+index.ErrRevoked.Error(), "")
	}
	return text
}

func (r refusal) Unwrap() error { return r.error }

// Probe is like the function [Probe], but shares rate limits with the other sources of the process.
func (b *Base) Probe(ctx context.Context, s config.Source) (Seen, error) {
	return b.clients.probe(ctx, s)
}

func (c *clients) probe(ctx context.Context, s config.Source) (Seen, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, fmt.Errorf("nothing could be seen within %s: check the network, or try later", probeTimeout))
	defer cancel()
	check := KindOf(s).check
	if check == nil {
		check = firstDocuments
	}
	seen, err := check(ctx, c, s)
	// A failed check may return an empty text.
	seen.Sees = slices.DeleteFunc(seen.Sees, func(what string) bool { return what == "" })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return seen, index.ShortError(err)
}

type checker interface {
	// Check describes in a few words what can be read. Its error says why nothing can be.
	Check(ctx context.Context) (string, error)
}

// firstDocuments checks a source by starting to read it. It stops after the first documents.
func firstDocuments(ctx context.Context, c *clients, s config.Source) (Seen, error) {
	ctx = footprint.ForSources(ctx)
	connector, err := c.connect(s)
	if err != nil {
		return Seen{}, err
	}
	if c, ok := connector.(checker); ok {
		what, err := c.Check(ctx)
		return Seen{Sees: []string{what}}, err
	}
	seen, err := whoReads(ctx, connector, KindOf(s))
	if err != nil {
		return Seen{}, err
	}
	for batch, err := range connector.Sync(ctx, nil) {
		if err != nil {
			return Seen{}, err
		}
		if n := max(batch.Total, len(batch.Documents)); n > 0 {
			found := plural.Count(n, "document")
			// More may follow: a page links to others, and a large source takes long to list.
			if s.Path == "" && !batch.Complete {
				found += " at the first look"
			}
			seen.Sees = append(seen.Sees, found)
			for i, f := range batch.Failures {
				if i == mostNotes {
					seen.Notes = append(seen.Notes, fmt.Sprintf("%d more", len(batch.Failures)-i))
					break
				}
				seen.Notes = append(seen.Notes, f.Name+": "+index.Shorten(f.Sentence))
			}
			return seen, nil
		}
		if len(batch.Failures) > 0 {
			return Seen{}, fmt.Errorf("%s: %s", batch.Failures[0].Name, batch.Failures[0].Sentence)
		}
	}
	if len(seen.Sees) > 0 { // it can be read, but has no documents
		return seen, nil
	}
	return Seen{}, errors.New("there is nothing to be read: check the address")
}

func whoReads(ctx context.Context, connector index.Connector, kind Kind) (seen Seen, err error) {
	if r, ok := connector.(index.NodeReader); ok {
		var names, unread []string
		for batch, err := range r.Nodes(ctx, nil) {
			if err != nil {
				return Seen{}, err
			}
			unread = append(unread, batch.Unread...)
			for _, n := range batch.Nodes {
				names = append(names, n.Name)
			}
		}
		if len(names) == 0 {
			return Seen{}, errors.New(kind.Empty)
		}
		slices.Sort(names)
		seen.Sees = append(seen.Sees, fmt.Sprintf("%d %s: %s", len(names), kind.Unit, some(names)))
		if len(unread) > 0 {
			seen.Lacks = append(seen.Lacks, fmt.Sprintf("%d %s could not be looked at for now", len(unread), kind.Unit))
		}
	}
	if r, ok := connector.(index.GroupReader); ok {
		people, vouched := 0, 0
		for batch, err := range r.Groups(ctx, nil) {
			if err != nil {
				return Seen{}, err
			}
			for _, p := range batch.People {
				people++
				if len(p.Emails) > 0 {
					vouched++
				}
			}
			if people > 0 { // reading all people takes long
				break
			}
		}
		if people == 0 { // everything is public
			return seen, nil
		}
		seen.Sees = append(seen.Sees, fmt.Sprintf("%s at the first look, of whom it vouches for the addresses of %d", plural.Count(people, "person"), vouched))
	}
	return seen, nil
}

func some(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

const mostNotes = 5
