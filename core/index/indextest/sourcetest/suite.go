package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"pgregory.net/rapid"
)

// Suite checks a connector with many random sequences of edits, faults and reads. For each
// sequence, world must return a source, and open stores for it.
func Suite(t *testing.T, world func(t *rapid.T) World, open func(t *rapid.T) Stores) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		w := world(rt)
		s := &story{ctx: t.Context(), world: w, stores: open(rt), could: make(map[pair]bool)}
		s.remember()
		for range rapid.IntRange(4, 10).Draw(rt, "steps") {
			rapid.SampledFrom([]func(*rapid.T){s.quietSync, s.quietSync, s.edit, s.edit, s.faultySync, s.killedSync, s.busySync, s.twoSyncs, s.revoked}).Draw(rt, "step")(rt)
		}
		s.settle(rt)
	})
}

type pair struct {
	account  access.Account
	document document.ID
}

type story struct {
	ctx    context.Context //nolint:containedctx // of one test
	world  World
	stores Stores
	// documents that people could read at some time since the last complete read of an unchanged
	// source
	could map[pair]bool
	edits int // edits since that read
	// the last pass was interrupted; the next pass may continue from its results
	unfinished bool
}

func (s *story) remember() {
	for _, d := range s.world.Documents() {
		for _, p := range s.world.People() {
			if s.world.MayRead(p, d) {
				s.could[pair{p, d}] = true
			}
		}
	}
}

func (s *story) edit(t *rapid.T) {
	for range rapid.SampledFrom([]int{1, 1, 1, 5}).Draw(t, "edits") {
		s.world.Edit(t)
		s.edits++
	}
	s.remember()
}

// sync reads groups, nodes and documents, in the order of a first run. It tries every part even if
// another fails, like separate jobs.
func (s *story) sync(ctx context.Context, c index.Connector) error {
	chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
	if err != nil {
		return err
	}
	access := index.ReadAccess(ctx, s.stores.Access, s.stores.Index, s.stores.Tenant, c, false)
	run, err := index.New(s.stores.Index, chunker, nil, index.Config{Workers: 2, Group: 4}).Run(ctx, s.stores.Tenant, c, nil)
	if err == nil && run.Counts.Failed > 0 {
		err = fmt.Errorf("%w: %v", errUnread, run.Failures)
	}
	return errors.Join(access, err)
}

var errUnread = errors.New("documents could not be read")

func (s *story) quietSync(t *rapid.T) {
	passes := 1
	if s.unfinished {
		// The first pass may continue an interrupted one and report its failures. Changes may have
		// been made since.
		passes = 2
	}
	for left := passes - 1; left >= 0; left-- {
		// Time passes during the read: a permission that has expired by its end may have been read
		// before.
		if left == 0 {
			clear(s.could)
			s.remember()
		}
		if err := s.sync(s.ctx, s.world.Connector()); err != nil && (left == 0 || !errors.Is(err, errUnread)) {
			t.Fatalf("a source at rest cannot be read: %v", err)
		}
	}
	s.unfinished, s.edits = false, 0
	s.remember()
	s.check(t, true)
}

func (s *story) settle(t *rapid.T) {
	s.unfinished = true
	s.quietSync(t)
}

func (s *story) faultySync(t *rapid.T) {
	mend := s.world.Fault(t)
	err := s.sync(s.ctx, s.world.Connector())
	mend()
	s.unfinished = true
	if errors.Is(err, index.ErrRevoked) {
		t.Fatalf("what is no refusal of the credential is taken for one: %v", err)
	}
	s.check(t, false)
}

func (s *story) killedSync(t *rapid.T) {
	ctx, kill := context.WithCancel(s.ctx)
	defer kill()
	left := rapid.IntRange(0, 12).Draw(t, "batches until it is killed")
	_ = s.sync(ctx, between(s.world.Connector(), func() {
		if left--; left < 0 {
			kill()
		}
	}))
	s.unfinished = true
	s.check(t, false)
}

func (s *story) busySync(t *rapid.T) {
	after := rapid.IntRange(0, 8).Draw(t, "batches before an edit")
	err := s.sync(s.ctx, between(s.world.Connector(), func() {
		if after--; after == -1 {
			s.world.Edit(t)
			s.edits++
			s.remember()
		}
	}))
	s.unfinished = true
	if errors.Is(err, index.ErrRevoked) {
		t.Fatalf("a change of the source is taken for a refusal of the credential: %v", err)
	}
	s.check(t, false)
}

func (s *story) twoSyncs(t *rapid.T) {
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		both.Go(func() { errs[i] = s.sync(s.ctx, s.world.Connector()) })
	}
	s.unfinished = true
	s.edit(t)
	s.check(t, false)
	both.Wait()
	for _, err := range errs {
		if errors.Is(err, index.ErrRevoked) {
			t.Fatalf("two processes at once: %v", err)
		}
	}
	s.check(t, false)
}

func (s *story) revoked(t *rapid.T) {
	restore := s.world.Revoke()
	err := s.sync(s.ctx, s.world.Connector())
	restore()
	s.unfinished = true
	if !errors.Is(err, index.ErrRevoked) {
		t.Fatalf("a source that refuses the credential: %v, want one that wraps ErrRevoked", err)
	}
	for _, p := range s.world.People() {
		if shown := s.shown(t, []access.Account{p}, s.world.Documents()); len(shown) > 0 {
			t.Fatalf("%s is shown %v of a source that refuses the credential", p.ID, shown)
		}
	}
}

// check fails the test if the index shows a person a document that the person could not read. If
// exact is set, it also fails if the index does not show a document that the person can read now.
//
// Without exact, it does nothing after several changes, because a scan may notice them out of
// order.
func (s *story) check(t *rapid.T, exact bool) {
	if !exact && s.edits > 1 {
		return
	}
	people, documents := s.world.People(), s.world.Documents()
	var heard []access.Account
	for _, p := range people {
		shown := s.shown(t, []access.Account{p}, documents)
		for _, d := range documents {
			if shown[d] && !s.could[pair{p, d}] {
				t.Fatalf("%s is shown %s and could not read it in the source", p.ID, d)
			}
			if exact && !shown[d] && s.mustShow(p, d) {
				t.Fatalf("%s may read %s in the source and is not shown it; holds %v", p.ID, d, s.holds(t, []access.Account{p}))
			}
		}
		if rapid.Bool().Draw(t, "in the channel") {
			heard = append(heard, p)
		}
	}
	if len(heard) < 2 {
		return
	}
	for d := range s.shown(t, heard, documents) {
		for _, p := range heard {
			if !s.could[pair{p, d}] {
				t.Fatalf("a channel of %d is shown %s, which %s could not read in the source", len(heard), d, p.ID)
			}
		}
	}
}

func (s *story) mustShow(p access.Account, d document.ID) bool {
	if partial, ok := s.world.(Partial); ok && !partial.MustShow(p, d) {
		return false
	}
	return s.world.MayRead(p, d)
}

func (s *story) holds(t *rapid.T, listeners []access.Account) []access.Held {
	asked := make([]access.Listener, len(listeners))
	for i, a := range listeners {
		asked[i] = access.Listener{Account: a, Held: Held}
	}
	held, err := s.stores.Grants.Common(s.ctx, s.stores.Tenant, asked, []string{Domain})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func (s *story) shown(t *rapid.T, listeners []access.Account, documents []document.ID) map[document.ID]bool {
	held := s.holds(t, listeners)
	for _, p := range Held {
		held = append(held, access.Held{Principal: p})
	}
	audience := access.AudienceOf(s.stores.Tenant, held)
	shown, err := s.stores.Readable(s.ctx, audience, documents)
	if err != nil {
		t.Fatal(err)
	}
	if s.stores.Search == nil {
		return shown
	}
	found, err := s.stores.Search(s.ctx, audience)
	if err != nil {
		t.Fatal(err)
	}
	if s.unfinished { // the index may change between the two reads
		for _, d := range found {
			shown[d] = true
		}
		return shown
	}
	if len(found) != len(shown) || slices.ContainsFunc(found, func(d document.ID) bool { return !shown[d] }) {
		t.Fatalf("%s is found %v, and may be read %v", listeners[0].ID, found, shown)
	}
	return shown
}

type interrupted struct {
	index.Connector
	before func()
}

func between(c index.Connector, before func()) index.Connector {
	i := interrupted{c, before}
	groups, isGroup := c.(index.GroupReader)
	nodes, isNode := c.(index.NodeReader)
	resumer, isResumer := c.(index.Resumer)
	both := reader{i, groups, nodes}
	switch {
	case isGroup && isNode && isResumer:
		return resuming{both, resumer}
	case isGroup && isNode:
		return both
	}
	panic("sourcetest: the connector reads no nodes or no groups")
}

// Sync implements index.Connector.
func (c interrupted) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return each(c.Connector.Sync(ctx, since), c.before)
}

type reader struct {
	interrupted
	groups index.GroupReader
	nodes  index.NodeReader
}

// Nodes implements index.NodeReader.
func (c reader) Nodes(ctx context.Context, since index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return each(c.nodes.Nodes(ctx, since), c.before)
}

// Groups implements index.GroupReader.
func (c reader) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return each(c.groups.Groups(ctx, since), c.before)
}

type resuming struct {
	reader
	resumer index.Resumer
}

// Restart implements index.Resumer.
func (c resuming) Restart(at index.Checkpoint) index.Checkpoint { return c.resumer.Restart(at) }

func each[B any](batches iter.Seq2[B, error], before func()) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for b, err := range batches {
			if before(); !yield(b, err) {
				return
			}
		}
	}
}

type runes struct{}

// Count implements index.Counter.
func (runes) Count(text string) int { return len([]rune(text)) }
