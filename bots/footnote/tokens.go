package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/session"
)

type tokensCommand struct {
	List   tokensList   `cmd:"" default:"withargs" help:"List the tokens, without their secrets."`
	Create tokensCreate `cmd:"" help:"Make a token for a person, and print it once."`
	Revoke tokensRevoke `cmd:"" help:"End tokens at once."`
}

type tokensCreate struct {
	Name    string `arg:"" help:"What the token is for, such as \"Ada's laptop\"."`
	For     string `name:"for" required:"" placeholder:"ACCOUNT" help:"Whose token it is: slack:ID, slack:ADDRESS or discord:ID. It reads what this person may read."`
	Expires string `name:"expires" placeholder:"DAYS" default:"90d" help:"After how many days it expires, 366d at most (default: 90d)."`
}

// Run executes "footnote tokens create".
func (c *tokensCreate) Run(ctx context.Context, env *environment) error {
	name := strings.TrimSpace(c.Name)
	if name == "" || utf8.RuneCountInString(name) > maxTokenName {
		return usageError(fmt.Sprintf("NAME: write up to %d characters that say what the token is for", maxTokenName))
	}
	lifetime, err := days(c.Expires)
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		known, err := pgaccess.New(base.DB).Known(ctx, base.Tenant)
		if err != nil {
			return err
		}
		person, err := findAccount(known.Accounts, c.For)
		if err != nil {
			return usageError(err.Error())
		}
		secret, id := mcp.NewSecret()
		expires, err := admin.NewTokens(base.DB).Create(ctx, base.Tenant, mcp.Token{ID: id, Name: name, Person: person}, mcp.HashOf(secret), lifetime, onHost())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.out, "%s\n\nThis is token %s for %s. It is shown only now, and expires on %s.\n", secret, id, c.For, expires.Format("2006-01-02"))
		if err == nil && base.Config.MCPURL == "" {
			_, err = fmt.Fprintln(env.out, "Set MCP_URL for footnote serve, so that assistants can use it: deploy/docs/mcp.md.")
		}
		return err
	})
}

func onHost() session.Actor { return session.Actor{Platform: session.Host, ID: operator()} }

// maxTokenName is in characters.
const maxTokenName = 100

func days(text string) (time.Duration, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	most := int(mcp.MaxLifetime / (24 * time.Hour))
	if err != nil || n < 1 || n > most {
		return 0, usageError(fmt.Sprintf("--expires: write a number of days from 1d to %dd", most))
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

type tokensList struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// tokenJSON is an item in the output of tokens --json. Its field names are stable.
type tokenJSON struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	For     string     `json:"for"`
	State   string     `json:"state"` // valid, expired or revoked
	Created time.Time  `json:"created_at"`
	Expires time.Time  `json:"expires_at"`
	Used    *time.Time `json:"used_at,omitempty"`
}

func tokenOf(t mcp.Token, now time.Time) tokenJSON {
	row := tokenJSON{ID: t.ID, Name: t.Name, For: t.Person.Platform + ":" + t.Person.ID, State: "valid", Created: t.Created, Expires: t.Expires}
	switch {
	case !t.Revoked.IsZero():
		row.State = "revoked"
	case t.Invalid(now) != nil:
		row.State = "expired"
	}
	if !t.Used.IsZero() {
		row.Used = &t.Used
	}
	return row
}

// Run executes "footnote tokens list".
func (c *tokensList) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		tokens, err := admin.NewTokens(base.DB).List(ctx, base.Tenant)
		if err != nil {
			return err
		}
		rows := make([]tokenJSON, len(tokens))
		for i, t := range tokens {
			rows[i] = tokenOf(t, time.Now())
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(rows)
		}
		if len(rows) == 0 {
			_, err := fmt.Fprintln(env.out, "There are no tokens. To make one, run: footnote tokens create NAME --for slack:ADDRESS")
			return err
		}
		table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tFOR\tSTATE\tEXPIRES\tLAST USED")
		for _, r := range rows {
			used := "never"
			if r.Used != nil {
				used = r.Used.Format("2006-01-02 15:04")
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, plain(r.Name), plain(r.For), r.State, r.Expires.Format("2006-01-02"), used)
		}
		return table.Flush()
	})
}

type tokensRevoke struct {
	IDs []string `arg:"" name:"id" help:"Ids as footnote tokens lists them."`
}

// Run executes "footnote tokens revoke".
func (c *tokensRevoke) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		ended, err := admin.NewTokens(base.DB).Revoke(ctx, base.Tenant, c.IDs, onHost())
		if err != nil {
			return err
		}
		missing := false
		for _, id := range c.IDs {
			said := "revoked; it opens nothing from now on"
			if !slices.Contains(ended, id) {
				said, missing = "there is no such token, or it was revoked before", true
			}
			if _, err := fmt.Fprintf(env.out, "%s: %s\n", plain(id), said); err != nil {
				return err
			}
		}
		if missing {
			return errSilent
		}
		return nil
	})
}
