package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// window is a length of time that quotas count in.
type window struct {
	name   string
	length time.Duration
}

var windows = []window{{"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour}}

const quotaValues = "a number for each minute, hour or day, such as 20/hour, 100/day"

func quota(key string, scope QuotaScope, help string) Setting {
	own := func(q Quota) bool { return q.For == scope }
	return Setting{
		Key: key, Values: quotaValues, Help: help, Narrows: true,
		show: func(p Policy) string { return sayQuotas(p.Quotas, own) },
		read: func(p *Policy, text string) error {
			others := slices.DeleteFunc(slices.Clone(p.Quotas), own)
			more, err := readQuotas(text, scope)
			p.Quotas = append(others, more...)
			return err
		},
		add: func(p *Policy, text string) error {
			more, err := readQuotas(text, scope)
			p.Quotas = append(slices.Clip(p.Quotas), more...)
			return err
		},
	}
}

func roleQuota() Setting {
	s := quota("role_quota", PerRole, "questions of everybody who holds a role or belongs to a group, together")
	s.Values = "a principal with a number for each minute, hour or day, such as group:interns 50/day"
	return s
}

// readQuotas reads "20/hour, 100/day"; of roles each entry names the role first.
func readQuotas(text string, scope QuotaScope) ([]Quota, error) {
	bad := errors.New("write " + quotaValues)
	if scope == PerRole {
		bad = errors.New("write a principal and " + quotaValues + ": group:interns 50/day")
	}
	var quotas []Quota
	for _, entry := range listed(text) {
		q := Quota{For: scope}
		if scope == PerRole {
			cut := strings.LastIndexByte(entry, ' ')
			if cut < 0 {
				return nil, bad
			}
			role, err := access.ParsePrincipal(entry[:cut])
			if err != nil {
				return nil, bad
			}
			q.Role, entry = role, entry[cut+1:]
		}
		count, within, found := strings.Cut(entry, "/")
		n, err := strconv.Atoi(strings.TrimSpace(count))
		i := slices.IndexFunc(windows, func(w window) bool { return w.name == strings.TrimSpace(within) })
		if !found || err != nil || n < 1 || n > 1_000_000 || i < 0 {
			return nil, bad
		}
		q.Count, q.Window = n, windows[i].length
		quotas = append(quotas, q)
	}
	if len(quotas) == 0 {
		return nil, bad
	}
	return quotas, nil
}

func sayQuotas(quotas []Quota, which func(Quota) bool) string {
	var all []string
	for _, q := range quotas {
		if !which(q) {
			continue
		}
		said := fmt.Sprintf("%d/%s", q.Count, sayWindow(q.Window))
		if q.For == PerRole {
			said = string(q.Role) + " " + said
		}
		all = append(all, said)
	}
	return strings.Join(all, ", ")
}

func sayWindow(length time.Duration) string {
	for _, w := range windows {
		if w.length == length {
			return w.name
		}
	}
	return length.String()
}

// sayLimited tells somebody whose quota is used up when to come back.
func SayLimited(until, now time.Time) string {
	const said = "The number of questions that may be asked here is used up for now. Ask again in %s, at %s UTC."
	wait := until.Sub(now)
	at := until.UTC().Format("15:04")
	switch {
	case wait < 2*time.Minute:
		return fmt.Sprintf(said, Counted(max(1, int((wait+time.Second-1)/time.Second)), "second"), until.UTC().Format("15:04:05"))
	case wait < 2*time.Hour:
		return fmt.Sprintf(said, Counted(int((wait+time.Minute-1)/time.Minute), "minute"), at)
	default:
		return fmt.Sprintf(said, Counted(int((wait+time.Hour-1)/time.Hour), "hour"), at)
	}
}

// Counted is a number of things in a sentence: "1 vote", "3 votes".
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
