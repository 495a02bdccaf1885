package gdrive_test

import (
	"encoding/json"
	"testing"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/adapters/internal/attacktest"
	"github.com/footnotehq/footnote/core/index"
)

// hostile is a source with a shared drive, people's own drives, folders, a Doc and groups.
func hostile(t testing.TB) attacktest.Source {
	p := newPlace(t, nil)
	ada, bob, eve := p.User("ada"), p.User("bob"), p.User("eve")
	red := p.Group("red", bob)
	p.Group("blue", ada, red)
	team := p.Drive("Team", reader(ada))
	plans := p.Folder(team, "Plans")
	p.File(p.Folder(plans, "Old"), "old.txt", "an old plan")
	p.File(plans, "plan.md", "We will ship.", reader(red))
	p.File(ada, "mine.txt", "ada's own")
	p.File(p.Folder(ada, "notes", reader(bob)), "note.txt", "for bob")
	p.Add(&gdrivetest.File{Name: "Goals", Type: "application/vnd.google-apps.document", Drive: team, HTML: "<h1>Goals</h1><p>More.</p>"})
	var key struct {
		Private string `json:"private_key"`
	}
	if err := json.Unmarshal(p.Key, &key); err != nil {
		t.Fatal(err)
	}
	config := configOf(p.Server)
	return attacktest.Source{
		Name: "Google", Secrets: []string{"ya29.", "assertion=", key.Private}, URL: p.URL, Intercept: p.Intercept, Pass: p.Pass,
		People: []string{ada.ID, eve.ID},
		Gone: func(attack, _ string) bool { // a name without an ending is not read, and a 403 hides a drive
			return attack == "paths for titles" || attack == "deep refusal"
		},
		Open: func() (index.Connector, error) {
			client, err := gdrive.New(config)
			if err != nil {
				return nil, err
			}
			return gdrive.NewConnector(client, p.options)
		},
	}
}

func TestHostileServer(t *testing.T) { attacktest.Run(t, hostile) }

func TestLittleMemoryHostileServer(t *testing.T) { attacktest.RunBombs(t, 512<<20, hostile) }
