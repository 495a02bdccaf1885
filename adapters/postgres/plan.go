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

// plans makes the server keep the plans of all statements of a pool's connections, if each
// connection leads to one server process. Planning takes ten times as long as most statements. A
// pooler may hand each transaction to another process, which does not know a prepared statement. It
// is detected by its own process numbers, and statements are then planned each time.
type plans struct{ plans atomic.Bool }

// keptKey is where a connection notes when the plans of its statements were last made.
const keptKey = "footnote: kept plans"

// replanAfter is how long a plan is kept. One made for a small table is wrong once the table has
// grown.
const replanAfter = time.Minute

// errPooled means that a connection leads to another process than the first one did.
var errPooled = errors.New("a transaction pooler stands before PostgreSQL now; connect again")

// ask finds out whether a connection leads to one server process.
func (p *plans) ask(ctx context.Context, conn *pgx.Conn) error {
	var process uint32
	if err := conn.QueryRow(ctx, `select pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&process); err != nil {
		return fmt.Errorf("ask for the server's process: %w", err)
	}
	p.plans.Store(process == conn.PgConn().PID())
	return nil
}

// use has the connections of a pool keep their plans, or not, as was found out.
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
