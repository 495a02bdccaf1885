package access_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseACL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     access.ACL
		wantErr  bool
	}{
		{name: "one", in: "members", want: access.ACL{access.Members}},
		{name: "sorted, repeats dropped", in: "public, group:eng,public", want: access.ACL{"group:eng", access.Public}},
		{name: "namespaced user", in: "user:slack:U1", want: access.ACL{access.User("slack", "U1")}},
		{name: "channel", in: "channel:discord:42", want: access.ACL{access.Channel("discord", "42")}},
		{name: "empty", in: " , ", wantErr: true},
		{name: "unknown word", in: "everyone", wantErr: true},
		{name: "unknown kind", in: "team:eng", wantErr: true},
		{name: "user without platform", in: "user:U1", wantErr: true},
		{name: "group without name", in: "group: ", wantErr: true},
		{name: "line break inside", in: "group:a\nb", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := access.ParseACL(tt.in)
			if (err != nil) != tt.wantErr {
				t.Fatalf("ParseACL(%q) error = %v, want error %v", tt.in, err, tt.wantErr)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseACL(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestZeroAudienceReadsNothing(t *testing.T) {
	t.Parallel()
	var nobody access.Audience
	if nobody.MayRead(access.ACL{access.Public, access.Members}) {
		t.Error("the zero audience may read a public document; it must read nothing")
	}
}

// A channel is shown only what each of its listeners could open alone.
func TestCommonIsWhatEachMayRead(t *testing.T) {
	t.Parallel()
	names := []access.Principal{access.Members, "group:a", "group:b", "channel:slack:C1", "user:slack:U1", "user:slack:U2"}
	rapid.Check(t, func(t *rapid.T) {
		drawHeld := rapid.SliceOf(rapid.SampledFrom(names))
		first := access.NewAudience("t", drawHeld.Draw(t, "first")...)
		second := access.NewAudience("t", drawHeld.Draw(t, "second")...)
		acl := access.ACL(rapid.SliceOf(rapid.SampledFrom(append(names, access.Public))).Draw(t, "acl"))
		both := access.Common(first, second)
		if both.MayRead(acl) && (!first.MayRead(acl) || !second.MayRead(acl)) {
			t.Fatalf("together they may read %v, but not each alone", acl)
		}
		if stranger := access.NewAudience("other"); access.Common(first, stranger).MayRead(acl) {
			t.Fatal("people of two tenants share a document")
		}
	})
}

func TestKeyTellsAudiencesApart(t *testing.T) {
	t.Parallel()
	same := access.NewAudience("t", "group:b", "group:a", "group:a")
	if got, want := same.Key(), access.NewAudience("t", "group:a", "group:b").Key(); got != want {
		t.Errorf("equal audiences have keys %q and %q", got, want)
	}
	if same.Key() == access.NewAudience("u", "group:a", "group:b").Key() {
		t.Error("audiences of two tenants have one key")
	}
}
