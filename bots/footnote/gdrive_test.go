package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
)

// A shared drive and somebody's own are read by footnote index, once more without reading what has
// not changed; the key appears nowhere.
func TestGoogleDriveIsASource(t *testing.T) {
	t.Parallel()
	drive := gdrivetest.NewServer(t, gdrivetest.NewWorld())
	ada := drive.User("ada")
	team := drive.Drive("Team", gdrivetest.Grant{To: ada, Role: "reader"})
	drive.Add(&gdrivetest.File{Name: "Printer", Type: gdrivetest.Doc, Drive: team, Tabs: []any{map[string]any{
		"tabProperties": map[string]any{"tabId": "t.0", "title": "Tab 1"},
		"documentTab": map[string]any{"body": map[string]any{"content": []any{
			map[string]any{"paragraph": map[string]any{"elements": []any{map[string]any{"textRun": map[string]any{"content": "The spare toner cartridges are kept in the blue cupboard.\n"}}}}},
		}}},
	}}})
	drive.File(ada, "Rota.md", "# Rota\n\nAda cleans the printer on Mondays.\n")
	drive.Add(&gdrivetest.File{Name: "photo.png", Type: "image/png", Drive: team, Data: []byte("\x89PNG")})
	for name, kind := range map[string]string{"budget.xlsx": gdrivetest.Sheet, "launch.pptx": gdrivetest.Slides} { // as Google exports them
		data, err := os.ReadFile(filepath.Join("../../adapters/internal/office/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		drive.Add(&gdrivetest.File{Name: name, Type: kind, Drive: team, Data: data})
	}
	folder := t.TempDir()
	file, key := filepath.Join(folder, "footnote.yaml"), filepath.Join(folder, "key.json")
	if err := os.WriteFile(key, drive.Key, 0o600); err != nil {
		t.Fatal(err)
	}
	secret := strings.Split(string(drive.Key), "\\n")[1]
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	add := []string{"sources", "add", "google_drive", "--url", drive.URL, "--admin", drive.Admin.Email, "--my-drives", "--name", "docs"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "auth/admin.directory.group.member.readonly") || !strings.Contains(r.stderr, "set GOOGLE_KEY_FILE") {
		t.Errorf("without a credential: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("GOOGLE_KEY_FILE=" + key)
	if r := p.run(t, add...); !strings.Contains(r.stderr, "1 shared drive, 2 people in the directory, the own drives of 2") || strings.Contains(r.stderr, secret) {
		t.Errorf("adding says:\n%s", r.stderr)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "my_drives: true") {
		t.Errorf("the file holds\n%s\n%v", data, err)
	}
	r := p.run(t, "index")
	if !strings.Contains(r.stderr, "docs: documents: 4 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if r := p.try(t, "", "sources", "check"); r.code != 1 || !strings.Contains(r.stdout+r.stderr, "1h") {
		t.Errorf("the check does not say how late a revocation shows:\n%s%s", r.stdout, r.stderr)
	}
	mark := drive.Mark()
	p.run(t, "index")
	if n := drive.Counts(mark, "alt=media") + drive.Counts(mark, "/documents/") + drive.Counts(mark, "/export"); n > 0 {
		t.Errorf("a second run read %d files again", n)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "gdrive-docs" || list[0].Documents != 4 || list[0].Every != "5m" {
		t.Errorf("the sources are %+v", list)
	}
	drive.Revoke(true)
	if r := p.try(t, "", "index"); r.code == 0 || !strings.Contains(r.stderr, "does not accept the key") || strings.Contains(r.stderr, secret) {
		t.Errorf("without a credential it says:\n%s", r.stderr)
	}
}
