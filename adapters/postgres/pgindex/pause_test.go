package pgindex_test

import (
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
)

// A paused source is not begun; a pass that was asked for from the beginning begins there, whatever
// a run saves that went on meanwhile.
func TestPausedAndReadFromTheBeginning(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{})
	wiki := index.Run{Source: document.Source{ID: "wiki", Kind: "k", Name: "wiki"}, Settings: "a"}
	begin := func() index.Run {
		t.Helper()
		run, err := x.Begin(t.Context(), access.DefaultTenant, wiki)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	save := func(run index.Run, checkpoint string, ended bool) {
		t.Helper()
		run.Settings, run.Checkpoint = "a", index.Checkpoint(checkpoint)
		if ended {
			run.FinishedAt, run.LastSuccess, run.Succeeded = run.StartedAt, run.StartedAt, true
		}
		if err := x.Save(t.Context(), access.DefaultTenant, run); err != nil {
			t.Fatal(err)
		}
	}
	save(begin(), "one", true)
	if err := x.PauseSource(t.Context(), access.DefaultTenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Begin(t.Context(), access.DefaultTenant, wiki); !errors.Is(err, sources.ErrPaused) {
		t.Errorf("a paused source is begun: %v", err)
	}
	if paused, err := x.SourcePaused(t.Context(), access.DefaultTenant, "wiki"); !paused || err != nil {
		t.Errorf("paused is %v, %v", paused, err)
	}
	if err := x.ResumeSource(t.Context(), access.DefaultTenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	during := begin()
	if string(during.Checkpoint) != "one" || during.Settings != "a" {
		t.Errorf("after the pause it begins as %+v", during)
	}
	if err := x.ResyncSource(t.Context(), access.DefaultTenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []bool{false, true} {
		save(during, "two", ended)
		if asked, err := x.AskedSources(t.Context(), access.DefaultTenant); err != nil || len(asked) != 1 || !asked[0].Resync {
			t.Errorf("nobody is told that a pass is due: %+v, %v", asked, err)
		}
	}
	whole := begin()
	if whole.Checkpoint != nil || whole.Settings != "" || whole.Continues || whole.LastSuccess.IsZero() {
		t.Errorf("it begins as %+v", whole)
	}
	save(whole, "three", false)
	if on := begin(); !on.Continues || string(on.Checkpoint) != "three" || !on.PassStartedAt.Equal(whole.PassStartedAt) {
		t.Errorf("it goes on as %+v", on)
	}
	if asked, err := x.AskedSources(t.Context(), access.DefaultTenant); err != nil || len(asked) != 1 || asked[0].Resync {
		t.Errorf("a pass is still due: %+v, %v", asked, err)
	}
	for _, change := range []func() error{
		func() error { return x.PauseSource(t.Context(), access.DefaultTenant, "none", session.Actor{}) },
		func() error { return x.ResyncSource(t.Context(), access.DefaultTenant, "none", session.Actor{}) },
	} {
		if err := change(); !errors.Is(err, pgindex.ErrNoSource) {
			t.Errorf("a source that is not there: %v", err)
		}
	}
}
