package render

import "github.com/footnotehq/footnote/core/thread"

// These limit messages and reports, and are below Slack's limits. Slack documents 12,000 characters
// of Markdown for all blocks, but refuses some shorter texts. A mrkdwn section may have 3,000
// characters, and the text of chat.update 4,000.
const (
	MaxMarkdown = 11000 // characters of Page.Markdown
	MaxSection  = 2900  // characters of one element of Page.Sections
	MaxSections = 4     // elements of Page.Sections
	MaxText     = 3900  // characters of Page.Text
	MaxNote     = 1000  // characters of one element of Page.Notes
	MaxSources  = 10    // elements of Page.Sources
	MaxPages    = 2     // pages of a report; a longer one becomes a file

	MaxTaskSources = 5 // elements of Task.Sources
)

// FileTitle is the title that Slack displays for the file of a long report.
const FileTitle = "answer.md"

// Page is one Slack message, or a piece of text that is appended to a stream. It is within all
// limits and contains no mentions or images. The sender must not change its text, and must turn off
// link previews.
//
// A message has its blocks in this order:
//   - Markdown as one markdown block, or each of Sections as a mrkdwn section
//   - each of Notes as a mrkdwn context
//   - the Sources
//   - the Buttons
//
// In a piece, Markdown and Tasks are the chunks to append. The last piece has Done set, and
// contains the Notes, Sources and Buttons for chat.stopStream.
type Page struct {
	// standard Markdown for markdown blocks and streams. In a piece, it is only the new text.
	Markdown string
	Sections []string // mrkdwn, instead of Markdown, for workspaces without markdown blocks
	// plain text of the whole message, for notifications and screen readers. It is empty in a
	// piece.
	Text string

	// mrkdwn sentences below the answer, for example about errors, a stop, or the basis of the
	// answer
	Notes   []string
	Heading string   // plain text above Sources; empty without sources
	Sources []Source // below the last page of a finished answer
	More    string   // sentence with the number of omitted documents, or ""
	Buttons []thread.Button

	// Markdown of a whole report. If it is set, the message is a file with this content, and only
	// Number and Done of the other fields are used.
	File string `json:",omitempty"`

	Tasks []Task // in a piece: new or changed search steps
	// in a piece: Markdown of further messages, in order. It is set if the current message is full.
	Rolls []string
	// in a piece: how to split the text if the stream must continue in another message, for example
	// because of its age
	Cut Cut

	// index of the page, starting at 0. In a piece, it is the index of the message with the last
	// text of the piece.
	Number int
	Done   bool // the answer has ended; this is the last page or piece
}

// Cut contains the Markdown that splits a code block or a table between two messages. Close ends
// the block in the first message. Open reopens the block in the next message. Both are usually
// empty.
type Cut struct{ Close, Open string }

// Source is a document below an answer. It is a cited document, or a related document if nothing
// was cited.
type Source struct {
	Number int    // 0 if not cited
	Title  string // one line, not escaped; contains no mention
	// address, escaped for all renderers. It is empty if a reader could not open the document.
	URL string
	// location and age, such as "docs.example · 5 months old". It is empty if both are unknown.
	Detail string

	// further cited sections of the document, with only number, title and address
	Also []Source `json:",omitempty"`
}

// TaskStatus is the state of a search step.
type TaskStatus string

// These are the states of a search. They are a subset of the states of Slack's task cards.
const (
	TaskRunning  TaskStatus = "in_progress"
	TaskComplete TaskStatus = "complete"
)

// Task is a card that shows the searches of an answer in a stream. A task replaces an earlier task
// with the same ID.
type Task struct {
	ID      string
	Title   string // plain text, one line
	Status  TaskStatus
	Output  string   // plain text: number of cited documents; empty until the end
	Sources []Source // cited documents with an address, at most MaxTaskSources
}
