package admin_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestWorkspacesAreBoundOnceOrByTheOperator(t *testing.T) {
	t.Parallel()
	w := admin.NewWorkspaces(postgrestest.Open(t), "discord")
	var first atomic.Int64
	var all sync.WaitGroup
	for _, guild := range []string{"g1", "g2", "g3", "g4"} { // replicas that begin at once
		all.Go(func() {
			if done, err := w.BindFirst(t.Context(), guild, access.DefaultTenant); err != nil {
				t.Error(err)
			} else if done {
				first.Add(1)
			}
		})
	}
	all.Wait()
	if n := first.Load(); n != 1 {
		t.Errorf("%d workspaces were bound as the first one, want 1", n)
	}
	bound, err := w.Bound(t.Context())
	if err != nil || len(bound) != 1 {
		t.Errorf("Bound() = %v, %v", bound, err)
	}
	for _, tt := range []struct {
		tenant  access.TenantID
		created bool
	}{{"partners", true}, {"partners", false}, {access.DefaultTenant, false}} {
		created, err := w.Bind(t.Context(), "g9", tt.tenant, "operator")
		if err != nil || created != tt.created {
			t.Errorf("Bind(%s) = %v, %v, want %v", tt.tenant, created, err, tt.created)
		}
		bound, err := w.Bound(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.tenant, bound["g9"]); diff != "" {
			t.Error(diff)
		}
	}
	for _, want := range []bool{true, false} {
		if was, err := w.Unbind(t.Context(), "g9", "operator"); err != nil || was != want {
			t.Errorf("Unbind() = %v, %v, want %v", was, err, want)
		}
	}
	if bound, err := w.Bound(t.Context()); err != nil || len(bound) != 1 {
		t.Errorf("after Unbind() Bound() = %v, %v", bound, err)
	}
	for guild := range bound { // the last one, in whose place none becomes the first
		if was, err := w.Unbind(t.Context(), guild, "operator"); err != nil || !was {
			t.Errorf("Unbind() = %v, %v", was, err)
		}
		if done, err := w.BindFirst(t.Context(), guild, access.DefaultTenant); err != nil || done {
			t.Errorf("BindFirst() = %v, %v", done, err)
		}
	}
	if created, err := w.Bind(t.Context(), "g9", access.DefaultTenant, "operator"); err != nil || created {
		t.Errorf("Bind() = %v, %v", created, err)
	}
	if bound, err := w.Bound(t.Context()); err != nil || len(bound) != 1 {
		t.Errorf("after another Bind() Bound() = %v, %v", bound, err)
	}
	if other, err := admin.NewWorkspaces(postgrestest.Open(t), "slack").Bound(t.Context()); err != nil || len(other) != 0 {
		t.Errorf("another platform's = %v, %v", other, err)
	}
}
