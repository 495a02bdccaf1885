package session

import (
	"errors"

	"github.com/footnotehq/footnote/core/thread"
)

// PageKind is the purpose of a posted message.
type PageKind string

const (
	Answer PageKind = "page"   // a page of the answer
	Notice PageKind = "notice" // a notice about the turn, such as "queued"
)

// PageState is the progress of a posted message.
type PageState string

const (
	Intended PageState = "intended" // about to be created; it may or may not exist
	Posted   PageState = "posted"
	Final    PageState = "final" // shows its final content
)

// PageKey identifies a message of a turn. Model is the ModelIndex of the message's packets. Number
// counts from 0.
type PageKey struct {
	Kind   PageKind
	Model  int
	Number int
}

// Page is the stored record of a posted message of a turn.
type Page struct {
	PageKey
	At      thread.Ref       // where it was posted; may differ from the session's, for private answers
	Message thread.MessageID // empty while intended
	State   PageState
	Hash    string // hash of the content that was last written
	Attempt int    // attempt that wrote the page last
}

// ErrUnknownPage reports that [Store.Intend] was never called for a page, or that the page was
// dropped.
var ErrUnknownPage = errors.New("the page was not intended")
