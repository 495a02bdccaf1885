package pgsession

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// Beat implements session.Store. It marks a replica as alive for ttl. It also reports whether there
// may be work for the replica.
//
// It looks for work with the partial indexes of Lease, which are empty if there is no work.
func (s *Store) Beat(ctx context.Context, id session.ReplicaID, ttl time.Duration) (work bool, err error) {
	const beat = `
		with beat as (
			insert into replica (id, expires_at) values ($1, clock_timestamp() + $4::bigint * interval '1 microsecond')
			on conflict (id) do update set expires_at = excluded.expires_at)
		select exists (select from turn q where q.state = 'queued' and q.not_before <= statement_timestamp())
			or exists (select from turn l where l.state in ('running', 'delivering') and l.owner = '' and l.not_before <= statement_timestamp())
			or exists (select from turn s where s.state = 'done' and s.disturbed and s.owner = '' and s.not_before <= statement_timestamp())
			or `
	if err := s.db.Pool.QueryRow(ctx, beat+quarantineQuery, id, []string(nil), []string(nil), ttl.Microseconds()).Scan(&work); err != nil {
		return false, fmt.Errorf("renew the leases of replica %s: %w", id, err)
	}
	return work, nil
}

// Leave implements session.Store. It marks a replica as dead and releases its turns.
func (s *Store) Leave(ctx context.Context, id session.ReplicaID) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, leftRepairsSQL, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, replicaLeftSQL, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update replica set expires_at = least(expires_at, clock_timestamp()) where id = $1`, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("hand back the turns of replica %s: %w", id, err)
	}
	return nil
}

// Live implements session.Store. It counts the live replicas.
func (s *Store) Live(ctx context.Context) (int, error) {
	var n int
	if err := s.db.Pool.QueryRow(ctx, `select count(*) from replica where expires_at > clock_timestamp()`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the live replicas: %w", err)
	}
	return n, nil
}
