package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

// Seen is what a source shows to its credential.
type Seen struct {
	Sees  []string // "12 channels"
	Lacks []string // what was asked for and cannot be read: a sentence each, which says what to do
	Notes []string // what may be meant so, such as single documents that cannot be read
}

// probeTimeout bounds trying a source.
const probeTimeout = time.Minute

// Probe tries whether a source can be read, and changes nothing. The error says why nothing of it
// can be, and what to do.
func Probe(ctx context.Context, cfg *config.Config, s config.Source) (Seen, error) {
	seen, err := newClients(cfg).probe(ctx, s)
	return seen, unhidden(err)
}

// unhidden leaves out of an error that a source is hidden which does not exist yet.
func unhidden(err error) error {
	if errors.Is(err, index.ErrRevoked) {
		return refusal{err}
	}
	return err
}

// refusal is an error without its last words, those of index.ErrRevoked.
type refusal struct{ error }

func (r refusal) Error() string {
	text := r.error.Error()
	for _, before := range []string{": ", "; "} {
		text = strings.ReplaceAll(text, before+index.ErrRevoked.Error(), "")
	}
	return text
}

func (r refusal) Unwrap() error { return r.error }

// Probe is the function of that name for a source in addition to those that the process reads.
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
	// a check that failed
	seen.Sees = slices.DeleteFunc(seen.Sees, func(what string) bool { return what == "" })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return seen, err
}

// checker is implemented by connectors that can be tried without being read.
type checker interface {
	// Check says what there is to be read in a few words, or why nothing can be.
	Check(ctx context.Context) (string, error)
}

// firstDocuments begins to read a source, and ends with the first documents.
func firstDocuments(ctx context.Context, c *clients, s config.Source) (Seen, error) {
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
			// pages lead to others, and of what is large it takes long to know all
			if s.Path == "" && !batch.Complete {
				found += " at the first look"
			}
			seen.Sees = append(seen.Sees, found)
			for i, f := range batch.Failures {
				if i == mostNotes {
					seen.Notes = append(seen.Notes, fmt.Sprintf("%d more", len(batch.Failures)-i))
					break
				}
				seen.Notes = append(seen.Notes, f.Name+": "+f.Sentence)
			}
			return seen, nil
		}
		if len(batch.Failures) > 0 {
			return Seen{}, fmt.Errorf("%s: %s", batch.Failures[0].Name, batch.Failures[0].Sentence)
		}
	}
	if len(seen.Sees) > 0 { // its places are empty
		return seen, nil
	}
	return Seen{}, errors.New("there is nothing to be read: check the address")
}

// whoReads looks what a source shows of its nodes and people, where it has its own readers.
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
			if people > 0 { // everybody else takes long
				break
			}
		}
		if people == 0 { // all of it is open
			return seen, nil
		}
		seen.Sees = append(seen.Sees, fmt.Sprintf("%s at the first look, of whom it vouches for the addresses of %d", plural.Count(people, "person"), vouched))
	}
	return seen, nil
}

// some are the first few of names.
func some(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// mostNotes is how many documents that cannot be read are named.
const mostNotes = 5
