package knowledge_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
)

func TestReadSince(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][3]string{
		"what did the infra team work on since the release?":           {"since", "", "what did the infra team work on"},
		"since the release, what did Ann work on":                      {"since", "", "what did Ann work on"},
		"what did Ann do after release 2.0":                            {"since", "2.0", "what did Ann do"},
		"what did Ann do before the latest release of Lighthouse 2.0?": {"before", "Lighthouse 2.0", "what did Ann do"},
		"what changed since Lighthouse v2.0 was released?":             {"since", "Lighthouse v2.0", "what changed"},
		"what changed until it was released":                           {"before", "", "what changed"},
		"who owns the page before the release plan":                    {"", "", "who owns the page before the release plan"},
		"since March": {"", "", "since March"},
		"":            {"", "", ""},
	} {
		s, rest, found := knowledge.ReadSince(question)
		got := [3]string{"", s.Name, rest}
		if found {
			got[0] = "since"
			if s.Before {
				got[0] = "before"
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// A document tells of a release by its title.
func TestReadRelease(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Release 2.0": "2 0", "v2.0.1": "v2 0 1", "Lighthouse release notes 2.0": "lighthouse 2 0", "Release notes for Lighthouse 2.0": "lighthouse 2 0", "Lighthouse 2.0 released": "lighthouse 2 0",
		"Lighthouse: Release 2024": "lighthouse 2024", "Release notes": "", "How we release": "", "Backup policy 2025": "", "2025": "", "The release of the hostages in 1981": "",
	} {
		r := knowledge.Read(&document.Document{Ref: document.Ref{ID: "a", Title: title}}, nil)
		var got []string
		for _, f := range r.Facts {
			got = append(got, f.Object.Key)
		}
		if joined := strings.TrimSuffix(strings.Join(got, "|"), "|release"); joined != want {
			t.Errorf("%q: %q, want %q", title, joined, want)
		}
	}
}

func FuzzReadSince(f *testing.F) {
	f.Add("since the release of x before release 1 was released")
	f.Fuzz(func(t *testing.T, s string) {
		if _, rest, found := knowledge.ReadSince(s); len(rest) > len(s) || !found && rest != s {
			t.Errorf("%q became %q", s, rest)
		}
	})
}
