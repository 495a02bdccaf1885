package wire_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

func driveReader(to any) gdrivetest.Grant { return gdrivetest.Grant{To: to, Role: "reader"} }

// BenchmarkDrive reads 100,000 files at a server without limits into PostgreSQL: 50,000 in one
// folder of a shared drive, 25,000 in 500 others with every hundredth shared by itself, and 25,000
// of 100 people. Then it looks for changes where there are none, and after the large folder was
// shared, and was moved below a barrier.
func BenchmarkDrive(b *testing.B) {
	s := gdrivetest.NewServer(b, gdrivetest.NewWorld())
	all := s.Group("all", gdrivetest.Everyone{})
	ada, bob := s.User("ada"), s.User("bob")
	d := s.Drive("Team", driveReader(all))
	large, vault := s.Folder(d, "large"), s.Folder(d, "vault", driveReader(ada))
	s.Do(func() { vault.Limited = true })
	for i := range 50_000 {
		s.File(large, fmt.Sprintf("report %d.txt", i), fmt.Sprintf("The printer of room %d is loud.", i))
	}
	for i := range 500 {
		folder := s.Folder(d, fmt.Sprintf("folder %d", i))
		for j := range 50 {
			f := s.File(folder, fmt.Sprintf("note %d.txt", j), "Turning off the fan helps for a while.")
			if j == 0 && i%2 == 0 {
				s.Change(f, func() { f.Grants = []gdrivetest.Grant{driveReader(bob)} })
			}
		}
	}
	for i := range 100 {
		u := s.User(fmt.Sprintf("user%d", i))
		for j := range 250 {
			s.File(u, fmt.Sprintf("mine %d.txt", j), "Ada cleans the printer on Mondays.")
		}
	}
	client, err := gdrive.New(gdrive.Config{Key: s.Key, URL: s.URL, AllowHosts: []string{"127.0.0.1"}, Every: time.Nanosecond, AtOnce: 8, Now: s.Now})
	if err != nil {
		b.Fatal(err)
	}
	c, err := gdrive.NewConnector(client, gdrive.Options{Name: "docs", Admin: s.Admin.Email, MyDrives: true, Wanted: files.MayHold, Read: func(path string) (index.Connector, error) {
		return files.New(files.Options{Path: path})
	}})
	if err != nil {
		b.Fatal(err)
	}
	chunker, err := index.NewChunker(tokens{}, index.ChunkSize{})
	if err != nil {
		b.Fatal(err)
	}
	db := postgrestest.Connect(b, postgres.Config{URL: postgrestest.URL(b)})
	x, err := pgindex.New(db, pgindex.Config{})
	if err != nil {
		b.Fatal(err)
	}
	store, tenant := pgaccess.New(db), access.DefaultTenant
	for b.Loop() {
		for _, step := range []struct {
			name   string
			change func()
		}{
			{"first", func() {}},
			{"unchanged", func() {}},
			{"shared", func() { s.Change(large, func() { large.Grants = append(large.Grants, driveReader(bob)) }) }},
			{"moved", func() { s.Move(large, vault) }},
		} {
			step.change()
			s.Pass(5 * time.Minute)
			mark, began := s.Mark(), time.Now()
			if err := index.ReadAccess(b.Context(), store, x, tenant, c, false); err != nil {
				b.Fatal(err)
			}
			access, read := s.Mark()-mark, time.Since(began)
			mark, began = s.Mark(), time.Now()
			run, err := index.New(x, chunker, nil, index.Config{}).Run(b.Context(), tenant, c, nil)
			if err != nil || run.Counts.Failed > 0 {
				b.Fatal(err, run.Failures)
			}
			content := s.Mark() - mark
			texts := s.Counts(mark, "alt=media")
			b.Logf("%s: who may read %d requests, %s; files %d requests, of these %d for texts, %s; %d stored, %d shared", step.name, access, read.Round(10*time.Millisecond), content, texts,
				time.Since(began).Round(10*time.Millisecond), run.Counts.Indexed, run.Counts.Shared)
		}
		s.Move(large, d)
	}
}

// tokens counts a token for every four bytes.
type tokens struct{}

func (tokens) Count(text string) int { return (len(text) + 3) / 4 }
