package index_test

import (
	"errors"
	"slices"
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
		want           access.ACL // nil: the document is withdrawn
	}{
		{"the same", access.ACL{"members"}, access.ACL{"members"}, access.ACL{"members"}},
		{"anybody of the public", access.ACL{"public"}, access.ACL{"channel:slack:C1", "members"}, access.ACL{"channel:slack:C1", "members"}},
		{"not wider", access.ACL{"group:hr"}, access.ACL{"public"}, access.ACL{"group:hr"}},
		{"not wider than members", access.ACL{"members"}, access.ACL{"public"}, access.ACL{"members"}},
		{"fewer of several", access.ACL{"group:a", "group:b"}, access.ACL{"group:b"}, access.ACL{"group:b"}},
		{"one that the source names beside members", access.ACL{"group:hr", "members"}, access.ACL{"group:hr"}, access.ACL{"group:hr"}},
		{"guests may hold a group", access.ACL{"members"}, access.ACL{"group:hr"}, nil},
		{"a person may be a guest", access.ACL{"members"}, access.ACL{"user:slack:U1"}, nil},
		{"a channel may hold guests", access.ACL{"members"}, access.ACL{"channel:slack:C1"}, nil},
		{"people of a source may be no members", access.ACL{"members"}, access.ACL{access.SourceAll("wiki"), access.SourceGroup("wiki", "team", "1")}, nil},
		{"what a node's readers are is not known", access.ACL{"members"}, access.ACL{access.Node("wiki", "1")}, nil},
		{"the same group of a source", access.ACL{access.SourceGroup("wiki", "team", "1"), "members"}, access.ACL{access.SourceGroup("wiki", "team", "1")},
			access.ACL{access.SourceGroup("wiki", "team", "1")}},
		{"holders of a group may be no members", access.ACL{"group:hr"}, access.ACL{"members"}, nil},
		{"a group is no part of another", access.ACL{"group:hr"}, access.ACL{"group:eng"}, nil},
		{"one entry too many", access.ACL{"group:a", "group:b"}, access.ACL{"group:b", "group:c"}, nil},
		{"nobody stated", access.ACL{"members"}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := index.Narrow(tt.source, tt.stated)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.want == nil) || err != nil && !errors.Is(err, index.ErrWithdrawn) {
				t.Errorf("Narrow(%v, %v) (-want +got):\n%s\nerror %v", tt.source, tt.stated, diff, err)
			}
		})
	}
}

// The decision is written down once more, from the side of the reader: whoever may read by the
// narrowed list may read by the source's and by the document's. Readers hold any principals at all;
// the only thing known is that everybody is public.
func TestNarrowNeverOpens(t *testing.T) {
	t.Parallel()
	names := []access.Principal{access.Public, access.Members, "group:a", "group:b", "user:slack:U1", "user:discord:1", "channel:slack:C1",
		access.SourceAll("wiki"), access.SourceGroup("wiki", "team", "1")}
	var readers [][]access.Principal
	for set := range 1 << (len(names) - 1) {
		reader := []access.Principal{access.Public}
		for i, name := range names[1:] {
			if set&(1<<i) != 0 {
				reader = append(reader, name)
			}
		}
		readers = append(readers, reader)
	}
	allowed := func(held []access.Principal, list access.ACL) bool {
		for _, p := range list {
			if slices.Contains(held, p) {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.SampledFrom(names), 1, 4)
		source, stated := access.ACL(draw.Draw(t, "source")), access.ACL(draw.Draw(t, "stated"))
		both, err := index.Narrow(source, stated)
		if err != nil && len(both) > 0 {
			t.Fatalf("a list %v beside the error %v", both, err)
		}
		for _, held := range readers {
			got := access.NewAudience("t", held...).MayRead(both)
			if want := allowed(held, source) && allowed(held, stated); got && !want || err == nil && want && !got {
				t.Fatalf("whoever holds %v: may read %v by %v, of the source's %v and the document's %v", held, got, both, source, stated)
			}
		}
	})
}
