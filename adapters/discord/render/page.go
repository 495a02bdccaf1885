package render

import "github.com/footnotehq/footnote/core/thread"

// These limit the size of messages and answers. Lengths are in UTF-16 code units. Discord refuses
// content of more than 2,000 characters.
const (
	MaxContent = 2000 // length of Page.Content; text is laid out in at most pageLimit
	// MaxPages is the maximum number of pages of an answer. The whole of a longer answer is
	// attached as a file. Of a longer report, only a summary is then posted as text.
	MaxPages = 4
	// maxSpread is the maximum number of pages of an answer without a file. The rest of a longer
	// answer is omitted.
	maxSpread  = 10
	MaxSources = 10 // lines in the list of sources
)

// AttachmentName is the file name of an answer that is too long for messages.
const AttachmentName = "answer.md"

// Page is one Discord message. Its content is sent unchanged: it has no mentions, and its links
// have no previews.
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

const (
	maxLinks     = 5
	maxLinkLabel = 80  // UTF-16 units, to be on the safe side
	maxLinkURL   = 512 // bytes
)
