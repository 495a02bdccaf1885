// Package crawltest checks that a source follows the rules of package crawl.
package crawltest

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// Vanishing is a simulated source for [Vanish]. It has documents in two scopes, such as projects,
// and can make one scope or some of its documents disappear.
type Vanishing struct {
	Sync  func() (index.Run, error) // a pass by a new process
	Nodes func() index.NodeReader
	Store func() []index.Entry
	Puts  func() int
	Pass  func(time.Duration)

	Scope int // documents of the scope, at least 60
	Other int // documents of the other scope
	// Omit makes the source silently leave the given number of the scope's documents out of all
	// lists. 0 restores all documents. Half of the scope is more than a third of the list.
	Omit func(int)
	// Lose makes the scope invisible (true) or visible again (false).
	Lose func(lost bool)
	// Broken holds functions that make a list of the scope incomplete, by name.
	Broken map[string]func(on bool)
	// Confirms reports whether the connector requests each document that a list lacks
	// (Feed.Confirm).
	Confirms bool
	// Sweep is the interval between full scans.
	Sweep time.Duration
}

func (v Vanishing) count(t *testing.T, source index.NodeReader) (stored, found int) {
	t.Helper()
	var r sourcetest.Readers
	if err := r.ReadNodes(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	entries := v.Store()
	for _, e := range entries {
		for _, p := range e.Document.ACL {
			_, node, _ := access.ParseNode(p)
			if n, known := r.Nodes[node]; known && (len(n.Clauses) > 0 || n.Inherit != index.Own) {
				found++
				break
			}
		}
	}
	return len(entries), found
}

// Vanish checks that a source hides and removes missing documents according to [crawl.Vanish]. Each
// call of open returns a new source.
func Vanish(t *testing.T, open func(t *testing.T) Vanishing) {
	t.Helper()
	// step advances the clock by wait, runs a pass, and compares the numbers of documents.
	step := func(t *testing.T, v Vanishing, what string, wait time.Duration, stored, found int) index.Run {
		t.Helper()
		v.Pass(wait)
		run, err := v.Sync()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if gotStored, gotFound := v.count(t, v.Nodes()); gotStored != stored || gotFound != found {
			t.Fatalf("%s: %d documents are stored, and %d can be found; want %d and %d; notices %v %v", what, gotStored, gotFound, stored, found, run.Failures, run.Skipped)
		}
		return run
	}
	first := func(t *testing.T) (v Vanishing, all int) {
		t.Helper()
		v = open(t)
		all = v.Scope + v.Other
		step(t, v, "the first pass", time.Hour, all, all)
		step(t, v, "a pass later", v.Sweep, all, all)
		return v, all
	}
	// unread checks that documents that returned were not stored again.
	unread := func(t *testing.T, v Vanishing, before int) {
		t.Helper()
		if read := v.Puts() - before; read != 0 {
			t.Errorf("%d documents that returned unchanged were stored again", read)
		}
	}
	t.Run("a few documents are gone", func(t *testing.T) {
		v, all := first(t)
		v.Omit(5)
		step(t, v, "a look at everything", v.Sweep, all-5, all-5)
	})
	t.Run("more than a third is gone", func(t *testing.T) {
		v, all := first(t)
		before, many := v.Puts(), v.Scope/2
		v.Omit(many)
		run := step(t, v, "many are gone", v.Sweep, all, all-many)
		if len(run.Failures)+len(run.Skipped) != 1 {
			t.Errorf("the notices are %v and %v, want one", run.Failures, run.Skipped)
		}
		v.Omit(many - 3)
		step(t, v, "some are back", v.Sweep, all, all-many+3)
		v.Omit(0)
		step(t, v, "all are back", v.Sweep, all, all)
		unread(t, v, before)
		v.Omit(many)
		step(t, v, "many are gone again", v.Sweep, all, all-many)
		step(t, v, "six days later", crawl.Grace-24*time.Hour, all, all-many)
		step(t, v, "a week later", 25*time.Hour, all-many, all-many)
		step(t, v, "a pass after that", v.Sweep, all-many, all-many)
	})
	t.Run("the scope is away for an hour", func(t *testing.T) {
		v, all := first(t)
		before := v.Puts()
		v.Lose(true)
		step(t, v, "it is lost", time.Minute, all, v.Other)
		v.Lose(false)
		step(t, v, "it is back", time.Hour, all, all)
		unread(t, v, before)
	})
	t.Run("the scope stays away", func(t *testing.T) {
		v, all := first(t)
		v.Lose(true)
		step(t, v, "it is lost", v.Sweep, all, v.Other)
		step(t, v, "six days later", crawl.Grace-24*time.Hour, all, v.Other)
		step(t, v, "a week later", 25*time.Hour, v.Other, v.Other)
		step(t, v, "a pass after that", v.Sweep, v.Other, v.Other)
	})
	for name := range open(t).Broken {
		t.Run("a list is incomplete: "+name, func(t *testing.T) {
			v, all := first(t)
			if !v.Confirms {
				v.Omit(v.Scope / 2)
			}
			v.Broken[name](true)
			v.Pass(v.Sweep)
			run, err := v.Sync()
			v.Broken[name](false)
			if err == nil && len(run.Failures)+len(run.Skipped) == 0 && !v.Confirms {
				t.Error("there is no notice")
			}
			if stored, found := v.count(t, v.Nodes()); stored != all || found != all {
				t.Errorf("%d documents are stored, and %d can be found; want %d: %v", stored, found, all, err)
			}
			if !v.Confirms {
				step(t, v, "the list is whole, and lacks half of the scope", v.Sweep, all, all-v.Scope/2)
			}
			v.Omit(0)
			step(t, v, "the list is whole", v.Sweep, all, all)
		})
	}
}
