package policy

import "github.com/footnotehq/footnote/core/session"

// outcomes says each outcome in words where nothing more exact was said: what a person reads when
// the engine's own sentence is empty or was lost. Silent outcomes, and an answer, need none.
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

// Say returns what a person reads about an outcome when nothing more exact is known. It is empty
// for an answer and for silent outcomes.
func Say(o session.Outcome) string { return outcomes[o] }
