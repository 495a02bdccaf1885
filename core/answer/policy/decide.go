// Package policy decides, for every platform alike, what is a question, whether it is answered, and
// what holds in a channel: settings with where each comes from, quotas, who may ask, and the words
// in which a decision is said. All of it is pure: what is known of a thread or a person is handed
// in. What asks a platform or the store does not belong here; what a channel is set to comes by the
// port [Source].
package policy

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Event is what happened on a platform, as its adapter saw it. The adapter states facts; Decide
// draws the conclusion.
type Event struct {
	Own      bool // the bot's own message, or an edit of one
	System   bool // joins, pins, topic changes …
	Bot      bool // of another bot
	Operator bool // typed in the program's own terminal: no setting or limit holds it back
	Change   Change
	Known    bool // Change: the message is a question that was taken in
	Stop     bool // a stop reaction, button, command, or a message that is just "stop" (IsStop)
	Unfollow bool // "stop following" (IsUnfollow)

	Command   bool // slash command or message command
	Private   bool // Command: a private answer was asked for
	Direct    bool // in a direct message, or an agent's own thread
	Mentioned bool // the bot is mentioned, outside code
	InThread  bool // a reply in a thread, not its root
	// InThread, where strangers can bring the bot: another person opened the thread, not the bot
	Foreign     bool
	Forum       bool // the first message of a forum post
	AnswersBot  bool // a reply to one of the bot's messages
	OthersNamed bool // mentions people or bots, but not this one
	Question    bool // reads like a question (IsQuestion); only asked where a channel filters by it
	SmallTalk   bool // a greeting or thanks, and nothing else (IsSmallTalk)
	// read late, since no replica was there: another person has written in the thread since
	Overtaken bool
}

// Change says that a message is not new.
type Change int

const (
	Created Change = iota
	Edited
	Deleted
)

// Follow is a channel's policy for replies that do not mention the bot.
type Follow string

const (
	FollowMention Follow = "mention" // none count
	// the default: while it is one person and the bot, or the bot is answered
	FollowDialogue Follow = "dialogue"
	// all count, and root messages as well, above the evidence threshold
	FollowAlways Follow = "always"
)

// FollowIdle is how long a thread may be silent and still be a dialogue.
const FollowIdle = 24 * time.Hour

// State is what is known of the place where an event happened.
type State struct {
	Permitted bool // the person may ask here
	Disabled  bool // no one may
	Paused    bool // no one may at the moment
	Follow    Follow
	Chosen    bool          // Follow was set
	Private   Private       // empty means PrivateOnRequest
	Bots      bool          // other bots are answered here
	BotTurns  int           // turns in a row that bots asked for in this thread
	BotLimit  int           // of those; 0 means 3
	Forum     bool          // forum posts are answered here
	ForumWait time.Duration // for people to answer a post first
	Answered  bool          // the forum post was answered already

	InThread   bool // the bot takes part in the thread
	Helped     bool // a helper wrote in the thread since the bot was last asked
	Unfollowed bool // "stop following" was said
	// persons who wrote in the thread since the bot took part, the author included
	People int
	Idle   time.Duration // since the thread's last message

	QuestionsOnly bool          // always: only messages that read like a question
	CoolingDown   bool          // always: the bot spoke unasked a short while ago
	Wait          time.Duration // always: for people to answer first
}

// In returns the state with what is known of the thread in which the event happened.
func (s State) In(t session.Thread) State {
	s.InThread, s.Unfollowed, s.Helped, s.People, s.BotTurns, s.Idle = t.Known, t.Unfollowed, t.Helped, t.People, t.BotTurns, t.Idle
	return s
}

// Course is what is to be done about an event.
type Course int

const (
	Ignore  Course = iota // nothing; not even who wrote is kept
	Observe               // participants and the time are kept, the text is not
	Answer                // taken in
	Redo                  // the question was edited: the answer is redone in place
	Cancel                // the question was deleted: its turn ends, its answer is marked
	Stop                  // by the stop rules (session.MayStop)
	Unfollow
	Refuse // the person may not ask here, and reads so
	Steer  // it changes the plan of the deep search that runs in the thread, or would
)

// courses names them, as verdicts are stored.
var courses = map[Course]string{
	Ignore: "ignore", Observe: "observe", Answer: "answer", Redo: "redo", Cancel: "cancel", Stop: "stop", Unfollow: "unfollow", Refuse: "refuse", Steer: "steer",
}

// String is a code that stays the same between versions.
func (c Course) String() string { return courses[c] }

// Decision is what Decide concludes.
type Decision struct {
	Action  Course
	Reason  Reason
	Private bool // Answer, Refuse: for the asker alone
	CatchUp bool // Answer: the bot enters the thread half-way and reads it once, as context
	// Answer: the bot was not asked; silent below the channel's evidence threshold
	Ambient  bool
	Dialogue bool          // Answer: this message does not mention the bot
	Wait     time.Duration // Ambient: for people to answer first
}

// Reason is a code that stays the same between versions; Explain says it in words.
type Reason string

// Decide says what is to be done about an event: one table for all platforms. It is pure.
func Decide(e Event, s State) Decision {
	switch {
	case e.Own:
		return Decision{Action: Ignore, Reason: "own_message"}
	case e.System:
		return Decision{Action: Ignore, Reason: "system_message"}
	case e.Stop:
		return Decision{Action: Stop, Reason: "stop"}
	case e.Change != Created:
		return decideChange(e)
	case e.Bot:
		if d, over := decideBot(s); over {
			return d
		}
	}
	if e.Unfollow && s.InThread && !e.Command {
		return Decision{Action: Unfollow, Reason: "unfollow"}
	}
	d := decideMessage(e, s)
	if d.Action != Answer {
		return d
	}
	if !e.Direct {
		switch {
		case s.Private == PrivateAlways && !d.Ambient: // an unasked answer has no one to be private to
			d.Private = true
		case s.Private == PrivateOff && d.Private:
			return Decision{Action: Refuse, Reason: "private_off", Private: true}
		}
	}
	return Admit(d, s)
}

// Admit holds an answer back where the bot is not to answer, or not this person, and tells that
// person alone. Those who did not ask the bot read nothing.
func Admit(d Decision, s State) Decision {
	var reason Reason
	switch {
	case s.Disabled:
		reason = "disabled"
	case s.Paused:
		reason = "paused"
	case !s.Permitted:
		reason = "not_permitted"
	default:
		return d
	}
	if d.Ambient || d.Dialogue {
		return Decision{Action: Observe, Reason: reason + "_unasked"}
	}
	return Decision{Action: Refuse, Reason: reason, Private: true}
}

func decideChange(e Event) Decision {
	switch {
	case !e.Known:
		return Decision{Action: Ignore, Reason: "change_of_unknown_message"}
	case e.Change == Deleted:
		return Decision{Action: Cancel, Reason: "question_deleted"}
	default:
		return Decision{Action: Redo, Reason: "question_edited"}
	}
}

// decideBot holds other bots back; over is false for one that is heard like a person.
func decideBot(s State) (d Decision, over bool) {
	limit := s.BotLimit
	if limit <= 0 {
		limit = 3
	}
	switch {
	case !s.Bots:
		return Decision{Action: Ignore, Reason: "other_bot"}, true
	case s.BotTurns >= limit:
		return Decision{Action: Ignore, Reason: "bot_loop"}, true
	default:
		return Decision{}, false
	}
}

func decideMessage(e Event, s State) Decision {
	switch {
	case e.Command:
		return Decision{Action: Answer, Reason: "command", Private: e.Private}
	case e.Direct:
		return Decision{Action: Answer, Reason: "direct_message"}
	case e.Mentioned:
		return Decision{Action: Answer, Reason: "mention", CatchUp: e.InThread && !s.InThread}
	case e.Forum:
		return decideForum(s)
	case e.InThread && s.InThread:
		return decideReply(e, s)
	case e.InThread:
		return Decision{Action: Ignore, Reason: "other_thread"}
	case s.Follow == FollowAlways:
		return decideRoot(e, s)
	default:
		return Decision{Action: Ignore, Reason: "not_addressed"}
	}
}

func decideForum(s State) Decision {
	switch {
	case !s.Forum:
		return Decision{Action: Ignore, Reason: "forum_off"}
	case s.Answered:
		return Decision{Action: Observe, Reason: "forum_answered"}
	case s.Helped:
		return Decision{Action: Observe, Reason: "helper_replied"}
	default:
		return Decision{Action: Answer, Reason: "forum_post", Ambient: true, Wait: s.ForumWait}
	}
}

// decideReply applies the follow policy to a reply in a thread that the bot takes part in.
func decideReply(e Event, s State) Decision {
	follow := s.Follow
	if follow == "" {
		follow = FollowDialogue
	}
	switch {
	case follow == FollowMention:
		return Decision{Action: Observe, Reason: "mention_only"}
	case e.Foreign && !s.Chosen: // the bot is not set up here: it follows what it opened itself
		return Decision{Action: Observe, Reason: "foreign_thread"}
	case s.Unfollowed:
		return Decision{Action: Observe, Reason: "unfollowed"}
	case e.OthersNamed:
		return Decision{Action: Observe, Reason: "others_addressed"}
	case s.Idle > FollowIdle:
		return Decision{Action: Observe, Reason: "idle"}
	case e.SmallTalk:
		return Decision{Action: Observe, Reason: "small_talk"}
	case s.Helped && !e.AnswersBot:
		return Decision{Action: Observe, Reason: "helper_replied"}
	case follow == FollowAlways:
		return Decision{Action: Answer, Reason: "follow_always", Dialogue: true}
	case e.AnswersBot:
		return Decision{Action: Answer, Reason: "answers_bot", Dialogue: true}
	case e.Overtaken:
		return Decision{Action: Observe, Reason: "overtaken"}
	case s.People <= 1:
		return Decision{Action: Answer, Reason: "dialogue", Dialogue: true}
	default:
		return Decision{Action: Observe, Reason: "people_talk"}
	}
}

// decideRoot applies the filters of a channel in which the bot may speak unasked.
func decideRoot(e Event, s State) Decision {
	switch {
	case e.OthersNamed:
		return Decision{Action: Observe, Reason: "others_addressed"}
	case s.QuestionsOnly && !e.Question:
		return Decision{Action: Observe, Reason: "no_question"}
	case e.SmallTalk:
		return Decision{Action: Observe, Reason: "small_talk"}
	case s.CoolingDown:
		return Decision{Action: Observe, Reason: "cooling_down"}
	default:
		return Decision{Action: Answer, Reason: "ambient", Ambient: true, Wait: s.Wait}
	}
}
