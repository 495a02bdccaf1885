package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type window struct {
	name   string
	length time.Duration
}

var windows = []window{{"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour}}

const quotaValues = "a number for each minute, hour or day, such as 20/hour, 100/day"

func quotaSetting(key string, scope QuotaScope, help string) Setting {
	own := func(q Quota) bool { return q.For == scope }
	return Setting{
		Key: key, Values: quotaValues, Help: help, Narrows: true,
		show: func(p Policy) string { return formatQuotas(p.Quotas, own) },
		parse: func(p *Policy, text string) error {
			others := slices.DeleteFunc(slices.Clone(p.Quotas), own)
			more, err := parseQuotas(text, scope)
			p.Quotas = append(others, more...)
			return err
		},
		narrow: func(p *Policy, text string) error {
			more, err := parseQuotas(text, scope)
			p.Quotas = append(slices.Clip(p.Quotas), more...)
			return err
		},
	}
}

func roleQuota() Setting {
	s := quotaSetting("role_quota", PerRole, "questions of everybody who holds a role or belongs to a group, together")
	s.Values = "a principal with a number for each minute, hour or day, such as group:interns 50/day"
	return s
}

// parseQuotas parses a list such as "20/hour, 100/day". For [PerRole] each entry begins with the
// role.
func parseQuotas(text string, scope QuotaScope) ([]Quota, error) {
	bad := errors.New("write " + quotaValues)
	if scope == PerRole {
		bad = errors.New("write a principal and " + quotaValues + ": group:interns 50/day")
	}
	var quotas []Quota
	for _, entry := range splitList(text) {
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

func formatQuotas(quotas []Quota, which func(Quota) bool) string {
	var all []string
	for _, q := range quotas {
		if !which(q) {
			continue
		}
		said := fmt.Sprintf("%d/%s", q.Count, formatWindow(q.Window))
		if q.For == PerRole {
			said = string(q.Role) + " " + said
		}
		all = append(all, said)
	}
	return strings.Join(all, ", ")
}

func formatWindow(length time.Duration) string {
	for _, w := range windows {
		if w.length == length {
			return w.name
		}
	}
	return length.String()
}

// Exhaustion looks up which quotas are exhausted. session.Store implements it.
type Exhaustion interface {
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []session.Quota, until time.Time) ([]session.Quota, error)
}

var limits = map[string]string{
	"user:":    "You've asked %s %s, the limit per person here.",
	"channel:": "Everyone here together has asked %s %s, the limit for this channel.",
	"role:":    "People with your role have asked %s %s, the limit for all of them together.",
}

var windowNames = map[time.Duration]string{time.Minute: "this minute", time.Hour: "this hour", 24 * time.Hour: "today"}

// SayLimited returns a sentence that says which quota is exhausted and when to try again. If
// several are exhausted, the person's own quota comes first. If the store fails, the sentence names
// no quota.
func SayLimited(ctx context.Context, store Exhaustion, tenant access.TenantID, quotas []session.Quota, until time.Time) string {
	said := "No more questions can be asked here for now."
	full, err := store.Exhausted(ctx, tenant, quotas, until)
	if err != nil {
		full = nil
	}
	for _, scope := range []string{"user:", "channel:", "role:"} {
		if i := slices.IndexFunc(full, func(q session.Quota) bool { return strings.HasPrefix(q.Counter, scope) }); i >= 0 {
			said = fmt.Sprintf(limits[scope], plural.Count(full[i].Limit, "question"), windowNames[full[i].Window])
			break
		}
	}
	return fmt.Sprintf("%s Try again at %s.", said, thread.Clock(until))
}
