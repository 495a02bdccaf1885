package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Suite tests a Store. open returns a separate empty store to each test, and the tests run in
// parallel. No test sleeps: a lease expires because its replica beats with a ttl of zero.
func Suite(t *testing.T, open func(*testing.T) Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*fixture)
	}{
		{"an event is accepted once", dedupe},
		{"mention and message events of one message are merged", twins},
		{"racing events of one message are merged", racingTwins},
		{"an incomplete intake is refused", invalid},
		{"an intake is stored completely", intakeRoundTrip},
		{"a pending question is completed once", completed},
		{"a question is settled once", settledOnce},
		{"a withdrawn question is not completed", pendingWithdrawn},
		{"an intake notes how far the thread was read", caughtUp},
		{"transcripts that may hold a changed message are dropped", transcriptsDropped},
		{"tenants, workspaces and owners have separate sessions", apart},
		{"turns of a session run in order, one at a time", order},
		{"order holds under racing intakes", racingIntakes},
		{"a late arrival is answered first", lateArrivals},
		{"a late arrival does not precede a running turn", lateArrivalOfBegun},
		{"a late ambient question does not precede others", lateArrivalUnasked},
		{"order holds when messages race with leases", racingArrivals},
		{"many replicas lease every turn once", racingLeases},
		{"an expired replica loses its turn and is fenced", takeOver},
		{"a take-over while delivering keeps the outcome", takeOverDelivering},
		{"the only turn of a replica that died runs alone", alone},
		{"suspects run in halves, then eighths, then alone", halves},
		{"only deaths while alone are a turn's own", loneDeaths},
		{"a replica that works on others drains before it runs suspects", draining},
		{"an idle replica takes suspects from a draining one", drainingTaken},
		{"one of several replicas stays free of suspects", spared},
		{"suspects of another platform do not block a replica", suspectsElsewhere},
		{"a released suspect stays suspect, an ended one does not", suspectHandedBack},
		{"a turn whose delivery ended a replica is a suspect", suspectDelivering},
		{"an edited question is no suspect", suspectEdited},
		{"replicas that die at random keep suspects apart, and all turns end", randomDeaths},
		{"only failures are counted", failures},
		{"every transition is in session.Life", life},
		{"a turn has one outcome", oneOutcome},
		{"racing finishes leave one outcome", racingFinishes},
		{"a released turn is not a takeover", release},
		{"a released turn waits", releaseLater},
		{"a replica gets only what it can deliver", filtered},
		{"several turns are leased at once", several},
		{"a replica leases turns that it does not know it holds", reclaim},
		{"a replica that leaves hands back", leave},
		{"live replicas are counted", live},
		{"a turn without a live replica is abandoned", abandoned},
		{"a result is stored completely", history},
		{"passages keep their numbers", passageNumbers},
		{"history is limited to earlier turns of the session", historyLimits},
		{"a stopped answer is stored as its beginning", stoppedHistory},
		{"hostile text is kept readable", hostileText},
		{"a stop reaches a running turn", stopRunning},
		{"a stop before the lease is seen by it", stopQueued},
		{"a stop before the question arrives is armed", stopArmed},
		{"a stranger's tombstone stops nothing", stopArmedByStranger},
		{"a stop that races the intake is never missed", stopRace},
		{"only those who may stop a turn do", stopDenied},
		{"a stop of the thread stops waiting turns too", stopThread},
		{"a stop of a page stops its turn", stopPage},
		{"a stop of a page that is not recorded yet is armed", stopPageArmed},
		{"a stop after the outcome changes nothing", stopFinished},
		{"pages are recorded", pages},
		{"pages are fenced", pagesFenced},
		{"an overwritten turn is delivered again", disturbed},
		{"participants of a thread are recorded", participants},
		{"recently active threads are listed", active},
		{"newest messages leave traces", traces},
		{"a beat says whether there is work", beats},
		{"one of several claims succeeds", claims},
		{"settings changed in chat are stored", settings},
		{"quotas are counted at intake", quotas},
		{"an unasked answer makes the thread known", unasked},
		{"a question does not wait for an unasked answer", unaskedWaits},
		{"decisions are recorded", verdicts},
		{"turns are found", found},
		{"the reason of a failed delivery is recorded", undelivered},
		{"a stop of the channel stops its author's turns", stopChannel},
		{"searches are stored", accounts},
		{"a waiting question is edited", editWaiting},
		{"a running turn begins again when its question is edited", editRunning},
		{"an answered question is edited", editAnswered},
		{"a question is edited while its answer is delivered", editDelivering},
		{"an edit counts against quotas", editLimited},
		{"an edited question that was stopped stays stopped", editStopped},
		{"a question without room is answered once an edit has room", editBornLimited},
		{"a waiting question is withdrawn", withdrawWaiting},
		{"a running turn ends when its question is withdrawn", withdrawRunning},
		{"an answer is marked when its question is withdrawn", withdrawAnswered},
		{"a question is withdrawn while its answer is delivered", withdrawDelivering},
		{"no turn is derived from a withdrawn question", withdrawRetried},
		{"a person is forgotten", forget},
		{"changes by a forgotten person contain no name", forgetChanges},
		{"the end of each turn is in the audit trail once", auditTurns},
		{"turns that end without a run are in the audit trail", auditUnrun},
		{"an edited question ends once more", auditEdited},
		{"changes are in the audit trail", auditChanges},
		{"audit entries of direct messages identify the place by the person", auditDirect},
		{"audit values contain no ids of people", auditNameless},
		{"a stop is in the audit trail once", auditStopped},
		{"follow and unfollow are in the audit trail", auditFollowed},
		{"a refusal is in the audit trail once", auditRefused},
		{"entries of a time and of a person are found", auditQueries},
		{"audit entries of a forgotten person are anonymous", auditForgotten},
		{"answers of a withdrawn question are erased after delivery", withdrawErases},
		{"an edit erases the earlier question and answer", editErases},
		{"an edited question without a new answer has the new text", editReworded},
		{"withdrawal includes private and shared answers", withdrawDerived},
		{"an answer whose message was deleted is erased", erased},
		{"deleting the first message during writing removes the answer", erasedWhileItIsWritten},
		{"a deletion that arrives before the page is recorded removes the answer", erasedBeforeItIsRecorded},
		{"expired sessions are deleted", prune},
		{"active sessions are not deleted", pruneBusy},
		{"a dry run counts and removes nothing", pruneDry},
		{"sweeping keeps what is needed", sweep},
		{"a retry takes the place and the messages of its origin", retried},
		{"racing retries make one turn", racingRetries},
		{"an overwritten retry is delivered again", disturbedRetry},
		{"a retry counts against quotas", derivedQuota},
		{"a private answer is in another session", privately},
		{"a shared answer is delivered while another turn runs", sharedCopy},
		{"a removed answer is erased", removed},
		{"a removal includes answers before an edit", removedEdited},
		{"a removal includes running and waiting turns", removedWhileRunning},
		{"a correction replaces the answer", corrected},
		{"a revision is never too old", revisedLate},
		{"a kept answer is posted again", keptAnswer},
		{"each person has one vote", votes},
		{"a vote is about one model", votesByModel},
		{"a private answer is offered once", offers},
		{"the owner of a page is asked once about a question", asksOwner},
		{"answers with CauseAudience are listed once", unlisted},
		{"a thread is followed again", followed},
		{"what waits is counted", depth},
		{"the system prompt is versioned", prompts},
		{"a cancelled context fails", cancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			t.Cleanup(cancel)
			test.run(&fixture{T: t, ctx: ctx, Store: open(t)})
		})
	}
}

type fixture struct {
	*testing.T
	Store
	ctx    context.Context
	events int
}

const tenant = access.DefaultTenant

var place = thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "100.1"}

func (f *fixture) question(text string) session.Intake {
	f.events++
	return session.Intake{
		Tenant: tenant, Ref: place, EventKey: fmt.Sprintf("Ev%d", f.events), Message: thread.MessageID(fmt.Sprintf("m%d", f.events)),
		Asker: thread.Person{ID: "U1", Name: "Ada"}, Starter: "U2", Text: text, At: time.Unix(1_700_000_000, 0).UTC(),
		Audience: access.NewAudience(tenant, access.Members),
	}
}

func (f *fixture) accept(in session.Intake) session.Turn {
	f.Helper()
	accepted, err := f.Accept(f.ctx, in)
	f.must(err)
	if accepted.Duplicate {
		f.Fatalf("%q was taken for a duplicate", in.Text)
	}
	return accepted.Turn
}

func (f *fixture) lease(id session.ReplicaID) session.Turn {
	f.Helper()
	t := f.tryLease(id)
	if t == nil {
		f.Fatalf("%s got no turn", id)
	}
	return *t
}

func (f *fixture) beat(id session.ReplicaID) {
	f.Helper()
	_, err := f.Beat(f.ctx, id, time.Hour)
	f.must(err)
}

func (f *fixture) tryLease(id session.ReplicaID) *session.Turn {
	f.Helper()
	f.beat(id)
	t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: id}))
	f.must(err)
	return t
}

func (f *fixture) noLease(id session.ReplicaID) {
	f.Helper()
	if t := f.tryLease(id); t != nil {
		f.Fatalf("%s leased turn %d (%s), and there should be none", id, t.Number, t.State)
	}
}

func (f *fixture) finish(t session.Turn, o session.Outcome) {
	f.Helper()
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: o}))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
}

func (f *fixture) expire(id session.ReplicaID) {
	f.Helper()
	_, err := f.Beat(f.ctx, id, 0)
	f.must(err)
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) wantErr(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("error = %v, want %v", err, want)
	}
}

// equal compares two values by their JSON, so that a failure shows every exported field.
func (f *fixture) equal(what string, got, want any) {
	f.Helper()
	g, err := json.MarshalIndent(got, "", " ")
	f.must(err)
	w, err := json.MarshalIndent(want, "", " ")
	f.must(err)
	if string(g) != string(w) {
		f.Errorf("%s\ngot  %s\nwant %s", what, g, w)
	}
}
