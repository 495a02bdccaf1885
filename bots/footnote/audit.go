package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

type auditCommand struct {
	Since  string `name:"since" placeholder:"WHEN" help:"Only since this day (2026-01-31), moment (RFC 3339), or so long ago (7d, 36h)."`
	Until  string `name:"until" placeholder:"WHEN" help:"Only before this; written like --since."`
	Who    string `name:"who" placeholder:"ID" help:"Only what this person did: the id that the platform gives them, an account of this machine, or an alias from the trail."`
	Tenant string `name:"tenant" placeholder:"TENANT" help:"Whose trail (default: that of the default tenant)."`
	JSON   bool   `name:"json" help:"Print one JSON object a line, with names that stay."`
}

// auditJSON is the output of audit --json. Its field names are stable. It contains no text of
// questions, answers or messages.
type auditJSON struct {
	Sequence int64           `json:"sequence"`
	At       time.Time       `json:"at"`
	Tenant   access.TenantID `json:"tenant"`
	Deed     session.Deed    `json:"deed"`
	// Who is null for the program, an unknown person, or a forgotten person.
	Who *string `json:"who"`
	// Alias is a pseudonym that remains after the person was forgotten. null: no person
	Alias *string `json:"alias"`
	WhoOn string  `json:"who_on,omitempty"`
	// For, ForAlias and ForOn name the person whom the action was about, as Who, Alias and WhoOn do.
	For       string             `json:"for,omitempty"`
	ForAlias  string             `json:"for_alias,omitempty"`
	ForOn     string             `json:"for_on,omitempty"`
	Platform  string             `json:"platform"`
	Workspace string             `json:"workspace"`
	Channel   string             `json:"channel"`
	Thread    string             `json:"thread"`
	Direct    bool               `json:"direct"`
	Private   bool               `json:"private"`
	Turn      session.TurnID     `json:"turn,omitempty"`
	Outcome   session.Outcome    `json:"outcome,omitempty"`
	TookMS    *int64             `json:"took_ms,omitempty"`
	Models    []session.ModelUse `json:"models,omitempty"`
	Documents []session.Shown    `json:"documents,omitempty"`
	Details   map[string]string  `json:"details,omitempty"`
}

// Run executes "footnote audit".
func (c *auditCommand) Run(ctx context.Context, env *environment) error {
	query, err := c.query(time.Now())
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		if query.Tenant = base.Tenant; c.Tenant != "" {
			query.Tenant = access.TenantID(c.Tenant)
			if err := knownTenant(ctx, base, query.Tenant); err != nil {
				return err
			}
		}
		print, flush := auditTable(env.out)
		if c.JSON {
			print, flush = auditLines(env.stdout, query.Tenant)
		}
		n := 0
		for entry, err := range audit.NewReader(base.DB).Trail(ctx, query) {
			if err != nil {
				return err
			}
			n++
			if err := print(entry); err != nil {
				return err
			}
		}
		if n == 0 && !c.JSON {
			_, err := fmt.Fprintln(env.errs, "There are no such entries.")
			return err
		}
		return flush()
	})
}

func (c *auditCommand) query(now time.Time) (session.AuditQuery, error) {
	var faults []string
	q := session.AuditQuery{Who: strings.TrimSpace(c.Who)}
	for _, at := range []struct {
		flag, text string
		to         *time.Time
	}{{"--since", c.Since, &q.Since}, {"--until", c.Until, &q.Until}} {
		var err error
		if *at.to, err = parseMoment(at.flag, at.text, now); err != nil {
			faults = append(faults, err.Error())
		}
	}
	if len(faults) == 0 && !q.Until.IsZero() && !q.Since.Before(q.Until) {
		faults = append(faults, "--since is not before --until, so that nothing lies between them")
	}
	if len(faults) > 0 {
		return q, usageError(strings.Join(faults, "\n"))
	}
	return q, nil
}

func knownTenant(ctx context.Context, base *wire.Base, tenant access.TenantID) error {
	known, err := base.Sessions().Tenants(ctx)
	if err != nil || slices.Contains(known, tenant) {
		return err
	}
	names := make([]string, len(known))
	for i, t := range known {
		names[i] = string(t)
	}
	return usageError(fmt.Sprintf("there is no tenant %q; there are: %s", tenant, strings.Join(names, ", ")))
}

func auditLines(out io.Writer, tenant access.TenantID) (print func(session.Entry) error, flush func() error) {
	encoder := newEncoder(out)
	return func(e session.Entry) error { return encoder.Encode(auditOf(e, tenant)) }, func() error { return nil }
}

func auditOf(e session.Entry, tenant access.TenantID) auditJSON {
	row := auditJSON{
		Sequence: e.Sequence, At: e.At, Tenant: tenant, Deed: e.Deed, WhoOn: string(e.Who.Platform),
		For: e.For.ID, ForAlias: e.ForAlias, ForOn: string(e.For.Platform),
		Platform: string(e.Ref.Platform), Workspace: e.Ref.Workspace, Channel: e.Ref.Channel, Thread: e.Ref.Thread,
		Direct: e.Direct, Private: e.Private, Turn: e.Turn, Outcome: e.Outcome, Details: e.Details,
	}
	if e.Who.ID != "" {
		row.Who = &e.Who.ID
	}
	if e.Alias != "" {
		row.Alias = &e.Alias
	}
	if e.Deed == session.TurnEnded {
		ms := e.Took.Milliseconds()
		row.TookMS, row.Models, row.Documents = &ms, e.Models, e.Documents
	}
	if e.Deed == session.ToolCalled {
		row.Documents = e.Documents
	}
	return row
}

// auditTable writes rows in batches, so that a long trail is not held in memory.
func auditTable(out io.Writer) (print func(session.Entry) error, flush func() error) {
	const portion = 200
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	n := 0
	print = func(e session.Entry) error {
		if n%portion == 0 {
			if err := table.Flush(); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(table, "WHEN\tWHO\tDEED\tWHERE\tWHAT"); err != nil {
				return err
			}
		}
		n++
		_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", e.At.Local().Format("2006-01-02 15:04:05"), plain(auditPerson(e.Who, e.Alias)), e.Deed, plain(auditPlace(e)), plain(auditWhat(e)))
		return err
	}
	return print, table.Flush
}

func auditPerson(who session.Actor, alias string) string {
	switch {
	case who.ID != "":
		return who.ID
	case alias != "":
		return "forgotten " + alias[:min(8, len(alias))]
	default:
		return "-"
	}
}

func auditPlace(e session.Entry) string {
	if e.Ref.Platform == "" {
		return "-"
	}
	parts := []string{string(e.Ref.Platform)}
	for _, part := range []string{e.Ref.Workspace, e.Ref.Channel, e.Ref.Thread} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	place := strings.Join(parts, "/")
	switch {
	case e.Direct:
		return place + " (direct)"
	case e.Private:
		return place + " (private)"
	default:
		return place
	}
}

func auditWhat(e session.Entry) string {
	var parts []string
	if e.Deed == session.TurnEnded {
		parts = append(parts, string(e.Outcome), "in "+e.Took.Round(time.Millisecond).String())
		for _, m := range e.Models {
			parts = append(parts, fmt.Sprintf("%s (%d+%d tokens)", m.Model, m.Input, m.Output))
		}
	}
	if e.ForAlias != "" {
		parts = append(parts, "for "+auditPerson(e.For, e.ForAlias))
	}
	var documents []string
	for _, d := range e.Documents {
		documents = append(documents, string(d.As)+" "+cmp.Or(d.URL, string(d.Document)))
	}
	if len(documents) > 0 {
		parts = append(parts, strings.Join(documents, ", "))
	}
	for _, key := range slices.Sorted(maps.Keys(e.Details)) {
		parts = append(parts, key+"="+e.Details[key])
	}
	if e.Turn != "" {
		parts = append(parts, "turn "+string(e.Turn))
	}
	return strings.Join(parts, "; ")
}
