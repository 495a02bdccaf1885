package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/checkup"
	"github.com/footnotehq/footnote/core/recur"
	"github.com/footnotehq/footnote/core/report"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Rooms are the chat platforms that reports can be posted to.
type Rooms interface {
	chat.Platform
	Platforms() []thread.Platform
}

// Schedules returns the store that records which weekly reports were posted.
func (b *Base) Schedules() *admin.Schedules { return admin.NewSchedules(b.DB) }

// Reports returns the reader that makes weekly reports. rooms looks up their channels.
func (b *Base) Reports(rooms Rooms) report.Reader {
	return report.Reader{
		Tenant: b.Tenant, Store: b.Sessions(), Gaps: b.Gaps(), Library: library{b.checked()}, Books: b.Books(), Room: rooms.Room,
	}
}

// dueReports also stores which reports the configuration file has.
func (b *Base) dueReports(ctx context.Context) ([]jobs.Job, error) {
	reports := b.File().Reports
	names := make([]string, len(reports))
	for i, r := range reports {
		names[i] = r.Name()
	}
	known, err := b.Schedules().All(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	var made []string
	gone := len(known)
	for _, name := range names {
		if _, is := known[name]; is {
			gone--
		} else {
			made = append(made, name)
		}
	}
	if gone > 0 {
		if err := b.Schedules().Forget(ctx, b.Tenant, names); err != nil {
			return nil, err
		}
	}
	if len(made) > 0 {
		if err := b.Schedules().Make(ctx, b.Tenant, made); err != nil {
			return nil, err
		}
	}
	var due []jobs.Job
	for _, r := range reports {
		p, is := known[r.Name()]
		if !is {
			continue
		}
		switch at, step := recur.Decide(r.When(), p, time.Now()); step {
		case recur.Wait:
		case recur.Drop: // by the process that plans, since one that could post may not run
			if err := b.dropReport(ctx, p, at); err != nil {
				return nil, err
			}
		case recur.Run:
			due = append(due, jobs.Job{Kind: jobs.Due, Tenant: b.Tenant, Subject: r.Name()})
		}
	}
	return due, nil
}

func (b *Base) dropReport(ctx context.Context, p recur.Progress, due time.Time) error {
	before := p
	p, ok, err := b.Schedules().Begin(ctx, b.Tenant, p, due)
	if err != nil || !ok {
		return err
	}
	p.State, p.Note = recur.Missed, "nothing could be posted within a day: no server ran that serves the platform"
	if before.State == recur.Begun && before.Note != "" {
		p.Note = "nothing could be posted within a day: " + before.Note
	}
	if before.State == recur.Begun && before.Posted {
		p.State = recur.Unsure
	}
	return b.endReport(ctx, p)
}

func (b *Base) endReport(ctx context.Context, p recur.Progress) error {
	if err := b.Schedules().Set(ctx, b.Tenant, p); err != nil {
		return err
	}
	switch p.State {
	case recur.Missed, recur.Failed, recur.Unsure:
		b.Logger.WarnContext(ctx, "a weekly report was not posted; the next one is tried when it is due", "report", p.Name, "due", p.Due, "state", string(p.State), "reason", p.Note)
	case recur.Done, recur.Off:
		b.Logger.InfoContext(ctx, "a weekly report is done", "report", p.Name, "due", p.Due, "state", string(p.State), "note", p.Note)
	case recur.Idle, recur.Begun:
	}
	return nil
}

func (b *Base) foundReport(ctx context.Context, name string) (r config.Report, p recur.Progress, found bool, err error) {
	for _, r = range b.File().Reports {
		if r.Name() != name {
			continue
		}
		known, err := b.Schedules().All(ctx, b.Tenant)
		p, found = known[name]
		return r, p, found, err
	}
	return r, p, false, nil
}

func (b *Base) doReport(ctx context.Context, rooms Rooms, name string) error {
	r, p, found, err := b.foundReport(ctx, name)
	if err != nil || !found {
		return err
	}
	due, step := recur.Decide(r.When(), p, time.Now())
	if step != recur.Run {
		return nil
	}
	before := p
	p, ok, err := b.Schedules().Begin(ctx, b.Tenant, p, due)
	if err != nil || !ok {
		return err
	}
	p.Posted = before.State == recur.Begun && before.Posted
	p, err = b.attemptReport(ctx, rooms, r, p)
	switch {
	case err == nil:
	case ctx.Err() != nil: // the process is ending; its note says whether it may have posted
		return fmt.Errorf("report to %s: %w", name, context.Cause(ctx))
	case lasting(err):
		p.State, p.Note = recur.Failed, err.Error()
	default:
		p.Note = err.Error()
		return errors.Join(fmt.Errorf("report to %s: %w", name, err), b.Schedules().Set(ctx, b.Tenant, p))
	}
	return b.endReport(ctx, p)
}

func (b *Base) giveUpReport(ctx context.Context, name string) error {
	_, p, found, err := b.foundReport(ctx, name)
	if err != nil || !found || p.State != recur.Begun {
		return err
	}
	p.State, p.Note = recur.Failed, "making it ended the process twice; look into the log for what did"
	return b.endReport(ctx, p)
}

func lasting(err error) bool {
	return errors.Is(err, thread.ErrNotPermitted) || errors.Is(err, thread.ErrRefused) || errors.Is(err, thread.ErrMessageGone)
}

// attemptReport posts a report, unless it is switched off, empty or already posted. If it fails,
// the result says whether it may have been posted.
func (b *Base) attemptReport(ctx context.Context, rooms Rooms, r config.Report, p recur.Progress) (recur.Progress, error) {
	made, err := b.makeReport(ctx, rooms, r, p.Due)
	if err != nil {
		return p, err
	}
	if !made.Wanted {
		p.State, p.Note = recur.Off, "it is switched off in the channel"
		return p, nil
	}
	if made.Empty {
		p.State, p.Note = recur.Done, "nothing was asked that its readers may see"
		return p, nil
	}
	notice := chat.Notice{Subject: report.Mark(p.Due), Text: made.Text, Apart: true, Since: p.Begun.Add(-time.Minute)}
	if p.Posted {
		posted, err := rooms.Posted(ctx, made.At, notice)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			p.State, p.Note = recur.Unsure, "an attempt ended before it knew whether it had posted, and the bot may not look for it in the channel"
			return p, nil
		case err != nil:
			return p, err
		case len(posted) > 0:
			p.State, p.Note = recur.Done, ""
			return p, nil
		}
	}
	p.Posted = true
	if err := b.Schedules().Set(ctx, b.Tenant, p); err != nil {
		return p, err
	}
	if _, err := rooms.Post(ctx, made.At, notice); err != nil {
		p.Posted = errors.Is(err, thread.ErrOutcomeUnknown)
		return p, err
	}
	p.State, p.Note = recur.Done, ""
	return p, nil
}

// MadeReport is the text of a weekly report with its channel.
type MadeReport struct {
	At     thread.Ref
	Text   string
	Wanted bool // no one has switched it off in the channel
	Empty  bool // there were no questions, so it is not posted
}

func (b *Base) makeReport(ctx context.Context, rooms Rooms, r config.Report, until time.Time) (MadeReport, error) {
	room, err := rooms.Room(ctx, thread.Ref{Platform: r.Platform, Channel: r.Channel})
	if err != nil {
		return MadeReport{}, err
	}
	rules, err := policy.In(ctx, b.Policies(), b.Tenant, session.PlaceOf(room.Ref))
	if err != nil || !rules.Report {
		return MadeReport{At: room.Ref}, err
	}
	made, err := b.Reports(rooms).Report(ctx, room, until, r.Costs)
	if err != nil {
		return MadeReport{}, err
	}
	return MadeReport{At: room.Ref, Text: made.Text(r.When().Zone), Wanted: true, Empty: made.Empty()}, nil
}

// PreviewedReport is a weekly report as it would be posted now, with the time of the next post.
type PreviewedReport struct {
	config.Report
	MadeReport
	Next     time.Time
	Progress recur.Progress
	Err      error // why the report cannot be posted
}

// PreviewReports makes the reports of the configuration file as if they were due now. It posts
// nothing.
func (b *Base) PreviewReports(ctx context.Context, rooms Rooms) ([]PreviewedReport, error) {
	known, err := b.Schedules().All(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var all []PreviewedReport
	for _, r := range b.File().Reports {
		p := PreviewedReport{Report: r, Next: r.When().Next(now), Progress: known[r.Name()]}
		p.MadeReport, p.Err = b.makeReport(ctx, rooms, r, now)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("preview reports: %w", context.Cause(ctx))
		}
		all = append(all, p)
	}
	return all, nil
}

// ReportFindings returns a finding for each report whose last post failed.
func (b *Base) ReportFindings(ctx context.Context) ([]checkup.Finding, error) {
	known, err := b.Schedules().All(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	var found []checkup.Finding
	for _, r := range b.File().Reports {
		p := known[r.Name()]
		if p.State == recur.Failed || p.State == recur.Missed || p.State == recur.Unsure {
			found = append(found, checkup.Finding{Part: "reports", Text: fmt.Sprintf(
				"The report to channel %s of %s that was due at %s was not posted, as far as is known: %s. Correct that, or take the channel out of reports: in footnote.yaml. The next one is due at %s.",
				r.Channel, r.Platform, p.Due.Format("2006-01-02 15:04 UTC"), p.Note, r.When().Next(time.Now()).UTC().Format("2006-01-02 15:04 UTC"))})
		}
	}
	return found, nil
}
