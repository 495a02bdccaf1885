package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Sighting records that somebody wrote in a thread; what was written is not kept.
type Sighting struct {
	Tenant  access.TenantID
	Ref     thread.Ref
	Message thread.MessageID
	Person  string // platform id of who wrote
	Bot     bool   // another bot
	Helper  bool   // somebody whose answer makes the bot's unnecessary
}

// Thread is what is known of a thread on a platform, whether or not its messages were answered.
type Thread struct {
	Known      bool // the bot takes part: it was asked something there, or answered unasked
	Pending    bool // not yet: the bot may answer unasked, and watches whether a person does
	Helped     bool // a helper wrote since the bot was last asked
	Unfollowed bool // somebody said "stop following" since it was last asked
	Starter    string
	People     int              // persons who wrote since the bot takes part
	BotTurns   int              // messages of other bots since a person wrote last
	Idle       time.Duration    // since the last message, by the store's clock
	LastSeen   thread.MessageID // the newest message that was seen
	CaughtUp   thread.MessageID // up to which the thread was read as context; empty when it never was
}

// Threads remembers who takes part in which threads. A thread becomes known when a question of it is taken in (Inbox.Accept), which
// counts as a sighting of the asker and makes it followed again. An ambient question leaves a thread that was not known Pending until
// its turn is Answered. Safe for concurrent use.
type Threads interface {
	// Seen notes a message of a known or pending thread. Nothing is kept of other threads.
	Seen(ctx context.Context, s Sighting) error
	// Thread returns what is known of a thread.
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (Thread, error)
	// Unfollow ends the following of a thread until a question of it is taken in. by is the platform id of who says so.
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	// Follow undoes an Unfollow.
	Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	// CaughtUp notes up to which message a thread was read as context.
	CaughtUp(ctx context.Context, tenant access.TenantID, ref thread.Ref, to thread.MessageID) error
}

// Active is a thread that the bot takes part in.
type Active struct {
	Ref      thread.Ref
	LastSeen thread.MessageID // the newest message that was seen
}

// Absences is for processes that catch up on what happened while no process was there. Safe for concurrent use by any number of processes.
type Absences interface {
	// Active lists the known threads of a workspace in which a message was seen within the time lately, newest first, at most most of them.
	Active(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int) ([]Active, error)
	// Claim reports whether the caller is to do what a key names in a workspace: it is true for exactly one of all who ask within ttl. When
	// that one ends before it is done, the first to ask after ttl gets it.
	Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error)
}
