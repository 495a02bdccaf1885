package admin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/jackc/pgx/v5"
)

// Ledger stores what model calls cost. It is safe for concurrent use by any number of processes.
//
// To prevent deadlocks, every transaction locks rows in this order: a reservation (hold), the
// month, the day of all tenants, the day of the tenant, the model.
type Ledger struct {
	db *postgres.DB

	mu      sync.Mutex
	waiting []*settlement // calls to book, oldest first
	leading bool          // a caller of Settle books the waiting calls, or is about to
}

var (
	_ spend.Ledger = (*Ledger)(nil)
	_ spend.Books  = (*Ledger)(nil)
)

// NewLedger returns the Ledger stored in db.
func NewLedger(db *postgres.DB) *Ledger { return &Ledger{db: db} }

// Reserve implements spend.Ledger.
func (l *Ledger) Reserve(ctx context.Context, r spend.Reservation, caps spend.Caps) (hold spend.Hold, err error) {
	if err := l.expire(ctx); err != nil {
		return spend.Hold{}, err
	}
	err = l.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var day time.Time
		if err := tx.QueryRow(ctx, `select (now() at time zone 'utc')::date`).Scan(&day); err != nil {
			return err
		}
		// The row of the first day serves as a lock of the month, because at midnight two calls
		// may count on different days.
		const month = `
			insert into spend_day as d (tenant_id, day, currency, used) values ('', date_trunc('month', $1::date)::date, $2, 0)
			on conflict (tenant_id, day, currency) do update set used = d.used`
		if _, err := tx.Exec(ctx, month, day, r.Currency); err != nil {
			return err
		}
		if err := addDay(ctx, tx, r.Account, day, r.Amount); err != nil {
			return err
		}
		// The month is locked now, so the sums include all earlier calls.
		standing, err := standingOn(ctx, tx, r.Tenant, r.Currency, day)
		if err != nil {
			return err
		}
		if err := caps.Exceeded(standing, r.Currency); err != nil {
			return err
		}
		const set = `
			insert into spend_hold (tenant_id, day, model, purpose, currency, amount, lost_input, lost_output, lost_amount, expires_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + $10::bigint * interval '1 microsecond')
			returning id`
		hold.Account = r.Account
		return tx.QueryRow(ctx, set, r.Tenant, day, postgres.Storable(r.Model), r.Purpose, r.Currency, r.Amount,
			r.Lost.Input, r.Lost.Output, r.Lost.Amount, r.Lasts.Microseconds()).Scan(&hold.ID)
	})
	var full *spend.CapError
	switch {
	case errors.As(err, &full):
		return spend.Hold{}, full
	case err != nil:
		return spend.Hold{}, fmt.Errorf("set an amount aside: %w", err)
	}
	return hold, nil
}

// Extend implements spend.Ledger.
func (l *Ledger) Extend(ctx context.Context, h spend.Hold, lost spend.Use, lasts time.Duration) error {
	// Served by the primary key.
	const extend = `
		update spend_hold set lost_input = $3, lost_output = $4, lost_amount = $5,
			expires_at = clock_timestamp() + $6::bigint * interval '1 microsecond'
		where tenant_id = $1 and id = $2`
	_, err := l.db.Pool.Exec(ctx, extend, h.Account.Tenant, h.ID, lost.Input, lost.Output, lost.Amount, lasts.Microseconds())
	if err != nil {
		return fmt.Errorf("prolong what is set aside for a call: %w", err)
	}
	return nil
}

// book adds the use of a call to the totals of a day. From them it subtracts held, the amount that
// was reserved for the call. If u is zero, it only releases the reservation.
func book(ctx context.Context, tx pgx.Tx, a spend.Account, day time.Time, held spend.Amount, u spend.Use) error {
	if err := addDay(ctx, tx, a, day, u.Amount-held); err != nil {
		return err
	}
	if u == (spend.Use{}) {
		return nil
	}
	estimated := 0
	if u.Estimated {
		estimated = 1
	}
	const add = `
		insert into spend as s (tenant_id, day, model, purpose, currency, calls, estimated, input, cached, output, amount)
		values ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10)
		on conflict (tenant_id, day, model, purpose, currency) do update set
			calls = s.calls + excluded.calls, estimated = s.estimated + excluded.estimated, input = s.input + excluded.input,
			cached = s.cached + excluded.cached, output = s.output + excluded.output, amount = s.amount + excluded.amount`
	_, err := tx.Exec(ctx, add, a.Tenant, day, postgres.Storable(a.Model), a.Purpose, a.Currency, estimated, u.Input, u.Cached, u.Output, u.Amount)
	return err
}

// addDay adds an amount to the day's total of all tenants and to that of the tenant. It locks the
// rows in this order.
func addDay(ctx context.Context, tx pgx.Tx, a spend.Account, day time.Time, n spend.Amount) error {
	const add = `
		insert into spend_day as d (tenant_id, day, currency, used) values ('', $2, $3, $4), ($1, $2, $3, $4)
		on conflict (tenant_id, day, currency) do update set used = d.used + excluded.used`
	_, err := tx.Exec(ctx, add, a.Tenant, day, a.Currency, n)
	return err
}

// expire books the expired reservations of dead processes. Concurrent calls do not wait for each
// other.
func (l *Ledger) expire(ctx context.Context) error {
	for more := true; more; {
		// Served by spend_hold_expiry.
		if err := l.db.Pool.QueryRow(ctx, `select exists (select from spend_hold where expires_at <= clock_timestamp())`).Scan(&more); err != nil {
			return fmt.Errorf("look for what lost processes had set aside: %w", err)
		}
		if !more {
			return nil
		}
		err := l.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
			var a spend.Account
			var day time.Time
			var held spend.Amount
			u := spend.Use{Estimated: true}
			// Served by spend_hold_expiry.
			const next = `
				delete from spend_hold where (tenant_id, id) in (
					select tenant_id, id from spend_hold where expires_at <= clock_timestamp() order by expires_at limit 1 for update skip locked)
				returning tenant_id, day, model, purpose, currency, amount, lost_input, lost_output, lost_amount`
			err := tx.QueryRow(ctx, next).Scan(&a.Tenant, &day, &a.Model, &a.Purpose, &a.Currency, &held, &u.Input, &u.Output, &u.Amount)
			if errors.Is(err, pgx.ErrNoRows) {
				more = false
				return nil
			}
			if err != nil {
				return err
			}
			return book(ctx, tx, a, day, held, u)
		})
		if err != nil {
			return fmt.Errorf("book what lost processes had set aside: %w", err)
		}
	}
	return nil
}

// standingOn returns the amounts used on day and since the start of its month, for the tenant and
// for all tenants.
func standingOn(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, tenant access.TenantID, currency string, day time.Time) (spend.Standing, error) {
	s := spend.Standing{Day: day}
	// Served by the primary key. It reads at most 31 days of two tenants.
	const sums = `
		select coalesce(sum(used) filter (where tenant_id = '' and day = $3), 0), coalesce(sum(used) filter (where tenant_id = ''), 0),
			coalesce(sum(used) filter (where tenant_id = $1 and day = $3), 0), coalesce(sum(used) filter (where tenant_id = $1), 0)
		from spend_day
		where tenant_id in ('', $1) and currency = $2 and day >= date_trunc('month', $3::date)::date and day <= $3`
	err := q.QueryRow(ctx, sums, tenant, currency, day).Scan(&s.Today, &s.Month, &s.TenantToday, &s.TenantMonth)
	return s, err
}

// Standing implements spend.Books.
func (l *Ledger) Standing(ctx context.Context, tenant access.TenantID, currency string) (spend.Standing, error) {
	if err := l.expire(ctx); err != nil {
		return spend.Standing{}, err
	}
	var day time.Time
	err := l.db.Pool.QueryRow(ctx, `select (now() at time zone 'utc')::date`).Scan(&day)
	if err != nil {
		return spend.Standing{}, fmt.Errorf("ask for the day: %w", err)
	}
	s, err := standingOn(ctx, l.db.Pool, tenant, currency, day)
	if err != nil {
		return spend.Standing{}, fmt.Errorf("add up what was spent: %w", err)
	}
	return s, nil
}

// Report implements spend.Books.
func (l *Ledger) Report(ctx context.Context, since time.Time) ([]spend.Row, error) {
	if err := l.expire(ctx); err != nil {
		return nil, err
	}
	// Served by spend_by_day.
	const report = `
		select tenant_id, day, model, purpose, currency, calls, estimated, input, cached, output, amount from spend where day >= $1::date
		order by day, tenant_id collate "C", model collate "C", purpose collate "C", currency collate "C"`
	rows, err := l.db.Pool.Query(ctx, report, since.UTC())
	if err != nil {
		return nil, fmt.Errorf("read what was used: %w", err)
	}
	used, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r spend.Row, err error) {
		err = row.Scan(&r.Tenant, &r.Day, &r.Model, &r.Purpose, &r.Currency, &r.Calls, &r.Estimated, &r.Input, &r.Cached, &r.Output, &r.Amount)
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what was used: %w", err)
	}
	return used, nil
}
