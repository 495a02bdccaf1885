package main_test

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/pgupload"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/upload"
)

// withUploads returns a program with two projects, one of which members may not know of.
func withUploads(t *testing.T, env ...string) *program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"charter.md": "# Charter\nThe crew sails on Friday.\n", "salaries.md": "# Salaries\nThe captain gets two shares.\n",
		"footnote.yaml": "projects:\n  launch: {files: [" + filepath.Join(dir, "charter.md") + "]}\n" +
			"  board: {files: [" + filepath.Join(dir, "salaries.md") + "], acl: ['group:board']}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return newProgram(t, append([]string{"FOOTNOTE_CONFIG=" + filepath.Join(dir, "footnote.yaml")}, env...)...)
}

var keptID = regexp.MustCompile("\\(id `([a-z0-9]+)`\\)")

const parrot = "# Parrots\nThe ship's parrot is called Quincy and eats almonds on Tuesdays.\n"

// A file that is kept in a private channel is found there, by its members, and nowhere else; it is
// gone once its message is.
func TestFilesAreKeptInSlack(t *testing.T) {
	t.Parallel()
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", nil)
	guest := slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	crew := slack.Channel("crew", func(c *slacktest.Channel) { c.Private = true }, alice)
	deck, mixed := slack.Channel("deck", nil, alice), slack.Channel("mixed", nil, alice, guest)
	p := withUploads(t, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret, "SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr)
	p.run(t, "index", handbook(t), "--acl", "members")
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	wait := func(what string, holds func() bool) {
		t.Helper()
		if err := slack.Wait(ctx, what, holds); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, slack.Versions(), s.log)
		}
	}
	// reply returns what everyone sees below a message, or what one person is told.
	reply := func(c *slacktest.Channel, by *slacktest.Person, text string, files ...slacktest.File) string {
		t.Helper()
		before, said := len(slack.Ephemeral(by)), ""
		root := by.Send(c, "", slacktest.Mention()+" "+text, files...)
		wait("a reply to "+text, func() bool {
			for _, own := range slack.Ephemeral(by)[before:] {
				if shown := own.Shown(); !strings.Contains(shown, "answer you privately") { // of an earlier answer
					said = shown
				}
			}
			for _, a := range slack.Answers(c, root) {
				if !a.Streaming {
					said = a.Shown()
				}
			}
			return said != "" && !strings.Contains(said, "Searching")
		})
		return said
	}
	file := slacktest.File{Name: "../parrots\u202e.md", Media: "text/markdown", Data: []byte(parrot)}
	root := alice.Send(crew, "", slacktest.Mention()+" keep this in project launch", file, slacktest.File{Name: "run.exe", Data: []byte("MZ\x00\x01")})
	kept := ""
	wait("the file is kept", func() bool {
		for _, a := range slack.Answers(crew, root) {
			kept = a.Shown()
		}
		return kept != ""
	})
	if !strings.Contains(kept, "parrots.md") || !strings.Contains(kept, "run.exe") || !strings.Contains(kept, "was not kept") || len(slack.Answers(crew, root)) != 1 {
		t.Errorf("the reply is %q", kept)
	}
	const question = "What is the parrot called that eats almonds?"
	for found := ""; !strings.Contains(found, "Quincy"); { // once it is indexed
		if found = reply(crew, alice, question); ctx.Err() != nil {
			t.Fatalf("it is not found: %s\n%s", found, s.log)
		}
	}
	for _, c := range []*slacktest.Channel{deck, mixed} {
		if said := reply(c, alice, question); strings.Contains(said, "Quincy") || strings.Contains(said, "parrots.md") {
			t.Errorf("#%s is told %q", c.Name, said)
		}
	}
	hidden, absent := reply(deck, alice, "keep this in project board", file), reply(deck, alice, "keep this in project broad", file)
	if strings.ReplaceAll(hidden, "board", "broad") != absent || !strings.Contains(absent, "There is no project") {
		t.Errorf("a hidden project is answered with %q, an absent one with %q", hidden, absent)
	}
	if said := reply(mixed, guest, "keep this in project launch", file); !strings.Contains(said, "Only full members") {
		t.Errorf("a guest is told %q", said)
	}
	if list := p.run(t, "projects", "files").stdout; strings.Count(list, "parrots.md") != 1 || !strings.Contains(list, "channel:slack:"+crew.ID) {
		t.Errorf("the list is\n%s", list)
	}
	alice.Delete(crew, root)
	for list := "parrots"; strings.Contains(list, "parrots"); list = p.run(t, "projects", "files").stdout {
		if ctx.Err() != nil {
			t.Fatalf("the file stays:\n%s\n%s", list, s.log)
		}
	}
	for found := "Quincy"; strings.Contains(found, "Quincy"); { // once the index has followed
		if found = reply(crew, alice, question); ctx.Err() != nil {
			t.Fatalf("it is still found: %s\n%s", found, s.log)
		}
	}
}

// In Discord a file is kept under its channel, listed for its author, and removed by the command.
func TestFilesAreKeptInDiscord(t *testing.T) {
	t.Parallel()
	discord, err := discordtest.New(discordtest.Config{Members: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	guild := discord.AddGuild("Guild")
	general := guild.AddText("general")
	bob := guild.AddPerson("bob", false)
	p := withUploads(t, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "DISCORD_MEMBERS=true")
	p.run(t, "index", handbook(t)) // for members
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	command := func(options map[string]any) string {
		t.Helper()
		told := bob.Command(general.ID, "footnote", map[string]any{"files": discordtest.Sub(options)})
		if err := discord.Until(ctx, func() bool { return told.State().Content != "" }); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		if !told.State().Private {
			t.Errorf("others see %q", told.State().Content)
		}
		return told.State().Content
	}
	for list := ""; !strings.Contains(list, "launch"); list = command(nil) { // until the server belongs to the tenant
		if strings.Contains(list, "board") {
			t.Fatalf("a hidden project is listed: %s", list)
		}
	}
	before := len(discord.Shown(general.ID))
	bob.Attach(general.ID, "<@"+discord.Bot().ID+"> keep this in project launch", discordtest.Upload{Name: "parrots.md", Content: parrot})
	id := ""
	if err := discord.Until(ctx, func() bool {
		for _, m := range discord.Shown(general.ID)[before:] {
			if found := keptID.FindStringSubmatch(m.Content); found != nil {
				id = found[1]
			}
		}
		return id != ""
	}); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, discord.Shown(general.ID), s.log)
	}
	if list := command(nil); !strings.Contains(list, id) || !strings.Contains(list, "parrots.md") {
		t.Errorf("the list is %q", list)
	}
	if !slices.Contains(strings.Fields(p.run(t, "projects", "files", "launch").stdout), "channel:discord:"+general.ID) {
		t.Error("the file is not kept under its channel")
	}
	if said := command(map[string]any{"value": "remove " + id}); !strings.Contains(said, "Removed") {
		t.Errorf("the removal says %q", said)
	}
	if list := command(nil); strings.Contains(list, "parrots.md") {
		t.Errorf("once removed, the list is %q", list)
	}
}

// Kept files are in the list of sources, but no one can change them as a source. A file that ends
// processes is not read any more until an operator says so.
func TestFilesAreKeptOutsideTheSources(t *testing.T) {
	t.Parallel()
	p := withUploads(t)
	db := database(t, p)
	f := upload.File{
		ID: upload.NewID(), Project: "launch", Name: "parrots.md", Readers: access.ACL{access.Members}, Size: int64(len(parrot)), Hash: sha256.Sum256([]byte(parrot)),
	}
	if _, _, err := pgupload.New(db).Keep(t.Context(), access.DefaultTenant, f, []byte(parrot)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `insert into job_attempt (tenant_id, kind, subject, deaths) values ('default', $1, 'uploads', 2)`, jobs.Sync); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	until := func(what string, holds func(listedSource) bool) {
		t.Helper()
		for end := time.Now().Add(limit); ; {
			list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json"))
			if slices.ContainsFunc(list, holds) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("not %s: %+v\n%s", what, list, s.log)
			}
		}
	}
	until("paused", func(l listedSource) bool {
		return l.ID == "uploads" && l.Documents == 0 && strings.Contains(l.Error, "footnote sources resume uploads")
	})
	for _, do := range []string{"pause", "run", "resync", "approve", "remove"} {
		if r := p.try(t, "", "sources", do, "uploads"); r.code != 2 || !strings.Contains(r.stderr, "use footnote projects files and footnote projects remove") {
			t.Errorf("sources %s: exit code %d\n%s%s", do, r.code, r.stdout, r.stderr)
		}
	}
	p.run(t, "sources", "resume", "uploads")
	until("resumed", func(l listedSource) bool { return l.ID == "uploads" && l.Documents == 1 && l.Error == "" })
	if list := p.run(t, "sources").stdout; strings.Contains(list, "approve") || !strings.Contains(list, "uploads") {
		t.Errorf("the sources are\n%s", list)
	}
	if r := p.try(t, "", "sources", "check"); strings.Contains(r.stdout+r.stderr, "approve") {
		t.Errorf("the check says\n%s%s", r.stdout, r.stderr)
	}
}
