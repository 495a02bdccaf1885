package pgsession_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// However many replicas take questions in at once, each of a person's, a role's and a channel's
// quota admits as many as it says, and a question that one of them has no room for is counted in
// none.
func TestQuotasHoldAcrossReplicas(t *testing.T) {
	t.Parallel()
	const replicas, people, questions = 3, 4, 8
	const perUser, perRole, perChannel = 5, 9, 14
	const window = 10 * 365 * 24 * time.Hour // which ends while no test runs
	address := postgrestest.URL(t)
	var admitted, limited atomic.Int64
	var byPerson [people]atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, replicas*people*questions)
	for replica := range replicas {
		sessions := pgsession.New(postgrestest.Connect(t, postgres.Config{URL: address}))
		for person := range people {
			by := thread.Person{ID: fmt.Sprint("U", person)}
			quotas := []session.Quota{
				{Counter: "user:" + by.ID, Limit: perUser, Window: window}, {Counter: "channel:C", Limit: perChannel, Window: window},
			}
			if person < 2 { // who have the role
				quotas = append(quotas, session.Quota{Counter: "role:interns", Limit: perRole, Window: window})
			}
			group.Go(func() {
				for n := range questions {
					in := raceIntake(fmt.Sprintf("%d-%d-%d", replica, person, n), by, quotas...)
					in.Ref.Thread = in.EventKey // so that they meet at the counters alone
					accepted, err := sessions.Accept(t.Context(), in)
					switch {
					case err != nil:
						failed <- err
					case accepted.Turn.LimitedUntil.IsZero():
						admitted.Add(1)
						byPerson[person].Add(1)
					default:
						limited.Add(1)
					}
				}
			})
		}
	}
	group.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if admitted.Load() != perChannel || limited.Load() != replicas*people*questions-perChannel {
		t.Errorf("%d questions were admitted and %d were not; the channel has room for %d", admitted.Load(), limited.Load(), perChannel)
	}
	for person := range people {
		if n := byPerson[person].Load(); n > perUser {
			t.Errorf("%d questions of one person were admitted, who has room for %d", n, perUser)
		}
	}
	if n := byPerson[0].Load() + byPerson[1].Load(); n > perRole {
		t.Errorf("%d questions of a role were admitted, which has room for %d", n, perRole)
	}
	db, err := postgres.Open(t.Context(), postgres.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var counted int64
	if err := db.Pool.QueryRow(t.Context(), `select sum(used) from quota_use where counter like 'user:%'`).Scan(&counted); err != nil || counted != admitted.Load() {
		t.Errorf("%d questions are counted, %d were admitted (%v)", counted, admitted.Load(), err)
	}
}
