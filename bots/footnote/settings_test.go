package main_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// A setting that an admin changes in the console counts in chat, is in the audit trail with the
// admin's name, and is undone in chat. What the file sets stays.
func TestConsoleChangesSettings(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{NoTiers: true})
	alice, bob := c.slack.Person("alice", nil), c.slack.Person("bob", nil)
	room := c.slack.Channel("room", nil, alice, bob)
	dir := folder(t, map[string]string{"footnote.yaml": fmt.Sprintf("channels:\n  - {platform: slack, channel: %s, bot_turns: 2}\n", room.ID)})
	library(t, c.program, map[string]string{"wordroom": "public"})
	at := footnotetest.FreeAddress(t)
	settings := []string{"CONSOLE_ADDR=" + at, "CONSOLE_URL=http://" + at, "FOOTNOTE_CONFIG=" + filepath.Join(dir, "footnote.yaml")}
	c.env[0] = append(c.env[0], settings...)
	p := c.program.with(settings...)
	c.serve(0)

	b := signIn(t, p, "http://"+at, "--for", "slack:"+bob.ID, "--as", "admin")
	form := b.page("/setup/channels/edit?platform=slack&channel=" + room.ID)
	_, workspace, _ := strings.Cut(form, `name="workspace" value="`)
	workspace, _, _ = strings.Cut(workspace, `"`)
	if workspace == "" || !strings.Contains(form, "set by footnote.yaml:2") || strings.Contains(form, `name="v.bot_turns"`) {
		t.Fatalf("the form:\n%s", form)
	}
	change := func(by *browser, key, value, was string) answer {
		t.Helper()
		return by.send(http.MethodPost, "/setup/channels/edit", url.Values{"platform": {"slack"}, "workspace": {workspace}, "channel": {room.ID}, "v." + key: {value}, "was." + key: {was}})
	}
	if w := change(b, "bot_turns", "9", ""); w.code != http.StatusConflict || !strings.Contains(w.body, "bot_turns is set in the configuration file (footnote.yaml:2)") {
		t.Errorf("what the file sets: %d\n%s", w.code, w.body)
	}
	if w := change(b, "agent", "none", ""); w.code != http.StatusConflict || !strings.Contains(w.body, "there is no agent") {
		t.Errorf("an agent that does not exist: %d\n%s", w.code, w.body)
	}
	if w := b.send(http.MethodGet, "/setup/channels/edit?platform=slack&channel=C0NOWHERE", nil); w.code != http.StatusNotFound {
		t.Errorf("a channel that does not exist: %d\n%s", w.code, w.body)
	}
	if w := change(b, "paused", "true", ""); w.code != http.StatusOK || !strings.Contains(w.body, "1 setting changed") {
		t.Fatalf("paused: %d\n%s", w.code, w.body)
	}
	machine := signIn(t, p, "http://"+at)
	if w := change(machine, "paused", "false", ""); w.code != http.StatusConflict || !strings.Contains(w.body, bob.ID+" set paused to true") {
		t.Errorf("a stale form: %d\n%s", w.code, w.body)
	}
	if w := change(machine, "welcome", "false", ""); w.code != http.StatusOK {
		t.Errorf("an account of the machine: %d\n%s", w.code, w.body)
	}
	show := p.run(t, "config", "show", "--platform", "slack", "--workspace", workspace, "--channel", room.ID).stdout
	for _, want := range []string{"changed by " + bob.ID, "changed by host:"} {
		if !strings.Contains(show, want) {
			t.Errorf("config show lacks %q:\n%s", want, show)
		}
	}
	trail := p.run(t, "audit", "--json").stdout
	for _, want := range []string{`"deed":"setting.set","who":"` + bob.ID, `"details":{"before":"","key":"paused","value":"true"}`, `"details":{"before":"","key":"welcome","value":"false"}`} {
		if !strings.Contains(trail, want) {
			t.Errorf("the trail lacks %s:\n%s", want, trail)
		}
	}
	// The role is taken away while bob is signed in.
	p.run(t, "console", "remove", "slack:"+bob.ID)
	if w := change(b, "paused", "", "true"); w.code != http.StatusSeeOther {
		t.Errorf("without a role: %d\n%s", w.code, w.body)
	}
	if w := change(machine, "paused", "", "true"); w.code != http.StatusOK || !strings.Contains(w.body, "not changed here any more") {
		t.Errorf("undone: %d\n%s", w.code, w.body)
	}
}
