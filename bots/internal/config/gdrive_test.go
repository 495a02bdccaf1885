package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestGoogleDriveIsASource(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte(`
sources:
  team: {google_drive: {}}
  all:
    google_drive:
      admin: admin@acme.example
      customer: C012ab3cd
      reader: reader@acme.example
      drives: [0AKq1]
      my_drives: true
      users: [ada@acme.example]
      links: true
      anonymous: members
      acl: [group:staff]
      url: https://gateway.acme.example
    every: 1h
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Source{
		{Name: "team", Every: 5 * time.Minute, Systems: config.Systems{GoogleDrive: &gdrive.Settings{}}},
		{Name: "all", Every: time.Hour, Systems: config.Systems{GoogleDrive: &gdrive.Settings{
			URL: "https://gateway.acme.example", Admin: "admin@acme.example", Customer: "C012ab3cd", Reader: "reader@acme.example", Drives: []string{"0AKq1"}, MyDrives: true,
			Users: []string{"ada@acme.example"}, Links: true, ACL: access.ACL{"group:staff"}, Anonymous: access.Members,
		}}},
	}
	if diff := cmp.Diff(want, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	_, err = config.ParseFile("f.yaml", []byte(`sources:
  some: {google_drive: {users: [ada@acme.example]}}
  odd: {google_drive: {anonymous: all}}
  acl: {google_drive: {}, acl: [members]}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.some.google_drive.users names people whose own drives are not read", `f.yaml:3: sources.odd.google_drive.anonymous holds "all"`, "f.yaml:4: sources.acl: base_url, acl",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}
