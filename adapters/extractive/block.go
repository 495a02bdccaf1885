package extractive

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

type blockKind int

const (
	prose blockKind = iota
	list
	table
	code
)

// block is a block of a document, such as a paragraph or a list, or a piece of a long block.
type block struct {
	kind    blockKind
	text    string // as in the document; code has no fences
	info    string // language of code
	above   string // headings within the passage that apply to the block
	section string // the last heading above the block
	parent  string // the heading above section
	before  bool   // text of the block was cut before this piece
	after   bool   // text of the block was cut after this piece
}

const (
	mostParagraph = 90  // words
	mostList      = 90  // words
	mostSteps     = 150 // words of a numbered list
	leastItem     = 8   // words of an item that is quoted alone
	mostCode      = 24  // lines
	maxCode       = 2_000
	maxBlock      = 8 << 10 // bytes that are read of a block
	maxBlocks     = 400     // blocks of a passage
)

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	fenceLine   = regexp.MustCompile("^\\s*(?:(?:[-*+•]|\\d{1,4}[.)])\\s+)?(`{3,})\\s*([A-Za-z0-9+#_.-]{0,32})[^`]*$")
	bulletLine  = regexp.MustCompile(`^\s*([-*+•]|\d{1,4}[.)])\s+\S`)
	topItem     = regexp.MustCompile(`^ ?([-*+•]|\d{1,4}[.)])\s+\S`)
	label       = regexp.MustCompile(`^\W*\pL{1,9}:\s`) // before a question, such as "Q:"
	version     = regexp.MustCompile(`(?:^|[^\w.-])v?(\d+(?:\.\d+)+)\b`)
	numbered    = regexp.MustCompile(`^\s*\d`)
	indented    = regexp.MustCompile(`^(?: {3}|\t)\s*`)
	sentenceEnd = regexp.MustCompile("[.!?:…][)\"'”*_`]*$")
)

// blocks splits a passage at empty lines and code fences. at is in the section at the start of the
// passage.
func blocks(text string, at block) []block {
	r := blockReader{at: at}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines) && len(r.out) < maxBlocks; i++ {
		line := lines[i]
		if fence := fenceLine.FindStringSubmatch(line); fence != nil {
			r.flush()
			start := i + 1
			for i++; i < len(lines) && !closesFence(lines[i], fence[1]); i++ {
			}
			r.push(block{kind: code, text: strings.Trim(strings.Join(lines[start:min(i, len(lines))], "\n"), "\n"), info: fence[2]})
		} else if heading := headingLine.FindStringSubmatch(line); heading != nil && len(r.open) == 0 {
			level := len(heading[1])
			r.path[level], r.at = heading[2], block{section: heading[2]}
			clear(r.path[level+1:])
			for _, above := range r.path[:level] {
				r.at.parent = cmp.Or(above, r.at.parent)
			}
		} else if strings.TrimSpace(line) == "" {
			r.flush()
		} else {
			if n := len(r.open); n > 0 && strings.HasSuffix(r.open[n-1], ":") && bulletLine.MatchString(line) && !bulletLine.MatchString(r.open[0]) {
				r.flush() // an introduction right above its list
			}
			r.open = append(r.open, line)
		}
	}
	r.flush()
	return r.out
}

type blockReader struct {
	open []string // lines of the block that is read
	path [7]string
	at   block // its section
	out  []block
}

func closesFence(line, fence string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, fence) && strings.Trim(line, "`") == ""
}

func (r *blockReader) flush() {
	if len(r.open) == 0 {
		return
	}
	b := block{text: strings.Join(r.open, "\n")}
	switch {
	case bulletLine.MatchString(r.open[0]):
		b.kind = list
	case isTable(r.open):
		b.kind = table
	default:
		if text, all := r.unindented(); all && !sentenceEnd.MatchString(text) {
			b.kind, b.text = code, text
		}
		b.text = strings.TrimSpace(b.text)
	}
	r.open = nil
	r.push(b)
}

// unindented returns the open lines without the indentation that they share. all is false if they
// are not indented like code, or are part of a list.
func (r *blockReader) unindented() (text string, all bool) {
	shared := indented.FindString(r.open[0])
	for _, line := range r.open {
		for !strings.HasPrefix(line, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	n := len(r.out)
	return strings.ReplaceAll("\n"+strings.Join(r.open, "\n"), "\n"+shared, "\n")[1:], indented.MatchString(shared) && (n == 0 || r.out[n-1].kind != list)
}

func (r *blockReader) push(b block) {
	b.after = len(b.text) > maxBlock
	if b.text = strings.ToValidUTF8(b.text[:min(len(b.text), maxBlock)], ""); strings.TrimSpace(b.text) == "" {
		return
	}
	b.above, b.section, b.parent = strings.TrimSpace(strings.Join(r.path[:], " ")), r.at.section, r.at.parent
	// Two chunks of a long table are shown with an empty line between them.
	if n := len(r.out) - 1; n >= 0 && b.kind == table && r.out[n].kind == table && len(cells(r.out[n].text)) == len(cells(b.text)) {
		r.out[n].text += "\n" + b.text
		return
	}
	r.out = append(r.out, b)
}

// with reports whether two blocks are in the same section.
func (b *block) with(other *block) bool { return b.section == other.section && b.above == other.above }

func (b *block) introduces() bool {
	return (b.kind == prose || b.kind == list) && (strings.HasSuffix(b.text, ":") || strings.HasSuffix(b.text, "?"))
}

var command = regexp.MustCompile("(?mi)^\\s*(?:[-*+•]|\\d{1,4}[.)])\\s+[^-\\s`].*|^[ \\t]{3,}\\S.*|(?:^\\s*|`)(?:[$#] |[~.]{0,2}/\\S* |sudo |rm |git |docker |kubectl |systemctl |drop |delete |truncate )[^`\n]*")

// commands returns what a reader may run without thinking: code, commands, numbered steps and prose
// that is no sentence.
func (b *block) commands() string {
	switch {
	case b.kind == code || b.kind == prose && !sentenceEnd.MatchString(b.text):
		return b.text
	case b.kind == table:
		return ""
	}
	return strings.Join(command.FindAllString(b.text, -1), "\n")
}

// pieces cuts a long block: prose between sentences, a list between items, code at empty lines. It
// keeps only the beginning of a numbered list, because a single step is of no use.
func (b *block) pieces() []block {
	words := len(strings.Fields(b.text))
	switch {
	case b.kind == prose && words > mostParagraph:
		var sentences []string
		at := 0
		for _, length := range document.Sentences(b.text) {
			sentences = append(sentences, b.text[at:at+length])
			at += length
		}
		return b.cut(sentences, "", func(piece string) bool { return len(strings.Fields(piece)) <= mostParagraph })
	case b.kind == list && numbered.MatchString(b.text) && words > mostSteps:
		return b.cut(b.items(), "\n", func(piece string) bool { return len(strings.Fields(piece)) <= mostSteps })[:1]
	case b.kind == list && !numbered.MatchString(b.text) && words > mostList:
		return b.cut(b.items(), "\n", func(piece string) bool { return len(strings.Fields(piece)) < leastItem })
	case b.kind == code && (strings.Count(b.text, "\n") >= mostCode || len(b.text) > maxCode):
		return b.cut(strings.Split(b.text, "\n\n"), "\n\n", func(piece string) bool { return strings.Count(piece, "\n") < mostCode/2 })
	}
	return []block{*b}
}

func (b *block) cut(parts []string, separator string, fits func(string) bool) (out []block) {
	for i := 0; i < len(parts); {
		piece := *b
		piece.text, piece.before = parts[i], i > 0
		for i++; i < len(parts) && fits(piece.text) && (fits(piece.text+separator+parts[i]) || b.kind == list && !numbered.MatchString(b.text)); i++ {
			piece.text += separator + parts[i]
		}
		piece.after = i < len(parts) || b.after
		if piece.text = strings.TrimRight(piece.text, " \n"); strings.TrimSpace(piece.text) != "" {
			out = append(out, piece)
		}
	}
	return out
}

func (b *block) items() (out []string) {
	for _, line := range strings.Split(b.text, "\n") {
		if len(out) == 0 || topItem.MatchString(line) {
			out = append(out, line)
		} else {
			out[len(out)-1] += "\n" + line
		}
	}
	return out
}
