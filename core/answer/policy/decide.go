// Package policy makes the decisions of the bot, in the same way for every platform. It decides
// whether a message is a question, whether the bot answers, and which settings and quotas apply in
// a channel. It also has the texts that explain a decision. All functions are pure: the caller
// passes what is known of a thread or a person. Code that calls a platform or the store does not
// belong here. The settings of a channel come from a [Source].
package policy

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Event is an event on a chat platform, as its adapter reports it. It contains only facts. [Decide]
// says what to do.
type Event struct {
	Own      bool // the bot's own message, or an edit of one
	System   bool // joins, pins, topic changes …
	Bot      bool // written by another bot
	Operator bool // typed in the program's own terminal: no setting or limit applies
	Change   Change
	Known    bool // for a Change: the message is an accepted question
	Stop     bool // a stop reaction, button, command, or a message that is just "stop" (IsStop)
	Unfollow bool // "stop following" (IsUnfollow)

	Command   bool // slash command or message command
	Private   bool // for a Command: a private answer was requested
	Direct    bool // in a direct message, or an agent's own thread
	Mentioned bool // the bot is mentioned, outside code
	InThread  bool // a reply in a thread, not its root
	// Foreign says that another person opened the thread. It is for InThread on platforms where
	// anyone can add the bot.
	Foreign     bool
	Forum       bool // the first message of a forum post
	AnswersBot  bool // a reply to one of the bot's messages
	OthersNamed bool // mentions people or other bots, but not this one
	// Question says that the text reads like a question (IsQuestion). Only channels that filter for
	// questions use it.
	Question  bool
	SmallTalk bool // only a greeting or thanks (IsSmallTalk)
	// Overtaken says that the message was found after an outage, and that another person has since
	// written in the thread.
	Overtaken bool
}

// Change says whether a message was created, edited or deleted.
type Change int

const (
	Created Change = iota
	Edited
	Deleted
)

// Follow says which replies in a thread the bot answers although they do not mention it.
type Follow string

const (
	FollowMention Follow = "mention" // none are answered
	// FollowDialogue answers replies to the bot's messages. It answers other replies only while a
	// single person talks with the bot. It is the default.
	FollowDialogue Follow = "dialogue"
	// FollowAlways answers all replies. It also answers messages outside threads if the documents
	// have an answer.
	FollowAlways Follow = "always"
)

// FollowIdle is the time without a message after which a thread no longer counts as a dialogue.
const FollowIdle = 24 * time.Hour

// State is what [Decide] must know about the channel and thread where an event happened.
type State struct {
	Permitted bool // the person may ask here
	Disabled  bool // answering is switched off
	Paused    bool // answering is paused
	Follow    Follow
	Chosen    bool          // Follow was set explicitly
	Private   Private       // empty means PrivateOnRequest
	Bots      bool          // other bots are answered
	BotTurns  int           // consecutive turns by bots in this thread
	BotLimit  int           // limit of BotTurns; 0 means 3
	Forum     bool          // forum posts are answered
	ForumWait time.Duration // delay for people to answer a post first
	Answered  bool          // the forum post has been answered

	InThread   bool // the bot takes part in the thread
	Helped     bool // a helper wrote in the thread since the bot was last asked
	Unfollowed bool // a person wrote "stop following"
	// People is how many people wrote in the thread since the bot joined, including the author.
	People int
	Idle   time.Duration // since the thread's last message

	QuestionsOnly bool          // for FollowAlways: only messages that read like a question
	CoolingDown   bool          // for FollowAlways: the bot recently gave an unasked answer
	Wait          time.Duration // for FollowAlways: delay for people to answer first
}

// In returns a copy of s for an event in the given thread.
func (s State) In(t session.Thread) State {
	s.InThread, s.Unfollowed, s.Helped, s.People, s.BotTurns, s.Idle = t.Known, t.Unfollowed, t.Helped, t.People, t.BotTurns, t.Idle
	return s
}

// Course is what the bot does with an event, such as [Answer] or [Ignore].
type Course int

const (
	Ignore  Course = iota // record nothing, not even the author
	Observe               // record author and time, but not the text
	Answer                // accept the question
	Redo                  // the question was edited: redo its answer in place
	Cancel                // the question was deleted: end its turn, mark its answer
	Stop                  // stop, subject to session.MayStop
	Unfollow
	Refuse // refuse, with a sentence for the person
	Steer  // change the plan of the thread's deep search
)

// courseNames has the name with which each [Course] is stored. The names must never change.
var courseNames = map[Course]string{
	Ignore: "ignore", Observe: "observe", Answer: "answer", Redo: "redo", Cancel: "cancel", Stop: "stop", Unfollow: "unfollow", Refuse: "refuse", Steer: "steer",
}

// String returns the name with which the course is stored. Names do not change between versions.
func (c Course) String() string { return courseNames[c] }

// Decision says how to handle an event, and why.
type Decision struct {
	Action  Course
	Reason  Reason
	Private bool // Answer, Refuse: visible only to the asker
	CatchUp bool // Answer: the bot joins the thread and reads it once, as context
	// Ambient says that the answer is unasked. Below the channel's evidence threshold, no answer is
	// shown.
	Ambient  bool
	Dialogue bool          // Answer: the message does not mention the bot
	Wait     time.Duration // Ambient: delay for people to answer first
}

// Reason is a code for the cause of a [Decision], such as "mention". It does not change between
// versions. [Explain] returns its text.
type Reason string

// Decide returns how to handle an event. The rules are the same for all platforms.
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
		case s.Private == PrivateAlways && !d.Ambient: // an unasked answer has no asker
			d.Private = true
		case s.Private == PrivateOff && d.Private:
			return Decision{Action: Refuse, Reason: "private_off", Private: true}
		}
	}
	return Admit(d, s)
}

// Admit replaces a decision to answer with a refusal if the bot may not answer in the channel or
// the person may not ask. If the person did not address the bot, the refusal shows no message.
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

// decideBot decides whether to ignore a message of another bot. over is true if it is ignored.
// Otherwise the message is treated like a message of a person.
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

func decideReply(e Event, s State) Decision {
	follow := s.Follow
	if follow == "" {
		follow = FollowDialogue
	}
	switch {
	case follow == FollowMention:
		return Decision{Action: Observe, Reason: "mention_only"}
	case e.Foreign && !s.Chosen: // not set up here: follow only threads that the bot opened
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

// decideRoot decides about a message outside threads in a channel with [FollowAlways].
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
