package slack

import (
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// markQuestion is the key under which an answer's mark names the message that it answers.
const markQuestion = "question"

// noticeType marks what is said beside answers.
const noticeType = "footnote_notice"

// privateType marks the message above a private answer.
const privateType = "footnote_private"

func isNotice(m api.Message, subject string) bool {
	return m.Metadata.EventType == noticeType && m.Metadata.EventPayload["subject"] == subject
}

// metadataType marks our messages, so that one whose creation was not confirmed is recognised.
const metadataType = "footnote_answer"

// answerMark is what tells a message of a turn's answer from all others.
func answerMark(turn string, question thread.MessageID) map[string]any {
	mark := map[string]any{"turn": turn}
	if question != thread.MessageID("") {
		mark[markQuestion] = string(question)
	}
	return mark
}
