package session

import (
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Sighting records that a person wrote in a thread. It does not contain the text.
type Sighting struct {
	Tenant  access.TenantID
	Ref     thread.Ref
	Message thread.MessageID
	Person  string // platform id of the author
	Bot     bool   // the author is another bot
	Helper  bool   // the author is a person whose reply makes an unasked answer unnecessary
}

// Thread is what the store knows about a thread on a platform, whether or not the bot has answered
// in it.
type Thread struct {
	Known      bool // the bot takes part: it was asked there, or answered unasked
	Pending    bool // not known yet: the bot may answer unasked if no person does
	Helped     bool // a helper wrote since the bot was last asked
	Unfollowed bool // "stop following" was said since the bot was last asked
	Starter    string
	People     int              // persons who wrote since the bot takes part
	BotTurns   int              // messages of other bots since the last message of a person
	Idle       time.Duration    // time since the last message, by the store's clock
	LastSeen   thread.MessageID // the newest message that was seen
	CaughtUp   thread.MessageID // newest message that was read as context, Unread, Stale, or empty
}

// Active is a thread in which the bot participates.
type Active struct {
	Ref      thread.Ref
	LastSeen thread.MessageID // the newest message that was seen
}

// TranscriptID is the id of the file of a question that holds the earlier messages of its thread.
const TranscriptID message.FileID = "thread"

// Values of Thread.CaughtUp that are older than every message.
const (
	// Unread means that the bot was asked in a thread that it could not read. A mention reads it.
	Unread thread.MessageID = "0"
	// Stale means that messages changed that the bot had read. The next question reads the thread.
	Stale thread.MessageID = "00"
)
