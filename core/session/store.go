package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Store stores conversations. Package sessiontest tests that an implementation keeps these
// contracts. Each caller declares the part of the interface that it uses. A Store is safe for
// concurrent use by any number of processes. Settings stores values changed in chat, and Audit
// reads the audit trail.
type Store interface {
	// Intake.

	// Accept stores a question and queues its turn in one transaction. Then the caller may
	// acknowledge the event. It accepts an event key once per platform and workspace, and a message
	// once per channel. If a person who may stop the turn requested that before it arrived
	// (Request), Turn.StopRequested is set. The question becomes the newest of its session. But it
	// goes before later messages (At) that no replica has begun, and their numbers change. Errors
	// wrap ErrInvalid or the store's error.
	Accept(ctx context.Context, in Intake) (Accepted, error)
	// Refused records in the audit trail a question that was not accepted.
	Refused(ctx context.Context, r Refusal) error
	// Exhausted returns those of the quotas whose window ends at until and has no room for another
	// question.
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []Quota, until time.Time) ([]Quota, error)
	// Settle counts a question against its quotas once they are known. If one has no room, it
	// returns when it has room again (Intake.Quotas). Repeated calls change nothing and return the
	// same.
	Settle(ctx context.Context, f Fence, quotas []Quota) (until time.Time, err error)
	// Complete stores the platform's reply in one transaction and clears Pending. It does not
	// replace files that the question already has. Repeated calls change nothing. Settle and
	// Complete fail with ErrFenced, ErrUnknownTurn, ErrFinished or ErrWithdrawn.
	Complete(ctx context.Context, f Fence, c Completion) error

	// Workers. Time is the store's; clocks of replicas need not agree.

	// Lease leases the oldest workable turns, at most r.Most, and makes them Running, or leaves
	// them Delivering. It prefers turns without a holder, then Done turns that are Disturbed, then
	// queued turns whose session has no earlier unfinished turn. It returns none if there are none.
	// The lease lasts as long as the replica beats.
	//
	// Turns of an expired replica are suspects (MaxConcurrentSuspects) and come first. They are
	// leased one at a time to one replica, which holds nothing else meanwhile. If several replicas
	// live, one stays free for other turns. A replica that must run suspects but holds other turns
	// gets ErrDraining.
	Lease(ctx context.Context, r LeaseRequest) ([]Turn, error)
	// Finish saves the result of a running turn and its only outcome in one transaction, and makes
	// it Delivering. It fails with ErrFenced or ErrFinished without changes. If the answer was
	// removed meanwhile, it saves the outcome and returns ErrRemoved. Then hand the turn back, so
	// that it is delivered as removed.
	Finish(ctx context.Context, f Fence, s Saved) error
	// Delivered ends a Delivering turn, so that the session's next turn may start, or the repair of
	// a Done one. undelivered is a sentence that says why the thread shows no whole answer; empty
	// if it does. A second call is no error.
	Delivered(ctx context.Context, f Fence, undelivered string) error
	// Release returns a turn to the queue. Any replica may lease it again after the delay. It is
	// not counted as a takeover, but a delay other than zero counts it as a failure.
	Release(ctx context.Context, f Fence, after time.Duration) error
	// Depth counts the turns of all tenants that wait for a worker. It includes turns that wait for
	// an earlier turn of their session.
	Depth(ctx context.Context) (int, error)
	// Beat marks a replica as alive for ttl. The caller must assume that it expires ttl after the
	// moment before it called Beat. Beat reports whether Lease may find work on any platform, so
	// that an idle replica needs no separate query.
	Beat(ctx context.Context, id ReplicaID, ttl time.Duration) (work bool, err error)
	// Leave removes a replica and returns its turns to the queue.
	Leave(ctx context.Context, id ReplicaID) error
	// Live counts the live replicas.
	Live(ctx context.Context) (int, error)
	// Sweep deletes expired data: tombstones, event keys, reply tokens and dead replicas. It also
	// closes turns as Superseded that no replica worked on for a day. Any replica may call it at
	// any time.
	Sweep(ctx context.Context) error

	// Stops. They are durable, so a stop whose signal was lost is found here.

	// Request records a stop. No turn can miss it, whether it waits, runs or arrives at this
	// moment. It does not change turns that have an outcome.
	Request(ctx context.Context, r StopRequest) (StopResult, error)
	// Requested returns those of the given turns for which a stop was requested.
	Requested(ctx context.Context, turns []Fence) ([]TurnID, error)

	// Posted messages are recorded, so that the next worker adopts them instead of posting again.
	// Every write is fenced: it fails with ErrFenced if the attempt is not the turn's newest.

	// Intend records that a message is about to be created. Commit it before the create call. It
	// replaces the page's earlier record.
	Intend(ctx context.Context, f Fence, key PageKey, at thread.Ref) error
	// Posted records a created or adopted message. From then on the message can be used to stop the
	// turn.
	Posted(ctx context.Context, f Fence, key PageKey, id thread.MessageID, hash string) error
	// Final records that the page shows its final content.
	Final(ctx context.Context, f Fence, key PageKey, hash string) error
	// Drop deletes the record of a page whose message was deleted.
	Drop(ctx context.Context, f Fence, key PageKey) error
	// Pages returns all pages, ordered by kind, model and number.
	Pages(ctx context.Context, f Fence) ([]Page, error)
	// Disturbed records that an outdated attempt may have written a message of the turn. If another
	// attempt has begun, the turn is leased once more after it is Done, without a change of state.
	// Its pages then count as not written.
	Disturbed(ctx context.Context, f Fence) error

	// History.

	// Load returns the messages of the newest turns before the given one that have an outcome,
	// oldest first, for at most limit turns. Each turn has the question with its files, then
	// Saved.Conversation: tool calls, tool results and the answer of Saved.Best with citations and
	// documents, or a correction. A removed answer has no messages. Superseded, declined and
	// retried turns are omitted; a new turn takes the place of the one that it retries. The caller
	// must filter by audience.
	//
	// A turn of a private session also gets the questions of its thread, because it may refer to
	// them. Their numbers are lowered by ThreadTurns. It does not get the answers: their document
	// numbers belong to another session.
	Load(ctx context.Context, before Turn, limit int) ([]message.Message, error)
	// Numbers returns the passage for each number that models saw in the whole session. So numbers
	// stay stable and grow even if the history is cut. Part is empty if only the document is known.
	Numbers(ctx context.Context, of Turn) (map[int]cite.Passage, error)
	// Saved returns the result that Finish saved, for the worker that delivers it.
	Saved(ctx context.Context, of Turn) (Saved, error)

	// Queries. They return turns of private sessions too: callers must check who may see them. They
	// fail with ErrUnknownTurn.

	// Turn returns a turn by its id.
	Turn(ctx context.Context, tenant access.TenantID, id TurnID) (Turn, error)
	// TurnOf returns the turn that a message belongs to as its question, answer page or notice.
	// Only the channel of the place matters.
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Turn, error)
	// Latest returns the newest turn of a thread, or of a channel if Thread is empty. It considers
	// turns that the reader asked and turns outside private sessions. AskedBy returns at most limit
	// of a person's questions in a workspace, newest first. Deleted questions are omitted.
	AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]Turn, error)
	Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (Turn, error)
	// Unasked returns the time since the last unasked answer in a channel; Never if there was none.
	Unasked(ctx context.Context, tenant access.TenantID, at Place) (time.Duration, error)
	// Waiting counts the unfinished turns of a channel. It omits private sessions, because the
	// channel must not learn about them.
	Waiting(ctx context.Context, tenant access.TenantID, at Place) (int, error)
	// Judged stores verdicts. The newest verdict about a message counts.
	Judged(ctx context.Context, tenant access.TenantID, verdicts []Verdict) error
	// Verdict returns the decision about a message, or the zero value if there is none.
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Verdict, error)

	// Changes to questions. A message that is not the question of a turn changes nothing and is no
	// error.

	// Edit queues an edited question to be answered again in place. A waiting turn takes the new
	// text. A running one stops and begins again. A finished one becomes the session's newest and
	// keeps its posted messages. The earlier question remains as a separate Superseded turn with
	// its votes. Its text and answer are erased, and those of turns that it had replaced. Private
	// answers and shared copies are separate conversations and stay. An unasked answer counts as
	// asked from then on. If a person stopped the running turn, it stays stopped. A removed or
	// corrected answer stays so, with the edited question.
	Edit(ctx context.Context, e Edit) (Changed, error)
	// Withdraw erases the text and files of a deleted question and ends its turn as Superseded. It
	// does the same to every turn with the same question: turns that it replaced, earlier versions
	// before an edit, private answers, and shared copies. If a finished turn has visible messages,
	// they are delivered once more with sentence below the answer. The answer is erased after that
	// delivery, or at once if nothing is visible.
	Withdraw(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string) (Changed, error)
	// Erase deletes an answer and the answers that it replaced, after a person deleted a page of it
	// on the platform. The turn then counts as removed by an unnamed person, and its other pages
	// stay unchanged. If the answer is still being written, only its first page counts, because no
	// worker deletes that page. The answer is then removed as by Remove. If the deletion arrives
	// before the page is recorded, it is removed once it is (within TombstoneAge). Erase reports
	// whether there was such an answer, and returns the running turns to stop.
	Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []TurnID, err error)

	// Changes to answers. Each is one transaction. A fenced worker then delivers the change to the
	// platform and retries until it succeeds.

	// Find returns the turn that t identifies. For a retried turn it returns the newest retry. It
	// fails with ErrUnknownTurn.
	Find(ctx context.Context, t Target) (Record, error)
	// Derive makes a turn from another one, or returns the existing one with Duplicate set. A turn
	// can be retried, answered privately and shared once each; to retry again, retry the newest. A
	// turn to retry must be Done, else Derive fails with ErrUnfinished. It fails with
	// ErrUnknownTurn (also if the question was deleted), ErrRemoved or a QuotaError. A retry of a
	// corrected answer fails with ErrCorrected.
	Derive(ctx context.Context, d Derive) (Accepted, error)
	// Remove deletes an answer for good, with the answers that it replaced and its shared copies.
	// Running turns must stop and their text is discarded; waiting ones do not start. Feedback
	// stays. It returns the running turns to stop. A second removal changes nothing. It fails with
	// ErrUnknownTurn.
	Remove(ctx context.Context, tenant access.TenantID, id TurnID, key string, r Removal) ([]TurnID, error)
	// Correct replaces the answer of a Done turn with a person's text. It also replaces an earlier
	// correction. It fails with ErrUnknownTurn, ErrUnfinished and ErrRemoved.
	Correct(ctx context.Context, tenant access.TenantID, id TurnID, key string, c Correction) error
	// Keep records that a private answer stays private. With resend, its messages are forgotten and
	// it is posted again without its reply token, for platforms on which such messages vanish. It
	// fails with ErrUnknownTurn, ErrUnfinished and ErrRemoved.
	Keep(ctx context.Context, tenant access.TenantID, id TurnID, key string, resend bool) error
	// Unlisted returns at most limit turns that ended with CauseAudience after since, the newest of
	// each session. It omits turns whose question was deleted or asked again. It also omits turns
	// whose answer was removed, corrected or stopped, and turns for which an offer was made.
	Unlisted(ctx context.Context, since time.Time, limit int) ([]Turn, error)
	// Offer records an offer for the turn and reports whether it is the first.
	Offer(ctx context.Context, tenant access.TenantID, id TurnID) (first bool, err error)
	// Vote stores a vote and replaces the person's earlier one. changed is false if the press was
	// already recorded or the vote equals the stored one. It fails with ErrUnknownTurn, and with
	// ErrRemoved if the answer no longer exists.
	Vote(ctx context.Context, v Vote) (changed bool, err error)
	// Feedback returns votes, newest first.
	Feedback(ctx context.Context, q FeedbackQuery) ([]Feedback, error)
	// ForgetVotes deletes all votes of a person on a platform and returns their number.
	ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error)

	// Participation. A thread becomes known when a question of it is accepted, which counts as a
	// sighting of the asker and makes it followed again. An ambient question makes an unknown
	// thread Pending until its turn is Answered.

	// Seen records a message of a known or pending thread. It ignores other threads.
	Seen(ctx context.Context, s Sighting) error
	// Thread returns the stored facts about a thread.
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (Thread, error)
	// Unfollow stops following a thread until a new question in it is accepted. by is the platform
	// id of the person who asked for this.
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	// Follow undoes an Unfollow.
	Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error

	// Catching up after a time without processes.

	// Active lists at most most known threads of a workspace in which a message was seen within
	// lately, newest first.
	Active(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int) ([]Active, error)
	// Traces returns a Trace for each of the given newest messages of a workspace, in the same
	// order.
	Traces(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []Newest) ([]Trace, error)
	// Claim reports whether the caller shall do the task that key names in a workspace. It is true
	// for exactly one caller within ttl. If that caller dies, the first caller after ttl gets the
	// task.
	Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error)

	// Deletion.

	// Forget deletes a person's questions on a platform with their answers, files and other data.
	// It deletes sessions in which only they asked, and their part in threads. Settings, removals
	// and corrections stay, without names. Workers that run one of the turns are fenced. The audit
	// trail keeps its entries but no longer identifies the person.
	Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (Forgotten, error)
	// Prune deletes a bounded number of expired sessions with all their data, threads and audit
	// entries. It reports whether there may be more: call it until there are none. Each call
	// commits its own deletions. It skips a session with a turn that waits, runs or is being
	// delivered. It records the deletions in the audit trail, with by as the actor.
	Prune(ctx context.Context, tenant access.TenantID, r Retention, by Actor) (gone Pruned, more bool, err error)
	// Prunable counts what Prune would delete now. It deletes nothing.
	Prunable(ctx context.Context, tenant access.TenantID, r Retention) (Pruned, error)
	// Tenants lists all tenants.
	Tenants(ctx context.Context) ([]access.TenantID, error)
}
