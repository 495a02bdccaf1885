package access_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

// grants grants each person a group of a source, and to everybody the source; covering groups are
// all granted.
type grants struct {
	broken bool
	asked  []string
}

func (g *grants) Common(_ context.Context, tenant access.TenantID, listeners []access.Listener, domains []string) ([]access.Held, error) {
	g.asked = append(g.asked, fmt.Sprint("common ", tenant, " ", len(listeners), " ", listeners[0].Account.ID, " ", listeners[0].Held, " ", domains))
	if g.broken {
		return nil, errors.New("no database")
	}
	held := []access.Held{{Principal: "group:wiki:all", From: "the wiki"}}
	if len(listeners) == 1 {
		held = append(held, access.Held{Principal: access.SourceGroup("wiki", "person", listeners[0].Account.ID), From: "the wiki"})
	}
	return held, nil
}

func (g *grants) Covers(_ context.Context, tenant access.TenantID, covering, held []access.Principal) ([]access.Held, error) {
	g.asked = append(g.asked, fmt.Sprint("covers ", tenant, " ", covering, " ", held))
	if g.broken {
		return nil, errors.New("no database")
	}
	return []access.Held{{Principal: covering[0], From: "everybody"}}, nil
}

func TestResolver(t *testing.T) {
	t.Parallel()
	ann, bob := access.Account{ID: "ann", Full: true}, access.Account{ID: "bob", Full: true}
	crowd := slices.Repeat([]access.Account{ann}, access.MostNamed+1)
	rules := access.Rules{Domains: []string{"example.com"}, Covering: []access.Principal{"group:wiki:all"}}
	tests := map[string]struct {
		present access.Presence
		rules   access.Rules
		want    []access.Principal // beside members
		asked   []string
	}{
		"one person": {
			present: access.Presence{People: []access.Account{ann}}, rules: rules,
			want: []access.Principal{"group:wiki:all", "group:wiki:person:ann"}, asked: []string{"common t 1 ann [members] [example.com]"},
		},
		"few people by name": {
			present: access.Presence{People: []access.Account{ann, bob}, Outsiders: true}, rules: rules,
			want: []access.Principal{"group:wiki:all"}, asked: []string{"common t 2 ann [members] [example.com]"},
		},
		"an open place": {
			present: access.Presence{Open: true, People: []access.Account{ann}}, rules: rules,
			want: []access.Principal{"group:wiki:all"}, asked: []string{"covers t [group:wiki:all] [members]"},
		},
		"too many": {
			present: access.Presence{People: crowd}, rules: rules,
			want: []access.Principal{"group:wiki:all"}, asked: []string{"covers t [group:wiki:all] [members]"},
		},
		"an open place with outsiders":      {present: access.Presence{Open: true, Outsiders: true}, rules: rules},
		"an open place that nothing covers": {present: access.Presence{Open: true}, rules: access.Rules{Domains: rules.Domains}},
		"nobody in particular":              {rules: rules},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.present.Tenant, tt.present.Held = "t", []access.Held{{Principal: access.Members, From: "the platform"}}
			g := &grants{}
			r := &access.Resolver{Grants: g, Rules: func() access.Rules { return tt.rules }}
			got, err := r.Audience(t.Context(), tt.present)
			want := access.NewAudience("t", append(tt.want, access.Members)...)
			if got.Key() != want.Key() || err != nil {
				t.Errorf("the audience holds %v, want %v; %v", got.Principals(), want.Principals(), err)
			}
			if own := got.Platform(); own.Key() != access.NewAudience("t", access.Members).Key() {
				t.Errorf("what the platform says of the audience is %v", own.Principals())
			}
			if both := access.Common(access.NewAudience("t", append(tt.want, access.Members)...), got); both.Key() != want.Key() || both.Platform().Key() != access.NewAudience("t", access.Members).Key() {
				t.Errorf("what both hold is %v, of platforms %v", both.Principals(), both.Platform().Principals())
			}
			if diff := cmp.Diff(tt.asked, g.asked); diff != "" {
				t.Errorf("what was asked (-want +got):\n%s", diff)
			}
			g.broken = true
			got, err = r.Audience(t.Context(), tt.present)
			if want := access.NewAudience("t", access.Members); got.Key() != want.Key() || (err != nil) != (len(tt.asked) > 0) || err != nil && !errors.Is(err, access.ErrGrants) {
				t.Errorf("without the database the audience holds %v, %v", got.Principals(), err)
			}
			var none *access.Resolver
			if got, err := none.Audience(t.Context(), tt.present); !got.MayRead(access.ACL{access.Members}) || len(got.Principals()) != 2 || err != nil {
				t.Errorf("without sources the audience holds %v, %v", got.Principals(), err)
			}
		})
	}
}

// Memberships in sources are never stored, however often they are added.
func TestPlatformPartOmitsAllThatWasAdded(t *testing.T) {
	t.Parallel()
	own := access.NewAudience("t", access.Members, "group:own")
	with := own.With("group:a", "group:own").With("group:b")
	if got := with.Platform(); got.Key() != own.Key() {
		t.Errorf("the platform's part is %v, want %v", got.Principals(), own.Principals())
	}
	if !with.MayRead(access.ACL{"group:a"}) || !with.MayRead(access.ACL{"group:b"}) {
		t.Errorf("the audience holds %v", with.Principals())
	}
}
