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

// form is a way to name a period, in one language. It reads what its pattern found.
type form struct {
	at   *regexp.Regexp
	read func(m []string, now time.Time) (Period, bool)
}

// periods are the forms of every language, in the order in which they are tried.
var periods = func() (all []form) {
	for i := range tongues {
		all = append(all, tongues[i].forms()...)
	}
	return all
}()

// forms are the ways in which a language names a period.
func (t *tongue) forms() []form {
	units, lately := `(?:`+strings.Join(t.units[:], "|")+`)`, `(?:`+t.last+`|`+t.this+`)`
	moment := `((?:` + strings.Join(t.months[:], "|") + `)(?:,?\s+(?:of\s+)?\d{4})?|\d{4}-\d{2}-\d{2}|q[1-4](?:\s+(?:of\s+)?\d{4})?|\d{4}|` + t.today + `|` + t.yesterday + `|` + lately + `\s+` + units + `)`
	pattern := func(text string) *regexp.Regexp { return regexp.MustCompile(`(?i)(?:^|\s)` + text + `(?:\s|[?.!,]|$)`) }
	named := t.namer()
	one := func(of func(p Period) Period) func(m []string, now time.Time) (Period, bool) {
		return func(m []string, now time.Time) (Period, bool) {
			p, ok := named(m[1], now)
			return of(p), ok
		}
	}
	both := func(m []string, now time.Time) (Period, bool) {
		first, ok := named(m[1], now)
		last, also := named(m[2], now)
		return between(first, last, ok && also)
	}
	itself := func(p Period) Period { return p }
	return []form{
		{pattern(t.between + `\s+` + moment + `\s+` + t.and + `\s+` + moment), both},
		{pattern(t.from + `\s+` + moment + `\s+` + t.to + `\s+` + moment), both},
		{pattern(t.lastFew + `\s+(\d{1,4})\s+(` + units + `)s?`), func(m []string, now time.Time) (Period, bool) { return lastFew(m[1], t.unit(m[2]), now) }},
		{pattern(t.before + `\s+` + moment), one(func(p Period) Period { return Period{To: p.From} })},
		{pattern(t.since + `\s+` + moment), one(func(p Period) Period { return Period{From: p.From} })},
		{pattern(t.after + `\s+` + moment), one(func(p Period) Period { return Period{From: p.To} })},
		{pattern(t.in + `\s+` + moment), one(itself)},
		{pattern(t.day + `\s+(\d{4}-\d{2}-\d{2})`), one(itself)},
		{pattern(`(` + t.yesterday + `|` + t.today + `|` + lately + `\s+` + units + `)`), one(itself)},
	}
}

// ReadPeriod finds the period that a question names, such as "last quarter", "in Q3 2025", "before
// March", "since 2026-01-31" or "in the last 6 weeks", and returns it with what is left of the
// question; in every language of tongues. Days begin at midnight where now is, and weeks on Monday.
// A month or quarter without a year is the latest one that has begun. Without a period the question
// is returned as it is.
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

// between is from the first of two periods to the end of the other.
func between(first, last Period, ok bool) (Period, bool) {
	if !ok {
		return Period{}, false
	}
	if first.From.After(last.From) { // "between November and February": of the year before
		first.From = shift(first.From, -12, 0)
	}
	return Period{From: first.From, To: last.To}, first.From.Before(last.To)
}

// lastFew is since so many units before today.
func lastFew(number string, of int, now time.Time) (Period, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return Period{}, false
	}
	return Period{From: [...]time.Time{shift(now, 0, -n), shift(now, 0, -7*n), shift(now, -n, 0), shift(now, -3*n, 0), shift(now, -12*n, 0)}[of]}, true
}

// Units, by their places in a tongue.
const (
	aDay = iota
	aWeek
	aMonth
	aQuarter
	aYear
)

// unit is the place of a unit of the language, in any of its forms.
func (t *tongue) unit(word string) int {
	for i, u := range t.units {
		if whole(u).MatchString(word) {
			return i
		}
	}
	return aDay // what a pattern of units found is one of them
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + pattern + `)$`) }

// namer reads the day, month, quarter or year that a moment of the language names.
func (t *tongue) namer() func(text string, now time.Time) (Period, bool) {
	today, yesterday := whole(t.today), whole(t.yesterday)
	relative := regexp.MustCompile(`(?i)^(?:(` + t.last + `)|` + t.this + `)\s+(\S+)$`)
	var names [12]*regexp.Regexp
	for i, m := range t.months {
		names[i] = whole(m)
	}
	return func(text string, now time.Time) (Period, bool) {
		switch m := relative.FindStringSubmatch(text); {
		case today.MatchString(text):
			return days(now, 0, 1), true
		case yesterday.MatchString(text):
			return days(now, -1, 1), true
		case m != nil && m[1] != "":
			return unit(t.unit(m[2]), now, -1), true
		case m != nil:
			return unit(t.unit(m[2]), now, 0), true
		}
		words := strings.Fields(strings.ToLower(strings.NewReplacer(",", " ", " of ", " ").Replace(text)))
		if len(words) == 0 {
			return Period{}, false
		}
		switch first := words[0]; {
		case len(first) == 2 && first[0] == 'q':
			return inYear(words, now, 3, time.Month(3*int(first[1]-'1')+1))
		case len(first) == 10 && first[4] == '-':
			day, err := time.Parse(time.DateOnly, first)
			return days(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, now.Location()), 0, 1), err == nil
		}
		if year, err := strconv.Atoi(words[0]); err == nil {
			return months(year, time.January, 12, now), year >= 1900 && year < 2200
		}
		for i, name := range names {
			if name.MatchString(words[0]) {
				return inYear(words, now, 1, time.Month(i+1))
			}
		}
		return Period{}, false
	}
}

// inYear is so many months of the year that is the second word, else of the latest in which they
// have begun.
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
func unit(of int, now time.Time, offset int) Period {
	switch of {
	case aWeek:
		return days(now, -(int(now.Weekday())+6)%7+7*offset, 7)
	case aMonth:
		return months(now.Year(), now.Month()+time.Month(offset), 1, now)
	case aQuarter:
		return months(now.Year(), (now.Month()-1)/3*3+1+time.Month(3*offset), 3, now)
	case aYear:
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

// shift is the beginning of a day so many months and then days after that of a time. Of a month
// that has no such day it is the last one: three months before the 31st of May is the 28th or the
// 29th of February.
func shift(t time.Time, months, days int) time.Time {
	year, month, day := t.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 12, 0, 0, 0, time.UTC).Day()
	return begin(year, month+time.Month(months), min(day, last)+days, t.Location())
}

// begin is when a day begins, which need not be midnight: in Havana clocks go from there to one
// o'clock in spring, and back to there in autumn.
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
