package call

import "slices"

// Scope is a permission that the app requests, with the reason for the request.
type Scope struct {
	Name   string
	Reason string
	// Mention is set if even the smallest app needs the scope. The smallest app answers only
	// mentions and direct messages.
	Mention bool
	// History is set if the scope is required for reading channels as a source.
	History bool
}

// Scopes lists all scopes of the bot token.
var Scopes = []Scope{
	{"app_mentions:read", "to hear when someone mentions the bot", true, false},
	{"chat:write", "to answer, and to show that it is at work", true, false},
	{"assistant:write", "to be shown as an agent, in a separate conversation", true, false},
	{"im:history", "to read direct messages to the bot", true, false},
	{"im:read", "to know that a conversation is a direct message", true, false},
	{"im:write", "to answer in a direct message when a private answer was asked for", true, false},
	{"users:read", "to tell members from guests, so that guests see public documents only", true, true},
	{"commands", "for /ask and /footnote", true, false},
	{"reactions:read", "to stop an answer by a reaction", true, false},
	{"channels:read", "to know who listens in a public channel", true, true},
	{"groups:read", "to know who listens in a private channel", true, true},
	{"users:read.email", "to know which documents name a person by address", false, false},
	{"usergroups:read", "to know who is in the user groups to which groups of footnote.yaml are bound", false, false},
	{"files:read", "to read files and pictures that come with a question", false, false},
	{"files:write", "to post a long report as a file, and to take it away again", false, false},
	{"channels:history", "to follow a thread in a public channel without a new mention, and to read it as a source", false, true},
	{"groups:history", "to follow a thread in a private channel without a new mention, and to read it as a source", false, true},
}

// GroupScope is the scope for reading user groups. Without it, user groups cannot be mapped to
// groups of the configuration.
const GroupScope = "usergroups:read"

// AppScope is the scope of the app-level token. The method openSocket needs it.
const (
	AppScope   = "connections:write"
	openSocket = "apps.connections.open"
)

// AddScope returns the end of a sentence that tells an operator where to add a scope.
func AddScope(name string) string {
	if name == AppScope {
		return "make an app-level token with the scope " + AppScope + " under Basic Information → App-Level Tokens, and set SLACK_APP_TOKEN to it"
	}
	return "add it under OAuth & Permissions → Bot Token Scopes, then install the app again"
}

// reason returns why the app needs a scope, in parentheses. It returns "" for a scope that the app
// does not request.
func reason(name string) string {
	if name == AppScope {
		return " (of the app-level token, to receive events)"
	}
	if i := slices.IndexFunc(Scopes, func(s Scope) bool { return s.Name == name }); i >= 0 {
		return " (" + Scopes[i].Reason + ")"
	}
	return ""
}
