// Package report writes the weekly report for a channel. A report covers questions, gaps, stale
// documents and costs. It contains only content that every reader of the channel may read.
package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// Period is the time that a report covers.
	Period = 7 * 24 * time.Hour
	// gapPeriod is how far back the report looks for clusters of unanswered questions (gaps). At
	// least one question of a gap must be from the report's own period.
	gapPeriod = 4 * Period
	// minAskers is the minimum number of people who must have asked the questions of a cluster.
	// With fewer, a report could identify a person.
	minAskers = 3
	// staleAfter is the time without changes after which a document is stale.
	staleAfter = 365 * 24 * time.Hour
	// maxGaps, maxStale and maxOwners are the maximum numbers of gaps, stale documents and owners
	// in a report.
	maxGaps, maxStale, maxOwners = 5, 3, 3
)

// Report is the content of a weekly report for the readers of one channel.
type Report struct {
	Since, Until time.Time
	Outcomes     map[session.Outcome]int // questions that the readers may see
	Gaps         []gaps.Cluster
	MoreGaps     int // gaps that are not named
	Stale        []document.Ref
	Costs        []Cost // empty if costs are left out
}

// Empty reports whether the report has no questions and no gaps.
func (r Report) Empty() bool { return len(r.Outcomes) == 0 && len(r.Gaps) == 0 }

// Cost is the cost of models in one currency.
type Cost struct {
	Amount   spend.Amount
	Currency string
}

// Scope selects the questions that a report to a channel may include: those asked in that channel.
// If all its readers are full members, questions from channels of the workspace that every full
// member can open are included too. Scope excludes private questions and threads that may have
// fewer readers.
func Scope(to chat.Room, rooms []chat.Room) review.Scope {
	var s review.Scope
	readers := access.AudienceOf(to.Present.Tenant, to.Present.Held)
	for _, room := range append([]chat.Room{to}, rooms...) {
		here := room.Ref.Platform == to.Ref.Platform && room.Ref.Workspace == to.Ref.Workspace && room.Present.Tenant == to.Present.Tenant
		openers := access.ACL{principal(room.Ref)}
		if here && room.Open && !to.Present.Outsiders {
			openers = append(openers, access.Members)
		}
		if readers.MayRead(openers) && !slices.Contains(s.Channels, principal(room.Ref)) {
			s.Channels = append(s.Channels, principal(room.Ref))
		}
	}
	return s
}

func principal(of thread.Ref) access.Principal {
	return access.Channel(string(of.Platform), of.Channel)
}

// Reported returns the clusters of unanswered questions that belong in a report. At least minAskers
// people must have asked the questions of a cluster. The scope must allow all of them, and at least
// one must have been asked at since or later.
func Reported(s review.Scope, found []gaps.Cluster, since time.Time) []gaps.Cluster {
	var reported []gaps.Cluster
	for _, c := range found {
		askers := make(map[thread.Person]bool)
		may, recent := true, false
		for _, q := range c.Questions {
			may = may && s.May(q)
			recent = recent || !q.At.Before(since)
			askers[thread.Person{ID: string(q.Ref.Platform) + ":" + q.Asker.ID}] = true
		}
		if may && recent && len(askers) >= minAskers {
			reported = append(reported, c)
		}
	}
	return reported
}

// Store reads stored questions. It must be safe for concurrent use.
type Store interface {
	// QuestionChannels lists the channels in which questions were asked in a period.
	QuestionChannels(ctx context.Context, tenant access.TenantID, since, until time.Time) ([]thread.Ref, error)
	// QuestionOutcomes counts the questions of a period that a scope allows, by outcome. Questions
	// without an answer so far have the empty outcome.
	QuestionOutcomes(ctx context.Context, tenant access.TenantID, s review.Scope, since, until time.Time) (map[session.Outcome]int, error)
	// CitedBefore returns documents that answers to questions of a period cite. The scope must
	// allow the questions. It returns only documents that last changed before a time, oldest first.
	// The caller must check permissions.
	CitedBefore(ctx context.Context, tenant access.TenantID, s review.Scope, since, until, before time.Time) ([]document.Ref, error)
}

// Reader collects the content of reports. It is safe for concurrent use.
type Reader struct {
	Tenant  access.TenantID
	Store   Store
	Gaps    gaps.Reader
	Library interface {
		Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	}
	Books spend.Books
	// Room is [chat.Platform.Room].
	Room func(ctx context.Context, at thread.Ref) (chat.Room, error)
}

// Report returns the report to a channel for the [Period] that ends at until. It includes the cost
// of models if costs is true.
func (r Reader) Report(ctx context.Context, to chat.Room, until time.Time, costs bool) (Report, error) {
	report := Report{Since: until.Add(-Period), Until: until}
	scope, err := r.scope(ctx, to, until)
	if err != nil {
		return Report{}, err
	}
	if report.Outcomes, err = r.Store.QuestionOutcomes(ctx, r.Tenant, scope, report.Since, until); err != nil {
		return Report{}, fmt.Errorf("make a report: %w", err)
	}
	audience := access.AudienceOf(r.Tenant, to.Present.Held)
	found, err := r.Gaps.In(ctx, scope, audience, until.Add(-gapPeriod), until)
	if err != nil {
		return Report{}, err
	}
	report.Gaps = Reported(scope, found.Clusters, report.Since)
	if more := len(report.Gaps) - maxGaps; more > 0 {
		report.Gaps, report.MoreGaps = report.Gaps[:maxGaps], more
	}
	if report.Stale, err = r.stale(ctx, scope, audience, report); err != nil {
		return Report{}, err
	}
	if costs {
		report.Costs, err = r.costs(ctx, report)
	}
	return report, err
}

// scope returns the questions that a report to a channel may include (see [Scope]). It looks up the
// other channels of the workspace in which questions were asked, and ignores those that the
// platform does not return.
func (r Reader) scope(ctx context.Context, to chat.Room, until time.Time) (review.Scope, error) {
	if to.Present.Tenant != r.Tenant {
		return review.Scope{}, nil
	}
	asked, err := r.Store.QuestionChannels(ctx, r.Tenant, until.Add(-gapPeriod), until)
	if err != nil {
		return review.Scope{}, fmt.Errorf("make a report: %w", err)
	}
	var rooms []chat.Room
	for _, at := range asked {
		if at.Platform != to.Ref.Platform || at.Workspace != to.Ref.Workspace || at.Channel == to.Ref.Channel {
			continue
		}
		room, err := r.Room(ctx, at)
		if ctx.Err() != nil {
			return review.Scope{}, fmt.Errorf("make a report: %w", context.Cause(ctx))
		}
		if err == nil {
			rooms = append(rooms, room)
		}
	}
	return Scope(to, rooms), nil
}

func (r Reader) stale(ctx context.Context, scope review.Scope, audience access.Audience, of Report) ([]document.Ref, error) {
	cited, err := r.Store.CitedBefore(ctx, r.Tenant, scope, of.Since, of.Until, of.Until.Add(-staleAfter))
	if err != nil || len(cited) == 0 {
		return nil, err
	}
	ids := make([]document.ID, len(cited))
	for i, d := range cited {
		ids[i] = d.ID
	}
	readable, err := r.Library.Readable(ctx, audience, ids)
	if err != nil {
		return nil, fmt.Errorf("find out what the readers of a report may read: %w", err)
	}
	cited = slices.DeleteFunc(cited, func(d document.Ref) bool { return !readable[d.ID] })
	return cited[:min(len(cited), maxStale)], nil
}

// costs returns the cost of models in the report's period, by currency. It covers whole days in UTC
// and excludes the day of the report.
func (r Reader) costs(ctx context.Context, of Report) ([]Cost, error) {
	since, until := of.Since.UTC().Truncate(24*time.Hour), of.Until.UTC().Truncate(24*time.Hour)
	rows, err := r.Books.Report(ctx, since)
	if err != nil {
		return nil, fmt.Errorf("make a report: %w", err)
	}
	sums := make(map[string]spend.Amount)
	for _, row := range rows {
		if row.Tenant == r.Tenant && row.Currency != "" && !row.Day.Before(since) && row.Day.Before(until) {
			sums[row.Currency] += row.Amount
		}
	}
	var all []Cost
	for currency, amount := range sums {
		all = append(all, Cost{amount, currency})
	}
	slices.SortFunc(all, func(a, b Cost) int { return cmp.Compare(a.Currency, b.Currency) })
	return all, nil
}
