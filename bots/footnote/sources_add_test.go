package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A source that a command adds is read like one that was written by hand, and the rest of the file
// stays as it was.
func TestSourcesAreAddedByACommand(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"docs/boat.md": "# Boat\n\nThe boat is moored at the north pier.\n"})
	file := filepath.Join(dir, "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	if r := p.try(t, "", "sources", "add"); r.code != 2 || !strings.Contains(r.stderr, "folder | site | git | slack | discord") {
		t.Errorf("without a kind: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "sources", "add", "folder"); r.code != 2 || !strings.Contains(r.stderr, "--path is missing") {
		t.Errorf("without a path: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "sources", "add", "folder", "--path", filepath.Join(dir, "nowhere")); r.code != 1 || !strings.Contains(r.stderr, "there is no file or folder") {
		t.Errorf("a folder that is not there: exit code %d\n%s", r.code, r.stderr)
	}
	dry := p.run(t, "sources", "add", "folder", "--path", filepath.Join(dir, "docs"), "--every", "1h", "--acl", "group:crew", "--acl", "members", "--dry-run")
	if want := "sources:\n  docs:\n    path: docs\n    acl: [\"group:crew\", members]\n    every: 1h\n"; dry.stdout != want {
		t.Errorf("the entry is\n%swant\n%s", dry.stdout, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("--dry-run has written the file")
	}
	if r := p.run(t, "sources", "add", "folder", "--path", filepath.Join(dir, "docs")); !strings.Contains(r.stderr, "✓ can be read: 1 document") {
		t.Errorf("it says:\n%s", r.stderr)
	}
	const comment = "# of costs\nprices: {currency: EUR} # ours\n"
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(written, comment...), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.try(t, "", "sources", "add", "folder", "--path", filepath.Join(dir, "docs")); r.code != 1 || !strings.Contains(r.stderr, "choose another name with --name") {
		t.Errorf("a name that is taken: exit code %d\n%s", r.code, r.stderr)
	}
	s := gittest.New(t)
	s.Token = "s3cret"
	s.Commit("first", map[string][]byte{"README.md": []byte("# Lighthouse\n\nThe lamp is lit at dusk.\n")})
	p = p.with("CA_FILE="+s.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	add := []string{"sources", "add", "git", "--url", s.URL, "--base-url", "https://git.example/acme/"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "GIT_TOKENS") {
		t.Errorf("without a token: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("GIT_TOKENS=" + s.Host + "=s3cret")
	if r := p.run(t, add...); !strings.Contains(r.stderr, "✓ can be read: branch ") || strings.Contains(r.stderr, "s3cret") {
		t.Errorf("with a token it says:\n%s", r.stderr)
	}
	want := string(written) + "  handbook:\n    url: \"" + s.URL + "\"\n    base_url: https://git.example/acme/\n" + comment
	if now, err := os.ReadFile(file); err != nil || string(now) != want {
		t.Errorf("the file holds\n%s\nwant\n%s\n%v", now, want, err)
	}
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "docs: documents: 1 indexed") || !strings.Contains(r.stderr, "handbook: documents: 1 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
}

// At a terminal it says what to click and which rights it needs, asks for the rest, shows what can
// be seen and what cannot, and asks before it writes.
func TestSourcesAreAddedAtATerminal(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	ann := slack.Person("ann", nil)
	slack.Channel("general", nil, ann)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "SLACK_API_URL="+slack.URL())
	if r := p.try(t, "", "sources", "add", "slack", "--public"); r.code != 1 || !strings.Contains(r.stderr, "/invite @Footnote") || !strings.Contains(r.stderr, "channels:history") ||
		!strings.Contains(r.stderr, "set SLACK_BOT_TOKEN") {
		t.Errorf("without a token: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret)
	term := openTerminal(t, p, "sources", "add")
	at := term.await(t, "Which kind? ", 0)
	term.keys(t, "slack\n")
	at = term.await(t, "channels:history", at)
	for _, say := range []struct{ asked, typed string }{
		{"Which channels", "general, board"}, {"Every public channel", "no"}, {"How far back", "30d"}, {"How often", ""}, {"What is the source called (empty: slack)?", "chat"},
	} {
		at = term.await(t, say.asked, at)
		term.keys(t, say.typed+"\n")
	}
	at = term.await(t, "✓ can be read: 1 channel", at)
	at = term.await(t, "! channel board: ", at)
	at = term.await(t, "Write this into ", at)
	term.keys(t, "\n")
	term.await(t, "has the source chat now", at)
	select {
	case err := <-term.exited:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Fatal("it does not end")
	}
	const want = "sources:\n  chat:\n    slack:\n      channels: [general, board]\n      since: 30d\n"
	if now, err := os.ReadFile(file); err != nil || string(now) != want {
		t.Errorf("the file holds\n%s\n%v", now, err)
	}
	term = openTerminal(t, p, "sources", "add", "slack", "--public", "--name", "more")
	at = term.await(t, "Which channels", 0)
	term.keys(t, "\n")
	at = term.await(t, "How far back", at)
	term.keys(t, "\x04") // the end of the input
	term.await(t, "nothing is written", at)
	if err := <-term.exited; err == nil {
		t.Error("an input that ended early is no fault")
	}
}
