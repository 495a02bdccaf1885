package policy

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// Setting is one setting of a channel's policy. Its key is the same in the configuration file and
// in chat.
type Setting struct {
	Key     string
	Values  string // accepted values, such as "true or false"
	Help    string
	Choices []string // all valid values; nil: any text may be valid
	// Narrows says that values from chat can only restrict the value of the file.
	Narrows bool

	parse  func(p *Policy, text string) error
	show   func(p Policy) string
	narrow func(p *Policy, text string) error // parse, but restricts the existing value
}

// Default returns the default value as text.
func (s Setting) Default() string { return s.show(DefaultPolicy()) }

// Show returns the setting's value in p as text. It returns "" if the setting has no value.
func (s Setting) Show(p Policy) string { return s.show(p) }

// Check returns an error that says how to write a value, or nil if the value is valid. It does not
// look up whether agents, projects and document sets exist. The error does not contain the value.
func (s Setting) Check(text string) error {
	p := DefaultPolicy()
	return s.parse(&p, text)
}

// FindSetting returns the setting with the given key, or false if there is none.
func FindSetting(key string) (Setting, bool) {
	all := Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return all[i], true
}

// Settings returns all settings of a channel, in display order.
func Settings() []Setting {
	all := []Setting{
		nameSetting("agent", "an agent's name", "who answers", func(p *Policy) *string { return &p.Agent }),
		nameSetting("project", "a project's name", "files that every answer has at hand", func(p *Policy) *string { return &p.Project }),
		documentSets(),
		boolSetting("enabled", "whether questions are answered here at all", func(p *Policy) *bool { return &p.Enabled }),
		boolSetting("paused", "whether answering pauses for now, as after /footnote pause", func(p *Policy) *bool { return &p.Paused }),
		boolSetting("welcome", "whether the bot says who it is when it is brought here, and on its home page", func(p *Policy) *bool { return &p.Welcome }),
		boolSetting("report", "whether the report that footnote.yaml sends here every week is posted", func(p *Policy) *bool { return &p.Report }),
		enumSetting("follow", "replies that do not mention the bot: mention answers none of them, dialogue while one person talks with the bot or "+
			"the bot is answered, always all of them and messages outside threads too, if the documents have an answer",
			func(p *Policy) *Follow { return &p.Follow }, FollowMention, FollowDialogue, FollowAlways),
		aclSetting("askers", "who may ask", func(p *Policy) *[]access.ACL { return &p.Askers }),
		peopleSetting("stoppers", "people or roles who may stop other people's answers. Unset: administrators alone",
			func(p *Policy) *access.ACL { return &p.Stoppers }),
		enumSetting("private", "answers for the asker alone: off gives none, on_request when asked for, always gives no other",
			func(p *Policy) *Private { return &p.Private }, PrivateOff, PrivateOnRequest, PrivateAlways),
		enumSetting("reply", "where an answer is written: in a thread that is opened for it, or in_place (Discord)",
			func(p *Policy) *ReplyPlace { return &p.Reply }, ReplyThread, ReplyInPlace),
		boolSetting("bots", "whether other bots are answered", func(p *Policy) *bool { return &p.Bots }),
		intSetting("bot_turns", 1, 100, "questions in a row of other bots, after which a person has to write", func(p *Policy) *int { return &p.BotTurns }),
		shareSetting("evidence", "unasked: how much of the question the best passage has to match", func(p *Policy) *float64 { return &p.Ambient.Evidence }),
		boolSetting("questions_only", "unasked: only messages that are questions", func(p *Policy) *bool { return &p.Ambient.QuestionsOnly }),
		enumSetting("question_test", "what a question is: words looks for a question mark or a word that questions begin with, mark for the mark alone",
			func(p *Policy) *QuestionTest { return &p.Ambient.Test }, TestWords, TestMark),
		durationSetting("cool_down", maxCoolDown, "unasked: time after an answer in which no other is given", func(p *Policy) *time.Duration { return &p.Ambient.CoolDown }),
		durationSetting("wait", maxWait, "unasked: time for people to answer first", func(p *Policy) *time.Duration { return &p.Ambient.Wait }),
		boolSetting("forum", "whether posts of a forum or media channel are answered, once, if the documents have an answer", func(p *Policy) *bool { return &p.Forum.Posts }),
		durationSetting("forum_wait", maxWait, "forum posts: time for people to answer first", func(p *Policy) *time.Duration { return &p.Forum.Wait }),
		peopleSetting("helpers", "people or roles after whose reply the bot says nothing unasked. Unset: anyone's reply while the bot waits",
			func(p *Policy) *access.ACL { return &p.Helpers }),
		quotaSetting("user_quota", PerUser, "questions of each person here"),
		quotaSetting("channel_quota", PerChannel, "questions of everybody here"),
		roleQuota(),
	}
	for i := range all {
		if all[i].narrow == nil {
			all[i].narrow = all[i].parse
		}
	}
	return all
}
