package cite

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxOwnList  = 8 << 10 // bytes of a list that are held back
	maxOwnEntry = 400     // bytes of one of its lines
	maxOwnWords = 16      // words of an entry that names no known source
)

// ownList stands before the scanner and holds back what may be a list of sources that the model
// wrote at the end of a message: a heading such as "Sources:" with entries, or entries alone. At
// the end of the message the list is dropped; as soon as something else follows, it is passed on.
type ownList struct {
	pass    func(text string)
	mapping *Mapping

	state   listState
	held    []byte // lines of what may be a list
	line    []byte // the line so far where it is not passed on; else its first bytes
	through bool   // the line is passed on
	whole   bool   // all of the line is needed to say what it is
	blank   bool   // the line before is blank, or there is none
	text    bool   // something was passed on that is not blank
	fence   string // what closes the fenced code that is open; empty: none is
}

type listState uint8

const (
	listNone   listState = iota
	listRule             // a rule, which may stand before a list
	listHeaded           // a heading without entries
	listFull             // entries
)

func newOwnList(mapping *Mapping, pass func(text string)) *ownList {
	return &ownList{mapping: mapping, pass: pass, blank: true}
}

func (l *ownList) push(delta string) {
	for delta != "" {
		if l.through {
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
		case !l.possible() || len(l.line) > maxOwnEntry || len(l.held) > maxOwnList:
			l.release()
			l.through = true
		}
		delta = delta[1:]
	}
}

// finish ends a message: a list at its end is dropped.
func (l *ownList) finish() {
	if l.through {
		l.line = l.line[:0]
	} else if len(l.line) > 0 {
		l.endLine()
	}
	if l.state != listFull {
		l.release()
	}
	*l = ownList{pass: l.pass, mapping: l.mapping, held: l.held[:0], line: l.line[:0], blank: true}
}

// release passes on what is held.
func (l *ownList) release() {
	text := string(l.held) + string(l.line)
	l.text = l.text || strings.TrimSpace(text) != ""
	l.held, l.state = l.held[:0], listNone
	if text != "" {
		l.pass(text)
	}
}

// keepHead notes the beginning of a line that is passed on.
func (l *ownList) keepHead(text string) {
	l.line = append(l.line, text[:min(len(text), max(0, maxOwnEntry-len(l.line)))]...)
	l.text = l.text || strings.TrimSpace(text) != ""
}

func (l *ownList) endThrough() {
	l.noteFence(strings.TrimSpace(string(l.line)))
	l.blank = len(bytes.TrimSpace(l.line)) == 0
	l.line, l.through, l.whole = l.line[:0], false, false
}

// noteFence follows fenced code, in which nothing is a list.
func (l *ownList) noteFence(line string) {
	if l.fence != "" {
		if strings.HasPrefix(line, l.fence) && strings.Trim(line, l.fence[:1]) == "" {
			l.fence = ""
		}
		return
	}
	if run := len(line) - len(strings.TrimLeft(line, "`")); run >= 3 && !strings.Contains(line[run:], "`") {
		l.fence = line[:run]
	} else if run := len(line) - len(strings.TrimLeft(line, "~")); run >= 3 {
		l.fence = line[:run]
	}
}

// endLine decides what a line is that was held back.
func (l *ownList) endLine() {
	line := strings.TrimSpace(string(l.line))
	kind := l.kind(line)
	switch {
	case !l.text, kind == lineOther:
		l.release()
		l.noteFence(line)
	case kind == lineBlank:
		if l.state == listNone {
			l.release()
		} else {
			l.held = append(l.held, l.line...)
		}
	default:
		if kind == lineRule && l.state != listNone || kind == lineHeading && l.state > listRule {
			held := l.line
			l.line = nil
			l.release() // what came before is not at the end
			l.line = held
		}
		l.held = append(l.held, l.line...)
		l.state = map[lineKind]listState{lineRule: listRule, lineHeading: listHeaded, lineEntry: listFull}[kind]
	}
	l.blank = line == ""
	l.line, l.whole = l.line[:0], false
}

type lineKind uint8

const (
	lineOther lineKind = iota
	lineBlank
	lineRule
	lineHeading
	lineEntry
)

func (l *ownList) kind(line string) lineKind {
	switch {
	case line == "":
		return lineBlank
	case len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.Contains("-*_", line[:1]):
		if l.blank {
			return lineRule
		}
		return lineOther
	}
	if name, rest, found := listName(line); found && name != "" {
		switch {
		case strings.Trim(rest, "*_#:： \t") == "":
			return lineHeading
		case l.entries(rest):
			return lineEntry
		}
		return lineOther
	}
	headed := l.state == listHeaded || l.state == listFull
	if (headed || l.blank) && l.entry(line, headed) {
		return lineEntry
	}
	return lineOther
}

// possible reports whether the line so far can become a line of a list.
func (l *ownList) possible() bool {
	switch {
	case l.fence != "" || !l.text:
		return false
	case l.state == listHeaded || l.state == listFull, l.whole:
		return true
	}
	line := strings.TrimLeft(string(l.line[:len(l.line)-unfinished(l.line)]), " \t")
	if strings.Trim(line, "-*_# \t") == "" {
		return true
	}
	if name, rest, found := listName(line); found {
		l.whole = name != "" && strings.ContainsAny(rest, ":：")
		return true
	}
	if !l.blank && l.state != listRule {
		return false
	}
	m := entryBegins.FindStringSubmatch(line)
	l.whole = m != nil && m[1] != ""
	return m != nil
}

var (
	// entryBegins matches a line of which so much has been read that begins, or may begin, with a
	// number in brackets.
	entryBegins = regexp.MustCompile(`^[-*+•]?[ \t]*(?:\[{1,2}|【|［)(?:[1-9]\d*([\]†】］].*)?)?$`)
	entryNumber = regexp.MustCompile(`^(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?[*_]{0,2}(?:\[{1,2}|【|［)([1-9]\d{0,8})(?:\]{1,2}|†[^】]*】|】|］)[*_]{0,2}(.*)$`)
	anyNumber   = regexp.MustCompile(`\[[1-9]\d*\]|【[1-9]\d*】|［[1-9]\d*］`)
	entryMarks  = regexp.MustCompile(`^(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)`)
	listNames   = strings.Fields("sources source references reference citations citation quellen quelle quellenangaben belege références référence " +
		"fuentes fuente referencias fonti fonte riferimenti bronnen fontes referências 参考文献 参考资料 参考資料 来源 來源 出典 参照 출처")
)

// listName finds the name of a list at the beginning of a line, or, in a line that is not complete,
// what may become one: then name is empty.
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

// entries reports whether what follows the name of a list on its line names sources and nothing
// else.
func (l *ownList) entries(text string) bool {
	text = strings.Trim(text, "*_:： \t")
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		part = strings.TrimSpace(part)
		if m := entryNumber.FindStringSubmatch(part); m == nil || !l.short(m[2]) {
			return l.names(text)
		}
	}
	return text != ""
}

// entry reports whether a line is an entry of a list: with a heading above, one that begins with a
// number or names a known source; else one that says where a known number leads.
func (l *ownList) entry(line string, headed bool) bool {
	m := entryNumber.FindStringSubmatch(line)
	if m == nil {
		return headed && !strings.HasPrefix(entryMarks.ReplaceAllString(line, ""), "[^") && l.names(line)
	}
	if headed {
		return l.short(m[2])
	}
	n, _ := strconv.Atoi(m[1]) // few digits
	s, known := l.mapping.Lookup(n)
	if !known {
		return false
	}
	rest := strings.TrimSpace(m[2])
	return strings.HasPrefix(rest, ":") && !strings.Contains(strings.TrimSpace(rest[1:]), " ") || l.saysSource(rest, s)
}

// short reports whether the text behind a number can be a title.
func (l *ownList) short(text string) bool {
	return len(strings.Fields(anyNumber.ReplaceAllString(text, ""))) <= maxOwnWords || l.names(text)
}

// names reports whether a line consists of what a source of the mapping is called, and little else.
func (l *ownList) names(line string) bool {
	return l.mapping.holds(func(s Source) bool { return l.saysSource(line, s) })
}

// saysSource reports whether a line names a source, by its title or address, and says little else.
func (l *ownList) saysSource(line string, s Source) bool {
	rest := line
	for _, part := range []string{s.URL, s.Title, s.Section} {
		if part != "" && utf8.RuneCountInString(part) > 2 {
			rest = strings.Replace(rest, part, "", 1)
		}
	}
	return len(rest) < len(line) && len(strings.Fields(rest)) <= maxOwnWords/2
}
