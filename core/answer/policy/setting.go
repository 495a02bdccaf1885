package policy

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// Setting is one key of a channel's policy: the same in the configuration file and in chat.
type Setting struct {
	Key    string
	Values string // what may be written, in words: "true or false"
	Help   string
	// what chat says is added to what the file says: it can take away, and give nothing back
	Narrows bool

	read func(p *Policy, text string) error
	show func(p Policy) string
	add  func(p *Policy, text string) error // read for what narrows
}

// Default is the value where nothing is set, as it is written.
func (s Setting) Default() string { return s.show(DefaultPolicy()) }

// Show is the setting's value in a policy, as it is written; empty where it is not set.
func (s Setting) Show(p Policy) string { return s.show(p) }

// Check reports what is wrong with a value, in words: what it holds is not repeated. Names of
// agents, projects and document sets are not looked up.
func (s Setting) Check(text string) error {
	p := DefaultPolicy()
	return s.read(&p, text)
}

// FindSetting returns the setting of that key, and false when there is none.
func FindSetting(key string) (Setting, bool) {
	all := Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return all[i], true
}

// Settings lists every setting of a channel in the order in which people read them.
func Settings() []Setting {
	all := []Setting{
		name("agent", "an agent's name", "who answers", func(p *Policy) *string { return &p.Agent }),
		name("project", "a project's name", "files that every answer has at hand", func(p *Policy) *string { return &p.Project }),
		documentSets(),
		yesNo("enabled", "whether questions are answered here at all", func(p *Policy) *bool { return &p.Enabled }),
		yesNo("paused", "whether answering pauses for now, as after /footnote pause", func(p *Policy) *bool { return &p.Paused }),
		yesNo("welcome", "whether the bot says who it is when it is brought here, and on its home page", func(p *Policy) *bool { return &p.Welcome }),
		yesNo("report", "whether the report that footnote.yaml sends here every week is posted", func(p *Policy) *bool { return &p.Report }),
		word("follow", "replies that do not mention the bot: mention answers none of them, dialogue while one person talks with the bot or "+
			"the bot is answered, always all of them and messages outside threads too, if the documents have an answer",
			func(p *Policy) *Follow { return &p.Follow }, FollowMention, FollowDialogue, FollowAlways),
		acl("askers", "who may ask", func(p *Policy) *[]access.ACL { return &p.Askers }),
		people("stoppers", "people or roles who may stop other people's answers. Unset: administrators alone",
			func(p *Policy) *access.ACL { return &p.Stoppers }),
		word("private", "answers for the asker alone: off gives none, on_request when asked for, always gives no other",
			func(p *Policy) *Private { return &p.Private }, PrivateOff, PrivateOnRequest, PrivateAlways),
		word("reply", "where an answer is written: in a thread that is opened for it, or in_place (Discord)",
			func(p *Policy) *ReplyPlace { return &p.Reply }, ReplyThread, ReplyInPlace),
		yesNo("bots", "whether other bots are answered", func(p *Policy) *bool { return &p.Bots }),
		number("bot_turns", 1, 100, "questions in a row of other bots, after which a person has to write", func(p *Policy) *int { return &p.BotTurns }),
		share("evidence", "unasked: how much of the question the best passage has to match", func(p *Policy) *float64 { return &p.Ambient.Evidence }),
		yesNo("questions_only", "unasked: only messages that are questions", func(p *Policy) *bool { return &p.Ambient.QuestionsOnly }),
		word("question_test", "what a question is: words looks for a question mark or a word that questions begin with, mark for the mark alone",
			func(p *Policy) *QuestionTest { return &p.Ambient.Test }, TestWords, TestMark),
		length("cool_down", maxCoolDown, "unasked: time after an answer in which no other is given", func(p *Policy) *time.Duration { return &p.Ambient.CoolDown }),
		length("wait", maxWait, "unasked: time for people to answer first", func(p *Policy) *time.Duration { return &p.Ambient.Wait }),
		yesNo("forum", "whether posts of a forum or media channel are answered, once, if the documents have an answer", func(p *Policy) *bool { return &p.Forum.Posts }),
		length("forum_wait", maxWait, "forum posts: time for people to answer first", func(p *Policy) *time.Duration { return &p.Forum.Wait }),
		people("helpers", "people or roles after whose reply the bot says nothing unasked. Unset: anyone's reply while the bot waits",
			func(p *Policy) *access.ACL { return &p.Helpers }),
		quota("user_quota", PerUser, "questions of each person here"),
		quota("channel_quota", PerChannel, "questions of everybody here"),
		roleQuota(),
	}
	for i := range all {
		if all[i].add == nil {
			all[i].add = all[i].read
		}
	}
	return all
}
