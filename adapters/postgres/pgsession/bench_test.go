package pgsession_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

func benchIntake(n int) session.Intake {
	return session.Intake{
		Tenant: access.DefaultTenant, Ref: thread.Ref{Platform: "slack", Workspace: "T", Channel: "C", Thread: fmt.Sprint(n)},
		EventKey: fmt.Sprint(n), Message: thread.MessageID(fmt.Sprint("m", n)), Asker: thread.Person{ID: "U"}, Text: "How do I set up replication?",
		Audience: access.NewAudience(access.DefaultTenant, access.Members),
	}
}

// BenchmarkIntake is what lies between an event and its acknowledgement; the slowest hundredth is
// reported beside the mean.
func BenchmarkIntake(b *testing.B) {
	store := pgsession.New(postgrestest.Open(b))
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := store.Accept(b.Context(), benchIntake(len(took))); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}

// BenchmarkLease leases, finishes and delivers a turn while others run on live replicas and wait in
// sessions that are busy.
func BenchmarkLease(b *testing.B) {
	for _, load := range []struct{ running, waiting int }{{0, 0}, {5000, 0}, {5000, 5000}} {
		b.Run(fmt.Sprintf("%d running, %d waiting", load.running, load.waiting), func(b *testing.B) {
			db := postgrestest.Open(b)
			store := pgsession.New(db)
			if _, err := store.Beat(b.Context(), "other", time.Hour); err != nil {
				b.Fatal(err)
			}
			const fill = `
				with s as (
					insert into session (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns)
					select 'default', gen_random_uuid(), 'slack', 'T', 'busy', n::text, '', '', 2 from generate_series(1, $1::int) n
					returning tenant_id, id
				)
				insert into turn (tenant_id, id, session_id, number, platform, workspace, state, owner, attempt, platform_message, asker_id,
				                  asker_name, principals, direct)
				select tenant_id, gen_random_uuid(), id, n, 'slack', 'T', case n when 1 then 'running' else 'queued' end,
				       case n when 1 then 'other' else '' end, 1, '', 'U', '', '{}', false
				from s cross join generate_series(1, 1 + $2::int / greatest($1::int, 1)) n`
			if _, err := db.Pool.Exec(b.Context(), fill, load.running, load.waiting); err != nil {
				b.Fatal(err)
			}
			if _, err := db.Pool.Exec(b.Context(), `analyze`); err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				b.StopTimer()
				if _, err := store.Accept(b.Context(), benchIntake(n)); err != nil {
					b.Fatal(err)
				}
				n++
				b.StartTimer()
				t, err := sessiontest.One(store.Lease(b.Context(), session.LeaseRequest{Replica: "other"}))
				if err != nil || t == nil {
					b.Fatal(t, err)
				}
				if err := store.Finish(b.Context(), t.Fence(), session.Saved{Outcome: session.Answered}); err != nil {
					b.Fatal(err)
				}
				if err := store.Delivered(b.Context(), t.Fence(), ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
