package session

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/core/thread"
)

// PageKind says what a posted message is for.
type PageKind string

const (
	Answer PageKind = "page"   // a page of the answer
	Notice PageKind = "notice" // anything beside it, such as "queued"
)

// PageState is how far a message has come.
type PageState string

const (
	Intended PageState = "intended" // about to be created; whether it exists is not known
	Posted   PageState = "posted"
	Final    PageState = "final" // shows what it will show for good
)

// PageKey names a message of a turn. Model is the ModelIndex of its packets; Number counts from 0.
type PageKey struct {
	Kind   PageKind
	Model  int
	Number int
}

// Page is a message of a turn as it is remembered.
type Page struct {
	PageKey
	At      thread.Ref       // where it was posted; may differ from the session's, for private answers
	Message thread.MessageID // empty while intended
	State   PageState
	Hash    string // of the content that was last written
	Attempt int    // that wrote last
}

// ErrUnknownPage says that a page was never intended, or has been dropped.
var ErrUnknownPage = errors.New("the page was not intended")

// Deliveries remembers what a turn posted, so that whoever takes it over adopts those messages instead of posting again. Every write
// is fenced: it fails with ErrFenced when the attempt is not the turn's newest. Safe for concurrent use.
type Deliveries interface {
	// Intend is committed before a message is created. It forgets what the page was before.
	Intend(ctx context.Context, f Fence, key PageKey, at thread.Ref) error
	// Posted records a created or adopted message, which from then on can be used to stop the turn.
	Posted(ctx context.Context, f Fence, key PageKey, id thread.MessageID, hash string) error
	// Final records that the page shows what it will show for good.
	Final(ctx context.Context, f Fence, key PageKey, hash string) error
	// Drop forgets a page whose message was deleted.
	Drop(ctx context.Context, f Fence, key PageKey) error
	// Pages returns all pages, by kind, model and number.
	Pages(ctx context.Context, f Fence) ([]Page, error)
}

// Repairs is for workers that find out too late that they had lost their turn. Safe for concurrent use.
type Repairs interface {
	// Disturbed says that a message of the turn may have been written by an attempt that was no longer the newest. If another attempt
	// has begun, the turn is leased once more after it is Done, in that state, and its pages count as not written.
	Disturbed(ctx context.Context, f Fence) error
}
