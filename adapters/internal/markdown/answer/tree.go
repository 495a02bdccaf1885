// Package answer parses the Markdown of an answer (CommonMark with tables, strikethrough, task
// lists and bare addresses) into a small tree. It writes the tree as pages for a chat platform.
// Each platform provides a Dialect, which defines the syntax, and a page limit, which is never
// exceeded. Closed and Flow determine which part of a growing text can be shown.
//
// Readers see answers while they are written. The package therefore omits three constructs of
// CommonMark in which a later line changes the meaning of an earlier line. These are setext
// headings (a line of --- below a paragraph is a rule), link reference definitions, and HTML blocks
// (tags are parsed one by one). For the same reason a table's header must begin with a bar.
package answer

// Tree is a parsed answer. It is immutable and safe for concurrent use.
type Tree struct {
	Blocks []*Block
	size   int // bytes of the source
}

// BlockKind says whether a Block is a paragraph, a heading, a list and so on.
type BlockKind uint8

// Paragraph and the constants below are the kinds of blocks. The comments name the fields of
// [Block] that each kind uses.
const (
	Paragraph BlockKind = iota // Inlines
	Heading                    // Level, Inlines
	Code                       // Language, Code
	Quote                      // Children
	List                       // Ordered, Start, Children: its items
	Item                       // Task, Children
	Table                      // Rows, beginning with the header
	Rule                       // a thematic break
)

// TaskState says whether a list item is a task, and whether the task is done.
type TaskState uint8

// The states of a list item.
const (
	NoTask TaskState = iota
	TaskOpen
	TaskDone
)

// Block is a node of a [Tree], such as a paragraph or a list. Kind determines which fields are
// used.
type Block struct {
	Kind     BlockKind
	Inlines  []Inline
	Children []*Block

	Level    int // level of a heading, from 1
	Ordered  bool
	Start    int // number of the first item
	Task     TaskState
	Language string // first word of a fence's info string
	Code     string // without the last line feed
	Fence    int    // number of characters of the fence; 0 for indented code
	Rows     []Row
	Columns  []Alignment

	continues bool // this list continues the previous one, which was too long to parse at once
}

// Row is a row of a table, with one cell for each column.
type Row [][]Inline

// Alignment is the horizontal alignment of a table's column.
type Alignment uint8

// The alignments of a column.
const (
	AlignDefault Alignment = iota
	AlignLeft
	AlignRight
	AlignCenter
)

// Style is a set of character styles, such as Bold|Italic.
type Style uint8

// The character styles.
const (
	Bold Style = 1 << iota
	Italic
	Strike
)

// InlineKind says whether an Inline is text, a link, a code span and so on.
type InlineKind uint8

// Text and the constants below are the kinds of inlines. The comments name the fields of [Inline]
// that each kind uses.
const (
	Text     InlineKind = iota // Text, with neither escapes nor entities
	CodeSpan                   // Text
	Link                       // URL, Label; Label is nil if it is empty or the address itself
	Footnote                   // Number, URL: what cite.Processor writes for a citation
	Email                      // Text: the address, whose @ is not a mention
	Break                      // the end of a line
	// seam is the place of a removed HTML tag, which does not separate words.
	seam
)

// Inline is a part of a block's text, such as a run of words or a link, with its styles. Emphasis
// is a style and not a node.
type Inline struct {
	Kind   InlineKind
	Style  Style
	Text   string
	URL    string
	Label  []Inline
	Number int
}
