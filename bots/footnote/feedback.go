package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/session"
)

type feedbackCommand struct {
	Since string `name:"since" placeholder:"WHEN" help:"Only since this day (2026-01-31), moment (RFC 3339), or so long ago (7d, 36h)."`
	Down  bool   `name:"down" help:"Only those that were not content."`
	Limit int    `name:"limit" default:"1000" help:"At most so many, the newest."`
	JSON  bool   `name:"json" xor:"form" help:"Print one JSON array."`

	Export bool `name:"export" xor:"form" help:"Print the questions that were voted on or asked again, with the questions before them in their threads, as a file for footnote eval --questions: fill in pages_regex where no asker was content."`
}

// feedbackJSON is an item in the output of feedback --json. Its field names are stable. Question is
// empty for a private answer, because only its asker may see it.
type feedbackJSON struct {
	At        time.Time `json:"at"`
	Vote      string    `json:"vote"` // up or down
	Reason    string    `json:"reason"`
	Person    string    `json:"person"` // platform's user id
	Name      string    `json:"name"`
	Turn      string    `json:"turn"`
	Outcome   string    `json:"outcome"`
	Model     string    `json:"model"` // model of the answer; empty if none ran
	Question  string    `json:"question"`
	Private   bool      `json:"private"`
	Platform  string    `json:"platform"`
	Workspace string    `json:"workspace"`
	Channel   string    `json:"channel"`
	Thread    string    `json:"thread"`
}

// Run executes "footnote feedback".
func (c *feedbackCommand) Run(ctx context.Context, env *environment) (err error) {
	since, err := parseSince(c.Since, time.Now())
	if err != nil {
		return err
	}
	if c.Limit < 1 {
		return usageError("--limit must be at least 1")
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	if c.Export {
		return c.export(ctx, env, base, since)
	}
	list, err := base.Sessions().Feedback(ctx, session.FeedbackQuery{Tenant: base.Tenant, Since: since, Down: c.Down, Limit: c.Limit})
	if err != nil {
		return err
	}
	rows := make([]feedbackJSON, len(list))
	for i, f := range list {
		rows[i] = describeFeedback(f)
	}
	if c.JSON {
		return newEncoder(env.stdout).Encode(rows)
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(env.errs, "There is no feedback.")
		return err
	}
	return printFeedback(env, rows)
}

func describeFeedback(f session.Feedback) feedbackJSON {
	row := feedbackJSON{
		At: f.At, Vote: "down", Reason: f.Reason, Person: f.Person.ID, Name: f.Person.Name, Turn: string(f.Turn), Outcome: string(f.Outcome), Model: f.Model,
		Question: f.Question, Private: f.Private, Platform: string(f.Ref.Platform), Workspace: f.Ref.Workspace, Channel: f.Ref.Channel, Thread: f.Ref.Thread,
	}
	if f.Up {
		row.Vote = "up"
	}
	if f.Private {
		row.Question = ""
	}
	return row
}

const maxFeedbackQuestion = 80

func printFeedback(env *environment, rows []feedbackJSON) error {
	table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "WHEN\tVOTE\tBY\tOUTCOME\tMODEL\tQUESTION\tREASON")
	for _, r := range rows {
		question := plain(r.Question)
		if runes := []rune(question); len(runes) > maxFeedbackQuestion {
			question = string(runes[:maxFeedbackQuestion-1]) + "…"
		}
		if r.Private {
			question = "(private)"
		}
		by := r.Name
		if by == "" {
			by = r.Person
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.At.Local().Format("2006-01-02 15:04"), r.Vote, plain(by), r.Outcome, plain(r.Model), question, plain(r.Reason))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return printByModel(env, rows)
}

func printByModel(env *environment, rows []feedbackJSON) error {
	up, down := make(map[string]int), make(map[string]int)
	var models []string
	for _, r := range rows {
		if up[r.Model]+down[r.Model] == 0 {
			models = append(models, r.Model)
		}
		if r.Vote == "up" {
			up[r.Model]++
		} else {
			down[r.Model]++
		}
	}
	if len(models) < 2 {
		return nil
	}
	slices.Sort(models)
	table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "\nMODEL\tUP\tDOWN")
	for _, m := range models {
		fmt.Fprintf(table, "%s\t%d\t%d\n", cmp.Or(plain(m), "(none)"), up[m], down[m])
	}
	return table.Flush()
}

func parseSince(text string, now time.Time) (time.Time, error) {
	return parseMoment("--since", text, now)
}

// parseMoment accepts a day, an RFC 3339 time, or an age such as "7d". An empty text is the zero
// time.
func parseMoment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usageError(fmt.Sprintf("%s %q is no time: write a day such as 2026-01-31, a moment such as 2026-01-31T09:00:00Z, or an age such as 7d or 36h", flag, text))
}
