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

// What was voted on or asked again is exported in the form that eval --questions reads, with what
// stood before it in the thread.
func TestFeedbackIsExportedAsQuestions(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", folder(t, map[string]string{"vpn.md": "# VPN\n\nThe VPN address is vpn.example.org and it needs a token."}))
	lines := "What is the VPN address?\nDoes the VPN need a\ttoken?\n/down not enough\nWhat does the VPN need?\n/up\nIs the VPN address secret?\n/retry\n"
	if got := p.try(t, lines, "chat"); got.code != 0 {
		t.Fatalf("the chat ended with %d:\n%s", got.code, got.stderr)
	}
	got := p.run(t, "feedback", "--export")
	rows := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if len(rows) != 5 || rows[0] != "id\tkind\tquestion\tpages_regex\tafter\tanswer" || !strings.Contains(got.stderr, "2 questions wait for their pages") {
		t.Fatalf("exported:\n%s\n%s", got.stdout, got.stderr)
	}
	var ids []string
	for i, want := range []string{
		"before\tWhat is the VPN address?\t^(vpn\\.md)$\t", "down\tDoes the VPN need a token?\t\t", "up\tWhat does the VPN need?\t^(vpn\\.md)$\t", "retried\tIs the VPN address secret?\t\t",
	} {
		id, rest, _ := strings.Cut(rows[i+1], "\t")
		if i > 0 {
			want += ids[i-1]
		}
		if strings.TrimRight(rest, "\t") != strings.TrimRight(want, "\t") {
			t.Errorf("row %d is %q, want %q", i+1, rest, want)
		}
		ids = append(ids, id)
	}
	filled := strings.ReplaceAll(got.stdout, "?\t\t", "?\t^vpn\t")
	file := folder(t, map[string]string{"q.tsv": filled, "raw.tsv": got.stdout}) + "/"
	if r := p.run(t, "eval", "--questions", file+"q.tsv"); !strings.Contains(r.stdout, "4 questions") {
		t.Errorf("the export cannot be asked:\n%s", r.stdout)
	}
	if r := p.try(t, "", "eval", "--questions", file+"raw.tsv"); r.code != 2 || !strings.Contains(r.stderr, "does not say which pages answer") {
		t.Errorf("what is not filled in: exit code %d\n%s", r.code, r.stderr)
	}
}
