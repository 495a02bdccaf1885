package index_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNarrow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		source, stated access.ACL
		want           access.ACL
	}{
		{"the same", access.ACL{"members"}, access.ACL{"members"}, access.ACL{"members"}},
		{"a group of the members", access.ACL{"members"}, access.ACL{"group:hr"}, access.ACL{"group:hr"}},
		{"anybody of the public", access.ACL{"public"}, access.ACL{"channel:slack:C1", "members"}, access.ACL{"channel:slack:C1", "members"}},
		{"not wider", access.ACL{"group:hr"}, access.ACL{"public"}, access.ACL{"group:hr"}},
		{"not wider than members", access.ACL{"members"}, access.ACL{"public"}, access.ACL{"members"}},
		{"a group is no part of another", access.ACL{"group:hr"}, access.ACL{"group:eng"}, nil},
		{"a channel may hold guests", access.ACL{"members"}, access.ACL{"channel:slack:C1"}, nil},
		{"one of several", access.ACL{"group:a", "group:b"}, access.ACL{"group:b", "group:c"}, access.ACL{"group:b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, index.Narrow(tt.source, tt.stated)); diff != "" {
				t.Errorf("Narrow(%v, %v) (-want +got):\n%s", tt.source, tt.stated, diff)
			}
		})
	}
}

// Full members hold members beside their groups and their own name; nobody may read by the narrowed list what the source did not allow.
func TestNarrowNeverOpens(t *testing.T) {
	t.Parallel()
	names := []access.Principal{access.Public, access.Members, "group:a", "group:b", "user:slack:U1", "channel:slack:C1"}
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOf(rapid.SampledFrom(names))
		source, stated := access.ACL(draw.Draw(t, "source")), access.ACL(draw.Draw(t, "stated"))
		member := access.NewAudience("t", append(draw.Draw(t, "held"), access.Members)...)
		guest := access.NewAudience("t", access.Channel("slack", "C1"))
		both := index.Narrow(source, stated)
		for _, who := range []access.Audience{member, guest} {
			if who.MayRead(both) && !who.MayRead(source) {
				t.Fatalf("%v may read %v, but not the source's %v", who.Principals(), both, source)
			}
		}
	})
}
