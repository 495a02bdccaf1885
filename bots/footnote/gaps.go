package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/review"
)

type gapsCommand struct {
	Since string `name:"since" default:"30d" placeholder:"WHEN" help:"Only questions since this day (2026-01-31), moment (RFC 3339), or so long ago (default: 30d)."`
	JSON  bool   `name:"json" xor:"form" help:"Print one JSON object."`
	CSV   bool   `name:"csv" xor:"form" help:"Print CSV, a line for each gap. Cells that a spreadsheet would compute are quoted."`
}

// gapsJSON is the output of gaps --json. Its field names are stable.
type gapsJSON struct {
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until"`
	Questions int       `json:"questions"`
	Single    int       `json:"single"` // questions unlike any other
	Cut       bool      `json:"cut"`    // the oldest are left out
	Gaps      []gapJSON `json:"gaps"`
}

type gapJSON struct {
	Label     string         `json:"label"`
	Size      int            `json:"size"`
	Askers    int            `json:"askers"`
	Trend     string         `json:"trend"`
	Weeks     []int          `json:"weeks"` // the newest first
	Questions []questionJSON `json:"questions"`
	Closest   []closestJSON  `json:"closest"`
	Owners    []string       `json:"owners"`
}

// Run executes "footnote gaps".
func (c *gapsCommand) Run(ctx context.Context, env *environment) error {
	since, err := parseSince(c.Since, time.Now())
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		report, err := base.Gaps().Report(ctx, base.TerminalViewer(operator()), since)
		if err != nil {
			return err
		}
		switch {
		case c.JSON:
			return newEncoder(env.stdout).Encode(describeGaps(report))
		case c.CSV:
			return writeGaps(env.out, report)
		}
		return printGaps(env, report)
	})
}

func describeGaps(r gaps.Report) gapsJSON {
	out := gapsJSON{Since: r.Since, Until: r.Until, Questions: r.Questions, Single: r.Single, Cut: r.Cut, Gaps: []gapJSON{}}
	for _, c := range r.Clusters {
		g := gapJSON{Label: c.Label, Size: len(c.Questions), Askers: c.Askers, Trend: c.Trend(), Weeks: c.Weeks, Closest: []closestJSON{}, Owners: append([]string{}, c.Owners...)}
		for _, q := range c.Questions {
			g.Questions = append(g.Questions, questionOf(q))
		}
		for _, d := range c.Closest {
			g.Closest = append(g.Closest, closestJSON{d.ID, d.Title, d.URL})
		}
		out.Gaps = append(out.Gaps, g)
	}
	return out
}

const maxExamples = 3

func writeGaps(to io.Writer, r gaps.Report) error {
	w := csv.NewWriter(to)
	rows := [][]string{{"gap", "questions", "askers", "trend", "newest", "closest", "owners", "examples"}}
	for _, c := range r.Clusters {
		var closest []string
		for _, d := range c.Closest {
			closest = append(closest, strings.TrimSpace(d.Title+" "+d.URL))
		}
		rows = append(rows, []string{
			c.Label, strconv.Itoa(len(c.Questions)), strconv.Itoa(c.Askers), c.Trend(), c.Questions[0].At.Format(time.RFC3339),
			strings.Join(closest, "; "), strings.Join(c.Owners, "; "), strings.Join(examples(c), "; "),
		})
	}
	for _, row := range rows {
		for i := range row {
			row[i] = review.Cell(plain(row[i]))
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

func examples(c gaps.Cluster) []string {
	var all []string
	for _, q := range c.Questions[:min(len(c.Questions), maxExamples)] {
		all = append(all, q.Text)
	}
	return all
}

func printGaps(env *environment, r gaps.Report) error {
	var b strings.Builder
	for _, c := range r.Clusters {
		fmt.Fprintf(&b, "%s\n  %s of %s, %s\n", plain(c.Label), plural.Count(len(c.Questions), "question"), plural.Count(c.Askers, "person"), c.Trend())
		for _, q := range c.Questions[:min(len(c.Questions), maxExamples)] {
			fmt.Fprintf(&b, "  - %s (%s, turn %s)\n", shortQuestion(plain(q.Text)), outcomeOf(q), q.Turn)
		}
		for _, d := range c.Closest {
			fmt.Fprintf(&b, "  closest: %s\n", plain(strings.TrimSpace(d.Title+" "+d.URL)))
		}
		if len(c.Owners) > 0 {
			fmt.Fprintf(&b, "  owners: %s\n", plain(strings.Join(c.Owners, ", ")))
		}
		b.WriteByte('\n')
	}
	if _, err := fmt.Fprint(env.out, b.String()); err != nil {
		return err
	}
	note := fmt.Sprintf("%s with an answer that was missing or wanting, in %s; %d like no other.",
		plural.Count(r.Questions, "question"), plural.Count(len(r.Clusters), "gap"), r.Single)
	note += " Questions that were asked in private are not counted."
	if r.Cut {
		note += " The oldest are left out."
	}
	_, err := fmt.Fprintln(env.errs, note)
	return err
}
