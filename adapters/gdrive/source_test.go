package gdrive_test

import (
	"context"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// place is a world with its server, and a connector that reads it into an index.
type place struct {
	*gdrivetest.Server
	*sourcetest.Reading[*gdrive.Connector]
	client  *gdrive.Client
	options gdrive.Options
}

func configOf(s *gdrivetest.Server) gdrive.Config {
	return gdrive.Config{Key: s.Key, URL: s.URL, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond, Patience: time.Second, Now: s.Now}
}

// textFile reads a file as the text that it is.
type textFile struct {
	index.Connector
	path string
}

func readFile(path string) (index.Connector, error) { return textFile{path: path}, nil }

// readable are the formats that textFile stands for.
func readable(name string) bool {
	return slices.Contains([]string{".txt", ".md", ".csv", ".docx", ".pdf", ".xlsx", ".pptx"}, path.Ext(name))
}

func (f textFile) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		text, err := os.ReadFile(f.path)
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		if len(text) == 0 {
			yield(index.Batch{Skipped: []index.Notice{{Name: f.path, Sentence: "It is empty."}}}, nil)
			return
		}
		yield(index.Batch{Documents: []index.Item{{ID: "file", Load: func(context.Context) (document.Document, error) {
			var d document.Document
			for _, part := range strings.Split(string(text), "|") { // of which each line but the last is a heading
				above := strings.Split(part, "\n")
				d.Sections = append(d.Sections, document.Section{Heading: above[:len(above)-1], Blocks: []document.Block{{Text: path.Ext(f.path) + ": " + part}}})
			}
			return d, nil
		}}}}, nil)
	}
}

func newPlace(t testing.TB, change func(*gdrive.Options, *gdrive.Config)) *place {
	t.Helper()
	p := &place{Server: gdrivetest.NewServer(t, gdrivetest.NewWorld())}
	config := configOf(p.Server)
	p.options = gdrive.Options{Name: "docs", Admin: p.Admin.Email, MyDrives: true, Read: readFile, Wanted: readable}
	if change != nil {
		change(&p.options, &config)
	}
	var err error
	if p.client, err = gdrive.New(config); err != nil {
		t.Fatal(err)
	}
	p.Reading = sourcetest.Read(t, func() (*gdrive.Connector, error) { return gdrive.NewConnector(p.client, p.options) })
	return p
}

// mustHold says how the index differs from what should be in it: texts by files.
func (p *place) mustHold(want map[*gdrivetest.File]string) {
	p.T.Helper()
	ids := make(map[string]string)
	for f, text := range want {
		ids[f.ID] = text
	}
	p.MustHold(ids)
}

func node(corpus, id string) access.ACL { return access.ACL{access.Node("gdrive-docs", corpus+"/"+id)} }

func reader(to any) gdrivetest.Grant { return gdrivetest.Grant{To: to, Role: "reader"} }

// Files of shared drives and of people's own become documents, which name the node of their folder,
// or their own where they were shared by themselves.
func TestFilesBecomeDocuments(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada, bob := p.User("ada"), p.User("bob")
	d := p.Drive("Team", reader(ada))
	plans := p.Folder(d, "Plans")
	plan := p.File(plans, "plan.md", "# Goal\n\nWe will ship.")
	shared := p.File(plans, "shared.txt", "for bob as well", reader(bob))
	top := p.File(d, "top.txt", "at the top")
	mine := p.File(ada, "mine.txt", "ada's own")
	given := p.File(ada, "given.txt", "ada's, for bob", reader(bob))
	notes := p.Folder(ada, "notes", reader(bob))
	his := p.Add(&gdrivetest.File{Name: "his.txt", Owner: bob, Parent: notes, Data: []byte("bob's, in ada's folder")})
	p.Add(&gdrivetest.File{Name: "photo.png", Type: "image/png", Drive: d, Data: []byte("\x89PNG")})
	p.Add(&gdrivetest.File{Name: "way", Type: "application/vnd.google-apps.shortcut", Drive: d, Target: mine})
	thrown := p.Folder(d, "old")
	p.File(thrown, "old.txt", "in the trash")
	p.Change(thrown, func() { thrown.Trashed = true })
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{
		plan: "We will ship.", shared: "for bob", top: "at the top", mine: "ada's own", given: "ada's, for bob", his: "bob's, in",
	})
	all := p.Documents()
	for f, want := range map[*gdrivetest.File]access.ACL{
		plan: node(d.ID, plans.ID), shared: node(d.ID, shared.ID), top: node(d.ID, d.ID), mine: node(ada.ID, ada.Root.ID), given: node(ada.ID, given.ID), his: node(bob.ID, his.ID),
	} {
		if got := all[f.ID].ACL; !slices.Equal(got, want) {
			t.Errorf("%s names %v, want %v", f.Name, got, want)
		}
	}
	if doc := all[plan.ID]; doc.Title != "plan.md" || doc.URL != "https://drive.google.com/file/d/"+plan.ID+"/view" || doc.Metadata["drive"] != "Team" || !doc.UpdatedAt.Equal(plan.Modified) {
		t.Errorf("%+v", doc)
	}
	if run := p.MustSync(); run.Counts.Indexed != 0 || run.Counts.Removed != 0 {
		t.Errorf("a run without changes: %+v", run.Counts)
	}
}
