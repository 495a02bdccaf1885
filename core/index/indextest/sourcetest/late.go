package sourcetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"pgregory.net/rapid"
)

// Clocked is a [World] with a clock, which its connector also uses.
type Clocked interface {
	World
	Now() time.Time
	Pass(d time.Duration)
	// Edited returns the kind of the last Edit. It is empty if the Edit revoked no permission.
	Edited() index.Change
}

// lookTime is the maximum time between the due time of a scan and its end. The tests add it to each
// maximum delay.
const lookTime = time.Minute

// Late checks that each revoked permission takes effect within the maximum delay in looks. It tries
// many random sequences of changes and reads, on the schedule of a server and by the clock of the
// World. For each sequence, world must return a new source, and open must return empty stores.
func Late(t *testing.T, looks index.Looks, world func(t *rapid.T) Clocked, open func(t *rapid.T) Stores) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		w := world(rt)
		l := late{
			story: story{ctx: t.Context(), world: w, stores: open(rt), could: make(map[pair]bool)}, clock: w, looks: looks,
			every: rapid.SampledFrom([]time.Duration{5 * time.Minute, 20 * time.Minute, 45 * time.Minute, 24 * time.Hour}).Draw(rt, "every"),
		}
		l.readAccess(rt)
		l.readDocuments(rt, false)
		l.remember()
		for range rapid.IntRange(2, 5).Draw(rt, "changes") {
			l.change(rt)
			l.pass(rt, rapid.SampledFrom([]time.Duration{time.Minute, 7 * time.Minute, 40 * time.Minute}).Draw(rt, "time passes"))
		}
		l.pass(rt, time.Hour) // most changes are to be known then
	})
}

type late struct {
	story
	clock     Clocked
	looks     index.Looks
	every     time.Duration
	access    time.Time   // when the run of permissions is due
	documents time.Time   // when the run of documents is due
	pending   []time.Time // deadlines by which changes must be noticed, oldest change first
}

func (l *late) change(t *rapid.T) {
	l.settled()
	l.remember()
	l.world.Edit(t)
	l.remember()
	until := l.clock.Now()
	if kind := l.clock.Edited(); kind != "" {
		look, known := l.looks[kind]
		if !known {
			t.Fatalf("no look notices %q", kind)
		}
		until = until.Add(look.Late(l.every) + lookTime)
	}
	l.pending = append(l.pending, until)
}

func (l *late) settled() {
	now := l.clock.Now()
	for len(l.pending) > 0 && now.After(l.pending[0]) {
		l.pending = l.pending[1:]
	}
	if len(l.pending) == 0 {
		clear(l.could)
		l.remember()
	}
}

func (l *late) pass(t *rapid.T, d time.Duration) {
	end := l.clock.Now().Add(d)
	for {
		next := l.access
		if l.documents.Before(next) {
			next = l.documents
		}
		if next.After(end) {
			break
		}
		l.advanceTo(next.Add(time.Duration(rapid.IntRange(0, 10).Draw(t, "seconds late")) * time.Second))
		l.check(t) // before it is read
		if !l.clock.Now().Before(l.access) {
			l.readAccess(t)
		}
		if !l.clock.Now().Before(l.documents) {
			l.readDocuments(t, rapid.Bool().Draw(t, "busy"))
		}
		l.check(t)
	}
	l.advanceTo(end)
	l.check(t)
}

func (l *late) advanceTo(at time.Time) {
	if d := at.Sub(l.clock.Now()); d > 0 {
		l.clock.Pass(d)
	}
}

func (l *late) readAccess(t *rapid.T) {
	l.access = index.NextAccess(l.clock.Now(), time.Time{}, 0)
	if err := index.ReadAccess(l.ctx, l.stores.Access, l.stores.Index, l.stores.Tenant, l.world.Connector(), false); err != nil {
		t.Fatalf("who may read cannot be read: %v", err)
	}
}

// readDocuments runs the pipeline once over the source. If busy is set, it changes the source and
// reads the permissions during that run.
func (l *late) readDocuments(t *rapid.T, busy bool) {
	l.documents = index.Next(l.every, index.Run{StartedAt: l.clock.Now(), FinishedAt: l.clock.Now(), Succeeded: true}, 0)
	chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(l.ctx)
	at, batches := rapid.IntRange(1, 4).Draw(t, "batches before a change"), 0
	meanwhile, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	c := between(l.world.Connector(), func() {
		if batches++; !busy || batches != at {
			return
		}
		select {
		case meanwhile <- struct{}{}:
			<-goOn
		case <-ctx.Done():
		}
	})
	go func() {
		_, err := index.New(l.stores.Index, chunker, nil, index.Config{Workers: 2, Group: 4}).Run(ctx, l.stores.Tenant, c, nil)
		done <- err
	}()
	ended := false
	defer func() { // also where the story ends
		if stop(); !ended {
			close(goOn)
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
				t.Logf("the run that was stopped: %v", err)
			}
		}
	}()
	select {
	case <-meanwhile:
		l.change(t)
		l.readAccess(t)
		goOn <- struct{}{}
		err = <-done
	case err = <-done:
	}
	ended = true
	switch {
	case errors.Is(err, index.ErrRevoked) || err != nil && !busy:
		t.Fatalf("the documents cannot be read: %v", err)
	case err != nil:
		l.documents = index.Next(l.every, index.Run{StartedAt: l.clock.Now(), FinishedAt: l.clock.Now()}, 1)
	}
}

// check fails the test if the index shows a document although its revocation is overdue. It does
// nothing while several changes are pending, because a scan may notice them out of order.
func (l *late) check(t *rapid.T) {
	l.settled()
	if len(l.pending) > 1 {
		return
	}
	documents := l.world.Documents()
	for _, p := range l.world.People() {
		shown := l.shown(t, []access.Account{p}, documents)
		for _, d := range slices.Sorted(maps.Keys(shown)) {
			if shown[d] && !l.could[pair{p, d}] {
				t.Fatalf("%s is shown %s at %s, read every %s, and could not read it since all changes had to be known", p.ID, d, l.clock.Now().Format(time.TimeOnly), l.every)
			}
		}
	}
}
