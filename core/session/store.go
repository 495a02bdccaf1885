package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Store stores conversations. A caller declares only the part of the interface that it uses. A
// Store is safe for concurrent use by any number of processes.
//
// Package sessiontest tests the contracts of an implementation. See [Settings] for values that were
// changed in chat, and [Audit] for the audit trail.
type Store interface {
	// Intake.

	// Accept stores a question and queues its turn in one transaction. Then the caller may
	// acknowledge the event. An event key is accepted once per platform and workspace, and a
	// message once per channel. Turn.StopRequested is set if a stop by a person who may stop the
	// turn arrived before the question (Request). The question becomes the newest of its session.
	// However, it is inserted before questions with a later Intake.At that no replica has begun.
	// The numbers of those questions change. Errors wrap ErrInvalid or the store's error.
	Accept(ctx context.Context, in Intake) (Accepted, error)
	// Refused records in the audit trail a question that was not accepted.
	Refused(ctx context.Context, r Refusal) error
	// Exhausted returns the quotas whose window ends at until and has no room for another question.
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []Quota, until time.Time) ([]Quota, error)
	// Settle counts a question against its quotas once the quotas are known. If a quota has no
	// room, Settle returns when the quota has room again (Intake.Quotas). Repeated calls change
	// nothing and return the same result.
	Settle(ctx context.Context, f Fence, quotas []Quota) (until time.Time, err error)
	// Complete stores the platform's reply in one transaction and clears Pending. It does not
	// replace files that the question already has. Repeated calls change nothing. Settle and
	// Complete fail with ErrFenced, ErrUnknownTurn, ErrFinished or ErrWithdrawn.
	Complete(ctx context.Context, f Fence, c Completion) error

	// Workers. Time is the store's; clocks of replicas need not agree.

	// Lease leases the oldest turns that can be worked on, at most r.Most. A queued turn becomes
	// Running, and a Delivering turn stays Delivering. Lease prefers turns without a holder, then
	// Done turns that are Disturbed. Next are queued turns whose session has no earlier unfinished
	// turn. Lease returns no turns if none can be worked on. The lease lasts as long as the replica
	// calls Beat.
	//
	// Turns of an expired replica are suspects (MaxConcurrentSuspects) and have priority. Suspects
	// are leased one at a time to one replica, which holds no other turns meanwhile. If several
	// replicas are alive, one of them stays free for other turns. A replica that must run suspects
	// but holds other turns gets ErrDraining.
	Lease(ctx context.Context, r LeaseRequest) ([]Turn, error)
	// Finish saves the result of a running turn and its only outcome in one transaction. The turn
	// becomes Delivering. Finish fails with ErrFenced or ErrFinished without changes. If the answer
	// was removed meanwhile, Finish saves the outcome and returns ErrRemoved. The caller must then
	// hand the turn back, so that it is delivered as removed.
	Finish(ctx context.Context, f Fence, s Saved) error
	// Delivered ends a Delivering turn, so that the session's next turn may start. It also ends the
	// repair of a Done turn. undelivered is a sentence that says why the thread does not show the
	// whole answer. It is empty if the thread shows the whole answer. A second call is no error.
	Delivered(ctx context.Context, f Fence, undelivered string) error
	// Release returns a turn to the queue. Any replica may lease the turn again after the delay. A
	// release does not count as a takeover. It counts as a failure if the delay is not zero.
	Release(ctx context.Context, f Fence, after time.Duration) error
	// Depth counts the turns of all tenants that wait for a worker. Turns that wait for an earlier
	// turn of their session are included.
	Depth(ctx context.Context) (int, error)
	// Beat marks a replica as alive for ttl. The caller must count ttl from a time before the call.
	// Beat reports whether Lease may find work on any platform. So an idle replica needs no
	// separate query.
	Beat(ctx context.Context, id ReplicaID, ttl time.Duration) (work bool, err error)
	// Leave removes a replica and returns its turns to the queue.
	Leave(ctx context.Context, id ReplicaID) error
	// Live counts the live replicas.
	Live(ctx context.Context) (int, error)
	// Sweep deletes expired data: tombstones, event keys, reply tokens and dead replicas. It also
	// closes turns as Superseded if no replica worked on them for a day. Any replica may call it at
	// any time.
	Sweep(ctx context.Context) error

	// Stops. They are durable, so a stop whose signal was lost is found here.

	// Request records a stop. The stop reaches waiting turns, running turns and turns that arrive
	// at this moment. Turns with an outcome do not change.
	Request(ctx context.Context, r StopRequest) (StopResult, error)
	// Requested returns the given turns for which a stop was requested.
	Requested(ctx context.Context, turns []Fence) ([]TurnID, error)

	// Posted messages are recorded, so that the next worker adopts them instead of posting again.
	// Every write is fenced: it fails with ErrFenced if the attempt is not the turn's newest.

	// Intend records that a message is about to be created. It must be committed before the create
	// call. It replaces the earlier record of the page.
	Intend(ctx context.Context, f Fence, key PageKey, at thread.Ref) error
	// Posted records a created or adopted message. A stop may refer to the message from then on.
	Posted(ctx context.Context, f Fence, key PageKey, id thread.MessageID, hash string) error
	// Final records that the page shows its final content.
	Final(ctx context.Context, f Fence, key PageKey, hash string) error
	// Drop deletes the record of a page whose message was deleted.
	Drop(ctx context.Context, f Fence, key PageKey) error
	// Pages returns all pages, ordered by kind, model and number.
	Pages(ctx context.Context, f Fence) ([]Page, error)
	// Disturbed records that an outdated attempt may have written a message of the turn. If another
	// attempt has begun, the turn is leased once more after it is Done. Its state does not change,
	// and its pages count as not written.
	Disturbed(ctx context.Context, f Fence) error

	// History.

	// Load returns the messages of the newest turns before the given turn, oldest first, for at
	// most limit turns. It includes only turns with an outcome. Each turn has the question with its
	// files. Then follow the tool calls, tool results and answer of Saved.Best with citations and
	// documents, or a correction. A removed answer has no messages. Superseded, declined and
	// retried turns are omitted. A retry takes the place of the retried turn. The caller must
	// filter the messages by audience.
	//
	// A turn of a private session also gets the questions of its thread, because its question may
	// refer to earlier questions. The numbers of the thread's turns are lowered by ThreadTurns. The
	// thread's answers are omitted, because their document numbers belong to another session.
	Load(ctx context.Context, before Turn, limit int) ([]message.Message, error)
	// Numbers returns the passage for each number that models saw in the whole session. So numbers
	// stay stable and grow even if the history is cut. Part is empty if only the document is known.
	Numbers(ctx context.Context, of Turn) (map[int]cite.Passage, error)
	// Saved returns the result that Finish saved. The worker that delivers the turn uses it.
	Saved(ctx context.Context, of Turn) (Saved, error)

	// Queries. They return turns of private sessions too: callers must check who may see them. They
	// fail with ErrUnknownTurn.

	// Turn returns a turn by its id.
	Turn(ctx context.Context, tenant access.TenantID, id TurnID) (Turn, error)
	// TurnOf returns the turn that has a message as its question, answer page or notice. at selects
	// the channel, and its thread is ignored.
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Turn, error)
	// AskedBy returns at most limit of a person's questions in a workspace, newest first. It omits
	// deleted questions.
	AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]Turn, error)
	// Latest returns the newest turn of a thread, or of a channel if Thread is empty. It considers
	// turns outside private sessions, and turns in the reader's private sessions.
	Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (Turn, error)
	// Unasked returns the time since the last unasked answer in a channel. It returns Never if
	// there was none.
	Unasked(ctx context.Context, tenant access.TenantID, at Place) (time.Duration, error)
	// Waiting counts the unfinished turns of a channel. It omits private sessions, because the
	// channel must not learn about private questions.
	Waiting(ctx context.Context, tenant access.TenantID, at Place) (int, error)
	// Judged stores verdicts. The newest verdict about a message counts.
	Judged(ctx context.Context, tenant access.TenantID, verdicts []Verdict) error
	// Verdict returns the decision about a message, or the zero value if there is none.
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Verdict, error)

	// Changes to questions. A message that is not the question of a turn changes nothing and is no
	// error.

	// Edit queues an edited question so that it is answered again in place. A waiting turn takes
	// the new text. A running turn stops and begins again. A finished turn becomes the newest of
	// its session and keeps its posted messages.
	//
	// The earlier question remains as a separate Superseded turn with its votes. Edit erases the
	// text and answer of this turn, and the texts and answers of turns that it had replaced.
	// Private answers and shared copies are separate conversations and stay. An unasked answer
	// counts as asked from then on. If a person stopped the running turn, the turn stays stopped. A
	// removed or corrected answer stays removed or corrected, with the edited question.
	Edit(ctx context.Context, e Edit) (Changed, error)
	// Withdraw erases the text and files of a deleted question and ends its turn as Superseded. It
	// does the same to every turn with the same question: replaced turns, versions before an edit,
	// private answers, and shared copies. If a finished turn has visible messages, they are
	// delivered once more with sentence below the answer. The answer is erased after that delivery,
	// or at once if no message is visible.
	Withdraw(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string) (Changed, error)
	// DropTranscripts forgets a thread after the text of its message id changed or was deleted. In
	// each thread with a transcript (TranscriptID) that holds the message, it deletes all
	// transcripts, and Thread.CaughtUp becomes Stale: the next question reads the thread again. A
	// question that waits is answered without its transcript. at.Thread is ignored. If at.Channel
	// is empty, threads of all channels count.
	DropTranscripts(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) error
	// Erase deletes an answer and the answers that it replaced, after a person deleted a page of
	// the answer on the platform. The turn then counts as removed by an unnamed person. The other
	// pages stay unchanged.
	//
	// While the answer is being written, only its first page counts, because no worker deletes that
	// page. The answer is then removed as by Remove. If the deletion arrives before the page is
	// recorded, the answer is removed when the page is recorded (within TombstoneAge). Erase
	// reports whether there was such an answer, and returns the running turns to stop.
	Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []TurnID, err error)

	// Changes to answers. Each is one transaction. A fenced worker then delivers the change to the
	// platform and retries until it succeeds.

	// Find returns the turn that t identifies. For a retried turn it returns the newest retry. It
	// fails with ErrUnknownTurn if there is no such turn.
	Find(ctx context.Context, t Target) (Record, error)
	// Derive makes a turn from another turn, or returns the existing turn with Duplicate set. A
	// turn can be retried, answered privately and shared once each. To retry again, retry the
	// newest turn. A turn to retry must be Done, or Derive fails with ErrUnfinished. Derive fails
	// with ErrUnknownTurn (also if the question was deleted), ErrRemoved or a QuotaError. A retry
	// of a corrected answer fails with ErrCorrected.
	Derive(ctx context.Context, d Derive) (Accepted, error)
	// Remove permanently deletes an answer, the answers that it replaced and its shared copies. It
	// returns the running turns. These must stop, and their text is discarded. Waiting turns do not
	// start. Feedback stays. A second removal changes nothing. Remove fails with ErrUnknownTurn.
	Remove(ctx context.Context, tenant access.TenantID, id TurnID, key string, r Removal) ([]TurnID, error)
	// Correct replaces the answer of a Done turn, or an earlier correction, with a person's text.
	// It fails with ErrUnknownTurn, ErrUnfinished and ErrRemoved.
	Correct(ctx context.Context, tenant access.TenantID, id TurnID, key string, c Correction) error
	// Keep records that a private answer stays private. With resend, the records of its messages
	// are deleted and the answer is posted again without its reply token. Use resend on platforms
	// on which such messages vanish. Keep fails with ErrUnknownTurn, ErrUnfinished and ErrRemoved.
	Keep(ctx context.Context, tenant access.TenantID, id TurnID, key string, resend bool) error
	// Unlisted returns at most limit turns that ended with CauseAudience after since, the newest of
	// each session. It omits turns whose question was deleted or asked again. It omits turns whose
	// answer was removed, corrected or stopped. It also omits turns for which an offer was made.
	Unlisted(ctx context.Context, since time.Time, limit int) ([]Turn, error)
	// Offer records an offer for the turn. It reports whether the offer is the first for this turn.
	Offer(ctx context.Context, tenant access.TenantID, id TurnID) (first bool, err error)
	// Vote stores a vote, which replaces the person's earlier vote. changed is false if the press
	// was already recorded or the vote equals the stored vote. Vote fails with ErrUnknownTurn. It
	// fails with ErrRemoved if the answer no longer exists.
	Vote(ctx context.Context, v Vote) (changed bool, err error)
	// Feedback returns votes, newest first.
	Feedback(ctx context.Context, q FeedbackQuery) ([]Feedback, error)
	// ForgetVotes deletes all votes of a person on a platform and returns their number.
	ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error)

	// Participation. A thread becomes known when a question of it is accepted, which counts as a
	// sighting of the asker and makes it followed again. An ambient question makes an unknown
	// thread Pending until its turn is Answered.

	// Seen records a message of a known or pending thread. It ignores messages of other threads.
	Seen(ctx context.Context, s Sighting) error
	// Thread returns the stored facts about a thread.
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (Thread, error)
	// Unfollow stops following a thread until a new question in the thread is accepted. by is the
	// platform id of the person who requested this.
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	// Follow undoes an Unfollow.
	Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error

	// Catching up after a time without processes.

	// Active lists known threads of a workspace in which a message was seen within lately. It
	// returns at most most threads, newest first.
	Active(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int) ([]Active, error)
	// Traces returns a Trace for each of the given newest messages of a workspace, in the same
	// order.
	Traces(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []Newest) ([]Trace, error)
	// Claim reports whether the caller shall do the task that key identifies in a workspace. Within
	// ttl it returns true for exactly one caller. If that caller dies, the first caller after ttl
	// gets the task.
	Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error)

	// Deletion.

	// Forget deletes a person's questions on a platform with their answers, files and other data.
	// It deletes sessions in which only this person asked, and the person's part in threads.
	// Settings, removals and corrections stay, without names. Workers that run one of the turns are
	// fenced. The audit trail keeps its entries but no longer identifies the person.
	Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (Forgotten, error)
	// Prune deletes a bounded number of expired sessions with all their data, threads and audit
	// entries. It reports whether more expired data may remain, so call it until it returns false.
	// Each call commits its deletions. It skips a session if a turn waits, runs or is being
	// delivered. It records the deletions in the audit trail, with by as the actor.
	Prune(ctx context.Context, tenant access.TenantID, r Retention, by Actor) (gone Pruned, more bool, err error)
	// Prunable counts what Prune would delete now, without deleting it.
	Prunable(ctx context.Context, tenant access.TenantID, r Retention) (Pruned, error)
	// Tenants lists all tenants.
	Tenants(ctx context.Context) ([]access.TenantID, error)
}
