package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is said about an answer in the terminal is kept, listed, and counts once.
func TestFeedbackIsListed(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", folder(t, map[string]string{"vpn.md": "# VPN\n\nThe VPN address is vpn.example.org and it needs a token."}))
	if got := p.run(t, "feedback"); got.stdout != "" || !strings.Contains(got.stderr, "no feedback") {
		t.Errorf("before any vote:\n%s\n%s", got.stdout, got.stderr)
	}
	lines := "/up\nWhat is the VPN address?\n/up\n/down it is\told\x1b[31m\n/why\n/retry\n"
	got := p.try(t, lines, "chat")
	if got.code != 0 || strings.Count(got.stdout, "vpn.example.org") != 2 {
		t.Errorf("the chat ended with %d, and not with two answers:\n%s\n%s", got.code, got.stdout, got.stderr)
	}
	for _, want := range []string{"no answer yet", "👍 is noted", "👎 and your reason", "1 document"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("the chat does not say %q:\n%s", want, got.stderr)
		}
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(p.run(t, "feedback", "--json", "--since", "1d").stdout), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0]["vote"] != "down" || list[0]["question"] != "What is the VPN address?" || list[0]["platform"] != "console" ||
		list[0]["outcome"] != "answered" || !strings.HasPrefix(list[0]["reason"].(string), "it is\told") {
		t.Errorf("the feedback is %v", list)
	}
	if table := p.run(t, "feedback", "--down").stdout; strings.Count(table, "\n") != 2 || strings.Contains(table, "\x1b") || !strings.Contains(table, "it is old") {
		t.Errorf("the table is\n%s", table)
	}
	if table := p.run(t, "feedback", "--since", "2999-01-01"); table.stdout != "" {
		t.Errorf("since a day to come there is\n%s", table.stdout)
	}
}

func TestFeedbackRefusesWhatIsNoTime(t *testing.T) {
	t.Parallel()
	p := &program{}
	for _, since := range []string{"yesterday", "-3d", "-5h", "2026-13-01", "d"} {
		if r := p.try(t, "", "feedback", "--since="+since); r.code != 2 || !strings.Contains(r.stderr, "7d") {
			t.Errorf("--since %s: exit code %d\n%s", since, r.code, r.stderr)
		}
	}
	if r := p.try(t, "", "feedback", "--limit", "0"); r.code != 2 {
		t.Errorf("--limit 0: exit code %d\n%s", r.code, r.stderr)
	}
}
