package knowledge_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/knowledge"
)

func TestReadPeriod(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("Berlin", 3600)
	now := time.Date(2026, 11, 23, 0, 30, 0, 0, berlin) // a Monday; in London it is Sunday
	for question, want := range map[string][3]string{
		"what did the infra team work on last quarter?": {"2026-07-01", "2026-10-01", "what did the infra team work on"},
		"what changed this month":                       {"2026-11-01", "2026-12-01", "what changed"},
		"in Q3":                                         {"2026-07-01", "2026-10-01", ""},
		"who worked on billing in Q4 of 2025?":          {"2025-10-01", "2026-01-01", "who worked on billing"},
		"what was written before March":                 {"", "2026-03-01", "what was written"},
		"since December":                                {"2025-12-01", "", ""},
		"after March 2026, please":                      {"2026-04-01", "", "please"},
		"since 2026-01-31":                              {"2026-01-31", "", ""},
		"between November and February":                 {"2025-11-01", "2026-03-01", ""},
		"between 2026-01-01 and 2026-01-31":             {"2026-01-01", "2026-02-01", ""},
		"from January to March 2025":                    {"2025-01-01", "2025-04-01", ""},
		"in the last 6 weeks":                           {"2026-10-12", "", ""},
		"what did Ann do yesterday?":                    {"2026-11-22", "2026-11-23", "what did Ann do"},
		"this week":                                     {"2026-11-23", "2026-11-30", ""},
		"last week":                                     {"2026-11-16", "2026-11-23", ""},
		"who was there on 2026-01-31?":                  {"2026-01-31", "2026-02-01", "who was there"},
		"between 2030 and 2001":                         {"", "", "between 2030 and 2001"},
		"in 2025":                                       {"2025-01-01", "2026-01-01", ""},
		"who owns the May handbook":                     {"", "", "who owns the May handbook"},
		"port 2049 in use":                              {"", "", "port 2049 in use"},
		"since the release":                             {"", "", "since the release"},
		"":                                              {"", "", ""},
	} {
		p, rest := knowledge.ReadPeriod(question, now)
		date := func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			if t.Hour() != 0 || t.Location() != berlin {
				return t.String()
			}
			return t.Format(time.DateOnly)
		}
		if got := [3]string{date(p.From), date(p.To), rest}; got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func FuzzReadPeriod(f *testing.F) {
	f.Add("between q1 and dec 2099 in the last 9999 years")
	now := time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		p, rest := knowledge.ReadPeriod(s, now)
		if !p.From.IsZero() && !p.To.IsZero() && p.To.Before(p.From) {
			t.Errorf("%q ends before it begins: %v", s, p)
		}
		if p.Open() && rest != s {
			t.Errorf("%q names no period and became %q", s, rest)
		}
	})
}
