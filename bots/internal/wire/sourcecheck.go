package wire

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
	"golang.org/x/sync/errgroup"
)

// SourceCheck says whether a source can be read and is current.
type SourceCheck struct {
	ID    document.SourceID // empty if the source was never read and cannot be read now
	Name  string            // name in the configuration file, or else the place
	Kind  Kind
	State pgindex.SourceState // zero if the source was never read
	Every time.Duration
	Seen  Seen
	// Late is the maximum delay until a revocation takes effect; 0: the source is not asked who may
	// read.
	Late    time.Duration
	Deleted time.Duration  // maximum delay until deletions take effect; 0: deletions are not noticed
	Access  sources.Access // zero if the source has no readers
	Faults  []string       // one sentence each, which says what to do
	// Unasked reports that private answers use the last known permissions, because the account may
	// not ask the source who may read.
	Unasked  bool
	declared bool
	refused  string // why the row does not count
	source   config.Source
}

const checksAtOnce = 4

// CheckSources checks all sources of the configuration file and of the index. It changes nothing.
func (b *Base) CheckSources(ctx context.Context) ([]SourceCheck, error) {
	states, err := b.Index.Sources(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	stored, err := b.StoredSources(ctx)
	if err != nil {
		return nil, err
	}
	access, err := b.Access(ctx)
	if err != nil {
		return nil, err
	}
	var checks []SourceCheck
	for _, s := range b.File().Sources {
		c := SourceCheck{Name: s.Name, Every: s.Every, declared: true, source: s}
		if of, err := KindOf(s).source(s); err == nil {
			c.ID = of.ID
		}
		if i := slices.IndexFunc(stored, func(k StoredSource) bool { return k.ID == c.ID }); i >= 0 {
			c.refused = stored[i].Refused
		}
		checks = append(checks, c)
	}
	for _, s := range stored {
		if !s.Leftover && !slices.ContainsFunc(checks, func(c SourceCheck) bool { return c.ID == s.ID }) {
			checks = append(checks, SourceCheck{ID: s.ID, Name: s.Place(), Every: s.Every, refused: s.Refused, source: s.Source})
		}
	}
	quarantined, err := b.quarantines(ctx)
	if err != nil {
		return nil, err
	}
	looking, at := errgroup.WithContext(ctx)
	looking.SetLimit(checksAtOnce)
	for i := range checks {
		c := &checks[i]
		if at := slices.IndexFunc(states, func(s pgindex.SourceState) bool { return s.Source.ID == c.ID }); at >= 0 {
			c.State = states[at]
		}
		c.Access = access[c.ID]
		c.Kind = KindOf(c.source)
		health := sources.Health{
			Schedule: sources.Schedule{State: c.State.State(), Every: c.Every, Refused: c.refused}, Access: c.Access, Quarantine: quarantined[c.ID],
		}
		if health.Untried() != "" { // no request is sent
			c.Faults = health.Faults(time.Now())
			continue
		}
		looking.Go(func() error {
			health.Unreachable = b.look(at, c)
			c.Faults = health.Faults(time.Now())
			return ctx.Err()
		})
	}
	return checks, looking.Wait()
}

// look fills in c. It returns a sentence for everything that cannot be read.
func (b *Base) look(ctx context.Context, c *SourceCheck) []string {
	c.Late, c.Deleted = c.Kind.Looks.Late(c.Every), c.Kind.Looks.Deleted(c.Every)
	ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, fmt.Errorf("it did not answer within %s: check the network, or try later", checkTimeout))
	defer cancel()
	seen, err := b.Probe(ctx, c.source)
	c.Seen = seen
	if err == nil && c.Late > 0 {
		c.Unasked, err = b.unasked(ctx, c)
	}
	return slices.Concat(seen.Lacks, sources.Sentences(err))
}

// unasked reports whether the source does not let this credential ask who may read a document.
func (b *Base) unasked(ctx context.Context, c *SourceCheck) (bool, error) {
	connector, err := b.Connect(c.source)
	if err != nil {
		return false, err
	}
	checker, is := connector.(index.PointChecker)
	if !is { // no account may ask such a source
		return false, nil
	}
	person, id, acl, found, err := b.Index.SamplePoint(ctx, b.Tenant, c.ID)
	if err != nil || !found {
		return false, err
	}
	for _, p := range acl {
		if _, node, is := access.ParseNode(p); is {
			point := index.Point{Document: id, Node: node}
			return checker.MayRead(ctx, person, []index.Point{point})[point] == index.CannotAsk, nil
		}
	}
	return false, nil
}
