package main_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// replicas is a program that two processes serve, with what its index shows.
type replicas struct {
	*testing.T
	*program
	db    *postgres.DB
	index *pgindex.Index
	logs  []*lockedBuffer
	hooks []string // the addresses that take webhooks
}

// serveTwice indexes what a configuration file names, and serves it by two processes.
func serveTwice(t *testing.T, file string, settings ...string) *replicas {
	t.Helper()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	path := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, append(socketSettings(slack, settings...), "FOOTNOTE_CONFIG="+path, "ALLOW_PRIVATE_HOSTS=127.0.0.1")...)
	r := &replicas{T: t, program: p, db: database(t, p)}
	var err error
	if r.index, err = pgindex.New(r.db, pgindex.Config{}); err != nil {
		t.Fatal(err)
	}
	p.run(t, "index")
	for range 2 {
		address := footnotetest.FreeAddress(t)
		s := serve(t, p.with("HTTP_ADDR="+address))
		r.logs, r.hooks = append(r.logs, s.log), append(r.hooks, address)
		t.Cleanup(func() { s.stop(t) })
	}
	return r
}

// shows reports whether people are shown a document together.
func (r *replicas) shows(id string, names ...string) bool {
	r.Helper()
	var listeners []access.Listener
	for _, name := range names {
		listeners = append(listeners, access.Listener{Account: access.Account{
			Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U" + name, Email: name + "@example.com", Full: true,
		}})
	}
	held, err := pgaccess.New(r.db).Common(r.Context(), access.DefaultTenant, listeners, []string{"example.com"})
	if err != nil {
		r.Fatal(err)
	}
	shown, err := r.index.Readable(r.Context(), access.AudienceOf(access.DefaultTenant, held), []document.ID{document.ID(id)})
	if err != nil {
		r.Fatal(err)
	}
	return shown[document.ID(id)]
}

// looksAgain has one of the replicas read who may read, as it does every five minutes, and waits
// for the end of that.
func (r *replicas) looksAgain() {
	r.Helper()
	var now time.Time
	if err := r.db.Pool.QueryRow(r.Context(), `select clock_timestamp()`).Scan(&now); err != nil {
		r.Fatal(err)
	}
	client, err := jobs.New(r.db, nil, jobs.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.Fatal(err)
	}
	job := jobs.Job{Kind: jobs.Access, Tenant: access.DefaultTenant, Subject: r.source()}
	deadline := time.Now().Add(limit)
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
		if err := client.Enqueue(r.Context(), job); err != nil { // again: one that just ends takes its place
			r.Fatal(err)
		}
		var done bool
		if err := r.db.Pool.QueryRow(r.Context(), `select bool_and(succeeded_at > $1 and touched_at is null) from source_access`, now).Scan(&done); err != nil {
			r.Fatal(err)
		}
		if done {
			return
		}
		if time.Now().After(deadline) {
			r.Fatalf("who may read is not read again\n%s\n%s", r.logs[0], r.logs[1])
		}
	}
}

func (r *replicas) source() (id string) {
	r.Helper()
	if err := r.db.Pool.QueryRow(r.Context(), `select id from source`).Scan(&id); err != nil {
		r.Fatal(err)
	}
	return id
}

// documentsRead is when the last run of documents began.
func (r *replicas) documentsRead() (at string) {
	r.Helper()
	if err := r.db.Pool.QueryRow(r.Context(), `select last_run->>'StartedAt' from source`).Scan(&at); err != nil {
		r.Fatal(err)
	}
	return at
}

// A right that is taken from a single file is lost with the next run of permissions, however seldom
// documents are read. A file that two people may read by name is shown in their common channel.
func TestFileLosesReadersBetweenRuns(t *testing.T) {
	t.Parallel()
	drive := gdrivetest.NewServer(t, gdrivetest.NewWorld())
	ada, bob, cyd := drive.User("ada"), drive.User("bob"), drive.User("cyd")
	reads := func(u *gdrivetest.User) gdrivetest.Grant { return gdrivetest.Grant{To: u, Role: "reader"} }
	team := drive.Drive("Team", reads(ada), reads(cyd))
	limited := drive.File(team, "Plan.md", "# Plan\n\nThe pier is built in May.\n")
	stays := drive.File(team, "Rota.md", "# Rota\n\nAda cleans the printer.\n")
	named := drive.File(drive.Drive("Other"), "Pay.md", "# Pay\n\nPay day is the first.\n", reads(ada), reads(bob))
	key := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(key, drive.Key, 0o600); err != nil {
		t.Fatal(err)
	}
	r := serveTwice(t, "identity: {domains: [example.com]}\nsources:\n  docs: {every: 1d, google_drive: {url: '"+drive.URL+"', admin: "+drive.Admin.Email+"}}\n", "GOOGLE_KEY_FILE="+key)
	id := func(f *gdrivetest.File) string { return "gdrive-docs:" + f.ID }
	if !r.shows(id(limited), "ada") || !r.shows(id(stays), "ada", "cyd") || !r.shows(id(named), "ada") || !r.shows(id(named), "bob") || r.shows(id(named), "cyd") {
		t.Fatal("at first files are not shown as they are shared")
	}
	if !r.shows(id(named), "ada", "bob") || r.shows(id(named), "ada", "bob", "cyd") {
		t.Error("a file that two people may read by name is not shown to them together, or to others too")
	}
	before := r.documentsRead()
	drive.Change(limited, func() { limited.Limited = true })
	r.looksAgain()
	if r.shows(id(limited), "ada") || !r.shows(id(stays), "ada") {
		t.Errorf("after the file was limited, it is shown: %t, and the one next to it: %t", r.shows(id(limited), "ada"), r.shows(id(stays), "ada"))
	}
	if r.documentsRead() != before {
		t.Error("the documents were read again")
	}
}

// A restricted blog post of Confluence Cloud stays readable between two looks at everything.
func TestRestrictedPostStaysReadable(t *testing.T) {
	t.Parallel()
	wiki := confluencetest.NewServer(t, confluencetest.NewWorld(), true)
	ada := wiki.User("ada")
	wiki.User("bob")
	eng := wiki.Space("ENG", wiki.Site[0])
	post := wiki.Add(&confluencetest.Content{Type: "blogpost", Space: eng, Title: "Printer", Body: "<p>The toner is in the blue cupboard.</p>", Read: []confluencetest.Subject{wiki.Bot, ada}})
	r := serveTwice(t, "identity: {domains: [example.com]}\nsources:\n  wiki: {every: 1d, confluence: {url: '"+wiki.URL+"', deployment: cloud, managed_domains: [example.com]}}\n",
		"CONFLUENCE_EMAIL="+wiki.Bot.Email, "CONFLUENCE_TOKEN="+wiki.Token)
	id := "confluence-wiki:" + eng.ID + ":" + post.ID
	for _, when := range []string{"at first", "after another run of permissions", "after a third"} {
		if !r.shows(id, "ada") || r.shows(id, "bob") {
			t.Errorf("%s: ada is shown the post: %t, bob: %t", when, r.shows(id, "ada"), r.shows(id, "bob"))
		}
		r.looksAgain()
	}
}
