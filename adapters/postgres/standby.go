package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// StandbyConfig says how to reach a streaming replica. URL is required.
type StandbyConfig struct {
	URL      string
	MaxConns int32         // as Config.MaxConns
	Lag      time.Duration // that a search waits for the replica before it goes to the primary: 100 ms
	Probe    time.Duration // between two looks at a replica that could not be used: 1 s
	Logger   *slog.Logger  // nil: silent
}

const (
	// standbyLimit bounds one search on a replica, after which it is made on the primary; it is far above what any takes.
	standbyLimit = 5 * time.Second
	// probeLimit bounds one look at a replica, and what a search waits for a connection to it.
	probeLimit = 2 * time.Second
)

// Standby is a streaming replica from which searches and passages are read, while it can tell everything that the primary has committed: each
// reading first asks the primary how far its log goes, and uses a replica only once it has got there. So what a write stored is found, and an
// access list that was narrowed counts, from the return of the write on, as without a replica. A replica that is away or stays behind
// costs a little time at first; then it is left alone, and looked at beside the searches until it can be used again. It is safe for
// concurrent use.
type Standby struct {
	pool    *pgxpool.Pool
	primary *DB
	config  StandbyConfig
	usable  atomic.Bool
	reads   atomic.Int64
	doubted chan struct{} // holds one token when it became unusable
	end     context.CancelFunc
	owned   sync.WaitGroup
}

// Reasons not to use a replica.
var (
	errNoStandby = errors.New("it is no streaming replica of the server of DATABASE_URL")
	errBehind    = errors.New("it stays behind the primary")
)

// OpenStandby returns the replica of a database. One that cannot be reached, or is behind, is no error: it is used once it can be. Close it
// before the database.
func OpenStandby(ctx context.Context, primary *DB, config StandbyConfig) (*Standby, error) {
	pc, err := poolConfig(Config{URL: config.URL, MaxConns: config.MaxConns}, "SEARCH_DATABASE_URL")
	if err != nil {
		return nil, err
	}
	if config.Lag <= 0 {
		config.Lag = 100 * time.Millisecond
	}
	if config.Probe <= 0 {
		config.Probe = time.Second
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("read SEARCH_DATABASE_URL: %w", err)
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &Standby{pool: pool, primary: primary, config: config, doubted: make(chan struct{}, 1), end: end}
	s.usable.Store(true)
	if err := s.probe(ctx); err != nil {
		s.doubt(ctx, err)
	}
	s.owned.Go(func() { s.watch(running) })
	return s, nil
}

// Close ends all connections and returns when nothing of it goes on.
func (s *Standby) Close() {
	s.end()
	s.owned.Wait()
	s.pool.Close()
}

// Usable reports whether searches go to the replica at present.
func (s *Standby) Usable() bool { return s.usable.Load() }

// Reads counts the readings that the replica has served.
func (s *Standby) Reads() int64 { return s.reads.Load() }

// read makes a reading on the replica. It reports false when that is to be made on the primary.
func (s *Standby) read(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) (done bool, err error) {
	if !s.usable.Load() {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, standbyLimit)
	defer cancel()
	conn, err := s.acquire(limited)
	if err == nil {
		err = do(limited, conn) // which releases it
	}
	var refused *pgconn.PgError
	switch {
	case err == nil:
		s.reads.Add(1)
		return true, nil
	case ctx.Err() != nil, errors.Is(err, retrieve.ErrDimensions):
		return true, err
	case errors.As(err, &refused) && refused.Code == recoveryConflict:
		return false, nil // what it read was cleaned away meanwhile; the replica is well
	}
	s.doubt(ctx, err)
	return false, nil
}

// recoveryConflict is the SQLSTATE of a query that was in the way of what the primary had done.
const recoveryConflict = "40001"

// acquire returns a connection to a replica that has everything which the primary had committed when it was called.
func (s *Standby) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	var position string
	// A commit returns when its log is flushed, so this covers every one that has returned.
	if err := s.primary.Pool.QueryRow(ctx, `select pg_current_wal_flush_lsn()::text`).Scan(&position); err != nil {
		return nil, fmt.Errorf("ask the primary how far it is: %w", err)
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, unreachable(err)
	}
	if err := s.reach(ctx, conn, position); err != nil {
		conn.Release()
		return nil, err
	}
	return conn, nil
}

// reach waits a little for the replica to get to a position of the primary's log. A server that was promoted never does.
func (s *Standby) reach(ctx context.Context, conn *pgxpool.Conn, position string) error {
	began := time.Now()
	for wait := time.Millisecond; ; wait *= 2 {
		var there bool
		err := conn.QueryRow(ctx, `select pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)`, position).Scan(&there)
		if err != nil {
			return fmt.Errorf("ask the replica how far it is: %w", err)
		}
		if there {
			return nil
		}
		left := s.config.Lag - time.Since(began)
		if left <= 0 {
			return errBehind
		}
		if err := sleep.For(ctx, min(wait, left)); err != nil {
			return err
		}
	}
}

// doubt has searches made on the primary until the replica was looked at.
func (s *Standby) doubt(ctx context.Context, cause error) {
	if !s.usable.Swap(false) {
		return
	}
	s.config.Logger.WarnContext(ctx, "the replica for searches is not used; the primary answers them", "error", cause)
	select {
	case s.doubted <- struct{}{}:
	default:
	}
}

// calm is how many times less often a replica is looked at while it can be used: searches notice by themselves what becomes of it, but health
// checks should not have to wait for one.
const calm = 10

// watch looks at the replica, often while it cannot be used.
func (s *Standby) watch(ctx context.Context) {
	for {
		wait := s.config.Probe
		if s.usable.Load() {
			wait *= calm
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.doubted:
			timer.Stop()
			continue // from now on it is looked at often
		case <-ctx.Done():
			timer.Stop()
			return
		}
		err := s.probe(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.doubt(ctx, err)
		case !s.usable.Swap(true):
			s.config.Logger.InfoContext(ctx, "the replica answers searches again")
		}
	}
}

// probe says why the replica cannot be used, if it cannot.
func (s *Standby) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	const identity = `select (select system_identifier from pg_control_system())::text || '/' || current_database()`
	var own, primary string
	if err := s.primary.Pool.QueryRow(ctx, identity).Scan(&primary); err != nil {
		return fmt.Errorf("ask the primary who it is: %w", err)
	}
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := conn.QueryRow(ctx, identity).Scan(&own); err != nil {
		return fmt.Errorf("ask the replica who it is: %w", err)
	}
	if own != primary {
		return errNoStandby
	}
	return nil
}
