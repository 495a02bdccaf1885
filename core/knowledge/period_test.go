package knowledge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/knowledge"
)

func TestReadPeriod(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("Berlin", 3600)
	now := time.Date(2026, 11, 23, 0, 30, 0, 0, berlin) // a Monday; in London it is Sunday
	for question, want := range map[string][3]string{
		"what did the infra team work on last quarter?":   {"2026-07-01", "2026-10-01", "what did the infra team work on"},
		"what changed this month":                         {"2026-11-01", "2026-12-01", "what changed"},
		"in Q3":                                           {"2026-07-01", "2026-10-01", ""},
		"who worked on billing in Q4 of 2025?":            {"2025-10-01", "2026-01-01", "who worked on billing"},
		"what was written before March":                   {"", "2026-03-01", "what was written"},
		"since December":                                  {"2025-12-01", "", ""},
		"after March 2026, please":                        {"2026-04-01", "", "please"},
		"since 2026-01-31":                                {"2026-01-31", "", ""},
		"between November and February":                   {"2025-11-01", "2026-03-01", ""},
		"between 2026-01-01 and 2026-01-31":               {"2026-01-01", "2026-02-01", ""},
		"from January to March 2025":                      {"2025-01-01", "2025-04-01", ""},
		"in the last 6 weeks":                             {"2026-10-12", "", ""},
		"what did Ann do yesterday?":                      {"2026-11-22", "2026-11-23", "what did Ann do"},
		"this week":                                       {"2026-11-23", "2026-11-30", ""},
		"last week":                                       {"2026-11-16", "2026-11-23", ""},
		"who was there on 2026-01-31?":                    {"2026-01-31", "2026-02-01", "who was there"},
		"between 2030 and 2001":                           {"", "", "between 2030 and 2001"},
		"in the last 1 month":                             {"2026-10-23", "", ""},
		"in the last few days":                            {"", "", "in the last few days"},
		"the last days":                                   {"", "", "the last days"},
		"in 2025":                                         {"2025-01-01", "2026-01-01", ""},
		"who owns the May handbook":                       {"", "", "who owns the May handbook"},
		"was hat das Infra-Team letztes Quartal gemacht?": {"2026-07-01", "2026-10-01", "was hat das Infra-Team gemacht?"},
		"was wurde vor März geschrieben":                  {"", "2026-03-01", "was wurde geschrieben"},
		"seit Dezember":                                   {"2025-12-01", "", ""},
		"im Oktober 2025":                                 {"2025-10-01", "2025-11-01", ""},
		"im Jahr 2025":                                    {"2025-01-01", "2026-01-01", ""},
		"nach Mai 2026":                                   {"2026-06-01", "", ""},
		"zwischen November und Februar":                   {"2025-11-01", "2026-03-01", ""},
		"von Januar bis März 2025":                        {"2025-01-01", "2025-04-01", ""},
		"in den letzten 6 Wochen":                         {"2026-10-12", "", ""},
		"was war gestern":                                 {"2026-11-22", "2026-11-23", "was war"},
		"in diesem Monat":                                 {"2026-11-01", "2026-12-01", ""},
		"in der letzten Woche":                            {"2026-11-16", "2026-11-23", ""},
		"am 2026-01-31":                                   {"2026-01-31", "2026-02-01", ""},
		"seit dem Release":                                {"", "", "seit dem Release"},
		"port 2049 in use":                                {"", "", "port 2049 in use"},
		"since the release":                               {"", "", "since the release"},
		"":                                                {"", "", ""},
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

// Days are those of the asker: over changes of the clock, also where these are at midnight, over
// the turn of the year, and at the ends of months.
func TestPeriodsOfTheAsker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, now, question, from, to string }{
		{"Europe/Berlin", "2026-03-30T08:00", "yesterday", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"},
		{"Europe/Berlin", "2026-10-25T12:00", "today", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"},
		{"Europe/Berlin", "2026-11-23T12:00", "last quarter", "2026-07-01T00:00+02:00", "2026-10-01T00:00+02:00"},
		{"America/New_York", "2026-01-01T00:10", "last year", "2025-01-01T00:00-05:00", "2026-01-01T00:00-05:00"},
		{"America/New_York", "2025-12-31T23:50", "this quarter", "2025-10-01T00:00-04:00", "2026-01-01T00:00-05:00"},
		{"Asia/Tokyo", "2026-01-05T09:00", "last quarter", "2025-10-01T00:00+09:00", "2026-01-01T00:00+09:00"},
		{"Asia/Tokyo", "2026-01-01T09:00", "last week", "2025-12-22T00:00+09:00", "2025-12-29T00:00+09:00"},
		{"Asia/Tokyo", "2026-01-05T09:00", "in December", "2025-12-01T00:00+09:00", "2026-01-01T00:00+09:00"},
		{"Asia/Kathmandu", "2026-06-01T09:00", "last month", "2026-05-01T00:00+05:45", "2026-06-01T00:00+05:45"},
		{"America/Havana", "2024-03-10T12:00", "today", "2024-03-10T01:00-04:00", "2024-03-11T00:00-04:00"},
		{"America/Havana", "2024-03-12T12:00", "in the last 2 days", "2024-03-10T01:00-04:00", ""},
		{"America/Havana", "2024-11-03T12:00", "today", "2024-11-03T00:00-04:00", "2024-11-04T00:00-05:00"},
		{"America/Havana", "2024-11-04T12:00", "yesterday", "2024-11-03T00:00-04:00", "2024-11-04T00:00-05:00"},
		{"UTC", "2026-05-31T12:00", "in the last 3 months", "2026-02-28T00:00Z", ""},
		{"UTC", "2024-02-29T12:00", "in the last 4 years", "2020-02-29T00:00Z", ""},
		{"UTC", "2024-02-29T12:00", "in the last 2 years", "2022-02-28T00:00Z", ""},
		{"UTC", "2026-12-31T12:00", "since 2026-02-29", "", ""},
	} {
		in, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.ParseInLocation("2006-01-02T15:04", c.now, in)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := knowledge.ReadPeriod(c.question, now)
		show := func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.Format("2006-01-02T15:04Z07:00")
		}
		if show(p.From) != c.from || show(p.To) != c.to {
			t.Errorf("%s at %s in %s: from %s to %s, want %s to %s", c.question, c.now, c.zone, show(p.From), show(p.To), c.from, c.to)
		}
	}
}

// Of a question about documents, or about news of late, the period is that of the documents' dates;
// of one about something else it may be anything.
func TestMeansDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for question, want := range map[string]bool{
		"what changed since March?": true, "pages from 2019": true, "what was decided in 1998": false, "what was the revenue in 2024": false,
		"was wurde letzten Monat beschlossen?": true, "was hat sich seit März geändert": true, "Protokolle von 2019": true, "Änderungen im Oktober": true, "wie hoch war der Umsatz im Jahr 2024": false,
	} {
		if p, rest := knowledge.ReadPeriod(question, now); p.Open() || knowledge.MeansDates(rest, p, now) != want {
			t.Errorf("%q: %v, and of %q dates are meant: %v", question, p, rest, !want)
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

// What a person pastes names no period, and reading it must not hold a search up.
func TestPastedTextNamesNoPeriod(t *testing.T) {
	t.Parallel()
	pasted := "what changed last quarter, since release 2.0? " + strings.Repeat("2026-11-23 last seen in error ", 1000)
	if p, rest := knowledge.ReadPeriod(pasted, time.Now()); !p.Open() || rest != pasted {
		t.Errorf("it names %v and leaves %d of %d bytes", p, len(rest), len(pasted))
	}
	if s, _, found := knowledge.ReadSince(pasted); found {
		t.Errorf("it names %+v", s)
	}
}
