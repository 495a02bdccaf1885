package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Store keeps conversations. Package sessiontest proves that one does what is said here; who uses a
// part of it declares that part. It is safe for concurrent use by any number of processes. What is
// set in chat is kept by Settings, and the trail is read by Audit.
type Store interface {
	// Questions are taken in.

	// Accept stores a question and queues its turn in one transaction, after which the event may be
	// acknowledged. An event key is taken once per platform and workspace, and so is a message per
	// channel, however many events tell of it. When a person who may stop the turn did so before it
	// arrived (Request), Turn.StopRequested is set. The question is the newest of its session,
	// except for those of later messages (At) that no replica has begun: it is put before them, and
	// their numbers change. Errors wrap ErrInvalid or the store's.
	Accept(ctx context.Context, in Intake) (Accepted, error)
	// Refused keeps in the audit trail what was not taken in.
	Refused(ctx context.Context, r Refusal) error
	// Exhausted returns those of the quotas whose window ends at until and has no room for a question.
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []Quota, until time.Time) ([]Quota, error)
	// Settle counts a question whose quotas are known now, and returns when there is room again if
	// one of them had none (Intake.Quotas). Another call changes nothing and returns the same.
	Settle(ctx context.Context, f Fence, quotas []Quota) (until time.Time, err error)
	// Complete stores what the platform said, in one transaction, and nothing is pending any more.
	// Files that the question has already stay as they are. Another call changes nothing. Both fail
	// with ErrFenced, ErrUnknownTurn, ErrFinished or ErrWithdrawn.
	Complete(ctx context.Context, f Fence, c Completion) error

	// Turns are handed to workers. Time is the store's; clocks of replicas need not agree.

	// Lease takes the oldest turns that can be worked on, as many as are asked for, and makes them
	// Running, or leaves them Delivering: those without a holder, else those that are Done but
	// Disturbed, else queued ones whose session has no unfinished turn before them. It returns none
	// when there is none. The lease lasts for as long as the replica beats. The turns of a replica
	// that has expired are suspects (Beside) and come first: they are leased one by one to one
	// replica, which holds nothing else meanwhile; of several live ones, one stays free for other
	// turns. A replica that is to run suspects and holds others gets ErrDraining.
	Lease(ctx context.Context, r LeaseRequest) ([]Turn, error)
	// Finish saves what came of a running turn and its only outcome in one transaction, and makes
	// it Delivering. It fails with ErrFenced or ErrFinished and then has changed nothing; and with
	// ErrRemoved when the answer was removed meanwhile: the outcome is saved then, and the turn is
	// to be handed back, so that it is delivered as what it is now.
	Finish(ctx context.Context, f Fence, s Saved) error
	// Delivered ends a Delivering turn, so that the session's next one may start, or the repair of
	// a Done one. undelivered is a sentence that says why its thread shows no whole answer; empty
	// where it does. A second call is no error.
	Delivered(ctx context.Context, f Fence, undelivered string) error
	// Release hands a turn back. Any replica may lease it again once after has passed. It does not
	// count as a take-over; unless after is zero, it counts as a failure.
	Release(ctx context.Context, f Fence, after time.Duration) error
	// Depth counts the turns of all tenants that wait for a worker, those included that wait for an
	// earlier one of their session.
	Depth(ctx context.Context) (int, error)
	// Beat says that a replica is alive for ttl from now on. A caller's own deadline is ttl after
	// the moment before it called Beat. It reports whether Lease may find something, of any
	// platform, so that an idle replica need not ask for that too.
	Beat(ctx context.Context, id ReplicaID, ttl time.Duration) (work bool, err error)
	// Leave says that a replica has ended, and hands back what it still holds.
	Leave(ctx context.Context, id ReplicaID) error
	// Live counts the replicas that are alive.
	Live(ctx context.Context) (int, error)
	// Sweep clears away what is no longer needed: tombstones, event keys, expired reply tokens,
	// replicas that are gone, and turns that no replica worked on for a day, which are closed as
	// Superseded. Any replica may call it at any time.
	Sweep(ctx context.Context) error

	// Stops are durable: a stop whose signal was lost is found here.

	// Request records a stop. No turn, whether waiting, running or arriving at this very moment,
	// can miss it; one that has its outcome is not touched.
	Request(ctx context.Context, r StopRequest) (StopResult, error)
	// Requested returns those of the given turns whose stop was requested.
	Requested(ctx context.Context, turns []Fence) ([]TurnID, error)

	// What a turn posted is remembered, so that whoever takes it over adopts those messages instead
	// of posting again. Every write is fenced: it fails with ErrFenced when the attempt is not the
	// turn's newest.

	// Intend is committed before a message is created. It forgets what the page was before.
	Intend(ctx context.Context, f Fence, key PageKey, at thread.Ref) error
	// Posted records a created or adopted message, which from then on can be used to stop the turn.
	Posted(ctx context.Context, f Fence, key PageKey, id thread.MessageID, hash string) error
	// Final records that the page shows what it will show for good.
	Final(ctx context.Context, f Fence, key PageKey, hash string) error
	// Drop forgets a page whose message was deleted.
	Drop(ctx context.Context, f Fence, key PageKey) error
	// Pages returns all pages, by kind, model and number.
	Pages(ctx context.Context, f Fence) ([]Page, error)
	// Disturbed says that a message of the turn may have been written by an attempt that was no
	// longer the newest. If another attempt has begun, the turn is leased once more after it is
	// Done, in that state, and its pages count as not written.
	Disturbed(ctx context.Context, f Fence) error

	// What was said before.

	// Load returns the messages of the newest turns before the given one that have an outcome, at
	// most limit turns, oldest first: each question with its files, then Saved.Conversation: the
	// tool calls, tool results and answer, with its citations and documents, of Saved.Best, or a
	// correction; of an answer that was removed nothing. Turns that were superseded or declined are
	// left out, and so are those that were retried: the new turn has the old one's place. Nothing
	// is filtered by audience: that is the caller's duty.
	//
	// A turn of a private session is given the questions of its thread as well, under numbers less
	// by ThreadTurns, since it may refer to them; not the answers, whose numbers for documents are
	// another session's.
	Load(ctx context.Context, before Turn, limit int) ([]message.Message, error)
	// Numbers returns the passage that each number was shown to the model for in the whole session,
	// so that numbers stay stable and grow even when the history is cut. Part is empty where the
	// document alone is known.
	Numbers(ctx context.Context, of Turn) (map[int]cite.Passage, error)
	// Saved returns what Finish saved, for a worker that has to deliver it.
	Saved(ctx context.Context, of Turn) (Saved, error)

	// Turns are found, those of private sessions like any other: whether a person may see one is
	// the caller's concern. One that is not there gives ErrUnknownTurn.

	// Turn returns a turn by its id.
	Turn(ctx context.Context, tenant access.TenantID, id TurnID) (Turn, error)
	// TurnOf returns the turn that a message belongs to: as its question, a page of its answer, or
	// a notice. Of the place only the channel counts.
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Turn, error)
	// Latest returns the newest turn of a thread, or of a channel where Thread is empty, among
	// those that the reader asked or that belong to no private session. AskedBy returns a person's
	// newest questions in a workspace, the newest first; at most limit. Those that were deleted are
	// not among them.
	AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]Turn, error)
	Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (Turn, error)
	// Unasked returns how long ago an unasked answer was given in a channel; Never when none was.
	Unasked(ctx context.Context, tenant access.TenantID, at Place) (time.Duration, error)
	// Waiting counts the unfinished turns of a channel, without those of private sessions, of which
	// the channel does not learn.
	Waiting(ctx context.Context, tenant access.TenantID, at Place) (int, error)
	// Judged stores verdicts; the newest about a message counts.
	Judged(ctx context.Context, tenant access.TenantID, verdicts []Verdict) error
	// Verdict returns what was decided about a message. The zero value says that nothing is known.
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Verdict, error)

	// What happens to questions after they were taken in. A message that is no question of a turn
	// changes nothing and is no error.

	// Edit has a question answered again, in place: a waiting turn takes the new text, a running
	// one stops and begins again, and a finished one is queued once more as the session's newest,
	// keeping the messages that it posted. The earlier question is kept as a separate turn whose
	// outcome is Superseded, with its votes; what was asked and answered before is erased, and of
	// what the turn had replaced too. Private answers and shared copies of it are separate
	// conversations and stay. An unasked answer counts as asked for from then on. A turn that a
	// person stopped while it ran stays stopped, and an answer that was removed or corrected stays
	// so, with the question as it was edited.
	Edit(ctx context.Context, e Edit) (Changed, error)
	// Withdraw erases the text and files of a question that was deleted, and ends its turn as
	// Superseded; and so with every turn that asks the same question: those that it replaced, what
	// stood in its place before an edit, private answers of it and copies that were shared. What
	// can be seen of a finished one is delivered once more, with the sentence saved with its
	// answer. Once that is Delivered the answer is erased, and at once where nothing is to be seen
	// of it.
	Withdraw(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string) (Changed, error)
	// Erase deletes what an answer said, and the answers that it replaced, after a person deleted a
	// page of it on the platform. Its turn counts as removed by no person in particular, and its
	// other pages stay unchanged. Of an answer that is being written the first page counts, which
	// no worker takes back: it is removed as by Remove, or as soon as the page is recorded, where
	// the deletion is known first (within TombstoneAge). It reports whether there was such an
	// answer, and the turns that ran and must be stopped.
	Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []TurnID, err error)

	// What was said is changed, each time in one transaction, so that every replica sees all of a
	// change or nothing. What is to change on the platform is delivered like any answer: by a
	// fenced worker, again and again until it has landed.

	// Find returns the turn that is meant; of one that was retried, the newest. It fails with
	// ErrUnknownTurn.
	Find(ctx context.Context, t Target) (Record, error)
	// Derive makes the turn, or returns the one that is there already: a turn is retried, answered
	// privately and shared once at most, and whoever wants to retry again retries the newest.
	// Duplicate says so. A turn that is to be retried must be Done, else ErrUnfinished. It fails
	// with ErrUnknownTurn, which is also said of a question that was deleted, ErrRemoved, a
	// QuotaError, and when retried with ErrCorrected.
	Derive(ctx context.Context, d Derive) (Accepted, error)
	// Remove takes an answer away for good, with those that it replaced and the copies that were
	// shared of it. What is being written is stopped and not kept, and what waits is not begun.
	// Feedback stays. It returns the turns that run and are to be told to stop. A second removal
	// changes nothing. It fails with ErrUnknownTurn.
	Remove(ctx context.Context, tenant access.TenantID, id TurnID, key string, r Removal) ([]TurnID, error)
	// Correct puts a text in place of an answer that is Done. It replaces an earlier correction. It
	// fails with ErrUnknownTurn, ErrUnfinished and ErrRemoved.
	Correct(ctx context.Context, tenant access.TenantID, id TurnID, key string, c Correction) error
	// Keep notes that a private answer stays private. With resend its messages are forgotten and it
	// is posted again, without the reply token that it came with: for platforms on which they
	// vanish. It fails with ErrUnknownTurn, ErrUnfinished and ErrRemoved.
	Keep(ctx context.Context, tenant access.TenantID, id TurnID, key string, resend bool) error
	// Unlisted returns turns that ended since a moment with CauseAudience, the newest of each
	// session, at most limit: not those whose question was deleted or asked again, whose answer was
	// removed, corrected or stopped, or to which an offer was made.
	Unlisted(ctx context.Context, since time.Time, limit int) ([]Turn, error)
	// Offer reports whether this is the first offer for the turn.
	Offer(ctx context.Context, tenant access.TenantID, id TurnID) (first bool, err error)
	// Vote stores a vote in place of the person's earlier one. changed is false when the press was
	// taken in before, or when it says what is stored already. It fails with ErrUnknownTurn, and
	// with ErrRemoved when there is no answer any more.
	Vote(ctx context.Context, v Vote) (changed bool, err error)
	// Feedback returns votes, newest first.
	Feedback(ctx context.Context, q FeedbackQuery) ([]Feedback, error)
	// ForgetVotes deletes all votes of a person on a platform and says how many there were.
	ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error)

	// Who takes part in which threads. A thread becomes known when a question of it is taken in
	// (Accept), which counts as a sighting of the asker and makes it followed again. An ambient
	// question leaves a thread that was not known Pending until its turn is Answered.

	// Seen notes a message of a known or pending thread. Nothing is kept of other threads.
	Seen(ctx context.Context, s Sighting) error
	// Thread returns what is known of a thread.
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (Thread, error)
	// Unfollow ends the following of a thread until a question of it is taken in. by is the
	// platform id of who says so.
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	// Follow undoes an Unfollow.
	Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error

	// Processes catch up on what happened while none was there.

	// Active lists the known threads of a workspace in which a message was seen within the time
	// lately, newest first, at most most of them.
	Active(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int) ([]Active, error)
	// Traces returns what is known of newest messages of a workspace, in their order.
	Traces(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []Newest) ([]Trace, error)
	// Claim reports whether the caller is to do what a key names in a workspace: it is true for
	// exactly one of all who ask within ttl. When that one ends before it is done, the first to ask
	// after ttl gets it.
	Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error)

	// What is kept goes again.

	// Forget deletes what a person asked on a platform, with the answers, files and everything else
	// that belongs to it, the sessions in which only they asked, and the person's part in threads.
	// Settings, removals and corrections stay, without names. Workers that are at one of the turns
	// are fenced. The audit trail keeps its entries and no longer says whom they mean.
	Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (Forgotten, error)
	// Prune removes a bounded number of sessions, with everything that belongs to them, of threads
	// and of entries. It reports whether there may be more: call it until there are none. What a
	// call has removed is gone, whatever becomes of the next. A session is left alone while a turn
	// of it waits, runs, or is being delivered. The trail keeps what was removed, as done by who
	// asked for it.
	Prune(ctx context.Context, tenant access.TenantID, r Retention, by Actor) (gone Pruned, more bool, err error)
	// Prunable counts what Prune would remove now, and removes nothing.
	Prunable(ctx context.Context, tenant access.TenantID, r Retention) (Pruned, error)
	// Tenants lists all tenants.
	Tenants(ctx context.Context) ([]access.TenantID, error)
}
