package event

import (
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// MarkQuestion is the metadata key for the id of the message that an answer belongs to.
const MarkQuestion = "question"

// NoticeType is the metadata type of notices next to answers.
const NoticeType = "footnote_notice"

// PrivateType is the metadata type of the message above a private answer.
const PrivateType = "footnote_private"

// IsNotice reports whether a message is a notice from the bot about the given subject.
func IsNotice(m api.Message, subject string) bool {
	return m.Metadata.EventType == NoticeType && m.Metadata.EventPayload["subject"] == subject
}

// MetadataType is the metadata type of answers. It helps to find an answer if Slack did not confirm
// its creation.
const MetadataType = "footnote_answer"

// AnswerMark returns the metadata for a message of a turn's answer.
func AnswerMark(turn string, question thread.MessageID) map[string]any {
	mark := map[string]any{"turn": turn}
	if question != thread.MessageID("") {
		mark[MarkQuestion] = string(question)
	}
	return mark
}
