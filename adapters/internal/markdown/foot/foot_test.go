package foot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/foot"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"short":        {"One. Two.", 20, "One. Two."},
		"sentence":     {"One two three. Four five", 18, "One two three.…"},
		"word":         {"One two three four", 16, "One two three…"},
		"within":       {"abcdefghij", 5, "abcd…"},
		"whole emoji":  {"ab👩‍👩‍👧cd", 6, "ab…"},
		"wide stop":    {"日本語。日本", 6, "日本語。日本"},
		"wide and cut": {"日本語日本語日。日本語", 10, "日本語日本語日。…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, foot.Cut(c.text, c.limit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCutRespectsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(1, 50).Draw(t, "limit")
		if n := answer.RuneCount(foot.Cut(text, limit)); n > limit {
			t.Fatalf("%d characters", n)
		}
	})
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	v := &stream.View{}
	for n, url := range []string{"https://docs.example/a b", "file:///srv/notes.txt", ""} {
		v.Apply(packet.Packet{Payload: packet.CitationInfo{Number: n + 1, URL: url}})
	}
	v.Apply(packet.Packet{Payload: packet.CitationInfo{Number: 1, URL: "https://docs.example/a b#section"}})
	p := foot.Policy(v, func(address string) bool { return address == "https://ok.example" })
	for name, c := range map[string]struct {
		number  int
		address string
		want    string
		ok      bool
	}{
		"cited":            {1, "https://docs.example/a%20b", "https://docs.example/a%20b", true},
		"its section":      {1, "https://docs.example/a%20b#section", "https://docs.example/a%20b#section", true},
		"bent":             {1, "https://evil.example", "", false},
		"a file":           {2, "file:///srv/notes.txt", "", true},
		"without address":  {3, "https://evil.example", "", false},
		"unknown number":   {4, "https://docs.example/a%20b", "", false},
		"number of no one": {0, "", "", false},
	} {
		if got, ok := p.Cited(c.number, c.address); got != c.want || ok != c.ok {
			t.Errorf("%s: got %q, %t", name, got, ok)
		}
	}
	if list, _ := foot.Sources(v, time.Time{}, 9); len(list) != 3 {
		t.Errorf("one document is listed twice: %+v", list)
	}
	for address, want := range map[string]bool{
		"https://docs.example/a b": true, "https://docs.example/a%20b": true, "https://ok.example": true, "https://evil.example": false,
		"javascript:alert(1)": false, "": false,
	} {
		if got := p.Known(address); got != want {
			t.Errorf("%q known: %t", address, got)
		}
	}
}

func TestWhoCorrectsMayLinkToAnything(t *testing.T) {
	t.Parallel()
	v := &stream.View{}
	v.Apply(packet.Packet{Payload: packet.Stop{Reason: "answered", Corrected: true}})
	p := foot.Policy(v, nil)
	for address, want := range map[string]bool{
		"https://wiki.example/x": true, "mailto:help@example.org": true, "file:///etc/passwd": false, "javascript:alert(1)": false,
	} {
		if got := p.Known(address); got != want {
			t.Errorf("%q known: %t", address, got)
		}
	}
	if _, ok := p.Cited(1, "https://wiki.example/x"); ok {
		t.Error("a number that the answer has no source for is a footnote")
	}
}

func TestSourcesSayWhereTheyLieAndHowOldTheyAre(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	at := now.AddDate(0, -5, -3)
	for name, tt := range map[string]struct {
		document packet.Document
		want     string
	}{
		"a site":              {packet.Document{URL: "https://www.Docs.example/a", Source: "web", UpdatedAt: &at}, "docs.example · 5 months old"},
		"a site without date": {packet.Document{URL: "http://docs.example:8080/a", Source: "web"}, "docs.example"},
		"a file":              {packet.Document{URL: "file:///srv/a.txt", Source: "file", UpdatedAt: &at}, "file, no link · 5 months old"},
		"nothing known":       {packet.Document{}, "no link"},
		"a date alone":        {packet.Document{UpdatedAt: &at}, "no link · 5 months old"},
		"a long host":         {packet.Document{URL: "https://" + strings.Repeat("a", 70)}, strings.Repeat("a", 59) + "…"},
	} {
		v := &stream.View{}
		v.Apply(packet.Packet{Payload: packet.Stop{Reason: "no_evidence", Closest: []packet.Document{tt.document}}})
		list, more := foot.Sources(v, now, 10)
		if len(list) != 1 || more != 0 || list[0].Detail() != tt.want {
			t.Errorf("%s: %+v says %q, want %q", name, list, list[0].Detail(), tt.want)
		}
	}
	v := &stream.View{}
	v.Apply(packet.Packet{Payload: packet.CitationInfo{Number: 1, Document: "open_url:https://example.org/", Title: "A page", URL: "https://example.org/", Source: "web"}})
	if list, _ := foot.Sources(v, now, 10); list[0].Title != "A page (web)" {
		t.Errorf("a page of the web is called %q", list[0].Title)
	}
	for _, long := range []string{strings.Repeat("Employee handbook ", 20), strings.Repeat("😀", 100), strings.Repeat("a\u0301\u0302\u0303", 100)} {
		v = &stream.View{}
		v.Apply(packet.Packet{Payload: packet.CitationInfo{Number: 1, Document: "open_url:https://example.org/", Title: long, URL: "https://example.org/", Source: "web"}})
		if list, _ := foot.Sources(v, now, 10); !strings.HasSuffix(list[0].Title, "… (web)") || answer.UTF16Count(list[0].Title) > 66 {
			t.Errorf("a page of the web with a long title is called %q", list[0].Title)
		}
	}
	v = &stream.View{}
	v.Apply(packet.Packet{Payload: packet.CitationInfo{Number: 1, URL: "https://<!channel>/x", Source: "web"}})
	if list, _ := foot.Sources(v, now, 10); strings.ContainsAny(list[0].Detail(), "<>") {
		t.Errorf("a host that mentions somebody is shown as %q", list[0].Detail())
	}
}

func TestSourcesOfOneDocumentAreListedTogether(t *testing.T) {
	t.Parallel()
	v := &stream.View{}
	for _, c := range []packet.CitationInfo{
		{Number: 1, Document: "s", Title: "Settings", Section: "Settings", URL: "https://docs.example/s"},
		{Number: 2, Document: "b", Title: "Backups", Section: "Restore", URL: "https://docs.example/b#restore", Source: "web"},
		{Number: 3, Title: "A file"},
		{Number: 4, Document: "b", Title: "Backups", Section: "Sched<ule", URL: "https://docs.example/b#schedule", Source: "web"},
		{Number: 5, Title: "Another file"},
	} {
		v.Apply(packet.Packet{Payload: c})
	}
	list, more := foot.Sources(v, time.Time{}, 3)
	var got []string
	for _, s := range list {
		line := ""
		for _, p := range s.Places() {
			line += fmt.Sprintf("[%d] %s %s ", p.Number, p.Title, p.URL)
		}
		got = append(got, line+s.From)
	}
	want := []string{
		"[1] Settings https://docs.example/s docs.example",
		"[2] Backups › Restore https://docs.example/b#restore [4] Backups › Sched‹ule https://docs.example/b#schedule docs.example",
		"[3] A file  no link",
	}
	if diff := cmp.Diff(want, got); diff != "" || more != 1 {
		t.Errorf("%d more; list (-want +got):\n%s", more, diff)
	}
	if n := len(foot.Documents(v)); n != 4 {
		t.Errorf("%d documents are cited", n)
	}
}
