package event

import (
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// MarkQuestion is the key under which an answer's mark names the message that it answers.
const MarkQuestion = "question"

// NoticeType marks notices next to answers.
const NoticeType = "footnote_notice"

// PrivateType marks the message above a private answer.
const PrivateType = "footnote_private"

// IsNotice reports whether a message is a notice of the bot about a subject.
func IsNotice(m api.Message, subject string) bool {
	return m.Metadata.EventType == NoticeType && m.Metadata.EventPayload["subject"] == subject
}

// MetadataType marks our messages, so that one whose creation was not confirmed is recognised.
const MetadataType = "footnote_answer"

// AnswerMark is what tells a message of a turn's answer from all others.
func AnswerMark(turn string, question thread.MessageID) map[string]any {
	mark := map[string]any{"turn": turn}
	if question != thread.MessageID("") {
		mark[MarkQuestion] = string(question)
	}
	return mark
}
