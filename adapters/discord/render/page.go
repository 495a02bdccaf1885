package render

import "github.com/footnotehq/footnote/core/thread"

// What one message can hold. Discord refuses more than 2,000 characters of content; pages keep room
// for what is put below them, and are counted in UTF-16 code units, which are never fewer than what
// Discord counts.
const (
	MaxContent = 2000 // of Page.Content; what is laid out is at most pageLimit
	// of an answer; the whole of a longer one is attached as a file, to its digest where it is a
	// report
	MaxPages = 4
	// of an answer where no file can be attached; of a longer one the rest is left out
	maxSpread  = 10
	MaxSources = 10 // lines of sources
)

// AttachmentName is the file name of an answer that is too long for messages.
const AttachmentName = "answer.md"

// Page is one Discord message. Its content mentions no one, and no link in it has a preview; the
// sender allows no mentions all the same, suppresses embeds, and cuts, escapes and adds nothing.
type Page struct {
	Content string
	Buttons []thread.Button
	Links   []Link // sources that are opened by a button
	// Markdown of the whole answer, to be attached as AttachmentName to this message; empty nearly
	// always
	Attachment string
	Number     int  // of the page, from 0
	Model      int  `json:",omitempty"` // whose answer it is a page of, where several models answer
	Done       bool // the answer has ended and this is its last page
}

// Link is a button that opens an address.
type Link struct{ Label, URL string }

// Limits of link buttons.
const (
	maxLinks     = 5
	maxLinkLabel = 80  // UTF-16 units, to be on the safe side
	maxLinkURL   = 512 // bytes
)
