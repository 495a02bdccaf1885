package postgres_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

func TestDocumentsAreFoundByTheirAddress(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, postgres.IndexConfig{})
	createTenant(t, db, "other")
	long := "https://docs.example/" + strings.Repeat("very/", 1000) // more than an entry of a B-tree holds
	put := func(tenant access.TenantID, id document.ID, url string, acl ...access.Principal) {
		t.Helper()
		d := retrievetest.One(string(id), "", "alpha")
		d.URL, d.ACL = url, acl
		if err := x.Put(t.Context(), tenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	put(access.DefaultTenant, "docs:open", "https://docs.example/open", access.Public)
	put(access.DefaultTenant, "docs:closed", "https://docs.example/closed", access.Group("board"))
	put(access.DefaultTenant, "docs:none", "", access.Public)
	put(access.DefaultTenant, "docs:long", long, access.Public)
	put(access.DefaultTenant, "docs:twin-b", "https://docs.example/twin", access.Public)
	put(access.DefaultTenant, "docs:twin-a", "https://docs.example/twin", access.Group("board"))
	put("other", "docs:theirs", "https://docs.example/theirs", access.Public)
	all := []string{
		"https://docs.example/open", "https://docs.example/closed", "", "https://docs.example/Open", long, "https://docs.example/twin",
		"https://docs.example/theirs", "https://docs.example/unknown",
	}
	tests := []struct {
		name     string
		audience access.Audience
		sources  []document.SourceID
		want     map[string]document.ID
	}{
		{"the public", access.NewAudience(access.DefaultTenant), nil, map[string]document.ID{all[0]: "docs:open", long: "docs:long", all[5]: "docs:twin-b"}},
		{"the board", access.NewAudience(access.DefaultTenant, access.Group("board")), nil,
			map[string]document.ID{all[0]: "docs:open", all[1]: "docs:closed", long: "docs:long", all[5]: "docs:twin-a"}},
		{"the source", access.NewAudience(access.DefaultTenant), []document.SourceID{"docs"},
			map[string]document.ID{all[0]: "docs:open", long: "docs:long", all[5]: "docs:twin-b"}},
		{"another source", access.NewAudience(access.DefaultTenant), []document.SourceID{"wiki"}, map[string]document.ID{}},
		{"no source", access.NewAudience(access.DefaultTenant), []document.SourceID{}, map[string]document.ID{}},
		{"another tenant", access.NewAudience("other", access.Members), nil, map[string]document.ID{all[6]: "docs:theirs"}},
		{"nobody", access.Audience{}, nil, map[string]document.ID{}},
	}
	for _, tt := range tests {
		got, err := x.Addressed(t.Context(), tt.audience, tt.sources, all)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
