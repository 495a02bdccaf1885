package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

type reportCommand struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// reportJSON is an item in the output of report --json. Its field names are stable.
type reportJSON struct {
	Platform string     `json:"platform"`
	Channel  string     `json:"channel"`
	Next     time.Time  `json:"next"`
	Last     *time.Time `json:"last,omitempty"`
	State    string     `json:"state,omitempty"`
	Note     string     `json:"note,omitempty"`
	Off      bool       `json:"off"`
	Empty    bool       `json:"empty"`
	Text     string     `json:"text"`
	Error    string     `json:"error,omitempty"`
}

// Run executes "footnote report", which shows the weekly reports and posts nothing.
func (c *reportCommand) Run(ctx context.Context, env *environment) error {
	if len(env.config.File.Reports) == 0 {
		return errors.New("no channel gets a report: name channels under reports: in footnote.yaml")
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		set, err := platforms.New(base, nil)
		if err != nil {
			return err
		}
		if err := set.Connect(ctx); err != nil {
			return err
		}
		all, err := base.PreviewReports(ctx, set)
		if err != nil {
			return err
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(describeReports(all))
		}
		var b strings.Builder
		for _, r := range all {
			printReport(&b, r)
		}
		if _, err := fmt.Fprint(env.out, b.String()); err != nil {
			return err
		}
		_, err = fmt.Fprintln(env.errs, "Nothing was posted. footnote serve posts these reports when they are due.")
		return err
	})
}

func describeReports(all []wire.PreviewedReport) []reportJSON {
	out := make([]reportJSON, len(all))
	for i, r := range all {
		out[i] = reportJSON{
			Platform: string(r.Platform), Channel: r.Channel, Next: r.Next, State: string(r.Progress.State), Note: r.Progress.Note,
			Off: r.Err == nil && !r.Wanted, Empty: r.Empty, Text: r.Text,
		}
		if due := r.Progress.Due; !due.IsZero() {
			out[i].Last = &due
		}
		if r.Err != nil {
			out[i].Error = r.Err.Error()
		}
	}
	return out
}

func printReport(b *strings.Builder, r wire.PreviewedReport) {
	fmt.Fprintf(b, "%s, channel %s: next on %s\n", r.Platform, r.Channel, r.Next.Format("Monday, 2 January 2006, 15:04 MST"))
	if p := r.Progress; !p.Due.IsZero() {
		fmt.Fprintf(b, "Last due on %s: %s", p.Due.In(r.When().Zone).Format("2 January 2006, 15:04 MST"), p.State)
		if p.Note != "" {
			fmt.Fprintf(b, " (%s)", plain(p.Note))
		}
		b.WriteString("\n")
	}
	switch {
	case r.Err != nil:
		fmt.Fprintf(b, "It could not be posted now: %s\n", plain(r.Err.Error()))
	case !r.Wanted:
		b.WriteString("It is switched off in the channel. To undo it, an administrator writes /footnote report on there.\n")
	case r.Empty:
		b.WriteString("Nothing would be posted now: nothing was asked that everyone in the channel may see.\n")
	default:
		for l := range strings.SplitSeq(r.Text, "\n") {
			b.WriteString(strings.TrimRight("  | "+plain(l), " ") + "\n")
		}
	}
	b.WriteString("\n")
}
