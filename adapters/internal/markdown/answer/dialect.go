package answer

// Dialect says how a platform writes things. Implementations are stateless. What they return is
// bounded by a constant multiple of what they are given, and holds neither line feeds nor anything
// that mentions someone.
type Dialect interface {
	// Neutral breaks whatever in a text would mention someone, and leaves the rest as it is. It is
	// given whole stretches of text, before they are cut into words.
	Neutral(text string) string
	// NeutralCode does the same for code.
	NeutralCode(code string) string
	// Word writes a stretch of text without blanks so that none of its characters means anything.
	Word(word string, at Place) string
	// Style is what begins and ends a style; empty if the platform does not have it.
	Style(s Style) string
	// CodeSpan writes code within text, or a part of it.
	CodeSpan(code string) string
	// CodeLine writes a line, or a part of one, of a code block with a fence of so many characters.
	CodeLine(line string, fence int) string
	// Fence is what begins and ends a code block that was written with a fence of so many characters.
	Fence(language string, fence int) (open, end string)
	// Link writes a link; the label is written already. Empty means that the address cannot be linked.
	Link(label, address string) string
	// Footnote writes the link to a cited document.
	Footnote(number int, address string) string
	// Heading is what stands before a heading, and the style that makes one where nothing does.
	// Nested headings are in a list or quote.
	Heading(level int, nested bool) (prefix string, style Style)
	// Marker is what stands before an item. Alternate asks for another marker than that of the list
	// just above.
	Marker(list, item *Block, number int, alternate bool) string
	// Quote is what stands before each line of a quotation so many levels deep; empty where
	// quotations cannot be nested so deep.
	Quote(depth int) string
	// Rule is a thematic break.
	Rule() string
	// Table lays a table out; ok is false if it is better shown as a list. Width is how many units
	// a line may have.
	Table(t *Block, cell func([]Inline) string, width int) (grid Grid, ok bool)
	// Traits are the peculiarities of the platform.
	Traits() Traits
}

// Traits are what differs between platforms without need of a method.
type Traits struct {
	FlatCode      bool // code blocks and tables stand at the start of the line even in lists
	TightHeadings bool // no blank line follows a heading
	// columns by which what belongs to an item is indented; 0 for the width of the item's marker
	Indent      int
	Separate    bool // emphasis needs an invisible gap where it touches a letter
	PlainLabels bool // labels of links have no styles
}

// Place tells where a word stands.
type Place struct {
	LineStart bool
	// its neighbours where it is a part of a longer word; else 0: what follows a word may not be
	// known yet
	Before, After rune
	Alone         bool // blanks stand on both sides
	Label         bool // in the label of a link
	Cell          bool // in a table
}

// Grid is a table as lines. Open stands before the first row, on every page that has rows; Close
// after the last one.
type Grid struct {
	Open  []string
	Rows  []string // one for each row after the header
	Close string
	// Every is after how many rows the table is ended and begun again; 0 for never.
	Every int
}

// Policy decides about addresses.
type Policy struct {
	// Known reports whether an address that the model wrote may be linked. Nil knows none. Other
	// links are shown as their label and the address as code.
	Known func(address string) bool
	// Cited returns the address of footnote number, empty if there is none that a reader could
	// open, and whether the number stands for a document and the link leads to it. Nil cites
	// nothing.
	Cited func(number int, address string) (string, bool)
}
