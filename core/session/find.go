package session

import (
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Verdict is a decision about a message, without its text and author.
type Verdict struct {
	Ref     thread.Ref
	Message thread.MessageID
	Action  string
	Reason  string
	At      time.Time // by the store's clock
}

// Newest is the newest message of a channel, or of a thread that belongs to a channel.
type Newest struct {
	Channel string
	Message thread.MessageID
}

// Trace is what the store knows about a channel and its newest message.
type Trace struct {
	Action string // decision about the message; empty: none
	Asked  bool   // the message belongs to a turn
	// a turn of the channel is unfinished, or was superseded in a thread of the last two days
	Open bool
}

// VerdictAge is the minimum time for which verdicts are stored.
const VerdictAge = 7 * 24 * time.Hour

// Never is the time since an event that never happened. It is longer than any real duration.
const Never = time.Duration(1<<63 - 1)

// Forgotten counts the data that Forget deleted.
type Forgotten struct {
	Turns    int // questions with their answers
	Sessions int
	Tokens   int      // personal tokens for assistants
	Files    int      // kept in projects for the person alone
	Running  []TurnID // the deleted turns with a running worker, which must be stopped
}

// Quota limits a counter to a number of questions per window. Windows begin at multiples of their
// length since 1970 in UTC, so days begin at midnight UTC.
type Quota struct {
	Counter string // identifies the counter, such as "user:slack:U1"
	Limit   int
	Window  time.Duration
}
