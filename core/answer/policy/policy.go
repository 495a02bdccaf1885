package policy

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// Policy holds the settings of one channel.
type Policy struct {
	Agent   string // name of the agent; empty means the file's agent, else the built-in one
	Project string
	// DocumentSets are the names of the document sets that are searched, within the documents of
	// the agent. If it is empty, all documents of the agent are searched. A document set that no
	// longer exists has no documents.
	DocumentSets []string

	Enabled bool // questions are answered
	Paused  bool // answering is paused

	Follow   Follow
	Bots     bool // other bots are answered
	BotTurns int  // consecutive turns that bots may ask for

	Welcome  bool         // greet the person who adds the bot
	Report   bool         // post the weekly report
	Askers   []access.ACL // who may ask: a person must be in each of these lists; none means everyone
	Stoppers access.ACL   // who may stop other people's answers, in addition to administrators
	Private  Private
	Reply    ReplyPlace
	Ambient  Ambient
	Forum    Forum
	// Helpers are people whose reply makes an unasked answer unnecessary. If it is empty, the reply
	// of any person counts while the bot waits.
	Helpers access.ACL
	Quotas  []Quota
}

// Private says when an answer in a channel is visible only to the asker.
type Private string

// The values of [Private].
const (
	PrivateOff Private = "off" // never
	// PrivateOnRequest gives a private answer on request. It offers one if the asker may read more
	// documents than the channel. It is the default.
	PrivateOnRequest Private = "on_request"
	PrivateAlways    Private = "always" // always
)

// ReplyPlace says where an answer in a channel is written. It has no effect on platforms without a
// choice.
type ReplyPlace string

// The values of [ReplyPlace].
const (
	ReplyThread  ReplyPlace = "thread"   // the default: in a new thread
	ReplyInPlace ReplyPlace = "in_place" // below the question, in the channel itself
)

// Ambient holds the conditions under which the bot answers messages that do not address it.
type Ambient struct {
	QuestionsOnly bool
	Test          QuestionTest
	CoolDown      time.Duration // minimum time between two in the channel
	Wait          time.Duration // delay for people to answer first
	// Evidence is the minimum share of the question's weight that the best passage must match, from
	// 0 to 1.
	Evidence float64
}

// Forum says whether posts of a forum or media channel are answered.
type Forum struct {
	Posts bool
	Wait  time.Duration // delay for people to answer first
}

// QuestionTest is how the bot recognises a question in a message without a mention.
type QuestionTest string

// The values of [QuestionTest].
const (
	// TestWords looks for a question mark or a question word. It is the default.
	TestWords QuestionTest = "words"
	TestMark  QuestionTest = "mark" // a question mark
)

// DefaultPolicy returns the policy of a channel without settings.
func DefaultPolicy() Policy {
	return Policy{
		Enabled: true, Welcome: true, Report: true, Follow: FollowDialogue, BotTurns: 3, Private: PrivateOnRequest, Reply: ReplyThread,
		Ambient: Ambient{QuestionsOnly: true, Test: TestWords, CoolDown: 10 * time.Minute, Evidence: 0.6},
		Forum:   Forum{Wait: 5 * time.Minute},
	}
}

// Open reports whether everyone may ask. The asker's permissions then need not be looked up.
func (p Policy) Open() bool { return len(p.Askers) == 0 }

// MayAsk reports whether a person may ask. asker has the person's principals.
func (p Policy) MayAsk(asker access.Audience) bool {
	return !slices.ContainsFunc(p.Askers, func(acl access.ACL) bool { return !asker.MayRead(acl) })
}

// State returns a [State] with the fields that depend on the channel's settings. If the policy is
// not Open, the caller must set Permitted.
func (p Policy) State() State {
	return State{
		Permitted: p.Open(), Disabled: !p.Enabled, Paused: p.Paused, Follow: p.Follow, Bots: p.Bots, BotLimit: p.BotTurns, Private: p.Private,
		Forum: p.Forum.Posts, ForumWait: p.Forum.Wait, QuestionsOnly: p.Ambient.QuestionsOnly, Wait: p.Ambient.Wait,
	}
}

// Quota limits how many questions may be asked in a window of time. The reply to a further question
// says when to try again.
type Quota struct {
	For    QuotaScope
	Role   access.Principal // PerRole: everyone who holds it shares the quota
	Count  int
	Window time.Duration
}

// QuotaScope says who shares a quota.
type QuotaScope string

// The values of [QuotaScope].
const (
	PerUser    QuotaScope = "user"    // each person in the channel
	PerChannel QuotaScope = "channel" // all questions in the channel
	PerRole    QuotaScope = "role"    // everyone who holds the role, across channels
)

// Counters returns the quotas against which a person's question in a channel counts. A quota of a
// role applies only if the role is among the person's principals in holds.
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

// CountsRoles reports whether any quota is for a role. The asker's permissions must then be looked
// up.
func (p Policy) CountsRoles() bool {
	for _, q := range p.Quotas {
		if q.For == PerRole {
			return true
		}
	}
	return false
}
