// Package answer reads the Markdown of an answer (CommonMark with tables, strikethrough, task lists
// and bare addresses) into a small tree, and writes the tree as the pages of a chat platform: each
// platform brings a Dialect, which says how things are written, and a limit, which holds by
// construction. Closed and Flow say how much of a growing text can be shown.
//
// Three constructs of CommonMark are left out, because with them a later line changes what an
// earlier one was, and readers see answers while they are written: setext headings (a line of ---
// below a paragraph is a rule), link reference definitions, and blocks of HTML (tags are read one
// by one). For the same reason the header of a table must begin with a bar.
package answer

// Tree is a parsed answer. It is not changed once made, and safe for concurrent use.
type Tree struct {
	Blocks []*Block
	size   int // of the source in bytes
}

// BlockKind is the kind of a Block.
type BlockKind uint8

// The kinds of blocks.
const (
	Paragraph BlockKind = iota // Inlines
	Heading                    // Level, Inlines
	Code                       // Language, Code
	Quote                      // Children
	List                       // Ordered, Start, Children: its items
	Item                       // Task, Children
	Table                      // Rows, the first of which is the header
	Rule                       // a thematic break
)

// TaskState says whether a list item is a task.
type TaskState uint8

// The states of a list item.
const (
	NoTask TaskState = iota
	TaskOpen
	TaskDone
)

// Block is a block of an answer. Which fields count depends on its Kind.
type Block struct {
	Kind     BlockKind
	Inlines  []Inline
	Children []*Block

	Level    int // of a heading, from 1
	Ordered  bool
	Start    int // number of the first item
	Task     TaskState
	Language string // first word of a fence's info string
	Code     string // without the last line feed
	Fence    int    // how many characters the fence has; 0 for indented code
	Rows     []Row
	Columns  []Alignment

	goesOn bool // the list just above and this one are one, which was too long to be read at once
}

// Row is a row of a table; it has as many cells as the table has columns.
type Row [][]Inline

// Alignment is that of a column.
type Alignment uint8

// The alignments of a column.
const (
	AlignDefault Alignment = iota
	AlignLeft
	AlignRight
	AlignCenter
)

// Style is a set of character styles.
type Style uint8

// The styles.
const (
	Bold Style = 1 << iota
	Italic
	Strike
)

// InlineKind is the kind of an Inline.
type InlineKind uint8

// The kinds of inlines.
const (
	Text     InlineKind = iota // Text, with neither escapes nor entities
	CodeSpan                   // Text
	Link                       // URL, Title, Label; a Label that is empty or the address itself is nil
	Footnote                   // Number, URL: what cite.Processor writes for a citation
	Email                      // Text: the address, which holds an @ that mentions no one
	Break                      // the end of a line
	// where a tag was: the words on both sides are one, but were not written as one
	seam
)

// Inline is a stretch of a block's text. Emphasis is not its own node: every stretch knows its
// styles.
type Inline struct {
	Kind   InlineKind
	Style  Style
	Text   string
	URL    string
	Label  []Inline
	Number int
}
