package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
)

type peopleCommand struct {
	List   peopleList   `cmd:"" default:"withargs" help:"List the people of sources, with whose accounts they are, and by what that is known."`
	Import peopleImport `cmd:"" help:"Say who is who by a CSV file with the columns source, person and account. It leads over what addresses say."`
	Relink peopleRelink `cmd:"" help:"Undo /footnote forget-me for a person who asks for it."`
}

type peopleList struct {
	Source string `name:"source" placeholder:"NAME" help:"Only this source."`
	State  string `name:"state" placeholder:"STATE" enum:",matched,unmatched,conflicting" default:"" help:"Only those that are matched, unmatched or conflicting."`
	JSON   bool   `name:"json" help:"Print a JSON array."`
}

// personJSON is an item in the output of people --json. Its field names are stable.
type personJSON struct {
	Source   document.SourceID `json:"source"`
	Person   string            `json:"person"`
	Name     string            `json:"name,omitempty"`
	State    sources.Match     `json:"state"`
	Accounts []string          `json:"accounts"`
	Evidence string            `json:"evidence"`
	Since    *time.Time        `json:"since,omitempty"`
}

// Run executes "footnote people list".
func (c *peopleList) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		var only document.SourceID
		if c.Source != "" {
			known, err := base.StoredSources(ctx)
			if err != nil {
				return err
			}
			source, err := findSource(base, known, c.Source)
			if err != nil {
				return err
			}
			only = source.ID
		}
		found, err := pgaccess.New(base.DB).Matches(ctx, base.Tenant, base.File().Rules().Domains)
		if err != nil {
			return err
		}
		var shown []pgaccess.Match
		for _, m := range found {
			if (only == "" || m.Source == only) && (c.State == "" || string(m.State) == c.State) {
				shown = append(shown, m)
			}
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(peopleJSON(shown))
		}
		return printPeople(env, found, shown)
	})
}

func peopleJSON(shown []pgaccess.Match) []personJSON {
	out := make([]personJSON, len(shown))
	for i, m := range shown {
		out[i] = personJSON{Source: m.Source, Person: m.Person, Name: m.Name, State: m.State, Accounts: accountNames(m.Accounts), Evidence: m.Why}
		if !m.At.IsZero() {
			at := m.At.UTC()
			out[i].Since = &at
		}
	}
	return out
}

// accountNames returns names such as "slack:U0123", as people import reads them.
func accountNames(accounts []access.Account) []string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.Platform + ":" + a.ID
	}
	return names
}

func printPeople(env *environment, all, shown []pgaccess.Match) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(env.out, "No source has listed its people. Only sources that have their own readers do, once their groups were read.")
		return err
	}
	table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "SOURCE\tPERSON\tNAME\tSTATE\tACCOUNT\tEVIDENCE\tSINCE")
	for _, m := range shown {
		since := ""
		if !m.At.IsZero() {
			since = m.At.UTC().Format("2006-01-02")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Source, plain(m.Person), plain(m.Name), m.State, strings.Join(accountNames(m.Accounts), ", "), plain(m.Why), since)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return printTotals(env, all)
}

func printTotals(env *environment, all []pgaccess.Match) error {
	count := make(map[document.SourceID]sources.People)
	var order []document.SourceID
	for _, m := range all {
		if count[m.Source] == nil {
			count[m.Source] = make(sources.People)
			order = append(order, m.Source)
		}
		count[m.Source][m.State]++
	}
	for _, s := range order {
		if _, err := fmt.Fprintf(env.out, "%s: %d matched, %d unmatched, %d conflicting\n", s, count[s][sources.Matched], count[s][sources.Unmatched],
			count[s][sources.Conflicting]); err != nil {
			return err
		}
	}
	return nil
}

type peopleRelink struct {
	Account string `arg:"" name:"account" help:"The account, such as slack:U0123ABCD or discord:41771983423143936."`
}

// Run executes "footnote people relink".
func (c *peopleRelink) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		store := pgaccess.New(base.DB)
		known, err := store.Known(ctx, base.Tenant)
		if err != nil {
			return err
		}
		account, err := findAccount(known.Accounts, c.Account)
		if err != nil {
			return usageError(err.Error())
		}
		was, err := store.Relink(ctx, base.Tenant, account)
		if err != nil {
			return err
		}
		said := "%s was not forgotten.\n"
		if was {
			said = "%s may be found in sources again, from now on.\n"
		}
		_, err = fmt.Fprintf(env.out, said, c.Account)
		return err
	})
}
