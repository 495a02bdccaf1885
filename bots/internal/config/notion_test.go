package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

func TestNotionIsASource(t *testing.T) {
	t.Parallel()
	const handbook = "https://www.notion.so/acme/Handbook-0123456789abcdef0123456789abcdef"
	f, err := config.ParseFile("f.yaml", []byte(`
sources:
  pages:
    notion:
      readers:
        `+handbook+`: members
        fedcba98-7654-3210-fedc-ba9876543210: [group:finance, group:board]
        11111111111111111111111111111111:
      files: true
    every: 1h
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Source{{Name: "pages", Every: time.Hour, Systems: config.Systems{Notion: &notion.Settings{Files: true, Readers: map[string]access.ACL{
		handbook: {access.Members}, "fedcba98-7654-3210-fedc-ba9876543210": {"group:board", "group:finance"}, "11111111111111111111111111111111": nil,
	}}}}}
	if diff := cmp.Diff(want, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	_, err = config.ParseFile("f.yaml", []byte(`sources:
  none: {notion: {files: true}}
  odd: {notion: {readers: {a: everybody}}}
  acl: {notion: {readers: {a: members}}, acl: [members]}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.none.notion names no page", "f.yaml:3: sources.odd.notion.readers.a: ", "f.yaml:4: sources.acl: base_url, acl",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}
