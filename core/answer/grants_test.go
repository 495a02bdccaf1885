package answer_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
)

// flaky grants everybody a source, or fails.
type flaky struct{ broken atomic.Bool }

func (f *flaky) Common(context.Context, access.TenantID, []access.Listener, []string) ([]access.Held, error) {
	if f.broken.Load() {
		return nil, errors.New("no database")
	}
	return []access.Held{{Principal: access.SourceAll("wiki"), From: "the wiki"}}, nil
}

func (f *flaky) Covers(context.Context, access.TenantID, []access.Principal, []access.Principal) ([]access.Held, error) {
	return nil, nil
}

// What is held of sources is used where it is known. Where it is not, the answer is made from what
// the platform says, and is not stopped.
func TestAnswersGoOnWithoutGrants(t *testing.T) {
	wiki := access.SourceAll("wiki")
	for name, tt := range map[string]struct {
		before bool          // it fails from the beginning
		middle time.Duration // it fails for so long in the middle; 0: not
		want   access.Audience
		listed []document.ID
	}{
		"all is well":                 {want: access.NewAudience(tenant, access.Members, wiki), listed: []document.ID{"open", "wiki"}},
		"it fails from the beginning": {before: true, want: access.NewAudience(tenant, access.Members), listed: []document.ID{"open"}},
		"it fails for a moment":       {middle: 2 * time.Second, want: access.NewAudience(tenant, access.Members, wiki), listed: []document.ID{"open", "wiki"}},
		"it fails in the middle":      {middle: time.Hour, want: access.NewAudience(tenant, access.Members, wiki), listed: []document.ID{"open"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				f := &flaky{}
				f.broken.Store(tt.before)
				w.thread.people = []access.Account{{ID: "U1", Full: true}}
				w.thread.listen(func(session.Turn) (access.Audience, error) { return access.NewAudience(tenant, access.Members), nil })
				w.may = func(a access.Audience, id document.ID) bool { return id == "open" || a.MayRead(access.ACL{wiki}) }
				r := w.start("a", func(context.Context, turn.Request) (string, error) {
					if tt.middle > 0 {
						f.broken.Store(true)
						time.AfterFunc(tt.middle, func() { f.broken.Store(false) })
					}
					return "text", nil
				})
				r.Resolver = &access.Resolver{Grants: f}
				r.engine.cites = []document.ID{"open", "wiki"}
				w.ask(r, "q")
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := r.engine.requests(); len(got) != 1 || got[0].Audience.Key() != tt.want.Key() {
					t.Errorf("the turn was run as %+v", got)
				}
				w.finals("1 answered: text")
				if diff := cmp.Diff([][]document.ID{tt.listed}, w.thread.sources); diff != "" {
					t.Errorf("listed under the answer (-want +got):\n%s", diff)
				}
			})
		})
	}
}
