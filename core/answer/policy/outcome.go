package policy

import "github.com/footnotehq/footnote/core/session"

// outcomes are the default texts of outcomes. They are used if the engine's sentence is empty or
// lost. Answers and silent outcomes have no default text.
var outcomes = map[session.Outcome]string{
	session.Answered:     "",
	session.NoEvidence:   session.SentenceNothing,
	session.Refused:      "The model declined to answer this. Ask in other words, or ask a person.",
	session.NotPermitted: "You cannot ask here. Ask in a channel where the bot is allowed, or send it a direct message.",
	session.Stopped:      "Stopped. What had been written is kept.",
	session.Limited:      "There is too much to do at the moment. Ask again in a minute.",
	session.Failed:       "Something went wrong while answering. Ask again; if it happens again, tell whoever runs this bot.",
	session.Declined:     "",
	session.Superseded:   "",
}

// Say returns the default text of an outcome. For an answer and for silent outcomes it returns "".
func Say(o session.Outcome) string { return outcomes[o] }
