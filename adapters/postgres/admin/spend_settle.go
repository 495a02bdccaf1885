package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/jackc/pgx/v5"
)

const (
	// maxSettled limits how many calls are booked in one transaction.
	maxSettled = 256
	// settleLimit is the timeout of a transaction that books calls.
	settleLimit = 10 * time.Second
)

// settlement is a model call whose cost is not booked yet.
type settlement struct {
	hold    spend.Hold
	account spend.Account
	use     spend.Use

	standing spend.Standing
	err      error
	wake     chan bool // true: this caller books all; false: booked or failed
}

// Settle implements spend.Ledger. All calls of a tenant update the same few rows. Concurrent calls
// therefore wait until one caller books all of them in one transaction.
func (l *Ledger) Settle(ctx context.Context, h spend.Hold, a spend.Account, u spend.Use) (spend.Standing, error) {
	s := &settlement{hold: h, account: a, use: u, wake: make(chan bool, 1)}
	l.mu.Lock()
	l.waiting = append(l.waiting, s)
	if !l.leading {
		l.leading = true
		s.wake <- true
	}
	l.mu.Unlock()
	select {
	case lead := <-s.wake:
		if lead {
			l.settleWaiting(ctx)
		}
	case <-ctx.Done():
		if l.leave(s) {
			return spend.Standing{}, fmt.Errorf("book what a call cost: %w", context.Cause(ctx))
		}
		<-s.wake // it is being booked
	}
	if s.err != nil {
		if postgres.Undone(s.err) {
			s.err = errors.Join(spend.ErrUnbooked, s.err)
		}
		return spend.Standing{}, fmt.Errorf("book what a call cost: %w", s.err)
	}
	return s.standing, nil
}

// leave removes s from the waiting calls. It returns false if s is already being booked.
func (l *Ledger) leave(s *settlement) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.waiting, s)
	if at < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, at, at+1)
	select {
	case <-s.wake: // s was to book for the others
		l.handOver()
	default:
	}
	return true
}

// handOver wakes the first waiting caller, which then books all waiting calls. The caller must hold
// l.mu.
func (l *Ledger) handOver() {
	if l.leading = len(l.waiting) > 0; l.leading {
		l.waiting[0].wake <- true
	}
}

// settleWaiting books up to maxSettled waiting calls of models, and wakes their callers. Only the
// caller that handOver has woken may call it.
func (l *Ledger) settleWaiting(ctx context.Context) {
	l.mu.Lock()
	n := min(len(l.waiting), maxSettled)
	batch := slices.Clone(l.waiting[:n])
	l.waiting = slices.Delete(l.waiting, 0, n)
	l.mu.Unlock()
	// The contexts of the other callers may last longer.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	if err := l.settle(limited, batch...); err != nil && len(batch) > 1 {
		for _, s := range batch { // one of them may be the cause
			s.err = l.settle(limited, s)
		}
	} else {
		batch[0].err = err
	}
	for _, s := range batch[1:] {
		s.wake <- false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handOver()
}

type (
	dayKey struct {
		tenant   string // empty: all tenants together
		day      time.Time
		currency string
	}
	accountKey struct {
		tenant, model, currency string
		purpose                 spend.Purpose
		day                     time.Time
	}
	accountSum struct{ calls, estimated, input, cached, output, amount int64 }
)

// settle books all calls or none, and sets the resulting totals in each call.
func (l *Ledger) settle(ctx context.Context, batch ...*settlement) error {
	return l.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		today, held, err := release(ctx, tx, batch)
		if err != nil {
			return err
		}
		days, accounts := make(map[dayKey]spend.Amount), make(map[accountKey]accountSum)
		for _, s := range batch {
			// Without a reservation, or if it has expired, the call counts today.
			day, amount := today, s.use.Amount
			if h, ok := held[s.hold.ID]; ok && s.hold != (spend.Hold{}) {
				day, amount = h.day, amount-h.amount
			}
			for _, tenant := range []string{"", string(s.account.Tenant)} {
				days[dayKey{tenant, day, s.account.Currency}] += amount
			}
			if s.use == (spend.Use{}) {
				continue
			}
			key := accountKey{string(s.account.Tenant), postgres.Storable(s.account.Model), s.account.Currency, s.account.Purpose, day}
			sum := accounts[key]
			sum.calls++
			if s.use.Estimated {
				sum.estimated++
			}
			sum.input, sum.cached, sum.output = sum.input+int64(s.use.Input), sum.cached+int64(s.use.Cached), sum.output+int64(s.use.Output)
			sum.amount += int64(s.use.Amount)
			accounts[key] = sum
		}
		return settled(ctx, tx, batch, today, days, accounts)
	})
}

type heldAmount struct {
	day    time.Time
	amount spend.Amount
}

// release deletes the calls' reservations. It returns the current UTC day and the reserved amounts
// by hold id. Reservations that have already expired are missing in held.
func release(ctx context.Context, tx pgx.Tx, batch []*settlement) (today time.Time, held map[int64]heldAmount, err error) {
	const gone = `
		with gone as (
			delete from spend_hold h using unnest($1::text[], $2::bigint[]) w (tenant, id) where h.tenant_id = w.tenant and h.id = w.id
			returning h.id, h.day, h.amount
		)
		select (now() at time zone 'utc')::date, gone.id, gone.day, gone.amount from (select) one left join gone on true`
	var tenants []string
	var ids []int64
	for _, s := range batch {
		if s.hold != (spend.Hold{}) {
			tenants, ids = append(tenants, string(s.hold.Account.Tenant)), append(ids, s.hold.ID)
		}
	}
	rows, err := tx.Query(ctx, gone, tenants, ids)
	if err != nil {
		return today, nil, err
	}
	held = make(map[int64]heldAmount)
	var id, amount *int64
	var day *time.Time
	_, err = pgx.ForEachRow(rows, []any{&today, &id, &day, &amount}, func() error {
		if id != nil {
			held[*id] = heldAmount{*day, spend.Amount(*amount)}
		}
		return nil
	})
	return today, held, err
}

// settled adds the use of calls to the stored totals, and sets the resulting totals in each call.
// It locks rows in the order that [Ledger] describes.
func settled(ctx context.Context, tx pgx.Tx, calls []*settlement, today time.Time, days map[dayKey]spend.Amount, accounts map[accountKey]accountSum) error {
	queue := new(pgx.Batch)
	inOrder := slices.SortedFunc(maps.Keys(days), func(a, b dayKey) int {
		return cmp.Or(cmp.Compare(a.tenant, b.tenant), a.day.Compare(b.day), cmp.Compare(a.currency, b.currency))
	})
	for _, k := range inOrder {
		if days[k] != 0 { // without prices there is nothing to add or to lock
			queue.Queue(`insert into spend_day as d (tenant_id, day, currency, used) values ($1, $2, $3, $4)
				on conflict (tenant_id, day, currency) do update set used = d.used + excluded.used`, k.tenant, k.day, k.currency, days[k])
		}
	}
	byAccount := slices.SortedFunc(maps.Keys(accounts), func(a, b accountKey) int {
		return cmp.Or(cmp.Compare(a.tenant, b.tenant), a.day.Compare(b.day), cmp.Compare(a.model, b.model), cmp.Compare(a.purpose, b.purpose),
			cmp.Compare(a.currency, b.currency))
	})
	for _, k := range byAccount {
		a := accounts[k]
		queue.Queue(`
			insert into spend as s (tenant_id, day, model, purpose, currency, calls, estimated, input, cached, output, amount)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			on conflict (tenant_id, day, model, purpose, currency) do update set
				calls = s.calls + excluded.calls, estimated = s.estimated + excluded.estimated, input = s.input + excluded.input,
				cached = s.cached + excluded.cached, output = s.output + excluded.output, amount = s.amount + excluded.amount`,
			k.tenant, k.day, k.model, k.purpose, k.currency, a.calls, a.estimated, a.input, a.cached, a.output, a.amount)
	}
	if queue.Len() > 0 {
		if err := tx.SendBatch(ctx, queue).Close(); err != nil {
			return err
		}
	}
	type standingKey struct{ tenant, currency string }
	stands := make(map[standingKey]spend.Standing)
	for _, s := range calls {
		key := standingKey{string(s.account.Tenant), s.account.Currency}
		stood, known := stands[key]
		if !known {
			var err error
			if stood, err = standingOn(ctx, tx, s.account.Tenant, s.account.Currency, today); err != nil {
				return err
			}
			stands[key] = stood
		}
		s.standing = stood
	}
	return nil
}
