package render

import "github.com/footnotehq/footnote/core/thread"

// Limits of one message. Discord refuses more than 2,000 characters of content. A page leaves room
// for the lines below it. Lengths are in UTF-16 code units. Their number is never lower than
// Discord's count.
const (
	MaxContent = 2000 // length of Page.Content; text is laid out in at most pageLimit
	// pages of an answer; a longer answer is attached as a file, and a report is reduced to its
	// digest
	MaxPages = 4
	// pages of an answer if no file can be attached; the rest of a longer answer is omitted
	maxSpread  = 10
	MaxSources = 10 // lines in the list of sources
)

// AttachmentName is the file name of an answer that is too long for messages.
const AttachmentName = "answer.md"

// Page is one Discord message. Its content has no mentions, and its links have no previews. The
// sender also disallows mentions and suppresses embeds. The sender does not change the content.
type Page struct {
	Content string
	Buttons []thread.Button
	Links   []Link // sources with a button
	// the whole answer in Markdown, attached to this message as AttachmentName; empty if the answer
	// fits
	Attachment string
	Number     int  // index of the page, from 0
	Model      int  `json:",omitempty"` // index of the model that wrote the answer, if several answer
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
