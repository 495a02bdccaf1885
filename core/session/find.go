package session

import (
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Verdict is the bot's decision about a message. It does not contain the message's text or author.
type Verdict struct {
	Ref     thread.Ref
	Message thread.MessageID
	Action  string
	Reason  string
	At      time.Time // by the store's clock
}

// Newest is the newest message of a channel, or of one of the channel's threads.
type Newest struct {
	Channel string
	Message thread.MessageID
}

// Trace is what the store knows about a channel and the newest message in it.
type Trace struct {
	Action string // decision about the message; empty: none
	Asked  bool   // the message belongs to a turn
	// the channel has an unfinished turn, or a turn of one of its threads was superseded in the
	// last two days
	Open bool
}

// VerdictAge is the minimum time for which verdicts are stored.
const VerdictAge = 7 * 24 * time.Hour

// Never represents the time since an event that has not happened. It is longer than any real
// duration.
const Never = time.Duration(1<<63 - 1)

// Forgotten counts the data that [Store.Forget] deleted.
type Forgotten struct {
	Turns    int // questions with their answers
	Sessions int
	Tokens   int      // personal tokens for assistants
	Files    int      // files in projects that only the person could read
	Running  []TurnID // the deleted turns with a running worker, which must be stopped
}

// Quota limits a counter to a number of questions per window. A window begins at a multiple of its
// length since 1970 in UTC, so a day begins at midnight UTC.
type Quota struct {
	Counter string // identifies the counter, such as "user:slack:U1"
	Limit   int
	Window  time.Duration
}
