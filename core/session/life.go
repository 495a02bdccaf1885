package session

import "slices"

// Event is something that happens to a turn. Every change of a turn's State has an Event. Life
// lists the allowed events.
type Event string

const (
	// Asked means that a question is stored, or that a turn is derived from another turn
	// ([Derivation]).
	Asked     Event = "asked"
	Overtaken Event = "overtaken" // a person's question replaces a waiting unasked answer
	// Leased means that a worker takes the turn, either for the first time or after another worker
	// gave it up or died.
	Leased     Event = "leased"
	HandedBack Event = "handed back" // the worker releases the turn, or its replica leaves
	Finished   Event = "finished"    // the result is saved with its outcome
	Delivered  Event = "delivered"   // the thread shows the result
	StopAsked  Event = "stop asked"
	Edited     Event = "edited"    // the question was edited
	Withdrawn  Event = "withdrawn" // the question was deleted
	// Removed means that a moderator removed the answer, or that a person deleted the answer's
	// message.
	Removed Event = "removed"
	Revised Event = "revised" // the answer was corrected, retried, kept or voted on
	// Overwritten means that an outdated attempt may have written into the messages of the turn.
	Overwritten Event = "written over"
	Orphaned    Event = "orphaned" // no replica worked on the turn for a day
	Restored    Event = "restored" // the database comes from a backup
)

// Transition is a change of a turn's state, with the event that causes it.
type Transition struct {
	Event    Event
	From, To State  // From is empty where the turn begins
	By       string // person, platform, worker, operator or clock
	Writes   string // data stored in addition to the state
}

// Life lists every allowed transition of a turn, including events that leave the state unchanged. A
// store must make no other transition. The test suite for stores checks that.
var Life = []Transition{
	{Asked, "", Queued, "person", "the question, its files, the asker, the audience, the event key"},
	{Asked, "", Done, "person", "a copy of the shared answer, delivered at once"},
	{Overtaken, Queued, Done, "person", "outcome declined"},

	{Leased, Queued, Running, "worker", "its replica, a new attempt, when it began"},
	{Leased, Running, Running, "worker", "the same after another worker died, and that it was taken over"},
	{Leased, Delivering, Delivering, "worker", "likewise: the saved result is shown, without another run"},
	{Leased, Done, Done, "worker", "likewise, for an answer that was changed or overwritten after it was done"},
	{HandedBack, Running, Queued, "worker", "a new attempt, which fences the worker; when to retry; whether it was a failure"},
	{HandedBack, Delivering, Delivering, "worker", "the same"},
	{HandedBack, Done, Done, "worker", "the same"},

	{Finished, Running, Delivering, "worker", "outcome, sentence, every model's run, citations, the audit entry"},
	{Finished, Running, Done, "worker", "outcome superseded, if its question was deleted and none of its messages is visible"},
	{Finished, Running, Queued, "worker", "nothing of the attempt, if its question was edited: the new question is queued"},
	{Delivered, Delivering, Done, "worker", "when; why not, if the platform refused it"},
	{Delivered, Delivering, Queued, "worker", "the edited question, if it was edited meanwhile"},
	{Delivered, Done, Done, "worker", "that nothing remains to be shown"},

	{StopAsked, Queued, Queued, "person", "who asked and when: the next lease ends it as stopped"},
	{StopAsked, Running, Running, "person", "the same: its worker is notified"},
	{Edited, Queued, Queued, "person", "the question as it reads now"},
	{Edited, Running, Running, "person", "the same, in addition to the old one: its worker is stopped"},
	{Edited, Delivering, Delivering, "person", "the same: it is queued once the old answer is shown"},
	{Edited, Done, Queued, "person", "the same as the newest of its session; the earlier question, as a superseded turn"},
	{Edited, Done, Done, "person", "only the question, if its answer was removed or corrected, or a person had stopped it"},
	{Withdrawn, Queued, Done, "person", "outcome superseded; the text is erased"},
	{Withdrawn, Running, Running, "person", "the text is erased: its worker is stopped and ends it as superseded"},
	{Withdrawn, Delivering, Delivering, "person", "outcome superseded; the text is erased; visible messages are marked"},
	{Withdrawn, Done, Done, "person", "the same"},

	{Removed, Queued, Done, "person", "outcome stopped; by whom and why; the answer is erased"},
	{Removed, Running, Running, "person", "the same, and a stop; its text is discarded"},
	{Removed, Delivering, Delivering, "person", "the same: the removal is shown"},
	{Removed, Done, Done, "person", "the same"},
	{Revised, Done, Done, "person", "the correction, the turn that replaces it, or the vote"},

	{Overwritten, Queued, Queued, "worker", "that its messages are outdated"},
	{Overwritten, Running, Running, "worker", "the same"},
	{Overwritten, Delivering, Delivering, "worker", "the same"},
	{Overwritten, Done, Done, "worker", "the same: any worker delivers it again"},
	{Orphaned, Queued, Done, "clock", "outcome superseded"},
	{Orphaned, Running, Done, "clock", "the same"},
	{Orphaned, Delivering, Done, "clock", "nothing: its outcome stays"},
	{Restored, Queued, Queued, "operator", "a new attempt; that its messages must be searched for: it may have been answered since the backup"},
	{Restored, Running, Queued, "operator", "the same"},
	{Restored, Delivering, Delivering, "operator", "the same"},
}

// Allowed reports whether Life allows the event to move a turn between the two states.
func Allowed(e Event, from, to State) bool {
	return slices.ContainsFunc(Life, func(t Transition) bool { return t.Event == e && t.From == from && t.To == to })
}
