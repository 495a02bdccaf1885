package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

var updateDialogues = flag.Bool("update-dialogues", false, "rewrite the dialogues of footnote sources add")

// typed is what a person answers to the question of a key; other questions are answered by nothing.
var typed = map[string]string{
	"path": "/srv/handbook", "url": "https://git.example.org/acme/handbook.git", "base_url": "https://docs.example.org/", "acl": "members, group:crew", "every": "1d",
	"slack.channels": "general, board", "slack.public": "yes", "slack.since": "30d", "discord.guild": "123", "discord.channels": "general", "discord.since": "30d",
	"github.organization": "acme", "github.url": "https://git.example.org", "github.public_repositories": "public",
	"confluence.url": "https://acme.atlassian.net", "confluence.spaces": "ENG, OPS", "confluence.managed_domains": "acme.example", "confluence.users": "staff", "confluence.anonymous": "nobody",
	"confluence.acl": "group:staff", "jira.url": "https://acme.atlassian.net", "jira.projects": "ENG, OPS", "jira.managed_domains": "acme.example", "jira.users": "staff",
	"jira.anonymous": "public", "jira.acl": "group:staff", "google_drive.admin": "admin@acme.example", "google_drive.drives": "0AKq1", "google_drive.reader": "reader@acme.example",
	"google_drive.my_drives": "true", "google_drive.users": "ada@acme.example, bob@acme.example", "google_drive.links": "no", "google_drive.anonymous": "members", "google_drive.acl": "group:staff",
	"notion.readers": "0123456789abcdef0123456789abcdef=members, fedcba98-7654-3210-fedc-ba9876543210=group:finance+group:board, 11111111111111111111111111111111",
}

// answered are flags that nothing is asked for.
var answered = map[string][]string{
	"folder": {"--include", "*.md"}, "git": {"--commits"}, "github": {"--wiki=false", "--files", "*.md,*.rst"}, "confluence": {"--personal", "--deployment", "cloud"},
	"jira": {"--comments=false", "--attachments"}, "notion": {"--files", "--url", "https://proxy.example.org/"}, "google_drive": {"--url", "https://gateway.example.org"},
	"discord": {"--public-channels", "public"},
}

// What footnote sources add says of each kind, asks and writes is what people have reviewed.
func TestDialoguesOfSourcesAdd(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for _, kind := range wire.Kinds() {
		fmt.Fprintf(&b, "=== %s --help\n", kind.Name)
		a := dialogueOf(t, kind, &b, nil)
		if err := a.help(&b); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n=== %s, with answers\n", kind.Name)
		a = dialogueOf(t, kind, &b, func(k wire.Key) string { return typed[k.Path] })
		entryOf(t, a, answered[kind.Name], &b)
		fmt.Fprintf(&b, "\n=== %s, with what is needed alone\n", kind.Name)
		a = dialogueOf(t, kind, &b, func(k wire.Key) string {
			if k.Needed || k.Path == "slack.channels" || k.Path == "discord.channels" || k.Path == "github.organization" {
				return typed[k.Path]
			}
			return ""
		})
		entryOf(t, a, nil, &b)
		b.WriteString("\n")
	}
	file := filepath.Join("testdata", "sources_add.golden")
	if *updateDialogues {
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, wants := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(wants)) {
		if i >= len(have) || i >= len(wants) || have[i] != wants[i] {
			t.Fatalf("line %d differs; run go test ./bots/footnote -run %s -update-dialogues\ngot  %s\nwant %s", i+1, t.Name(), at(have, i), at(wants, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// dialogueOf is an addition at a terminal where a person answers the questions.
func dialogueOf(t *testing.T, kind wire.Kind, b *bytes.Buffer, answer func(wire.Key) string) *addition {
	t.Helper()
	a := &addition{
		env:  &environment{errs: b, out: b, config: &config.Config{File: &config.File{}, FilePath: "/srv/footnote.yaml"}},
		kind: kind, given: make(map[string]string), terminal: true,
	}
	if answer == nil {
		return a
	}
	lines := make(chan line, len(kind.Keys)+1)
	for _, k := range kind.Keys {
		if k.Ask != "" {
			lines <- line{text: answer(k)}
		}
	}
	lines <- line{} // the name
	a.lines = lines
	return a
}

// entryOf writes the dialogue, and the entry that comes of it.
func entryOf(t *testing.T, a *addition, flags []string, b *bytes.Buffer) {
	t.Helper()
	if err := a.parse(flags); err != nil {
		t.Fatalf("%s: %v", a.kind.Name, err)
	}
	if err := a.ask(t.Context()); err != nil {
		fmt.Fprintf(b, "\n%v\n", err)
		return
	}
	pairs, err := a.kind.Entry(a.given)
	if err != nil {
		t.Fatalf("%s: %v", a.kind.Name, err)
	}
	entry, err := config.SourceEntry(a.name, pairs)
	fmt.Fprintf(b, "\n%s", cmp.Or(entry, fmt.Sprintln(err)))
}
