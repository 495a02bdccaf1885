package body

import (
	"context"
	"html"
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// Wiki parses the wiki markup in which Jira Data Center stores long texts
// (https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all). It keeps the text
// inside formatting macros, and runs no other macros. It returns an error only if ctx is done.
func Wiki(ctx context.Context, text string, about About) ([]document.Section, error) {
	k := &wiki{writer: newWriter(about)}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for step := 0; text != ""; {
		before, block, after := k.verbatim(text)
		for line := range strings.Lines(before + "\n") {
			if step++; step%1024 == 1 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			k.line(strings.TrimSpace(line))
		}
		if block != nil {
			k.end()
			k.title(block.title)
			k.code(block.language, strings.Trim(block.code, "\n"))
		}
		text = after
	}
	k.end()
	return k.sections(ctx)
}

type wiki struct {
	*writer
	within  string          // open element that a line may continue: "p", "table" or none
	lists   []string        // open lists, from the outermost to the innermost: "ul" or "ol"
	unended map[string]bool // macros that have no end tag in the rest of the text
}

type block struct{ title, language, code string }

var opening = regexp.MustCompile(`\{(code|noformat)(:[^{}\n]*)?\}`)

// verbatim splits a text at the first {code} or {noformat} block that has an end tag. b is nil if
// there is none.
func (k *wiki) verbatim(text string) (before string, b *block, after string) {
	for at := 0; ; {
		found := opening.FindStringSubmatchIndex(text[at:])
		if found == nil {
			return text, nil, ""
		}
		macro, start := text[at+found[2]:at+found[3]], at+found[1]
		length := -1
		if !k.unended[macro] {
			length = strings.Index(text[start:], "{"+macro+"}")
		}
		if length < 0 {
			if k.unended == nil {
				k.unended = make(map[string]bool)
			}
			k.unended[macro] = true
			at = start
			continue
		}
		b = &block{code: text[start : start+length]}
		if found[4] >= 0 {
			all := text[at+found[4] : at+found[5]]
			b.title, b.language = parameter(all, "title"), parameter(all, "language")
			if first, _, _ := strings.Cut(all[1:], "|"); !strings.Contains(first, "=") {
				b.language = first // "{code:java|title=Example}"
			}
		}
		return text[:at+found[0]], b, text[start+length+len(macro)+2:]
	}
}

// parameter returns a macro's parameter, or "" if it is missing. all is a list such as
// ":title=Example|borderStyle=solid".
func parameter(all, name string) string {
	for one := range strings.SplitSeq(strings.TrimPrefix(all, ":"), "|") {
		if key, value, found := strings.Cut(one, "="); found && strings.TrimSpace(key) == name {
			return value
		}
	}
	return ""
}

func (k *wiki) end() {
	if k.within != "" {
		k.raw("</" + k.within + ">")
		k.within = ""
	}
	k.nest(nil)
}

func (k *wiki) begin(element, between string) {
	if k.within == element && len(k.lists) == 0 {
		k.raw(between)
		return
	}
	k.end()
	k.raw("<" + element + ">")
	k.within = element
}

func (k *wiki) nest(wanted []string) {
	same := 0
	for same < len(wanted) && same < len(k.lists) && wanted[same] == k.lists[same] {
		same++
	}
	for i := len(k.lists) - 1; i >= same; i-- {
		k.raw("</li></" + k.lists[i] + ">")
	}
	k.lists = k.lists[:same]
	switch {
	case same == len(wanted) && same > 0:
		k.raw("</li><li>")
	default:
		for _, list := range wanted[same:] {
			k.raw("<" + list + "><li>")
			k.lists = append(k.lists, list)
		}
	}
}

var (
	headed = regexp.MustCompile(`^h([1-6])\.\s+(.*)$`)
	itemed = regexp.MustCompile(`^([*#]{1,16}|-)\s+(.*)$`)
	ruled  = regexp.MustCompile(`^-{4,}$`)
	framed = regexp.MustCompile(`^\{(?:panel|expand)(:[^{}]*)?\}`)
)

func (k *wiki) line(line string) {
	if m := framed.FindStringSubmatch(line); m != nil {
		k.end()
		k.title(parameter(m[1], "title"))
		line = strings.TrimSpace(line[len(m[0]):])
	}
	if line == "" {
		k.end()
		return
	}
	if m := headed.FindStringSubmatch(line); m != nil {
		k.end()
		at := len(k.out)
		k.inline(m[2])
		k.heading(int(m[1][0]-'0'), k.since(at))
		return
	}
	if m := itemed.FindStringSubmatch(line); m != nil {
		if k.within != "" {
			k.end()
		}
		wanted := make([]string, len(m[1]))
		for i := range wanted {
			if wanted[i] = "ul"; m[1][i] == '#' {
				wanted[i] = "ol"
			}
		}
		k.nest(wanted)
		k.inline(m[2])
		return
	}
	switch {
	case ruled.MatchString(line):
		k.end()
		k.raw("<hr>")
	case strings.HasPrefix(line, "|"):
		k.begin("table", "")
		k.row(line)
	case strings.HasPrefix(line, "bq. "):
		k.end()
		k.raw("<blockquote>")
		k.inline(line[len("bq. "):])
		k.raw("</blockquote>")
	case len(k.lists) > 0: // the line continues the item before it
		k.raw("<br>")
		k.inline(line)
	default:
		k.begin("p", "<br>")
		k.inline(line)
	}
}

func (k *wiki) row(line string) {
	k.raw("<tr>")
	cell, from := "", 0
	flush := func(to int) {
		if cell != "" && (to > from || to < len(line)) {
			k.raw("<" + cell + ">")
			k.inline(strings.TrimSpace(line[from:to]))
			k.raw("</" + cell + ">")
		}
	}
	apart := parts.FindAllStringIndex(line, -1) // a bar inside these does not separate cells
	for i := 0; i < len(line); {
		for len(apart) > 0 && apart[0][1] <= i {
			apart = apart[1:]
		}
		if len(apart) > 0 && apart[0][0] <= i {
			i = apart[0][1]
			continue
		}
		if line[i] != '|' {
			i++
			continue
		}
		flush(i)
		if cell = "td"; strings.HasPrefix(line[i:], "||") {
			cell = "th"
			i++
		}
		i++
		from = i
	}
	flush(len(line))
	k.raw("</tr>")
}

// parts matches everything within a line that is not plain text. Its alternatives are a forced line
// break, an escaped character, code, a link, a picture, a formatting macro and a URL.
var parts = regexp.MustCompile(`\\\\|\\[-*_{}\[\]!|+^~?]|\{\{[^{}\n]+\}\}|\[[^\[\]\n]+\]|![^\s!|][^!\n]*!|` +
	`\{(?:color|quote|panel|anchor|toc|section|column|expand)(?::[^{}\n]*)?\}|https?://[^\s|\]}<>"]+`)

func (k *wiki) inline(line string) {
	var plain []bool // bytes that are plain text
	spans := parts.FindAllStringIndex(line, -1)
	plain = make([]bool, len(line))
	at := 0
	for _, s := range spans {
		for ; at < s[0]; at++ {
			plain[at] = true
		}
		at = s[1]
	}
	for ; at < len(line); at++ {
		plain[at] = true
	}
	dress := formatMarks(line, plain)
	write := func(from, to int) {
		for ; from < to; from++ {
			end := from
			for end < to && !dress[end] {
				end++
			}
			k.text(line[from:end])
			from = end
		}
	}
	at = 0
	for _, s := range spans {
		write(at, s[0])
		k.writeSpan(line[s[0]:s[1]])
		at = s[1]
	}
	write(at, len(line))
}

// formatMarks finds the marks of strong, emphasised or underlined text in a line, such as the
// asterisks in "*strong*". The result is true for each byte that is such a mark. Bytes for which
// plain is false are skipped.
func formatMarks(line string, plain []bool) []bool {
	marks := make([]bool, len(line))
	open := make(map[byte]int)
	word := func(i int) bool {
		return i >= 0 && i < len(line) && (line[i] >= '0' && line[i] <= '9' || line[i]|0x20 >= 'a' && line[i]|0x20 <= 'z' || line[i] >= 0x80)
	}
	blank := func(i int) bool { return i < 0 || i >= len(line) || line[i] == ' ' || line[i] == '\t' }
	for i := range len(line) {
		c := line[i]
		if !plain[i] || c != '*' && c != '_' && c != '+' {
			continue
		}
		from, opened := open[c]
		switch {
		case opened && !blank(i-1) && !word(i+1) && i > from+1:
			marks[from], marks[i] = true, true
			delete(open, c)
		case !word(i-1) && !blank(i+1):
			open[c] = i
		}
	}
	return marks
}

var pictured = regexp.MustCompile(`^![^!|]+\.[A-Za-z0-9]{2,5}(?:\|[^!]*)?!$`)

func (k *wiki) writeSpan(part string) {
	switch {
	case part == `\\`:
		k.raw("<br>")
	case part[0] == '\\':
		k.text(part[1:])
	case strings.HasPrefix(part, "{{"):
		k.raw("<code>")
		k.text(part[2 : len(part)-2])
		k.raw("</code>")
	case part[0] == '{': // formatting only
	case part[0] == '[':
		k.writeLink(part[1 : len(part)-1])
	case part[0] == '!':
		if !pictured.MatchString(part) {
			k.text(part)
		}
	default:
		k.link(safe(part), html.EscapeString(part))
	}
}

func (k *wiki) writeLink(link string) {
	name, address, both := strings.Cut(link, "|")
	address, _, _ = strings.Cut(address, "|")
	switch {
	case strings.HasPrefix(link, "~"):
		id := strings.TrimPrefix(link[1:], "accountid:")
		if k.Person != nil && k.Person(id) != "" {
			k.person(id)
		} else if id == link[1:] { // a login name identifies the person
			k.text("@" + id)
		}
	case both:
		k.link(safe(address), html.EscapeString(strings.TrimSpace(name)))
	case safe(link) != "":
		k.link(safe(link), html.EscapeString(link))
	case strings.HasPrefix(link, "^"):
		k.text(link[1:])
	case strings.HasPrefix(link, "#"):
		k.text(link[1:])
	default: // not a link: ordinary brackets
		k.text("[" + link + "]")
	}
}
