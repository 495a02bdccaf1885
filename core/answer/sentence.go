package answer

import "github.com/footnotehq/footnote/core/answer/policy"

const (
	sentenceStopped       = "Stopped. What had been written is kept."
	sentenceUnstarted     = "Stopped before anything was written."
	sentenceExhausted     = "Something went wrong while answering, several times. Ask again; if it happens again, tell whoever runs this bot."
	sentenceDeadly        = "This question kept ending the program that answers it, so it is not tried any more. Ask in other words, with less text or fewer files; if it happens again, tell whoever runs this bot."
	sentenceGreeting      = "Hello! Ask me a question, and I look for the answer in the documents that you may read."
	sentenceThanks        = "You're welcome."
	sentenceGoodbye       = "Goodbye."
	sentenceAbout         = "I answer questions from the documents of your organisation that you may read, and link to the places that each answer is from. Ask me one in your own words."
	sentencePending       = "I am still finding out who may read what here. I answer as soon as I know."
	sentenceRoomUnknown   = "I could not find out who is in this channel, so I looked at public documents only. "
	sentencePersonUnknown = "I could not find out which documents you may read, so I looked at public documents only. "
	sentenceAgainLater    = "Ask again in a few minutes."
	sentenceOperator      = "Asking again does not help: tell whoever runs this bot to run `footnote doctor`."
	sentenceListed        = "I know by now who is in this channel. Shall I answer this again, from all documents that everyone here can read?"
	sentenceOffer         = "I found documents that you can read but not everyone here can. Shall I answer you privately?"
)

const (
	noticeRemoved   = "This answer was removed."
	noticeCorrected = "Corrected by %s. A person wrote this, not the bot."
)

var replies = map[policy.Talk]string{
	policy.Greeting: sentenceGreeting, policy.Thanks: sentenceThanks, policy.Goodbye: sentenceGoodbye, policy.About: sentenceAbout,
}
