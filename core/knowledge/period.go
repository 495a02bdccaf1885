package knowledge

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Period is a range of dates that a question names, To exclusive; a zero end is open.
type Period struct{ From, To time.Time }

// Open reports whether nothing bounds the period.
func (p Period) Open() bool { return p.From.IsZero() && p.To.IsZero() }

const (
	monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	moment     = `\d{4}-\d{2}-\d{2}|q[1-4](?:\s+(?:of\s+)?\d{4})?|(?:` + monthNames + `)(?:,?\s+(?:of\s+)?\d{4})?|\d{4}|yesterday|today|(?:last|this|the last|the previous|previous|the past|past)\s+(?:day|week|month|quarter|year)`
	boundary   = `(?:^|\s)`
)

// periods find what names a period, in the order in which they are tried.
var periods = []struct {
	at   *regexp.Regexp
	read func(m []string, now time.Time) (Period, bool)
}{
	{regexp.MustCompile(`(?i)` + boundary + `between\s+(` + moment + `)\s+and\s+(` + moment + `)(?:\s|[?.!,]|$)`), between},
	{regexp.MustCompile(`(?i)` + boundary + `from\s+(` + moment + `)\s+(?:to|until|till)\s+(` + moment + `)(?:\s|[?.!,]|$)`), between},
	{regexp.MustCompile(`(?i)` + boundary + `(?:in|over|during|within)?\s*(?:the\s+)?(?:last|past|previous)\s+(\d{1,4})\s+(day|week|month|quarter|year)s(?:\s|[?.!,]|$)`), lastFew},
	{regexp.MustCompile(`(?i)` + boundary + `(?:before|until|till|up to)\s+(` + moment + `)(?:\s|[?.!,]|$)`), func(m []string, now time.Time) (Period, bool) {
		p, ok := named(m[1], now)
		return Period{To: p.From}, ok
	}},
	{regexp.MustCompile(`(?i)` + boundary + `(?:since|from)\s+(` + moment + `)(?:\s|[?.!,]|$)`), func(m []string, now time.Time) (Period, bool) {
		p, ok := named(m[1], now)
		return Period{From: p.From}, ok
	}},
	{regexp.MustCompile(`(?i)` + boundary + `after\s+(` + moment + `)(?:\s|[?.!,]|$)`), func(m []string, now time.Time) (Period, bool) {
		p, ok := named(m[1], now)
		return Period{From: p.To}, ok
	}},
	{regexp.MustCompile(`(?i)` + boundary + `(?:in|during|for|over)\s+(` + moment + `)(?:\s|[?.!,]|$)`), func(m []string, now time.Time) (Period, bool) { return named(m[1], now) }},
	{regexp.MustCompile(`(?i)` + boundary + `(yesterday|today|on\s+\d{4}-\d{2}-\d{2}|(?:last|this|the last|the previous|previous|the past|past)\s+(?:day|week|month|quarter|year))(?:\s|[?.!,]|$)`),
		func(m []string, now time.Time) (Period, bool) {
			return named(strings.TrimSpace(strings.TrimPrefix(strings.ToLower(m[1]), "on ")), now)
		}},
}

// ReadPeriod finds the period that a question names, such as "last quarter", "in Q3 2025", "before March", "since 2026-01-31" or "in the last 6 weeks", and returns it
// with what is left of the question. Days begin at midnight where now is, and weeks on Monday. A month or quarter without a year is the latest one that
// has begun. Without a period the question is returned as it is.
func ReadPeriod(question string, now time.Time) (Period, string) {
	for _, p := range periods {
		at := p.at.FindStringSubmatchIndex(question)
		if at == nil {
			continue
		}
		m := make([]string, len(at)/2)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = question[at[2*i]:at[2*i+1]]
			}
		}
		if read, ok := p.read(m, now); ok {
			return read, strings.TrimSpace(strings.TrimSpace(question[:at[0]]) + " " + strings.TrimSpace(question[at[1]:]))
		}
	}
	return Period{}, question
}

func between(m []string, now time.Time) (Period, bool) {
	first, ok := named(m[1], now)
	last, also := named(m[2], now)
	if !ok || !also {
		return Period{}, false
	}
	if first.From.After(last.From) { // "between November and February": of the year before
		first.From = shift(first.From, -12, 0)
	}
	return Period{From: first.From, To: last.To}, first.From.Before(last.To)
}

func lastFew(m []string, now time.Time) (Period, bool) {
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 1 {
		return Period{}, false
	}
	return Period{From: map[string]time.Time{
		"day": shift(now, 0, -n), "week": shift(now, 0, -7*n), "month": shift(now, -n, 0), "quarter": shift(now, -3*n, 0), "year": shift(now, -12*n, 0),
	}[strings.ToLower(m[2])]}, true
}

// named is the day, month, quarter or year that a text names.
func named(text string, now time.Time) (Period, bool) {
	words := strings.Fields(strings.ToLower(strings.NewReplacer(",", " ", " of ", " ").Replace(text)))
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	if len(words) == 0 {
		return Period{}, false
	}
	switch first := words[0]; {
	case first == "today":
		return days(now, 0, 1), true
	case first == "yesterday":
		return days(now, -1, 1), true
	case first == "last" || first == "previous" || first == "past":
		return unit(words[1], now, -1), true
	case first == "this":
		return unit(words[1], now, 0), true
	case len(first) == 2 && first[0] == 'q':
		return inYear(words, now, 3, time.Month(3*int(first[1]-'1')+1))
	case len(first) == 10 && first[4] == '-':
		day, err := time.Parse(time.DateOnly, first)
		return days(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, now.Location()), 0, 1), err == nil
	}
	if year, err := strconv.Atoi(words[0]); err == nil {
		return months(year, time.January, 12, now), year >= 1900 && year < 2200
	}
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(m.String()), strings.TrimSuffix(words[0], ".")[:3]) {
			return inYear(words, now, 1, m)
		}
	}
	return Period{}, false
}

// inYear is so many months of the year that is the second word, else of the latest in which they have begun.
func inYear(words []string, now time.Time, n int, first time.Month) (Period, bool) {
	year := now.Year()
	if len(words) > 1 {
		var err error
		if year, err = strconv.Atoi(words[1]); err != nil {
			return Period{}, false
		}
	} else if months(year, first, n, now).From.After(now) {
		year--
	}
	return months(year, first, n, now), true
}

// unit is the week, month, quarter or year of now, or the one so many before or after it.
func unit(name string, now time.Time, offset int) Period {
	switch name {
	case "week":
		return days(now, -(int(now.Weekday())+6)%7+7*offset, 7)
	case "month":
		return months(now.Year(), now.Month()+time.Month(offset), 1, now)
	case "quarter":
		return months(now.Year(), (now.Month()-1)/3*3+1+time.Month(3*offset), 3, now)
	case "year":
		return months(now.Year()+offset, time.January, 12, now)
	}
	return days(now, offset, 1)
}

// days are so many, the first of them so many after that of a time, or before it.
func days(of time.Time, after, n int) Period {
	return Period{shift(of, 0, after), shift(of, 0, after+n)}
}

// months are so many, beginning with one of a year, where now is.
func months(year int, first time.Month, n int, now time.Time) Period {
	return Period{begin(year, first, 1, now.Location()), begin(year, first+time.Month(n), 1, now.Location())}
}

// shift is the beginning of a day so many months and then days after that of a time. Of a month that has no such day it is the last one: three months before the 31st of May is the 28th or
// the 29th of February.
func shift(t time.Time, months, days int) time.Time {
	year, month, day := t.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 12, 0, 0, 0, time.UTC).Day()
	return begin(year, month+time.Month(months), min(day, last)+days, t.Location())
}

// begin is when a day begins, which need not be midnight: in Havana clocks go from there to one o'clock in spring, and back to there in autumn.
func begin(year int, month time.Month, day int, in *time.Location) time.Time {
	t, noon := time.Date(year, month, day, 0, 0, 0, 0, in), time.Date(year, month, day, 12, 0, 0, 0, in)
	if t.Day() != noon.Day() {
		t = time.Date(year, month, day, 1, 0, 0, 0, in)
	}
	if earlier := t.Add(-time.Hour); earlier.Day() == noon.Day() {
		t = earlier
	}
	return t
}
