package pgindex_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Headings are as secret as the documents that they are of.
func TestHeadingsAreThoseThatTheAudienceMayRead(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 1})
	entry := func(id, heading string, acl access.Principal) index.Entry {
		d := retrievetest.One(id, "Handbook", "alpha", "beta")
		d.ACL = access.ACL{acl}
		d.Chunks[0].Heading, d.Chunks[1].Heading = nil, []string{"Handbook", heading}
		return entryOf(d)
	}
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{
		entry("a", "Rotate the keys", access.Members), entry("b", "Connect to Slack", access.Public), entry("c", "Sell the company", "user:ann"),
	}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		audience access.Audience
		want     []string
	}{
		{retrievetest.Members(), []string{"Rotate the keys", "Connect to Slack"}},
		{access.NewAudience(access.DefaultTenant, "user:bo"), []string{"Connect to Slack"}},
		{access.NewAudience(access.DefaultTenant, "user:ann"), []string{"Connect to Slack", "Sell the company"}},
		{access.NewAudience("other", access.Members), nil},
		{access.Audience{}, nil},
	} {
		headings, err := x.Headings(t.Context(), tc.audience)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		documents := make(map[string]bool)
		for _, h := range headings {
			got = append(got, h.Text)
			documents[h.Document] = true
			if h.Language != "en" {
				t.Errorf("%q is in the language %q", h.Text, h.Language)
			}
		}
		if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty(), cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tc.audience.Principals(), diff)
		}
		if len(documents) != len(got) {
			t.Errorf("%v: the headings are of %d documents", tc.audience.Principals(), len(documents))
		}
	}
}

// A document with thousands of sections leaves room for others.
func TestHeadingsAreBounded(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 1})
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("long", "Long", texts...)), entryOf(retrievetest.One("short", "Short", "text"))}); err != nil {
		t.Fatal(err)
	}
	headings, err := x.Headings(t.Context(), retrievetest.Members())
	if err != nil || len(headings) != 61 {
		t.Errorf("%d headings: %v", len(headings), err)
	}
}
