package cite

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxListBytes  = 8 << 10 // maximum length of a held list
	maxEntryBytes = 400     // maximum length of one of its lines
	maxEntryWords = 16      // maximum words of an entry that names no known source
)

// sourceList drops a list of sources at the end of a model's message, because the reader gets a
// separate list. The list is a heading such as "Sources:" with entries, or only entries. Until
// other text follows, sourceList holds back anything that may be such a list.
type sourceList struct {
	pass    func(text string) // receives the text that is not dropped
	mapping *Mapping

	state         listState
	held          []byte // lines of a possible list
	line          []byte // the current line if it is held; else its first bytes
	passing       bool   // the current line is passed on
	needWholeLine bool   // the line's kind is known only at its end
	afterBlank    bool   // the previous line is blank or there is none
	hasText       bool   // something was passed on that is not blank
	closingFence  string // closes the open fenced code; empty if there is none
}

type listState uint8

const (
	listNone     listState = iota
	afterRule              // after a rule, which may precede a list
	afterHeading           // after a heading, without entries
	hasEntries             // after at least one entry
)

func newSourceList(mapping *Mapping, pass func(text string)) *sourceList {
	return &sourceList{mapping: mapping, pass: pass, afterBlank: true}
}

func (l *sourceList) push(delta string) {
	for delta != "" {
		if l.passing {
			end := strings.IndexByte(delta, '\n') + 1
			if end == 0 {
				end = len(delta)
			}
			l.keepHead(delta[:end])
			l.pass(delta[:end])
			if delta[end-1] == '\n' {
				l.endThrough()
			}
			delta = delta[end:]
			continue
		}
		l.line = append(l.line, delta[0])
		switch {
		case delta[0] == '\n':
			l.endLine()
		case !l.mayBeEntry() || len(l.line) > maxEntryBytes || len(l.held) > maxListBytes:
			l.release()
			l.passing = true
		}
		delta = delta[1:]
	}
}

func (l *sourceList) finish() {
	if l.passing {
		l.line = l.line[:0]
	} else if len(l.line) > 0 {
		l.endLine()
	}
	if l.state != hasEntries {
		l.release()
	}
	*l = sourceList{pass: l.pass, mapping: l.mapping, held: l.held[:0], line: l.line[:0], afterBlank: true}
}

func (l *sourceList) release() {
	text := string(l.held) + string(l.line)
	l.hasText = l.hasText || strings.TrimSpace(text) != ""
	l.held, l.state = l.held[:0], listNone
	if text != "" {
		l.pass(text)
	}
}

func (l *sourceList) keepHead(text string) {
	l.line = append(l.line, text[:min(len(text), max(0, maxEntryBytes-len(l.line)))]...)
	l.hasText = l.hasText || strings.TrimSpace(text) != ""
}

func (l *sourceList) endThrough() {
	l.noteFence(strings.TrimSpace(string(l.line)))
	l.afterBlank = len(bytes.TrimSpace(l.line)) == 0
	l.line, l.passing, l.needWholeLine = l.line[:0], false, false
}

func (l *sourceList) noteFence(line string) {
	if l.closingFence != "" {
		if strings.HasPrefix(line, l.closingFence) && strings.Trim(line, l.closingFence[:1]) == "" {
			l.closingFence = ""
		}
		return
	}
	if run := len(line) - len(strings.TrimLeft(line, "`")); run >= 3 && !strings.Contains(line[run:], "`") {
		l.closingFence = line[:run]
	} else if run := len(line) - len(strings.TrimLeft(line, "~")); run >= 3 {
		l.closingFence = line[:run]
	}
}

func (l *sourceList) endLine() {
	line := strings.TrimSpace(string(l.line))
	kind := l.kindOf(line)
	switch {
	case !l.hasText, kind == lineOther:
		l.release()
		l.noteFence(line)
	case kind == lineBlank:
		if l.state == listNone {
			l.release()
		} else {
			l.held = append(l.held, l.line...)
		}
	default:
		if kind == lineRule && l.state != listNone || kind == lineHeading && l.state > afterRule {
			held := l.line
			l.line = nil
			l.release() // earlier lines are not at the end
			l.line = held
		}
		l.held = append(l.held, l.line...)
		l.state = map[lineKind]listState{lineRule: afterRule, lineHeading: afterHeading, lineEntry: hasEntries}[kind]
	}
	l.afterBlank = line == ""
	l.line, l.needWholeLine = l.line[:0], false
}

type lineKind uint8

const (
	lineOther lineKind = iota
	lineBlank
	lineRule
	lineHeading
	lineEntry
)

func (l *sourceList) kindOf(line string) lineKind {
	switch {
	case line == "":
		return lineBlank
	case len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.Contains("-*_", line[:1]):
		if l.afterBlank {
			return lineRule
		}
		return lineOther
	}
	if name, rest, found := listName(line); found && name != "" {
		switch {
		case strings.Trim(rest, "*_#:： \t") == "":
			return lineHeading
		case l.areEntries(rest):
			return lineEntry
		}
		return lineOther
	}
	headed := l.state == afterHeading || l.state == hasEntries
	if (headed || l.afterBlank) && l.isEntry(line, headed) {
		return lineEntry
	}
	return lineOther
}

func (l *sourceList) mayBeEntry() bool {
	switch {
	case l.closingFence != "" || !l.hasText:
		return false
	case l.state == afterHeading || l.state == hasEntries, l.needWholeLine:
		return true
	}
	line := strings.TrimLeft(string(l.line[:len(l.line)-unfinished(l.line)]), " \t")
	if strings.Trim(line, "-*_# \t") == "" {
		return true
	}
	if name, rest, found := listName(line); found {
		l.needWholeLine = name != "" && strings.ContainsAny(rest, ":：")
		return true
	}
	if !l.afterBlank && l.state != afterRule {
		return false
	}
	m := entryBegins.FindStringSubmatch(line)
	l.needWholeLine = m != nil && m[1] != ""
	return m != nil
}

var (
	// entryBegins matches an incomplete line that may become an entry of a list of sources. After
	// an optional list marker, the line begins with a number in brackets or a part of it, such as
	// "[1".
	entryBegins = regexp.MustCompile(`^[-*+•]?[ \t]*(?:\[{1,2}|【|［)(?:[1-9]\d*([\]†】］].*)?)?$`)
	entryNumber = regexp.MustCompile(`^(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?[*_]{0,2}(?:\[{1,2}|【|［)([1-9]\d{0,8})(?:\]{1,2}|†[^】]*】|】|］)[*_]{0,2}(.*)$`)
	anyNumber   = regexp.MustCompile(`\[[1-9]\d*\]|【[1-9]\d*】|［[1-9]\d*］`)
	entryMarks  = regexp.MustCompile(`^(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)`)
	listNames   = strings.Fields("sources source references reference citations citation quellen quelle quellenangaben belege références référence " +
		"fuentes fuente referencias fonti fonte riferimenti bronnen fontes referências 参考文献 参考资料 参考資料 来源 來源 出典 参照 출처")
)

// listName splits a line that begins with a heading such as "Sources:" into heading and rest. found
// is false if the line has no such heading. If the line may become such a heading, found is true
// and name is "".
func listName(line string) (name, rest string, found bool) {
	said := strings.TrimLeft(line, "*_# \t")
	lower := strings.ToLower(said)
	for _, n := range listNames {
		switch {
		case strings.HasPrefix(lower, n) && len(n) <= len(said):
			if rest := said[len(n):]; rest == "" || strings.HasPrefix(rest, "：") || strings.IndexByte(":*_ \t\xef", rest[0]) >= 0 {
				if after := strings.TrimLeft(rest, "*_ \t"); after == "" || after[0] == ':' || after[0] == 0xef {
					return n, rest, true
				}
			}
		case strings.HasPrefix(n, lower):
			found = true
		}
	}
	return "", "", found
}

func (l *sourceList) areEntries(text string) bool {
	text = strings.Trim(text, "*_:： \t")
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		part = strings.TrimSpace(part)
		if m := entryNumber.FindStringSubmatch(part); m == nil || !l.isTitle(m[2]) {
			return l.isSourceName(text)
		}
	}
	return text != ""
}

// isEntry reports whether a line is an entry of a list of sources. After a heading, an entry begins
// with a number or names a known source. Without a heading, it must name the source that has its
// number.
func (l *sourceList) isEntry(line string, headed bool) bool {
	m := entryNumber.FindStringSubmatch(line)
	if m == nil {
		return headed && !strings.HasPrefix(entryMarks.ReplaceAllString(line, ""), "[^") && l.isSourceName(line)
	}
	if headed {
		return l.isTitle(m[2])
	}
	n, _ := strconv.Atoi(m[1]) // few digits
	s, known := l.mapping.Lookup(n)
	if !known {
		return false
	}
	rest := strings.TrimSpace(m[2])
	return strings.HasPrefix(rest, ":") && !strings.Contains(strings.TrimSpace(rest[1:]), " ") || l.namesSource(rest, s)
}

func (l *sourceList) isTitle(text string) bool {
	return len(strings.Fields(anyNumber.ReplaceAllString(text, ""))) <= maxEntryWords || l.isSourceName(text)
}

func (l *sourceList) isSourceName(line string) bool {
	return l.mapping.anySource(func(s Source) bool { return l.namesSource(line, s) })
}

// namesSource reports whether a line contains the title or address of s and few other words.
func (l *sourceList) namesSource(line string, s Source) bool {
	rest := line
	for _, part := range []string{s.URL, s.Title, s.Section} {
		if part != "" && utf8.RuneCountInString(part) > 2 {
			rest = strings.Replace(rest, part, "", 1)
		}
	}
	return len(rest) < len(line) && len(strings.Fields(rest)) <= maxEntryWords/2
}
