package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/recur"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/goccy/go-yaml/ast"
)

// Report says when a weekly report is posted, and to which channel.
type Report struct {
	Platform thread.Platform
	Channel  string
	Day      string // day of the week, in lower case
	Hour     int
	Zone     string // IANA time zone name
	Costs    bool   // include the cost of models
}

// When returns the weekly time at which the report is due.
func (r Report) When() recur.Weekly {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil { // validated when the file was read
		zone = time.UTC
	}
	return recur.Weekly{Day: time.Weekday(slices.Index(days(), r.Day)), Hour: r.Hour, Zone: zone}
}

// Name returns the name under which the report is scheduled, such as "slack:C0123:report".
func (r Report) Name() string { return string(r.Platform) + ":" + r.Channel + ":report" }

func days() []string {
	all := make([]string, 7)
	for day := range all {
		all[day] = strings.ToLower(time.Weekday(day).String())
	}
	return all
}

var reportChannels = map[thread.Platform]*regexp.Regexp{"slack": regexp.MustCompile(`^[CG][A-Z0-9]+$`), "discord": regexp.MustCompile(`^[0-9]+$`)}

func (r *fileReader) reports(path string, n ast.Node) {
	r.items(path, n, func(path string, n ast.Node) {
		report := Report{Day: "monday", Hour: 9, Zone: "UTC", Costs: true}
		r.fields(path, n,
			field{"platform", word(&r.reader, &report.Platform, "slack", "discord")},
			field{"channel", r.text(&report.Channel)},
			field{"day", word(&r.reader, &report.Day, days()...)},
			field{"hour", func(path string, n ast.Node) {
				hour, ok := r.value(n).(*ast.IntegerNode)
				if !ok || !inDay(hour.Value) {
					r.fault(n, "%s holds %s: write a whole number from 0 to 23", path, describe(r.value(n)))
					return
				}
				report.Hour = int(hour.Value.(uint64)) //nolint:forcetypeassert // inDay says so
			}},
			field{"time_zone", func(path string, n ast.Node) {
				r.text(&report.Zone)(path, n)
				if _, err := time.LoadLocation(report.Zone); err != nil || report.Zone == "Local" {
					r.fault(n, "%s holds %s: write the name of a time zone, such as Europe/Berlin", path, quote(report.Zone))
				}
			}},
			field{"costs", r.yes(&report.Costs)},
		)
		form := reportChannels[report.Platform]
		switch {
		case form == nil || report.Channel == "":
			r.fault(n, "%s names no channel: write platform: slack or platform: discord, and the id of a channel behind channel:", path)
		case !form.MatchString(report.Channel):
			r.fault(n, "%s.channel holds %s, which is no id of a channel of %s", path, quote(report.Channel), report.Platform)
		case slices.ContainsFunc(r.file.Reports, func(o Report) bool { return o.Name() == report.Name() }):
			r.fault(n, "%s names a channel that another report goes to", path)
		default:
			r.file.Reports = append(r.file.Reports, report)
		}
	})
}

func inDay(v any) bool {
	hour, ok := v.(uint64)
	return ok && hour < 24
}

func reportKeys() []FileKey {
	return []FileKey{
		{"reports[].platform", "slack or discord", "", "of a channel that gets a report every week. See reports.md"},
		{"reports[].channel", "an id", "", "of the channel"},
		{"reports[].day", strings.Join(days(), ", "), "monday", "when it is posted"},
		{"reports[].hour", "a whole number from 0 to 23", "9", "when it is posted"},
		{"reports[].time_zone", "a name such as Europe/Berlin", "UTC", "of day and hour"},
		{"reports[].costs", "true or false", "true", "whether it says what models cost, for all questions together"},
	}
}
