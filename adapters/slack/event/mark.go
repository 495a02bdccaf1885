package event

import (
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// MarkQuestion is the metadata key for the id of the message that an answer responds to.
const MarkQuestion = "question"

// NoticeType is the metadata type of the bot's messages that are not answers.
const NoticeType = "footnote_notice"

// PrivateType is the metadata type of the message that repeats a question above its private answer.
const PrivateType = "footnote_private"

// IsNotice reports whether a message is a notice of the bot with the given subject.
func IsNotice(m api.Message, subject string) bool {
	return m.Metadata.EventType == NoticeType && m.Metadata.EventPayload["subject"] == subject
}

// MetadataType is the metadata type of answers. It helps to find an answer if Slack did not confirm
// its creation.
const MetadataType = "footnote_answer"

// AnswerMark returns the metadata for a message of an answer. It holds the ids of the turn and of
// the question.
func AnswerMark(turn string, question thread.MessageID) map[string]any {
	mark := map[string]any{"turn": turn}
	if question != thread.MessageID("") {
		mark[MarkQuestion] = string(question)
	}
	return mark
}
