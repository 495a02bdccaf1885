package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockKind is what a piece of a passage is.
type blockKind int

const (
	prose blockKind = iota
	item            // one item of a list
	code            // a fenced block, or lines that look like code
	table
	heading
)

// block is a piece of a passage in document order. text has no list marker and no fence.
type block struct {
	kind    blockKind
	text    string
	ordered bool   // item of a numbered list
	number  string // as it is written: "3."
	short   bool   // an item of which only the beginning is quoted
	cut     bool   // items follow that are not quoted
	nested  bool   // item of a list within a list
	info    string // of a code block: what stands behind the fence
	heading string // the passage's own headings above it, joined
	section string // the lowest of them
	term    string // what the item of a definition list defines, which this is or belongs to
	raw     string // with its indentation
}

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	bulletLine  = regexp.MustCompile(`^(\s*)(?:[-*+•]|(\d{1,4})[.)])\s+(\S.*)$`)
	fenceLine   = regexp.MustCompile("^\\s*(`{3,}|~{3,})\\s*([^`]*)$")
	ruleLine    = regexp.MustCompile(`^\s*([-*_=]\s*){3,}$`)
)

// blocks cuts a passage, which is Markdown and may begin and end anywhere in its document. Its code
// may stand between fences, or be told from prose by its looks alone.
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
	term     string // of the item that was read last
	blank    bool   // the line before was empty
}

// maxBlock is how long a paragraph becomes, in bytes, before it is cut at a line.
const maxBlock = 8 << 10

func (b *blockReader) next() {
	line := b.lines[b.at]
	b.at++
	trimmed := strings.TrimSpace(line)
	if b.open != nil && len(b.open.text) > maxBlock {
		b.flush()
	}
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
		b.term = ""
		b.push(block{kind: heading, text: m[2]})
	case ruleLine.MatchString(line) && (b.open == nil || b.blank):
		b.flush()
	case barred(trimmed):
		b.table(barredTable(b.lines[b.at-1:]))
	case b.open == nil && bareTable(b.lines[b.at-1:]) > 0:
		b.table(bareTable(b.lines[b.at-1:]))
	case bulletLine.MatchString(line) && (b.open == nil || b.open.kind == item || strings.HasSuffix(b.open.text, ":")):
		b.flush()
		m := bulletLine.FindStringSubmatch(line)
		b.term = ""
		b.open = &block{kind: item, text: m[3], ordered: m[2] != "", number: m[2], nested: len(m[1]) >= 2}
	case b.open == nil && b.hangs(line):
		b.open = &block{kind: item, text: trimmed}
	case b.open != nil:
		b.open.text += "\n" + strings.TrimPrefix(trimmed, "> ")
		b.open.raw += "\n" + line
	default:
		if trimmed == line { // no longer part of an item
			b.term = ""
		}
		b.open = &block{kind: prose, text: strings.TrimPrefix(trimmed, "> "), raw: line}
	}
	b.blank = false
}

// hangs reports whether a line is a term that the next one explains, further in, as in manual
// pages: an option, or the name of a setting.
func (b *blockReader) hangs(line string) bool {
	if b.at == len(b.lines) {
		return false
	}
	next, term := b.lines[b.at], strings.TrimSpace(line)
	return len(term) <= maxTermBytes && indentation(line) > 0 && indentation(next) > indentation(line) && running(next) && !running(line) && hanging.MatchString(term)
}

// hanging is an option with what it takes, or the name of a setting with its default: "-d
// queue_id", "max_use (100)".
var hanging = regexp.MustCompile(`^(-[^\s].*|\w[\w.-]*( \(.*\))?)$`)

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// table reads n rows, the line that was read last being the first. Where two pieces of a long table
// were put together again, an empty line stands between them and the second has no head.
func (b *blockReader) table(n int) {
	b.flush()
	text := strings.Join(b.lines[b.at-1:b.at-1+n], "\n")
	b.at += n - 1
	if last := len(b.out) - 1; last >= 0 && b.out[last].kind == table && continuesTable(b.out[last].text, text) {
		b.out[last].text += "\n" + text
		return
	}
	b.push(block{kind: table, text: text})
}

// fence reads a fenced block; one that the passage cuts off ends with it.
func (b *blockReader) fence(line string) {
	b.flush()
	m := fenceLine.FindStringSubmatch(line)
	var lines []string
	begin := b.at
	for b.at < len(b.lines) {
		line := strings.TrimSpace(b.lines[b.at])
		b.at++
		if strings.HasPrefix(line, m[1]) && strings.Trim(line, m[1][:1]) == "" {
			b.lines[b.at-1] = ""
			break
		}
		lines = append(lines, b.lines[b.at-1])
	}
	if m[2] == "" && slices.ContainsFunc(lines, running) { // a page that is laid out for a terminal
		b.at = begin
		return
	}
	b.push(block{kind: code, text: strings.Trim(strings.Join(lines, "\n"), "\n"), info: strings.TrimSpace(m[2])})
}

func (b *blockReader) flush() {
	if b.open == nil {
		return
	}
	x := *b.open
	b.open = nil
	if x.kind == item {
		b.term = definedTerm(x.text)
	}
	if x.kind == prose && (looksLikeCode(x.raw) || b.introduced() && commanded(x.raw)) {
		x = block{kind: code, text: marked.ReplaceAllString(strings.TrimRight(x.raw, " \t\n"), "$1")}
		// its blank lines do not end it
		if n := len(b.out); n > 0 && b.out[n-1].kind == code && b.out[n-1].info == "" {
			b.out[n-1].text += "\n\n" + x.text
			return
		}
	}
	b.push(x)
}

// marked is a line that is marked as code already.
var marked = regexp.MustCompile("(?m)^`([^`\n]+)`$")

// introduced reports whether what was read last ends with a colon.
func (b *blockReader) introduced() bool {
	n := len(b.out)
	return n > 0 && (b.out[n-1].kind == prose || b.out[n-1].kind == item) && strings.HasSuffix(b.out[n-1].text, ":")
}

// commanded reports whether lines behind a colon are commands or a piece of a file rather than words.
func commanded(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if running(line) || strings.HasSuffix(line, ".") || !symbols.MatchString(line) {
			return false
		}
	}
	return true
}

var symbols = regexp.MustCompile(`(^|\s)--?\w|[=/$|<>{}]|\w_\w|\w\.\w`)

// definedTerm returns the first line of an item when further lines explain it.
func definedTerm(text string) string {
	term, rest, _ := strings.Cut(text, "\n")
	if rest == "" || len(term) > maxTermBytes || strings.ContainsAny(term[len(term)-1:], ".:;,!?") {
		return ""
	}
	return term
}

const maxTermBytes = 80

var (
	grid      = regexp.MustCompile(`(?m)^\s*-+(\+-+)+\s*$`) // in what a program prints as a table
	codeEnd   = regexp.MustCompile(`[;{}(\\=\[]\s*$|^\s*[)}\]]`)
	command   = regexp.MustCompile(`^(\./\S+|(make|just|kubectl|helm|docker|podman|terraform|ansible(-playbook)?|git|gh|npm|npx|yarn|pnpm|go|cargo|pip3?|python3?|node|java|mvn|gradle|curl|wget|sudo|apt|apt-get|dnf|yum|brew|ssh|scp|rsync|cd|cp|mv|rm|ls|mkdir|chmod|chown|tar|systemctl|journalctl|service|psql|createdb|initdb|pg_\w+|export|source|echo|cat) \S.*[^\s.:;,!?]|[A-Z_]{2,}=\S+( .*)?)$`)
	called    = regexp.MustCompile(`^\s*\w[\w.]*\([^()]*\)\s*(//.*|#.*)?$`)
	codeStart = regexp.MustCompile(`^(\s{2,}|\t|[$%] |//|--|/\*|#!|<[/!?a-zA-Z]|\w[\w.]*\s*:?=\s*\S|(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|GRANT|WITH|FROM|WHERE|func|def|class|import|package|var|const|type|return|if|for)\s.*[^.:]$)`)
)

// looksLikeCode reports whether half of the lines of a block, or more, look like code.
func looksLikeCode(text string) bool {
	if grid.MatchString(text) {
		return true
	}
	lines, hits := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			continue
		}
		lines++
		if running(line) {
			if len(strings.Fields(line)) >= longLine {
				return false
			}
			continue
		}
		if strings.Contains(line, " — ") || strings.Contains(line, " – ") { // a name and what it is, as manual pages begin
			continue
		}
		if called.MatchString(line) || codeEnd.MatchString(line) || codeStart.MatchString(line) || command.MatchString(line) {
			hits++
		}
	}
	return hits > 0 && 2*hits >= lines
}

// running reports whether a line is a sentence, or most of one, whatever its indentation: a capital or a small word at its beginning, and plain words.
func running(line string) bool {
	fields := strings.Fields(remark.ReplaceAllString(line, ""))
	if len(fields) < 6 {
		return false
	}
	plain := 0
	for _, f := range fields {
		f = strings.Trim(f, "\"'(),.:;!?“”‘’")
		if len(f) > 0 && strings.IndexFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' }) < 0 {
			plain++
		}
	}
	first, _ := utf8.DecodeRuneInString(fields[0])
	enough := 5*plain >= 4*len(fields) || len(fields) >= longLine && 3*plain >= 2*len(fields)
	return enough && unicode.IsLetter(first) && !strings.HasSuffix(line, ";") && !strings.HasSuffix(line, "{") && strings.ToUpper(line) != line && !keywords.MatchString(line)
}

// remark is a comment behind a command.
var remark = regexp.MustCompile(`\S {2,}# .*$`)

// longLine is from how many words on a third of them may be names and code.
const longLine = 12

// keywords begin statements that have plain words.
var keywords = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|GRANT|WITH|FROM|WHERE|sudo|git|docker|kubectl)\b`)

func (b *blockReader) push(x block) {
	var path []string
	for _, h := range b.headings {
		if h != "" {
			path = append(path, h)
		}
	}
	x.heading = strings.Join(path, " ")
	x.term = b.term
	if len(path) > 0 {
		x.section = path[len(path)-1]
	}
	if strings.TrimSpace(x.text) != "" {
		b.out = append(b.out, x)
	}
}
