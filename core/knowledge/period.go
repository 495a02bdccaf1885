package knowledge

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Period is a range of dates. To is exclusive. A zero From or To means that the range has no limit
// on that side.
type Period struct{ From, To time.Time }

// Open reports whether the period has neither a start nor an end.
func (p Period) Open() bool { return p.From.IsZero() && p.To.IsZero() }

type periodForm struct {
	at   *regexp.Regexp
	read func(m []string, now time.Time) (Period, bool)
}

var periods = func() (all []periodForm) {
	for i := range tongues {
		all = append(all, tongues[i].forms()...)
	}
	return all
}()

func (t *periodLanguage) forms() []periodForm {
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
		return spanOf(first, last, ok && also)
	}
	itself := func(p Period) Period { return p }
	return []periodForm{
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

// maxDated is the maximum length in bytes of a question in which periods are searched. Matching
// takes over two seconds per megabyte, and a long text, such as a pasted log, is rarely about its
// dates.
const maxDated = 16 << 10

// ReadPeriod finds the period that a question names in any supported language, such as "last
// quarter", "in Q3 2025" or "in the last 6 weeks". It returns the period and the rest of the
// question. If there is none, it returns an open period and the question unchanged.
//
// Days begin at midnight in the location of now, and weeks on Monday. A month or quarter without a
// year is the latest that has begun. Questions of more than maxDated bytes are not searched.
func ReadPeriod(question string, now time.Time) (Period, string) {
	if len(question) > maxDated {
		return Period{}, question
	}
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

func spanOf(first, last Period, ok bool) (Period, bool) {
	if !ok {
		return Period{}, false
	}
	if first.From.After(last.From) { // "between November and February": November of the year before
		first.From = startOfDay(first.From, -12, 0)
	}
	return Period{From: first.From, To: last.To}, first.From.Before(last.To)
}

func lastFew(number string, of int, now time.Time) (Period, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return Period{}, false
	}
	return Period{From: [...]time.Time{startOfDay(now, 0, -n), startOfDay(now, 0, -7*n), startOfDay(now, -n, 0), startOfDay(now, -3*n, 0), startOfDay(now, -12*n, 0)}[of]}, true
}

// Units, as indices into periodLanguage.units.
const (
	aDay = iota
	aWeek
	aMonth
	aQuarter
	aYear
)

func (t *periodLanguage) unit(word string) int {
	for i, u := range t.units {
		if wholeMatch(u).MatchString(word) {
			return i
		}
	}
	return aDay // unreachable: the pattern matches only units
}

func wholeMatch(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:` + pattern + `)$`)
}

// namer returns a function that parses a day, month, quarter or year in the language, such as
// "March 2025" or "last week".
func (t *periodLanguage) namer() func(text string, now time.Time) (Period, bool) {
	today, yesterday := wholeMatch(t.today), wholeMatch(t.yesterday)
	relative := regexp.MustCompile(`(?i)^(?:(` + t.last + `)|` + t.this + `)\s+(\S+)$`)
	var names [12]*regexp.Regexp
	for i, m := range t.months {
		names[i] = wholeMatch(m)
	}
	return func(text string, now time.Time) (Period, bool) {
		switch m := relative.FindStringSubmatch(text); {
		case today.MatchString(text):
			return dayRange(now, 0, 1), true
		case yesterday.MatchString(text):
			return dayRange(now, -1, 1), true
		case m != nil && m[1] != "":
			return unitRange(t.unit(m[2]), now, -1), true
		case m != nil:
			return unitRange(t.unit(m[2]), now, 0), true
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
			return dayRange(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, now.Location()), 0, 1), err == nil
		}
		if year, err := strconv.Atoi(words[0]); err == nil {
			return monthRange(year, time.January, 12, now), year >= 1900 && year < 2200
		}
		for i, name := range names {
			if name.MatchString(words[0]) {
				return inYear(words, now, 1, time.Month(i+1))
			}
		}
		return Period{}, false
	}
}

// inYear returns n months that begin with the month first. words[1] is the year. Without it, the
// year is the latest in which that month has begun.
func inYear(words []string, now time.Time, n int, first time.Month) (Period, bool) {
	year := now.Year()
	if len(words) > 1 {
		var err error
		if year, err = strconv.Atoi(words[1]); err != nil {
			return Period{}, false
		}
	} else if monthRange(year, first, n, now).From.After(now) {
		year--
	}
	return monthRange(year, first, n, now), true
}

func unitRange(of int, now time.Time, offset int) Period {
	switch of {
	case aWeek:
		return dayRange(now, -(int(now.Weekday())+6)%7+7*offset, 7)
	case aMonth:
		return monthRange(now.Year(), now.Month()+time.Month(offset), 1, now)
	case aQuarter:
		return monthRange(now.Year(), (now.Month()-1)/3*3+1+time.Month(3*offset), 3, now)
	case aYear:
		return monthRange(now.Year()+offset, time.January, 12, now)
	}
	return dayRange(now, offset, 1)
}

func dayRange(day time.Time, offset, n int) Period {
	return Period{startOfDay(day, 0, offset), startOfDay(day, 0, offset+n)}
}

func monthRange(year int, first time.Month, n int, now time.Time) Period {
	return Period{dayStart(year, first, 1, now.Location()), dayStart(year, first+time.Month(n), 1, now.Location())}
}

// startOfDay adds months and days to a time and returns the start of that day. If the month is too
// short, it uses the last day of the month. Three months before 31 May is 28 or 29 February.
func startOfDay(t time.Time, months, days int) time.Time {
	year, month, day := t.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 12, 0, 0, 0, time.UTC).Day()
	return dayStart(year, month+time.Month(months), min(day, last)+days, t.Location())
}

// dayStart returns the start of a day, which is not always midnight because of daylight saving. In
// Havana, clocks skip from midnight to one o'clock in spring, and go back to midnight in autumn.
func dayStart(year int, month time.Month, day int, in *time.Location) time.Time {
	t, noon := time.Date(year, month, day, 0, 0, 0, 0, in), time.Date(year, month, day, 12, 0, 0, 0, in)
	if t.Day() != noon.Day() {
		t = time.Date(year, month, day, 1, 0, 0, 0, in)
	}
	if earlier := t.Add(-time.Hour); earlier.Day() == noon.Day() {
		t = earlier
	}
	return t
}
