package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/sources"
)

type sourcesCheck struct {
	Sources []string `arg:"" optional:"" name:"source" help:"Names in footnote.yaml, or ids as footnote sources lists them. None: all."`
	JSON    bool     `name:"json" help:"Print one JSON array."`
}

// sourceCheckJSON is an item in the output of sources check --json. Its field names are stable.
type sourceCheckJSON struct {
	ID          document.SourceID `json:"id,omitempty"`
	Name        string            `json:"name"`
	Kind        string            `json:"kind"`
	OK          bool              `json:"ok"`
	Faults      []string          `json:"faults"`
	Notes       []string          `json:"notes"` // single documents that cannot be read
	Sees        []string          `json:"sees"`
	PausedAt    *time.Time        `json:"paused_at,omitempty"`
	Documents   int64             `json:"documents"`
	LastSuccess *time.Time        `json:"last_success,omitempty"`
	AgeSeconds  *int64            `json:"age_seconds,omitempty"`
	FailedRuns  int               `json:"failed_runs,omitempty"`
	// Nodes, Groups and People are set for sources with their own permissions.
	Nodes  *loopJSON        `json:"nodes,omitempty"`
	Groups *loopJSON        `json:"groups,omitempty"` // see Nodes
	People *peopleCountJSON `json:"people,omitempty"` // see Nodes
	// DeletionSeconds is the maximum delay of a deletion.
	DeletionSeconds int64 `json:"deletion_seconds,omitempty"`
	// RevocationSeconds is the maximum delay of a revocation. Omitted: the source has no
	// permissions.
	RevocationSeconds int64 `json:"revocation_seconds,omitempty"`
}

// peopleCountJSON counts how many people of a source are matched to chat accounts. Its field names
// are stable.
type peopleCountJSON struct {
	Matched     int `json:"matched"`
	Unmatched   int `json:"unmatched"`
	Conflicting int `json:"conflicting"`
}

func countOf(p sources.People) *peopleCountJSON {
	if p == nil {
		return nil
	}
	return &peopleCountJSON{p[sources.Matched], p[sources.Unmatched], p[sources.Conflicting]}
}

// loopJSON is the progress of a background loop that reads permissions of a source. Its field names
// are stable.
type loopJSON struct {
	// ReadAt is the start of the last complete read.
	ReadAt *time.Time `json:"read_at,omitempty"`
	// CountsTill is when the last read expires if none follows. Omitted: nothing of the source is
	// shown.
	CountsTill *time.Time `json:"counts_till,omitempty"`
	FailedRuns int        `json:"failed_runs,omitempty"` // in a row
	Error      string     `json:"error,omitempty"`
	Revoked    bool       `json:"revoked,omitempty"` // the source does not accept the credential
}

func loopOf(s *sources.Loop) *loopJSON {
	if s == nil {
		return nil
	}
	l := &loopJSON{FailedRuns: s.Failing, Error: s.Error, Revoked: s.Revoked}
	if !s.SucceededAt.IsZero() {
		l.ReadAt = &s.SucceededAt
	}
	if !s.Until.IsZero() {
		l.CountsTill = &s.Until
	}
	return l
}

// Run executes "footnote sources check".
func (c *sourcesCheck) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		all, err := base.CheckSources(ctx)
		if err != nil {
			return err
		}
		chosen, err := c.choose(all)
		if err != nil {
			return err
		}
		for i := range chosen {
			if fault := chosen[i].Access.People.Fault(); fault != "" {
				chosen[i].Faults = append(slices.Clip(chosen[i].Faults), fault)
			}
		}
		faulty := slices.ContainsFunc(chosen, func(s wire.SourceCheck) bool { return len(s.Faults) > 0 })
		if c.JSON {
			out := []sourceCheckJSON{}
			for _, s := range chosen {
				out = append(out, checkJSON(s))
			}
			if err := newEncoder(env.stdout).Encode(out); err != nil {
				return err
			}
		} else if err := c.print(env, chosen); err != nil {
			return err
		}
		if faulty {
			return errSilent
		}
		return nil
	})
}

func (c *sourcesCheck) choose(all []wire.SourceCheck) ([]wire.SourceCheck, error) {
	if len(c.Sources) == 0 {
		return all, nil
	}
	var chosen []wire.SourceCheck
	for _, name := range c.Sources {
		i := slices.IndexFunc(all, func(s wire.SourceCheck) bool { return s.Name == name || string(s.ID) == name })
		if i < 0 {
			var names []string
			for _, s := range all {
				names = append(names, s.Name)
			}
			return nil, usageError(fmt.Sprintf("there is no source %s; there are: %s", name, strings.Join(names, ", ")))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func (c *sourcesCheck) print(env *environment, chosen []wire.SourceCheck) error {
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(env.out, "There are no sources: footnote sources add makes one.")
		return err
	}
	for _, s := range chosen {
		var b strings.Builder
		fmt.Fprintf(&b, "%s (%s)\n", plain(s.Name), s.Kind.Title)
		for _, sees := range s.Seen.Sees {
			fmt.Fprintf(&b, "  ✓ can be read: %s\n", plain(sees))
		}
		for _, note := range s.Seen.Notes {
			fmt.Fprintf(&b, "  ! %s\n", plain(note))
		}
		for _, fault := range s.Faults {
			fmt.Fprintf(&b, "  ✗ %s\n", plain(fault))
		}
		fmt.Fprintf(&b, "  %s\n", strings.Join(currency(s), "; "))
		if p := s.Access.People; p != nil {
			fmt.Fprintf(&b, "  of its people %d are matched, %d unmatched, %d conflicting (footnote people lists them)\n",
				p[sources.Matched], p[sources.Unmatched], p[sources.Conflicting])
		}
		if s.Late > 0 {
			fmt.Fprintf(&b, "  who may not read any more is kept out after %s at most, as long as a look at all of it takes, and one call of the model that is under way\n", sources.Interval(s.Late))
			if s.Unasked {
				b.WriteString("  private answers rely on that too: the account may not ask the source about single people\n")
			}
			if s.Deleted > 0 {
				fmt.Fprintf(&b, "  what is deleted is shown for %s at most%s\n", sources.Interval(s.Deleted), hooked(s))
			}
		} else {
			fmt.Fprintf(&b, "  %s\n", s.Kind.Bound)
		}
		if _, err := fmt.Fprint(env.out, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// hooked says that webhooks report deletions. It returns "" if they do not.
func hooked(s wire.SourceCheck) string {
	if s.Kind.Looks[index.ChangeDeletion].Hook {
		return "; webhooks tell of it within seconds"
	}
	return ""
}

// currency says how up to date a source is.
func currency(s wire.SourceCheck) []string {
	if s.State.StartedAt.IsZero() && s.State.Documents == 0 {
		return []string{"never read: footnote index reads it"}
	}
	says := []string{fmt.Sprintf("%s, read %s", plural.Count(s.State.Documents, "document"), ago(s.State.LastSuccess))}
	if s.State.LastSuccess.IsZero() {
		says[0] = fmt.Sprintf("%s, not read to the end yet", plural.Count(s.State.Documents, "document"))
	}
	if s.Every > 0 {
		says[0] += ", every " + sources.Interval(s.Every)
	}
	for _, l := range []struct {
		name string
		of   *sources.Loop
	}{{s.Kind.Unit, s.Access.Nodes}, {"groups", s.Access.Groups}} {
		if l.of != nil && !l.of.SucceededAt.IsZero() {
			says = append(says, fmt.Sprintf("%s read %s", l.name, ago(l.of.SucceededAt)))
		}
	}
	if !s.State.PausedAt.IsZero() {
		says = append(says, "paused "+ago(s.State.PausedAt)+" (footnote sources resume)")
	}
	return says
}

func checkJSON(s wire.SourceCheck) sourceCheckJSON {
	out := sourceCheckJSON{
		ID: s.ID, Name: s.Name, Kind: s.Kind.Name, OK: len(s.Faults) == 0, Faults: list(s.Faults), Notes: list(s.Seen.Notes), Sees: list(s.Seen.Sees),
		Nodes: loopOf(s.Access.Nodes), Groups: loopOf(s.Access.Groups), People: countOf(s.Access.People),
		Documents: s.State.Documents, FailedRuns: s.State.Failing, RevocationSeconds: int64(s.Late.Seconds()), DeletionSeconds: int64(s.Deleted.Seconds()),
	}
	if !s.State.PausedAt.IsZero() {
		out.PausedAt = &s.State.PausedAt
	}
	if !s.State.LastSuccess.IsZero() {
		age := int64(time.Since(s.State.LastSuccess).Seconds())
		out.LastSuccess, out.AgeSeconds = &s.State.LastSuccess, &age
	}
	return out
}

// list returns an empty slice for nil, so that JSON shows [] instead of null.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

func finding(s wire.SourceCheck) platforms.Finding {
	f := platforms.Finding{Part: "source " + s.Name, OK: len(s.Faults) == 0}
	says := slices.Concat(s.Seen.Sees, currency(s))
	if s.Late > 0 {
		says = append(says, "revocations after "+sources.Interval(s.Late)+" at most")
	}
	f.Text = strings.Join(says, "; ")
	if !f.OK {
		f.Text = strings.Join(s.Faults, "; ")
	}
	return f
}
