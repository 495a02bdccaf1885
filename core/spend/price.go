// Package spend keeps account of what language and embedding models cost, and keeps that below
// caps. A Meter stands before a model: what a call can cost at most is set aside in a Ledger that
// all replicas share before the call is made, and what it did cost is booked after it.
package spend

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// Price is what a million tokens of a model cost.
type Price struct {
	Input     Amount
	Cached    Amount // input that the provider had read before
	Output    Amount
	Embedding Amount // input of an embedding model
}

// Of is what a call of a language model costs.
func (p Price) Of(u llm.Usage) Amount {
	cached := min(max(u.Cached, 0), u.Input)
	return p.Input.perMillion(u.Input - cached).plus(p.Cached.perMillion(cached)).plus(p.Output.perMillion(u.Output))
}

// OfEmbedding is what it costs to embed so many tokens.
func (p Price) OfEmbedding(tokens int) Amount { return p.Embedding.perMillion(tokens) }

// most is what a call costs at most, whichever of its input is cached.
func (p Price) most(input, output int) Amount {
	return max(p.Input, p.Cached).perMillion(input).plus(p.Output.perMillion(output))
}

// Prices are those of all models, in one currency.
type Prices struct {
	Currency string
	Models   map[string]Price
}

// Caps are the most that may be spent on a day and in a month, by UTC; 0 is no cap. Those of a
// tenant hold for each tenant by itself.
type Caps struct {
	Daily, Monthly             Amount
	TenantDaily, TenantMonthly Amount
}

// Any reports whether there is a cap at all.
func (c Caps) Any() bool { return c != Caps{} }

// warnShare is the share of a cap from which on the log warns.
const warnShare = 0.8

// Standing is what was spent by now, with what running calls have set aside.
type Standing struct {
	Day                      time.Time // the present one, in UTC
	Today, Month             Amount    // of all tenants
	TenantToday, TenantMonth Amount    // of one tenant: today, and this month
}

// Line is one cap and what counts against it.
type Line struct {
	Period    string // daily or monthly
	Setting   string
	Cap, Used Amount
	Until     time.Time // when it is reset
}

// Lines are the caps that are set.
func (c Caps) Lines(s Standing) []Line {
	tomorrow := s.Day.AddDate(0, 0, 1)
	next := time.Date(s.Day.Year(), s.Day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	var set []Line
	for _, l := range []Line{
		{"daily", "COST_CAP_DAILY", c.Daily, s.Today, tomorrow},
		{"monthly", "COST_CAP_MONTHLY", c.Monthly, s.Month, next},
		{"daily", "COST_CAP_TENANT_DAILY", c.TenantDaily, s.TenantToday, tomorrow},
		{"monthly", "COST_CAP_TENANT_MONTHLY", c.TenantMonthly, s.TenantMonth, next},
	} {
		if l.Cap > 0 {
			set = append(set, l)
		}
	}
	return set
}

// Exceeded returns the error of the cap that leaves the longest wait, when what stands is above
// one; nil when it is not. Ledgers ask it with what stands once a call's amount is set aside.
func (c Caps) Exceeded(s Standing, currency string) error {
	var over *CapError
	for _, l := range c.Lines(s) {
		if l.Used > l.Cap && (over == nil || l.Until.After(over.Until)) {
			over = &CapError{Period: l.Period, Setting: l.Setting, Cap: l.Cap, Currency: currency, Until: l.Until}
		}
	}
	if over == nil {
		return nil
	}
	return over
}

// CapError says that a call was not made because it could have cost more than a cap leaves. It is
// llm.ErrBudget.
type CapError struct {
	Period   string // daily or monthly
	Setting  string
	Cap      Amount
	Currency string
	Until    time.Time // when the cap is reset
}

// Error implements error. It is a sentence for whoever runs the program.
func (e *CapError) Error() string {
	return fmt.Sprintf("the %s cost cap of %s %s leaves no room for this call until %s: wait, or raise %s", e.Period, e.Cap, e.Currency,
		e.Until.Format("2006-01-02 15:04 UTC"), e.Setting)
}

// Unwrap makes it llm.ErrBudget.
func (e *CapError) Unwrap() error { return llm.ErrBudget }
