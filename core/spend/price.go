// Package spend records the cost of language and embedding models and keeps it below caps. A Meter
// wraps a model. Before each call, the meter reserves the maximum cost in a Ledger that all
// replicas share. After the call, it books the actual cost.
package spend

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// Price is the price of a model per million tokens.
type Price struct {
	Input     Amount
	Cached    Amount // input that the provider had cached
	Output    Amount
	Embedding Amount // input of an embedding model
}

// Of returns the cost of a call of a language model.
func (p Price) Of(u llm.Usage) Amount {
	cached := min(max(u.Cached, 0), u.Input)
	return p.Input.perMillion(u.Input - cached).addCapped(p.Cached.perMillion(cached)).addCapped(p.Output.perMillion(u.Output))
}

// OfEmbedding returns the cost of embedding a number of tokens.
func (p Price) OfEmbedding(tokens int) Amount { return p.Embedding.perMillion(tokens) }

func (p Price) maxCost(input, output int) Amount {
	return max(p.Input, p.Cached).perMillion(input).addCapped(p.Output.perMillion(output))
}

// Prices are the prices of all models, in one currency.
type Prices struct {
	Currency string
	Models   map[string]Price
}

// Caps are the spending limits per day and per month, in UTC. 0 means no limit. A tenant's caps
// apply to each tenant separately.
type Caps struct {
	Daily, Monthly             Amount
	TenantDaily, TenantMonthly Amount
}

// Any reports whether any cap is set.
func (c Caps) Any() bool { return c != Caps{} }

// warnShare is the share of a cap above which the log has a warning.
const warnShare = 0.8

// Standing holds the amounts spent so far. They include the reservations of running calls.
type Standing struct {
	Day                      time.Time // the current day in UTC
	Today, Month             Amount    // of all tenants
	TenantToday, TenantMonth Amount    // of one tenant: today, and this month
}

// Line is one cap with the amount that counts against it.
type Line struct {
	Period    string // daily or monthly
	Setting   string
	Cap, Used Amount
	Until     time.Time // when the cap is reset
}

// Lines returns the caps that are set, each with the amount of s that counts against it.
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

// Exceeded returns an error for an exceeded cap, or nil. If several caps are exceeded, it returns
// the error of the one that resets last. s must include the reservation of the new call.
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

// CapError reports that a call was not made because it could exceed a cap. It wraps llm.ErrBudget.
type CapError struct {
	Period   string // daily or monthly
	Setting  string
	Cap      Amount
	Currency string
	Until    time.Time // when the cap is reset
}

// Error implements error. It returns a sentence for the operator.
func (e *CapError) Error() string {
	return fmt.Sprintf("the %s cost cap of %s %s leaves no room for this call until %s: wait, or raise %s", e.Period, e.Cap, e.Currency,
		e.Until.Format("2006-01-02 15:04 UTC"), e.Setting)
}

// Unwrap returns llm.ErrBudget.
func (e *CapError) Unwrap() error { return llm.ErrBudget }
