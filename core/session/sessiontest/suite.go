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

// Suite holds for every Store. open returns a separate empty store to each test; the tests run in
// parallel. Nothing in it sleeps: leases are made to expire by beating for no time.
func Suite(t *testing.T, open func(*testing.T) Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*fixture)
	}{
		{"an event is taken in once", dedupe},
		{"the mention and message twins fold", twins},
		{"twins that race fold", racingTwins},
		{"an incomplete intake is refused", invalid},
		{"an intake comes back whole", intakeRoundTrip},
		{"what was pending is completed, once", completed},
		{"a question is settled once", settledOnce},
		{"what is pending is of no use once the question is withdrawn", pendingWithdrawn},
		{"an intake notes how far the thread was read", caughtUp},
		{"tenants, workspaces and owners have sessions of their own", apart},
		{"turns of a session run in order, one at a time", order},
		{"order holds under racing intakes", racingIntakes},
		{"what was written earlier and arrives later is answered first", lateArrivals},
		{"unless what was written later has begun", lateArrivalOfBegun},
		{"or nobody asked", lateArrivalUnasked},
		{"order holds when messages race with leases", racingArrivals},
		{"many replicas lease every turn once", racingLeases},
		{"an expired replica loses its turn and is fenced", takeOver},
		{"a take-over while delivering keeps the outcome", takeOverDelivering},
		{"the only turn of a replica that died runs alone", alone},
		{"of many turns of a replica that died, halves run apart, then eighths, then each alone", halves},
		{"only deaths while alone are a turn's own", loneDeaths},
		{"a replica that works on others drains before it runs suspects", draining},
		{"a replica that has nothing to do takes suspects from one that drains", drainingTaken},
		{"one of several replicas stays free of suspects", spared},
		{"suspects of another platform do not hold up a replica", suspectsElsewhere},
		{"a suspect that is handed back stays one, and one that has ended is none", suspectHandedBack},
		{"an answer whose delivery ended a replica is a suspect too", suspectDelivering},
		{"an edited question is no suspect", suspectEdited},
		{"replicas that die at random keep suspects apart, and all turns end", randomDeaths},
		{"a failure is counted, and nothing else is", failures},
		{"whatever happens, a turn goes the ways of session.Life", life},
		{"a turn has one outcome", oneOutcome},
		{"racing finishes leave one outcome", racingFinishes},
		{"a turn handed back is not a take-over", release},
		{"a released turn waits", releaseLater},
		{"a replica gets only what it can deliver", filtered},
		{"several turns are leased at once", several},
		{"a replica gets back what it does not know it holds", reclaim},
		{"a replica that leaves hands back", leave},
		{"live replicas are counted", live},
		{"a turn that nobody was there for is abandoned", abandoned},
		{"what was saved comes back whole", history},
		{"passages keep their numbers", passageNumbers},
		{"history is limited to earlier turns of the session", historyLimits},
		{"an answer that was stopped comes back as its beginning", stoppedHistory},
		{"hostile text is kept readable", hostileText},
		{"a stop reaches a running turn", stopRunning},
		{"a stop before the lease is seen by it", stopQueued},
		{"a stop before the question arrives is armed", stopArmed},
		{"a stranger's tombstone stops nothing", stopArmedByStranger},
		{"a stop that races the intake is never missed", stopRace},
		{"only those who may stop a turn do", stopDenied},
		{"a stop of the thread stops what waits too", stopThread},
		{"a stop of a page stops its turn", stopPage},
		{"a stop of a page that is not recorded yet is armed", stopPageArmed},
		{"a stop after the outcome changes nothing", stopFinished},
		{"pages are remembered", pages},
		{"pages are fenced", pagesFenced},
		{"a turn that was written over is delivered again", disturbed},
		{"who takes part in a thread is remembered", participants},
		{"threads in which something was said lately are listed", active},
		{"newest messages leave traces", traces},
		{"a beat says whether there is work", beats},
		{"of several who claim something one may do it", claims},
		{"what was changed in chat is remembered", settings},
		{"quotas are counted at intake", quotas},
		{"a thread is known once an unasked answer was given", unasked},
		{"who asks does not wait behind an unasked answer", unaskedWaits},
		{"decisions are remembered", verdicts},
		{"turns are found", found},
		{"why an answer does not stand in its thread is remembered", undelivered},
		{"a stop of the channel stops what its author asked", stopChannel},
		{"searches are kept", accounts},
		{"a waiting question is edited", editWaiting},
		{"a running turn begins again when its question is edited", editRunning},
		{"an answered question is edited", editAnswered},
		{"a question is edited while its answer is delivered", editDelivering},
		{"an edit counts against quotas", editLimited},
		{"a stop takes the sense from an edit", editStopped},
		{"a question without room is answered once an edit has room", editBornLimited},
		{"a waiting question is withdrawn", withdrawWaiting},
		{"a running turn ends when its question is withdrawn", withdrawRunning},
		{"an answer is marked when its question is withdrawn", withdrawAnswered},
		{"a question is withdrawn while its answer is delivered", withdrawDelivering},
		{"of a withdrawn question no turn is made, and no text is left", withdrawRetried},
		{"a person is forgotten", forget},
		{"what was changed by somebody who is forgotten names nobody", forgetChanges},
		{"the end of each turn is in the audit trail once", auditTurns},
		{"turns that end without a run are in the audit trail", auditUnrun},
		{"an edited question ends once more", auditEdited},
		{"changes are in the audit trail", auditChanges},
		{"of a direct message the trail names the place through its person", auditDirect},
		{"the trail keeps no id of somebody in a value", auditNameless},
		{"who stopped what is in the trail, once", auditStopped},
		{"who had a thread followed no longer, and again, is in the trail", auditFollowed},
		{"what was refused is in the trail, once", auditRefused},
		{"entries of a time and of a person are found", auditQueries},
		{"the trail does not say whom it means once somebody is forgotten", auditForgotten},
		{"of a withdrawn question's answers nothing is left once they are marked", withdrawErases},
		{"an edit erases what was asked and answered before", editErases},
		{"a question that is not answered anew reads as it was edited", editReworded},
		{"a withdrawn question leaves its private and shared answers too", withdrawDerived},
		{"an answer whose message was deleted is erased", erased},
		{"an answer whose first message is deleted while it is written is removed", erasedWhileItIsWritten},
		{"and so is one whose deletion is known before the message", erasedBeforeItIsRecorded},
		{"sessions that nobody touched are removed", prune},
		{"what is at work is not removed", pruneBusy},
		{"a dry run counts and removes nothing", pruneDry},
		{"sweeping keeps what is needed", sweep},
		{"a retried turn takes the place and the messages of the old one", retried},
		{"racing retries make one turn", racingRetries},
		{"a retried answer that was written over is delivered again", disturbedRetry},
		{"a retry counts against quotas", derivedQuota},
		{"a private answer is in another session", privately},
		{"a shared answer is delivered beside what runs", sharedCopy},
		{"of a removed answer nothing is left", removed},
		{"a removal reaches what stood there before an edit", removedEdited},
		{"a removal reaches what runs and what waits", removedWhileRunning},
		{"a correction takes the answer's place", corrected},
		{"a revision is never too old", revisedLate},
		{"a kept answer is posted anew", keptAnswer},
		{"everybody has one vote", votes},
		{"a vote is about one model", votesByModel},
		{"a private answer is offered once", offers},
		{"the owner of a page is asked once about a question", asksOwner},
		{"answers from public documents alone are listed once to be offered again", unlisted},
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

// question returns an intake with a new event key and message id.
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

// lease leases for a live replica and wants a turn.
func (f *fixture) lease(id session.ReplicaID) session.Turn {
	f.Helper()
	t := f.tryLease(id)
	if t == nil {
		f.Fatalf("%s got no turn", id)
	}
	return *t
}

// beat has a replica live for an hour.
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

// equal compares by JSON, which shows every exported field in a failure.
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
