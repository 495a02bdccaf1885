package session

import (
	"errors"

	"github.com/footnotehq/footnote/core/thread"
)

// PageKind says what a posted message is for.
type PageKind string

const (
	Answer PageKind = "page"   // a page of the answer
	Notice PageKind = "notice" // a notice next to it, such as "queued"
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
