package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// An answer that rests on no document names the owner of the nearest page. The asker has the owner
// asked in the thread, once, whichever process the press reaches, until the owner switches that off.
func TestAskerHasTheOwnerOfAPageAsked(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{NoTiers: true})
	alice, carol := c.slack.Person("alice", nil), c.slack.Person("carol", nil)
	room := c.slack.Channel("help", func(c *slacktest.Channel) { c.Private = true }, alice, carol)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("identity:\n  domains: [example.com]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range c.env {
		c.env[i] = append(c.env[i], "FOOTNOTE_CONFIG="+file)
	}
	page := "---\nowner: Carol Cole <carol@example.com>\n---\n# The " + vacation + " of Zanzibar\n\nThe " + vacation + " says nothing of it.\n"
	c.program.run(t, "index", folder(t, map[string]string{"page.md": page}), "--acl", "members")
	c.model.Otherwise(func(r openaitest.Request) openaitest.Reply {
		reply := openaitest.Librarian(r)
		if len(reply.Calls) == 0 {
			reply.Text = "It may be anything."
		}
		return reply
	})
	c.serve(0)
	c.serve(1)
	answer := func() (m slacktest.Message, button, value string) {
		t.Helper()
		var root string
		c.does(0, func() { root = alice.Say(room, "", slacktest.Mention()+" What does the "+vacation+" of Zanzibar say?") })
		c.until("the owner is named", func() bool {
			a := c.slack.Answers(room, root)
			i := slices.IndexFunc(a, func(m slacktest.Message) bool { return !m.Streaming && strings.Contains(m.Shown(), "belongs to Carol") })
			if i >= 0 {
				m = a[i]
			}
			return i >= 0
		})
		button, value = ownerButton(t, m)
		return m, button, value
	}
	m, button, value := answer()
	if button == "" {
		t.Fatalf("there is no button in %s", m.Blocks)
	}
	asks := func() int {
		n := 0
		for _, m := range c.slack.Answers(room, m.Thread) {
			if strings.Contains(m.Text, "<@"+carol.ID+"> ") {
				n++
			}
		}
		return n
	}
	for to := range 2 {
		c.does(to, func() { alice.Click(room, m.TS, button, value) })
	}
	c.until("the asker is told", func() bool {
		return slices.ContainsFunc(c.slack.Ephemeral(alice), func(m slacktest.Message) bool { return strings.Contains(m.Shown(), "asked already") })
	})
	if n := asks(); n != 1 {
		t.Errorf("the owner is asked %d times", n)
	}
	c.does(1, func() { carol.Slash(room, "/footnote", "ask-me off") })
	if m, button, _ := answer(); button != "" {
		t.Errorf("an owner who switched it off can be asked: %s", m.Blocks)
	}
}

// ownerButton returns the button that asks an owner; empty if there is none.
func ownerButton(t *testing.T, m slacktest.Message) (action, value string) {
	t.Helper()
	var blocks []struct {
		Elements []struct {
			ActionID string `json:"action_id"`
			Value    string `json:"value"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil {
		t.Fatalf("%v: %s", err, m.Blocks)
	}
	for _, b := range blocks {
		for _, e := range b.Elements {
			if strings.HasPrefix(e.ActionID, "footnote:owner:") {
				return e.ActionID, e.Value
			}
		}
	}
	return "", ""
}
