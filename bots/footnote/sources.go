package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/sources"
)

type sourcesCommand struct {
	List    sourcesList    `cmd:"" default:"withargs" help:"List the sources with their freshness and failures."`
	Add     sourcesAdd     `cmd:"" help:"Write a source into footnote.yaml, asking for what is missing, and try it."`
	Check   sourcesCheck   `cmd:"" help:"Try sources, and tell how current they are, what cannot be read, and how late a revocation shows. Ends with 1 where something is at fault."`
	Approve sourcesApprove `cmd:"" help:"Have sources count that an earlier version or another machine wrote to the database. None: list them."`
	Run     sourcesRun     `cmd:"" help:"Have footnote serve read sources now, before they are due."`
	Pause   sourcesPause   `cmd:"" help:"Stop reading sources until footnote sources resume. Meanwhile a source that has its own readers is hidden; other sources show what was read before."`
	Resume  sourcesResume  `cmd:"" help:"Read paused sources again."`
	Resync  sourcesResync  `cmd:"" help:"Read sources from the beginning with the next run, and who may read them; what has not changed is not stored again."`
	Embed   sourcesEmbed   `cmd:"" help:"Make the vectors of the sentence model now. Without it, serve and chat make them next to answering."`
	Reindex sourcesReindex `cmd:"" help:"Read sources and store all their documents again, changed or not."`
	Remove  sourcesRemove  `cmd:"" aliases:"rm" help:"Take a source and all its documents out of the index."`
}

type sourcesList struct {
	JSON     bool `name:"json" help:"Print one JSON array."`
	Failures bool `name:"failures" help:"Name every document that failed or was left out, with the reason."`
}

// sourceJSON is an item in the output of sources --json. Its field names are stable.
type sourceJSON struct {
	ID          document.SourceID `json:"id"`
	Kind        document.Kind     `json:"kind"`
	Name        string            `json:"name"`
	Documents   int64             `json:"documents"`
	Chunks      int64             `json:"chunks"`
	LastSuccess *time.Time        `json:"last_success,omitempty"`
	AgeSeconds  *int64            `json:"age_seconds,omitempty"` // since the last success
	LastRun     *time.Time        `json:"last_run,omitempty"`    // start of the newest run
	// Running reports that the last run has not ended: it is running, or was killed.
	Running bool   `json:"running,omitempty"`
	Every   string `json:"every,omitempty"` // how often serve reads it
	// NextRun is omitted without Every and while the source is paused.
	NextRun    *time.Time `json:"next_run,omitempty"`
	PausedAt   *time.Time `json:"paused_at,omitempty"`   // start of the pause
	FailedRuns int        `json:"failed_runs,omitempty"` // failed runs in a row
	Failed     int        `json:"failed"`
	Skipped    int        `json:"skipped"`
	Error      string     `json:"error,omitempty"`
	// Refused is why the source is not approved. An unapproved source is not read.
	Refused string `json:"refused,omitempty"`
	// Nodes, Groups and People are set for a source with its own permissions, as in sources check.
	Nodes    *loopJSON        `json:"nodes,omitempty"`
	Groups   *loopJSON        `json:"groups,omitempty"`   // see Nodes
	People   *peopleCountJSON `json:"people,omitempty"`   // see Nodes
	Progress *progressJSON    `json:"progress,omitempty"` // progress of a running run
}

// Run executes "footnote sources list".
func (c *sourcesList) Run(ctx context.Context, env *environment) (err error) {
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	indexed, err := base.Index.Sources(ctx, base.Tenant)
	if err != nil {
		return err
	}
	stored, err := base.StoredSources(ctx)
	if err != nil {
		return err
	}
	schedules := make(map[document.SourceID]wire.StoredSource, len(stored))
	for _, s := range stored {
		schedules[s.ID] = s
	}
	access, err := base.Access(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.printJSON(env, indexed, schedules, access)
	}
	if len(indexed) == 0 {
		_, err := fmt.Fprintln(env.out, "Nothing is indexed. Index a folder with: footnote index PATH")
		return err
	}
	table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "SOURCE\tDOCUMENTS\tCHUNKS\tFAILED\tLEFT OUT\tLAST SUCCESS\tNEXT RUN\tPEOPLE\tNAME")
	for _, s := range indexed {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", s.Source.ID, s.Documents, s.Chunks, s.Counts.Failed, s.Counts.Skipped, ago(s.LastSuccess),
			schedules[s.Source.ID].Schedule().NextRun(time.Now()), access[s.Source.ID].People.Known(), plain(s.Source.Name))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if state, used, err := base.FillState(ctx); err != nil {
		return err
	} else if used && state.Missing > 0 {
		if _, err := fmt.Fprintln(env.out, "Sentence vectors: "+fillLine(state, used)+"."); err != nil {
			return err
		}
	}
	return c.printNotices(env, indexed, schedules, access)
}

func (c *sourcesList) printNotices(
	env *environment, indexed []pgindex.SourceState, schedules map[document.SourceID]wire.StoredSource, access map[document.SourceID]sources.Access,
) error {
	for _, s := range indexed {
		if refused := schedules[s.Source.ID].Refused; refused != "" {
			if _, err := fmt.Fprintf(env.out, "%s: %s\n", s.Source.ID, plain(refused)); err != nil {
				return err
			}
			continue
		}
		for _, fault := range access[s.Source.ID].Faults(time.Now()) {
			if !s.PausedAt.IsZero() {
				break // the pause is already shown
			}
			if _, err := fmt.Fprintf(env.out, "%s: %s\n", s.Source.ID, plain(fault)); err != nil {
				return err
			}
		}
		if state := s.State(); state.Running() && !state.Paused() {
			if _, err := fmt.Fprintf(env.out, "%s: %s\n", s.Source.ID, plain(progressOf(s.Run).String())); err != nil {
				return err
			}
		}
		if failure := s.State().Failure(); failure != "" {
			if _, err := fmt.Fprintf(env.out, "%s: %s\n", s.Source.ID, plain(failure)); err != nil {
				return err
			}
		}
		if !c.Failures {
			for _, remark := range remarks(s.Skipped) {
				if _, err := fmt.Fprintf(env.stdout, "%s: %s\n", s.Source.ID, remark); err != nil {
					return err
				}
			}
			continue
		}
		for _, n := range append(s.Failures, s.Skipped...) {
			if _, err := fmt.Fprintf(env.out, "%s: %s: %s\n", s.Source.ID, plain(n.Name), plain(n.Sentence)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *sourcesList) printJSON(
	env *environment, indexed []pgindex.SourceState, schedules map[document.SourceID]wire.StoredSource, access map[document.SourceID]sources.Access,
) error {
	out := []sourceJSON{}
	for _, s := range indexed {
		row := sourceJSON{
			ID: s.Source.ID, Kind: s.Source.Kind, Name: s.Source.Name, Documents: s.Documents, Chunks: s.Chunks,
			Failed: s.Counts.Failed, Skipped: s.Counts.Skipped, Error: s.Error,
			Running: s.State().Running(), FailedRuns: s.Failing,
		}
		row.Nodes, row.Groups = loopOf(access[s.Source.ID].Nodes), loopOf(access[s.Source.ID].Groups)
		row.People = countOf(access[s.Source.ID].People)
		if row.Running {
			row.Progress = progressOf(s.Run)
		}
		if !s.LastSuccess.IsZero() {
			age := int64(time.Since(s.LastSuccess).Seconds())
			row.LastSuccess, row.AgeSeconds = &s.LastSuccess, &age
		}
		if !s.StartedAt.IsZero() {
			row.LastRun = &s.StartedAt
		}
		if !s.PausedAt.IsZero() {
			row.PausedAt = &s.PausedAt
		}
		row.Refused = schedules[s.Source.ID].Refused
		if schedule := schedules[s.Source.ID]; schedule.Every > 0 {
			row.Every = sources.Interval(schedule.Every)
			if next, planned := schedule.Schedule().Upcoming(time.Now()); planned {
				row.NextRun = &next
			}
		}
		out = append(out, row)
	}
	return newEncoder(env.stdout).Encode(out)
}

func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	switch d := time.Since(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return plural.Count(int(d.Hours()/24), "day") + " ago"
	}
}
