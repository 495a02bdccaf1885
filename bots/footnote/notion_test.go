package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/notion/notiontest"
)

// A workspace's pages are read by footnote index, each by whom the operator named; what nobody
// named is said loudly, and the secret appears nowhere.
func TestNotionIsASource(t *testing.T) {
	t.Parallel()
	world := notiontest.NewWorld()
	space := notiontest.NewServer(t, world)
	handbook := world.Page(nil, "Handbook", "The spare toner cartridges are kept in the blue cupboard.")
	board := world.Page(nil, "Board", "The board meets in the red room.")
	world.Page(handbook, "Printer", "Ada cleans the printer on Mondays.")
	world.Do(func() { handbook.Connected, board.Connected = true, true })
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	address := "https://www.notion.so/acme/Handbook-" + handbook.ID
	add := []string{"sources", "add", "notion", "--url", space.URL, "--readers", address + "=members", "--name", "wiki"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "DOES NOT SAY WHO MAY READ") || !strings.Contains(r.stderr, "set NOTION_TOKEN") {
		t.Errorf("without a credential: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("NOTION_TOKEN=" + space.Token)
	r := p.run(t, add...)
	for _, want := range []string{"the workspace Acme: Handbook (read by members)", `NO ONE may read what is on "Board" (https://www.notion.so/` + board.ID} {
		if !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, space.Token) {
			t.Errorf("adding does not say %q:\n%s", want, r.stderr)
		}
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), address+": [members]") {
		t.Errorf("the file holds\n%s\n%v", data, err)
	}
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "wiki: documents: 2 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "0 indexed, 2 unchanged") {
		t.Errorf("indexing once more says:\n%s", r.stderr)
	}
	for _, command := range [][]string{{"sources", "check"}, {"doctor"}} {
		if r := p.try(t, "", command...); r.code != 1 || !strings.Contains(r.stdout+r.stderr, "NO ONE may read what is on") {
			t.Errorf("%v: exit code %d\n%s%s", command, r.code, r.stdout, r.stderr)
		}
	}
	if r := p.with("CONSOLE_PRINCIPALS=members").run(t, "search", "where is the spare toner"); !strings.Contains(r.stdout, "blue cupboard") {
		t.Errorf("a search finds:\n%s%s", r.stdout, r.stderr)
	}
	space.Revoke(true)
	if r := p.try(t, "", "index"); r.code == 0 || !strings.Contains(r.stderr, "does not accept the secret") || strings.Contains(r.stderr, space.Token) {
		t.Errorf("without a credential it says:\n%s", r.stderr)
	}
	if r := p.with("CONSOLE_PRINCIPALS=members").try(t, "", "search", "where is the spare toner"); strings.Contains(r.stdout, "blue cupboard") {
		t.Errorf("without a credential a search finds:\n%s", r.stdout)
	}
}
