package extractive

import (
	"regexp"
	"strings"
)

// blockKind is what a piece of a passage is.
type blockKind int

const (
	prose blockKind = iota
	item            // one item of a list
	code            // a fenced block, or indented lines after a blank one
	table
	heading
)

// block is a piece of a passage in document order. text has no list marker and no fence.
type block struct {
	kind    blockKind
	text    string
	ordered bool   // item of a numbered list
	nested  bool   // item of a list within a list
	info    string // of a code block: what stands behind the fence
	heading string // the passage's own headings above it, joined
	raw     string // with its indentation
}

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	bulletLine  = regexp.MustCompile(`^(\s*)(?:[-*+•]|(\d{1,4})[.)])\s+(\S.*)$`)
	fenceLine   = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*([^`]*)$")
	ruleLine    = regexp.MustCompile(`^\s*([-*_=]\s*){3,}$`)
)

// blocks cuts a passage, which is Markdown and may begin and end anywhere in its document. Its code may stand between fences, be indented,
// or be told from prose by its looks alone.
func blocks(text string) []block {
	b := blockReader{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for b.at < len(b.lines) {
		b.next()
	}
	b.flush()
	return b.out
}

type blockReader struct {
	lines    []string
	at       int
	out      []block
	open     *block // paragraph or item that further lines may continue
	headings [7]string
	blank    bool // the line before was empty
}

func (b *blockReader) next() {
	line := b.lines[b.at]
	b.at++
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		b.flush()
		b.blank = true
		return
	case fenceLine.MatchString(line):
		b.fence(line)
	case b.open == nil && headingLine.MatchString(line):
		b.flush()
		m := headingLine.FindStringSubmatch(line)
		level := len(m[1])
		b.headings[level] = m[2]
		clear(b.headings[level+1:])
		b.push(block{kind: heading, text: m[2]})
	case ruleLine.MatchString(line) && (b.open == nil || b.blank):
		b.flush()
	case strings.HasPrefix(trimmed, "|"):
		b.flush()
		rows := []string{trimmed}
		for b.at < len(b.lines) && strings.HasPrefix(strings.TrimSpace(b.lines[b.at]), "|") {
			rows = append(rows, strings.TrimSpace(b.lines[b.at]))
			b.at++
		}
		b.push(block{kind: table, text: strings.Join(rows, "\n")})
	case bulletLine.MatchString(line) && (b.open == nil || b.open.kind == item || strings.HasSuffix(b.open.text, ":")):
		b.flush()
		m := bulletLine.FindStringSubmatch(line)
		b.open = &block{kind: item, text: m[3], ordered: m[2] != "", nested: len(m[1]) >= 2}
	case b.open == nil && b.indented(line):
		b.indentedCode(line)
	case b.open != nil:
		b.open.text += "\n" + strings.TrimPrefix(trimmed, "> ")
		b.open.raw += "\n" + line
	default:
		b.open = &block{kind: prose, text: strings.TrimPrefix(trimmed, "> "), raw: line}
	}
	b.blank = false
}

// indented reports whether a line begins indented code, which it does only after a blank line and outside a list.
func (b *blockReader) indented(line string) bool {
	if !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t") {
		return false
	}
	return len(b.out) == 0 || b.out[len(b.out)-1].kind != item
}

func (b *blockReader) indentedCode(line string) {
	lines := []string{line}
	for b.at < len(b.lines) && (b.indented(b.lines[b.at]) || strings.TrimSpace(b.lines[b.at]) == "") {
		lines = append(lines, b.lines[b.at])
		b.at++
	}
	b.push(block{kind: code, text: strings.TrimRight(strings.Join(lines, "\n"), " \t\n")})
}

// fence reads a fenced block; one that the passage cuts off ends with it.
func (b *blockReader) fence(line string) {
	b.flush()
	m := fenceLine.FindStringSubmatch(line)
	var lines []string
	for b.at < len(b.lines) {
		line := strings.TrimSpace(b.lines[b.at])
		b.at++
		if strings.HasPrefix(line, m[1]) && strings.Trim(line, m[1][:1]) == "" {
			break
		}
		lines = append(lines, b.lines[b.at-1])
	}
	b.push(block{kind: code, text: strings.Trim(strings.Join(lines, "\n"), "\n"), info: strings.TrimSpace(m[2])})
}

func (b *blockReader) flush() {
	if b.open == nil {
		return
	}
	x := *b.open
	b.open = nil
	if x.kind == prose && looksLikeCode(x.raw) {
		x = block{kind: code, text: strings.TrimRight(x.raw, " \t\n")}
		if n := len(b.out); n > 0 && b.out[n-1].kind == code && b.out[n-1].info == "" { // its blank lines do not end it
			b.out[n-1].text += "\n\n" + x.text
			return
		}
	}
	b.push(x)
}

var (
	codeEnd   = regexp.MustCompile(`[;{}(\\=\[]\s*$|^\s*[)}\]]`)
	codeStart = regexp.MustCompile(`^(\s{2,}|\t|[$%] |//|--|/\*|#!|<[/!?a-zA-Z]|\w[\w.]*\s*:?=\s*\S|(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|GRANT|WITH|FROM|WHERE|func|def|class|import|package|var|const|type|return|if|for)\s.*[^.:]$)`)
)

// looksLikeCode reports whether half of the lines of a block, or more, look like code.
func looksLikeCode(text string) bool {
	lines, hits := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			continue
		}
		lines++
		if codeEnd.MatchString(line) || codeStart.MatchString(line) {
			hits++
		}
	}
	return hits > 0 && 2*hits >= lines
}

func (b *blockReader) push(x block) {
	var path []string
	for _, h := range b.headings {
		if h != "" {
			path = append(path, h)
		}
	}
	x.heading = strings.Join(path, " ")
	if strings.TrimSpace(x.text) != "" {
		b.out = append(b.out, x)
	}
}
