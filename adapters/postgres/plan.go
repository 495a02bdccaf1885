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

// plans makes the connections of a pool cache query plans on the server. It does nothing behind a
// transaction pooler, which may send each transaction to another server process.
type plans struct{ plans atomic.Bool }

// keptKey is the key under which a connection stores when it began to cache plans.
const keptKey = "footnote: kept plans"

// replanAfter is how long plans are cached. A plan for a small table becomes slow when the table
// grows.
const replanAfter = time.Minute

// errPooled means that a new connection leads through a pooler, although earlier ones did not.
var errPooled = errors.New("a transaction pooler stands before PostgreSQL now; connect again")

// detectPooler compares process ids to find out whether conn leads directly to one server process.
// It records the result in p.
func (p *plans) detectPooler(ctx context.Context, conn *pgx.Conn) error {
	var process uint32
	if err := conn.QueryRow(ctx, `select pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&process); err != nil {
		return fmt.Errorf("ask for the server's process: %w", err)
	}
	p.plans.Store(process == conn.PgConn().PID())
	return nil
}

// configure makes the connections of pc cache plans if [plans.detectPooler] found no pooler.
func (p *plans) configure(pc *pgxpool.Config) {
	before, after := pc.BeforeConnect, pc.AfterConnect
	pc.BeforeConnect = func(ctx context.Context, cc *pgx.ConnConfig) error {
		if p.plans.Load() && cc.DefaultQueryExecMode == pgx.QueryExecModeCacheDescribe {
			cc.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
			// Each statement is written for one plan, which uses the index that its comment names.
			// Vector searches override this setting.
			cc.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
		}
		if before == nil {
			return nil
		}
		return before(ctx, cc)
	}
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if p.plans.Load() {
			if err := p.detectPooler(ctx, conn); err != nil {
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
		return err == nil, nil // a connection that fails is replaced
	}
}
