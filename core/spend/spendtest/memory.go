// Package spendtest tests implementations of spend.Ledger and provides a ledger in memory.
package spendtest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/spend"
)

// Memory implements spend.Ledger and spend.Books within one process. Its zero value is ready to
// use.
type Memory struct {
	// Now is the ledger's clock. nil means time.Now. Set it before the first use.
	Now func() time.Time

	mu    sync.Mutex
	last  int64
	holds map[int64]held
	used  map[day]spend.Amount // by tenant; "" is the sum of all
	rows  map[entry]spend.Row
}

type held struct {
	spend.Reservation
	day     time.Time
	expires time.Time
}

type day struct {
	tenant   access.TenantID
	currency string
	at       time.Time
}

type entry struct {
	at time.Time
	spend.Account
}

var (
	_ spend.Ledger = (*Memory)(nil)
	_ spend.Books  = (*Memory)(nil)
)

// Reserve implements spend.Ledger.
func (m *Memory) Reserve(_ context.Context, r spend.Reservation, caps spend.Caps) (spend.Hold, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	today := m.today()
	m.add(r.Account, today, r.Amount)
	if err := caps.Exceeded(m.standing(r.Tenant, r.Currency), r.Currency); err != nil {
		m.add(r.Account, today, -r.Amount)
		return spend.Hold{}, err
	}
	m.last++
	if m.holds == nil {
		m.holds = make(map[int64]held)
	}
	m.holds[m.last] = held{r, today, m.now().Add(r.Lasts)}
	return spend.Hold{ID: m.last, Account: r.Account}, nil
}

// Extend implements spend.Ledger.
func (m *Memory) Extend(_ context.Context, h spend.Hold, lost spend.Use, lasts time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.holds[h.ID]; ok {
		r.Lost, r.expires = lost, m.now().Add(lasts)
		m.holds[h.ID] = r
	}
	return nil
}

// Settle implements spend.Ledger.
func (m *Memory) Settle(_ context.Context, h spend.Hold, a spend.Account, u spend.Use) (spend.Standing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.today()
	if r, ok := m.holds[h.ID]; ok {
		delete(m.holds, h.ID)
		at = r.day
		m.add(a, at, -r.Amount)
	}
	m.book(at, a, u)
	return m.standing(a.Tenant, a.Currency), nil
}

// Standing implements spend.Books.
func (m *Memory) Standing(_ context.Context, tenant access.TenantID, currency string) (spend.Standing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return m.standing(tenant, currency), nil
}

// Report implements spend.Books.
func (m *Memory) Report(_ context.Context, since time.Time) ([]spend.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	var rows []spend.Row
	for _, r := range m.rows {
		if !r.Day.Before(since.UTC().Truncate(24 * time.Hour)) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b spend.Row) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Purpose, b.Purpose),
			cmp.Compare(a.Currency, b.Currency))
	})
	return rows, nil
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

func (m *Memory) today() time.Time { return m.now().UTC().Truncate(24 * time.Hour) }

func (m *Memory) add(a spend.Account, at time.Time, n spend.Amount) {
	if m.used == nil {
		m.used = make(map[day]spend.Amount)
	}
	m.used[day{"", a.Currency, at}] += n
	m.used[day{a.Tenant, a.Currency, at}] += n
}

func (m *Memory) book(at time.Time, a spend.Account, u spend.Use) {
	if u == (spend.Use{}) {
		return
	}
	m.add(a, at, u.Amount)
	if m.rows == nil {
		m.rows = make(map[entry]spend.Row)
	}
	r := m.rows[entry{at, a}]
	r.Day, r.Account = at, a
	r.Calls++
	if u.Estimated {
		r.Estimated++
	}
	r.Input, r.Cached, r.Output, r.Amount = r.Input+int64(u.Input), r.Cached+int64(u.Cached), r.Output+int64(u.Output), r.Amount+u.Amount
	m.rows[entry{at, a}] = r
}

func (m *Memory) expire() {
	for id, r := range m.holds {
		if !r.expires.After(m.now()) {
			delete(m.holds, id)
			m.add(r.Account, r.day, -r.Amount)
			m.book(r.day, r.Account, r.Lost)
		}
	}
}

func (m *Memory) standing(tenant access.TenantID, currency string) spend.Standing {
	s := spend.Standing{Day: m.today()}
	for d, n := range m.used {
		if d.currency != currency || d.at.Year() != s.Day.Year() || d.at.Month() != s.Day.Month() {
			continue
		}
		day, month := &s.TenantToday, &s.TenantMonth
		if d.tenant == "" {
			day, month = &s.Today, &s.Month
		} else if d.tenant != tenant {
			continue
		}
		*month += n
		if d.at.Equal(s.Day) {
			*day += n
		}
	}
	return s
}
