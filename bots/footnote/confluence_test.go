package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
)

// A site's spaces are read by footnote index, with attached files, once more without reading what
// has not changed; the token appears nowhere.
func TestConfluenceIsASource(t *testing.T) {
	t.Parallel()
	wiki := confluencetest.NewServer(t, confluencetest.NewWorld(), true)
	eng := wiki.Space("ENG", wiki.Site[0])
	page := wiki.Page(eng, nil, "Printer", "<h1>Toner</h1><p>The spare toner cartridges are kept in the blue cupboard.</p>")
	wiki.Add(&confluencetest.Content{Type: "attachment", Space: eng, Parent: page, Title: "Rota.md", Data: []byte("# Rota\n\nAda cleans the printer on Mondays.\n")})
	wiki.Add(&confluencetest.Content{Type: "attachment", Space: eng, Parent: page, Title: "photo.png", Data: []byte("\x89PNG")})
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	add := []string{"sources", "add", "confluence", "--url", wiki.URL, "--deployment", "cloud", "--attachments", "--managed-domains", "example.com", "--name", "wiki"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "read:space.permission:confluence") || !strings.Contains(r.stderr, "set CONFLUENCE_EMAIL") {
		t.Errorf("without a credential: exit code %d\n%s", r.code, r.stderr)
	}
	wrong := p.with("CONFLUENCE_EMAIL="+wiki.Bot.Email, "CONFLUENCE_TOKEN=wrong")
	if r := wrong.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "does not accept the credential") || strings.Contains(r.stderr, "hidden") || strings.Contains(r.stderr, "any more") {
		t.Errorf("with a wrong first token: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("CONFLUENCE_EMAIL="+wiki.Bot.Email, "CONFLUENCE_TOKEN="+wiki.Token)
	if r := p.run(t, add...); !strings.Contains(r.stderr, "1 space") || strings.Contains(r.stderr, wiki.Token) {
		t.Errorf("adding says:\n%s", r.stderr)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "attachments: true") {
		t.Errorf("the file holds\n%s\n%v", data, err)
	}
	r := p.run(t, "index")
	if !strings.Contains(r.stderr, "wiki: documents: 2 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "confluence-wiki" || list[0].Documents != 2 || list[0].Every != "5m" {
		t.Errorf("the sources are %+v", list)
	}
	wiki.Revoke(true)
	if r := p.try(t, "", "index"); r.code == 0 || !strings.Contains(r.stderr, "does not accept the credential") || strings.Contains(r.stderr, wiki.Token) || strings.Contains(r.stderr, "still found") {
		t.Errorf("without a credential it says:\n%s", r.stderr)
	}
}
