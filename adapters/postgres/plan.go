package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// plans makes the server keep the plans of all statements of a pool's connections. Planning takes
// ten times as long as most statements. plans does so only if each connection always leads to the
// same server process. A pooler may send each transaction to another process, which does not know a
// prepared statement. plans detects a pooler by its process numbers. Statements are then planned
// each time.
type plans struct{ plans atomic.Bool }

// keptKey is the key under which a connection stores since when it has kept its current plans.
const keptKey = "footnote: kept plans"

// replanAfter is how long a plan is kept. A plan for a small table is wrong once the table has
// grown.
const replanAfter = time.Minute

// errPooled means that a connection leads to another server process than it did before.
var errPooled = errors.New("a transaction pooler stands before PostgreSQL now; connect again")

// ask finds out whether a connection leads directly to one server process.
func (p *plans) ask(ctx context.Context, conn *pgx.Conn) error {
	var process uint32
	if err := conn.QueryRow(ctx, `select pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&process); err != nil {
		return fmt.Errorf("ask for the server's process: %w", err)
	}
	p.plans.Store(process == conn.PgConn().PID())
	return nil
}

// use configures a pool to keep plans if ask found direct connections.
func (p *plans) use(pc *pgxpool.Config) {
	before, after := pc.BeforeConnect, pc.AfterConnect
	pc.BeforeConnect = func(ctx context.Context, cc *pgx.ConnConfig) error {
		if p.plans.Load() && cc.DefaultQueryExecMode == pgx.QueryExecModeCacheDescribe {
			cc.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
			// Each statement is written for one plan, that of the index which its comment names,
			// and searches of vectors ask for others themselves.
			cc.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
		}
		if before == nil {
			return nil
		}
		return before(ctx, cc)
	}
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if p.plans.Load() {
			if err := p.ask(ctx, conn); err != nil {
				return err
			}
			if !p.plans.Load() {
				return errPooled
			}
			conn.PgConn().CustomData()[keptKey] = time.Now()
		}
		if after == nil {
			return nil
		}
		return after(ctx, conn)
	}
	pc.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		notes := conn.PgConn().CustomData()
		at, kept := notes[keptKey].(time.Time)
		if !kept || time.Since(at) < replanAfter {
			return true, nil
		}
		notes[keptKey] = time.Now()
		_, err := conn.Exec(ctx, `discard plans`)
		return err == nil, nil // one that does not answer is replaced
	}
}
