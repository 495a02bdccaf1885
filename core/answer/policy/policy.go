package policy

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// Policy is what holds in one channel. DefaultPolicy is where nothing is set.
type Policy struct {
	Agent   string // who answers; empty: the file's agent, else the built-in one
	Project string
	// DocumentSets limit the documents to be searched, further than the agent's own do; none: as
	// the agent's do. Only names: a set that no longer exists holds no document.
	DocumentSets []string

	Enabled bool // questions are answered here
	Paused  bool // not at the moment

	Follow   Follow
	Bots     bool // other bots are answered
	BotTurns int  // turns in a row that bots may ask for

	Welcome  bool         // greets the person who brings the bot here
	Report   bool         // the weekly report is posted
	Askers   []access.ACL // who may ask: whoever each of these lists names; none: everybody
	Stoppers access.ACL   // who may stop other people's answers, in addition to administrators
	Private  Private
	Reply    ReplyPlace
	Ambient  Ambient
	Forum    Forum
	// whose reply makes an unasked answer unnecessary; empty: anyone's while the bot waits
	Helpers access.ACL
	Quotas  []Quota
}

// Private says whether, and when, a channel's answers are for the asker alone.
type Private string

// The settings of private answers.
const (
	PrivateOff Private = "off" // none are given here
	// the default: when asked for, or when the asker may read more than the channel
	PrivateOnRequest Private = "on_request"
	PrivateAlways    Private = "always" // all answers here are for the asker alone
)

// ReplyPlace says where an answer in a channel is written, on platforms that leave a choice.
type ReplyPlace string

// The places for an answer.
const (
	ReplyThread  ReplyPlace = "thread"   // the default: a thread is opened for it
	ReplyInPlace ReplyPlace = "in_place" // below the question, in the channel itself
)

// Ambient holds back unasked answers.
type Ambient struct {
	QuestionsOnly bool
	Test          QuestionTest
	CoolDown      time.Duration // between two of them in the channel
	Wait          time.Duration // for people to answer first
	// share of the question's weight that the best passage matches at least, 0 to 1
	Evidence float64
}

// Forum says whether posts of a forum or media channel are answered.
type Forum struct {
	Posts bool
	Wait  time.Duration // for people to answer first
}

// QuestionTest says how a question is distinguished from a remark.
type QuestionTest string

// The tests.
const (
	// the default: a question mark, or the words with which questions begin
	TestWords QuestionTest = "words"
	TestMark  QuestionTest = "mark" // a question mark
)

// DefaultPolicy is what holds where neither the file nor a person in chat said otherwise.
func DefaultPolicy() Policy {
	return Policy{
		Enabled: true, Welcome: true, Report: true, Follow: FollowDialogue, BotTurns: 3, Private: PrivateOnRequest, Reply: ReplyThread,
		Ambient: Ambient{QuestionsOnly: true, Test: TestWords, CoolDown: 10 * time.Minute, Evidence: 0.6},
		Forum:   Forum{Wait: 5 * time.Minute},
	}
}

// Open reports whether everyone may ask, so that no identity has to be looked up.
func (p Policy) Open() bool { return len(p.Askers) == 0 }

// MayAsk reports whether a person who holds what the audience holds may ask.
func (p Policy) MayAsk(asker access.Audience) bool {
	return !slices.ContainsFunc(p.Askers, func(acl access.ACL) bool { return !asker.MayRead(acl) })
}

// State is what Decide needs to know of the channel. Whether the asker is Permitted is for the
// caller to fill in where Open does not say so.
func (p Policy) State() State {
	return State{
		Permitted: p.Open(), Disabled: !p.Enabled, Paused: p.Paused, Follow: p.Follow, Bots: p.Bots, BotLimit: p.BotTurns, Private: p.Private,
		Forum: p.Forum.Posts, ForumWait: p.Forum.Wait, QuestionsOnly: p.Ambient.QuestionsOnly, Wait: p.Ambient.Wait,
	}
}

// Quota limits how many questions may be asked. Questions beyond it are answered with the time when
// to come back.
type Quota struct {
	For    QuotaScope
	Role   access.Principal // PerRole: everybody who holds it, together
	Count  int
	Window time.Duration
}

// QuotaScope says who shares a quota.
type QuotaScope string

// The scopes of a quota.
const (
	PerUser    QuotaScope = "user"    // each person in the channel by themselves
	PerChannel QuotaScope = "channel" // all questions in the channel
	PerRole    QuotaScope = "role"    // everybody who holds the role, in whatever channel says so
)

// counters are the quotas of a policy that a question counts against.
func (p Policy) Counters(at session.Place, person string, holds access.Audience) []session.Quota {
	var counted []session.Quota
	place := string(at.Platform) + ":" + at.Workspace + ":"
	for _, q := range p.Quotas {
		var counter string
		switch q.For {
		case PerUser:
			counter = "user:" + place + at.Channel + ":" + person
		case PerChannel:
			counter = "channel:" + place + at.Channel
		case PerRole:
			if !holds.MayRead(access.ACL{q.Role}) {
				continue
			}
			counter = "role:" + string(q.Role)
		}
		counted = append(counted, session.Quota{Counter: counter, Limit: q.Count, Window: q.Window})
	}
	return counted
}

// CountsRoles reports whether a quota depends on what the asker holds.
func (p Policy) CountsRoles() bool {
	for _, q := range p.Quotas {
		if q.For == PerRole {
			return true
		}
	}
	return false
}
