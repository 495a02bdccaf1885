package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/spend"
)

type usageCommand struct {
	Since string `name:"since" placeholder:"TIME" help:"From this day on (2026-01-31), or so long ago (7d). Default: the beginning of this month, UTC."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
}

// usageJSON is the output of usage --json. Its field names are stable. Each row has its own
// currency.
type usageJSON struct {
	Since string     `json:"since"`
	Rows  []usedJSON `json:"rows"`
	Caps  []capJSON  `json:"caps"`
}

type usedJSON struct {
	Day       string          `json:"day"`
	Tenant    access.TenantID `json:"tenant"`
	Model     string          `json:"model"`
	Purpose   spend.Purpose   `json:"purpose"`
	Calls     int64           `json:"calls"`
	Estimated int64           `json:"estimated_calls"`
	Input     int64           `json:"input_tokens"`
	Cached    int64           `json:"cached_input_tokens"`
	Output    int64           `json:"output_tokens"`
	Cost      spend.Amount    `json:"cost"`
	Currency  string          `json:"currency,omitempty"`
}

// capJSON is a spending cap. Used includes amounts that are reserved for running calls.
type capJSON struct {
	Setting  string       `json:"setting"`
	Cap      spend.Amount `json:"cap"`
	Used     spend.Amount `json:"used"`
	Currency string       `json:"currency"`
	Until    time.Time    `json:"until"`
}

// Run executes "footnote usage".
func (c *usageCommand) Run(ctx context.Context, env *environment) error {
	since, err := c.since(time.Now().UTC())
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		rows, err := base.Books().Report(ctx, since)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.print(ctx, env, base, since, rows)
		}
		said, err := base.Spent(ctx, base.Tenant)
		if err != nil {
			return err
		}
		return printUsage(env, since, rows, said)
	})
}

// since returns the first day of the current month, in UTC, if the flag is not set.
func (c *usageCommand) since(now time.Time) (time.Time, error) {
	if c.Since == "" {
		return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), nil
	}
	if day, err := time.Parse(time.DateOnly, c.Since); err == nil {
		return day, nil
	}
	ago, err := sources.ParseEvery(c.Since)
	if err != nil {
		return time.Time{}, usageError(fmt.Sprintf("--since %s is neither a day such as 2026-01-31 nor a length of time such as 7d", c.Since))
	}
	return now.Add(-ago).Truncate(24 * time.Hour), nil
}

func (c *usageCommand) print(ctx context.Context, env *environment, base *wire.Base, since time.Time, rows []spend.Row) error {
	out := usageJSON{Since: since.Format(time.DateOnly), Rows: make([]usedJSON, len(rows)), Caps: []capJSON{}}
	for i, r := range rows {
		out.Rows[i] = usedJSON{
			Day: r.Day.Format(time.DateOnly), Tenant: r.Tenant, Model: r.Model, Purpose: r.Purpose, Calls: r.Calls, Estimated: r.Estimated,
			Input: r.Input, Cached: r.Cached, Output: r.Output, Cost: r.Amount, Currency: r.Currency,
		}
	}
	currency := base.File().Prices.Currency
	standing, err := base.Books().Standing(ctx, base.Tenant, currency)
	if err != nil {
		return err
	}
	for _, l := range base.Config.Caps.Lines(standing) {
		out.Caps = append(out.Caps, capJSON{Setting: l.Setting, Cap: l.Cap, Used: l.Used, Currency: currency, Until: l.Until})
	}
	return newEncoder(env.stdout).Encode(out)
}

func printUsage(env *environment, since time.Time, rows []spend.Row, said string) error {
	var b strings.Builder
	if len(rows) == 0 {
		fmt.Fprintf(&b, "No model was used since %s.\n", since.Format(time.DateOnly))
	} else {
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "DAY\tTENANT\tMODEL\tPURPOSE\tCALLS\tINPUT\tCACHED\tOUTPUT\tCOST")
		for _, r := range rows {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n", r.Day.Format(time.DateOnly), r.Tenant, plain(r.Model), r.Purpose, r.Calls,
				r.Input, r.Cached, r.Output, costOf(r.Amount, r.Currency))
		}
		totals, order := make(map[string]spend.Amount), []string(nil)
		for _, r := range rows {
			if _, known := totals[r.Currency]; !known {
				order = append(order, r.Currency)
			}
			totals[r.Currency] += r.Amount
		}
		for _, currency := range order {
			if currency != "" {
				fmt.Fprintf(table, "total\t\t\t\t\t\t\t\t%s\n", costOf(totals[currency], currency))
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if said != "" {
		fmt.Fprintf(&b, "\nSpent and set aside: %s.\n", said)
	}
	_, err := fmt.Fprint(env.out, b.String())
	return err
}

// costOf formats a cost as "0.42 USD". Without a currency it returns "-".
func costOf(n spend.Amount, currency string) string {
	if currency == "" {
		return "-"
	}
	return n.String() + " " + currency
}
