package pgindex

import (
	"context"

	"github.com/jackc/pgx/v5"
)

type batcher interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// round is a batch of statements that take one round trip.
type round struct {
	batch pgx.Batch
	reads []func(pgx.BatchResults) error
}

func (r *round) queue(read func(pgx.BatchResults) error, sql string, args ...any) {
	r.batch.Queue(sql, args...)
	r.reads = append(r.reads, read)
}

// send sends the statements without waiting for the results. The caller must call read on the
// returned value.
func (r *round) send(ctx context.Context, to batcher) pending {
	if len(r.reads) == 0 {
		return pending{}
	}
	return pending{results: to.SendBatch(ctx, &r.batch), reads: r.reads}
}

func (r *round) run(ctx context.Context, to batcher) error { return r.send(ctx, to).read() }

type pending struct {
	results pgx.BatchResults // nil if there are none
	reads   []func(pgx.BatchResults) error
}

// read waits for the results and reads them in the order of the statements. After an error it
// discards the rest.
func (p pending) read() error {
	if p.results == nil {
		return nil
	}
	for _, read := range p.reads {
		if err := read(p.results); err != nil {
			_ = p.results.Close() // reports the same error
			return err
		}
	}
	return p.results.Close()
}

func discardResult(br pgx.BatchResults) error {
	_, err := br.Exec()
	return err
}

// collectInto returns a function for [round.queue] that collects all rows in *out.
func collectInto[T any](out *[]T, scan pgx.RowToFunc[T]) func(pgx.BatchResults) error {
	return func(br pgx.BatchResults) error {
		rows, err := br.Query()
		if err != nil {
			return err
		}
		*out, err = pgx.CollectRows(rows, scan)
		return err
	}
}
