package policy

import "github.com/footnotehq/footnote/core/session"

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

// Say returns the default text for an outcome. It is "" for an answer, and for outcomes that the
// bot does not show.
func Say(o session.Outcome) string { return outcomes[o] }
