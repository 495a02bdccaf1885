package spendtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/google/go-cmp/cmp"
)

// Ledger is a spend.Ledger whose books the suite can read.
type Ledger interface {
	spend.Ledger
	spend.Books
}

// Clock sets the current time of a tested ledger, for all its processes. The ledger may use another
// clock for the expiry of reservations.
type Clock func(now time.Time)

// noon is in the middle of a month, so that a test can change the day without changing the month.
var noon = time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)

const unit = spend.Unit

var account = spend.Account{Tenant: access.DefaultTenant, Model: "m", Purpose: spend.Answering, Currency: "USD"}

func use(input, output int, amount spend.Amount) spend.Use {
	return spend.Use{Usage: llm.Usage{Input: input, Output: output}, Amount: amount}
}

// Suite tests an implementation of a ledger. open returns an empty ledger as several processes see
// it, and a function that sets its time.
func Suite(t *testing.T, open func(t *testing.T) ([]Ledger, Clock)) {
	for name, test := range map[string]func(*testing.T, []Ledger, Clock){
		"a settled call releases the rest of its reservation": room,
		"each cap counts":                                      eachCap,
		"calls booked before a cap was set count":              before,
		"the reservation of a lost process is booked":          lost,
		"a call that was extended is not lost":                 extended,
		"the report adds up by day, model, purpose and tenant": report,
		"a call that cost nothing leaves no row":               free,
		"currencies are counted separately":                    currencies,
		"a day and a month begin at midnight UTC":              midnight,
		"a call counts on the day of its reservation":          overnight,
		"many at once never exceed a cap":                      race,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			views, clock := open(t)
			clock(noon)
			test(t, views, clock)
		})
	}
}

func reserve(ctx context.Context, l spend.Ledger, a spend.Account, n spend.Amount, caps spend.Caps) (spend.Hold, error) {
	return l.Reserve(ctx, spend.Reservation{Account: a, Amount: n, Lost: use(1, 0, n/2), Lasts: time.Hour}, caps)
}

func dayOf(at time.Time) time.Time { return at.Truncate(24 * time.Hour) }

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func room(t *testing.T, l []Ledger, _ Clock) {
	ctx, caps := t.Context(), spend.Caps{Daily: 10 * unit}
	first := must(reserve(ctx, l[0], account, 6*unit, caps))(t)
	_, err := reserve(ctx, l[1], account, 5*unit, caps)
	var full *spend.CapError
	if !errors.As(err, &full) || !errors.Is(err, llm.ErrBudget) || full.Period != "daily" || full.Cap != 10*unit || !full.Until.Equal(dayOf(noon).AddDate(0, 0, 1)) {
		t.Fatalf("a call beyond the cap: %v", err)
	}
	must(reserve(ctx, l[1], account, 4*unit, caps))(t)
	s := must(l[1].Settle(ctx, first, account, use(10, 5, 2*unit)))(t)
	if s.Today != 6*unit || s.Month != 6*unit || s.TenantToday != 6*unit || s.TenantMonth != 6*unit {
		t.Errorf("after one call was settled: %+v", s)
	}
	must(reserve(ctx, l[0], account, 4*unit, caps))(t)
}

func eachCap(t *testing.T, l []Ledger, _ Clock) {
	other := account
	other.Tenant = "other"
	must(reserve(t.Context(), l[0], account, 6*unit, spend.Caps{}))(t)
	for name, tt := range map[string]struct {
		caps    spend.Caps
		as      spend.Account
		setting string
	}{
		"daily":                {spend.Caps{Daily: 7 * unit}, other, "COST_CAP_DAILY"},
		"monthly":              {spend.Caps{Monthly: 7 * unit}, other, "COST_CAP_MONTHLY"},
		"both, of the later":   {spend.Caps{Daily: 7 * unit, Monthly: 7 * unit}, account, ""},
		"tenant's daily":       {spend.Caps{TenantDaily: 7 * unit}, account, "COST_CAP_TENANT_DAILY"},
		"tenant's monthly":     {spend.Caps{TenantMonthly: 7 * unit}, account, "COST_CAP_TENANT_MONTHLY"},
		"one that is not near": {spend.Caps{Daily: 100 * unit, TenantMonthly: 7 * unit}, account, "COST_CAP_TENANT_MONTHLY"},
	} {
		_, err := reserve(t.Context(), l[1], tt.as, 2*unit, tt.caps)
		var full *spend.CapError
		if !errors.As(err, &full) || tt.setting != "" && full.Setting != tt.setting {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(reserve(t.Context(), l[1], other, 6*unit, spend.Caps{TenantDaily: 7 * unit, TenantMonthly: 7 * unit}))(t)
}

func before(t *testing.T, l []Ledger, _ Clock) {
	s := must(l[0].Settle(t.Context(), spend.Hold{}, account, use(1, 1, 6*unit)))(t)
	if s.Today != 6*unit {
		t.Errorf("after the booking: %+v", s)
	}
	if _, err := reserve(t.Context(), l[1], account, 5*unit, spend.Caps{Daily: 10 * unit}); !errors.Is(err, llm.ErrBudget) {
		t.Errorf("beyond the cap: %v", err)
	}
}

func lost(t *testing.T, l []Ledger, _ Clock) {
	ctx, caps := t.Context(), spend.Caps{Daily: 10 * unit}
	died := use(7, 3, 2*unit)
	died.Estimated = true
	hold := must(l[0].Reserve(ctx, spend.Reservation{Account: account, Amount: 9 * unit, Lost: died}, caps))(t)
	must(reserve(ctx, l[1], account, 8*unit, caps))(t)
	want := spend.Row{Day: dayOf(noon), Account: account, Calls: 1, Estimated: 1, Input: 7, Output: 3, Amount: 2 * unit}
	rows := must(l[1].Report(ctx, time.Time{}))(t)
	if diff := cmp.Diff([]spend.Row{want}, rows); diff != "" {
		t.Errorf("booked (-want +got):\n%s", diff)
	}
	if s := must(l[0].Settle(ctx, hold, account, use(8, 4, 3*unit)))(t); s.Today != 13*unit {
		t.Errorf("after a process that was thought lost has settled: %+v", s)
	}
}

func extended(t *testing.T, l []Ledger, _ Clock) {
	ctx, caps := t.Context(), spend.Caps{Daily: 10 * unit}
	hold := must(reserve(ctx, l[0], account, 9*unit, caps))(t)
	if err := l[0].Extend(ctx, hold, use(7, 30, 5*unit), time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := reserve(ctx, l[1], account, 2*unit, caps); !errors.Is(err, llm.ErrBudget) {
		t.Errorf("while the call runs: %v", err)
	}
	if err := l[0].Extend(ctx, hold, use(7, 40, 6*unit), 0); err != nil {
		t.Fatal(err)
	}
	if s := must(l[1].Standing(ctx, account.Tenant, "USD"))(t); s.Today != 6*unit {
		t.Errorf("once it is lost: %+v", s)
	}
	if err := l[0].Extend(ctx, hold, use(9, 9, 9*unit), time.Hour); err != nil {
		t.Errorf("extended too late: %v", err)
	}
}

func report(t *testing.T, l []Ledger, _ Clock) {
	ctx := t.Context()
	a, b, c := account, account, account
	b.Purpose, c.Model, c.Tenant = spend.Embedding, "a-model", "other"
	for _, s := range []struct {
		a spend.Account
		u spend.Use
	}{
		{a, spend.Use{Usage: llm.Usage{Input: 10, Cached: 4, Output: 5}, Amount: unit}},
		{a, spend.Use{Usage: llm.Usage{Input: 1, Output: 2}, Estimated: true, Amount: unit}},
		{b, use(100, 0, 3)}, {c, use(1, 1, 0)},
	} {
		must(l[0].Settle(ctx, spend.Hold{}, s.a, s.u))(t)
	}
	rows := must(l[1].Report(ctx, noon.AddDate(0, 0, -1)))(t)
	at := dayOf(noon)
	want := []spend.Row{
		{Day: at, Account: a, Calls: 2, Estimated: 1, Input: 11, Cached: 4, Output: 7, Amount: 2 * unit},
		{Day: at, Account: b, Calls: 1, Input: 100, Amount: 3},
		{Day: at, Account: c, Calls: 1, Input: 1, Output: 1},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if rows := must(l[1].Report(ctx, noon.AddDate(0, 0, 1)))(t); len(rows) != 0 {
		t.Errorf("of days to come: %+v", rows)
	}
}

func free(t *testing.T, l []Ledger, _ Clock) {
	hold := must(reserve(t.Context(), l[0], account, 9*unit, spend.Caps{Daily: 10 * unit}))(t)
	s := must(l[0].Settle(t.Context(), hold, account, spend.Use{}))(t)
	if rows := must(l[1].Report(t.Context(), time.Time{}))(t); len(rows) != 0 || s.Today != 0 {
		t.Errorf("rows %+v, %+v", rows, s)
	}
}

func currencies(t *testing.T, l []Ledger, _ Clock) {
	other := account
	other.Currency = "EUR"
	must(l[0].Settle(t.Context(), spend.Hold{}, other, use(1, 1, 9*unit)))(t)
	must(reserve(t.Context(), l[0], account, 9*unit, spend.Caps{Daily: 10 * unit}))(t)
}

func midnight(t *testing.T, l []Ledger, clock Clock) {
	ctx, caps := t.Context(), spend.Caps{Daily: 10 * unit, Monthly: 15 * unit}
	clock(time.Date(2026, time.March, 30, 23, 59, 59, 0, time.UTC))
	must(reserve(ctx, l[0], account, 10*unit, caps))(t)
	if _, err := reserve(ctx, l[1], account, unit, caps); !errors.Is(err, llm.ErrBudget) {
		t.Errorf("beyond the day's cap: %v", err)
	}
	clock(time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC))
	must(reserve(ctx, l[1], account, 5*unit, caps))(t)
	var full *spend.CapError
	if _, err := reserve(ctx, l[0], account, unit, caps); !errors.As(err, &full) || full.Period != "monthly" {
		t.Errorf("beyond the month's cap: %v", err)
	}
	clock(time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC))
	must(reserve(ctx, l[0], account, 10*unit, caps))(t)
}

func overnight(t *testing.T, l []Ledger, clock Clock) {
	ctx := t.Context()
	hold := must(reserve(ctx, l[0], account, 9*unit, spend.Caps{Daily: 10 * unit}))(t)
	clock(noon.AddDate(0, 0, 1))
	s := must(l[1].Settle(ctx, hold, account, use(1, 1, 2*unit)))(t)
	if !s.Day.Equal(dayOf(noon).AddDate(0, 0, 1)) || s.Today != 0 || s.TenantToday != 0 || s.Month != 2*unit || s.TenantMonth != 2*unit {
		t.Errorf("on the next day: %+v", s)
	}
	if rows := must(l[0].Report(ctx, time.Time{}))(t); len(rows) != 1 || !rows[0].Day.Equal(dayOf(noon)) {
		t.Errorf("rows %+v", rows)
	}
}

// race checks that concurrent calls never exceed a cap. At the end, it compares the totals with the
// sum of all booked calls.
func race(t *testing.T, l []Ledger, _ Clock) {
	const workers, calls = 8, 25
	ctx, caps := t.Context(), spend.Caps{Daily: 40 * unit, TenantDaily: 30 * unit}
	var group sync.WaitGroup
	for w := range workers {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		own := account
		if w%2 == 1 {
			own.Tenant = "other"
		}
		mine, theirs := l[w%len(l)], l[(w+1)%len(l)]
		group.Go(func() {
			for range calls {
				amount := spend.Amount(1+random.IntN(8)) * unit
				r := spend.Reservation{Account: own, Amount: amount, Lost: use(1, 1, amount/4), Lasts: time.Hour}
				kind := random.IntN(8)
				if kind == 0 {
					r.Lasts = 0 // the process dies at once
				}
				hold, err := mine.Reserve(ctx, r, caps)
				if s, readErr := theirs.Standing(ctx, own.Tenant, "USD"); readErr != nil || s.Today > caps.Daily || s.TenantToday > caps.TenantDaily {
					t.Errorf("above a cap: %+v %v", s, readErr)
				}
				switch {
				case errors.Is(err, llm.ErrBudget) || kind == 0 && err == nil:
					continue
				case err != nil:
					t.Error(err)
					return
				}
				u := use(1, 1, amount/spend.Amount(1+random.IntN(40)))
				if kind == 1 {
					u = spend.Use{}
				}
				if _, err := mine.Settle(ctx, hold, own, u); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	s := must(l[0].Standing(ctx, account.Tenant, "USD"))(t)
	var sum, tenant spend.Amount
	for _, r := range must(l[0].Report(ctx, time.Time{}))(t) {
		sum += r.Amount
		if r.Tenant == account.Tenant {
			tenant += r.Amount
		}
	}
	if sum != s.Today || tenant != s.TenantToday || sum == 0 || sum > caps.Daily {
		t.Errorf("the rows add up to %s, the tenant's to %s; the counters say %+v", sum, tenant, s)
	}
}
