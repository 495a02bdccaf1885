package answer

// Dialect defines how a chat platform writes Markdown. Methods must be stateless. Their results
// contain no line feeds and no mentions of people, and are at most a constant factor longer than
// the input.
type Dialect interface {
	// Neutral breaks all mentions in a text and leaves the rest unchanged. It is called with text
	// that is not yet split into words.
	Neutral(text string) string
	// NeutralCode breaks all mentions in code and leaves the rest unchanged.
	NeutralCode(code string) string
	// Word escapes a piece of text without blanks, so that no character is read as markup.
	Word(word string, at Place) string
	// Style returns the mark at both ends of a style, or "" if the platform lacks the style.
	Style(s Style) string
	// CodeSpan writes inline code, or a part of it.
	CodeSpan(code string) string
	// CodeLine writes a line of a code block, or a part of a line. fence is the number of
	// characters of the fence.
	CodeLine(line string, fence int) string
	// Fence returns the beginning and end of a code block. fence is the number of characters of the
	// original fence.
	Fence(language string, fence int) (open, end string)
	// Link writes a link. The label is already escaped. It returns "" if the address cannot be
	// linked.
	Link(label, address string) string
	// Footnote writes the link to a cited document.
	Footnote(number int, address string) string
	// Heading returns the prefix of a heading, and the style of a heading without a prefix. nested
	// means that the heading is in a list or quote.
	Heading(level int, nested bool) (prefix string, style Style)
	// Marker returns the text before a list item. alternate requests a marker that differs from
	// that of the preceding list.
	Marker(list, item *Block, number int, alternate bool) string
	// Quote returns the prefix of each line of a quotation at a depth. It returns "" if the
	// platform does not support that depth.
	Quote(depth int) string
	// Rule writes a thematic break.
	Rule() string
	// Table formats a table. ok is false if the table is better shown as a list. width is the
	// maximum number of units per line.
	Table(t *Block, cell func([]Inline) string, width int) (grid Grid, ok bool)
	// Traits returns the platform's constants.
	Traits() Traits
}

// Traits are the formatting rules of a chat platform that are constant.
type Traits struct {
	FlatCode      bool // code blocks and tables begin at the start of the line even in lists
	TightHeadings bool // no blank line follows a heading
	// Indent is the number of columns by which the content of a list item is indented. 0 means the
	// width of the item's marker.
	Indent      int
	Separate    bool // emphasis needs an invisible gap where it touches a letter
	PlainLabels bool // labels of links have no styles
}

// Place describes the position of a word, on which the escaping in [Dialect.Word] depends.
type Place struct {
	LineStart bool
	// Before and After are the neighbouring characters if the word is part of a longer word. They
	// are 0 if there is none, or if it is not yet known.
	Before, After rune
	Alone         bool // blanks on both sides
	Label         bool // in the label of a link
	Cell          bool // in a table
}

// Grid is a table, formatted as lines of text. If the table is split between pages, Open and Close
// are repeated on each page.
type Grid struct {
	Open  []string
	Rows  []string // one for each row after the header
	Close string
	// Every is the number of rows after which the table is closed and opened again. 0 means never.
	Every int
}

// Policy decides which URLs in an answer may become links.
type Policy struct {
	// Known reports whether an address that the model wrote may be a link. For any other link, the
	// label is shown as text and the address as code. If nil, no address may be a link.
	Known func(address string) bool
	// Cited returns the address for a footnote, or "" if readers cannot open it. It also reports
	// whether the number belongs to a document and the link leads to that document. If nil, there
	// are no footnotes.
	Cited func(number int, address string) (string, bool)
}
