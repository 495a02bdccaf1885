package wire

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// A page that only the operator's lists let through widens nothing: an answer that rests on it
// stays among members.
func TestListedPagesAreReadableByMembers(t *testing.T) {
	t.Parallel()
	const web, listed = document.ID("open_url:https://site.example/"), document.ID("open_url_listed:https://wiki.corp/")
	for _, tt := range []struct {
		name     string
		audience access.Audience
		listed   bool
	}{
		{"members", access.NewAudience(access.DefaultTenant, access.Members), true},
		{"guests", access.NewAudience(access.DefaultTenant), false},
		{"a group of outsiders", access.NewAudience(access.DefaultTenant, access.Group("partners")), false},
	} {
		readable, err := library{checkedIndex{Index: &pgindex.Index{}}}.Readable(t.Context(), tt.audience, []document.ID{web, listed})
		if err != nil || !readable[web] || readable[listed] != tt.listed {
			t.Errorf("%s: %v, error %v", tt.name, readable, err)
		}
	}
}
