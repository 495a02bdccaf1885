package answer

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

type span struct {
	*reader
	out   []Inline
	text  strings.Builder // undecoded text in style that is not yet in out
	style Style
	label bool // inside a link, where links are not allowed
}

func (r *reader) inlines(n ast.Node) []Inline {
	s := &span{reader: r}
	s.children(n, 0, 0)
	s.flush()
	return trim(s.out)
}

func (s *span) children(parent ast.Node, style Style, depth int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		s.node(n, style, min(depth+1, maxDepth))
	}
}

func (s *span) node(n ast.Node, style Style, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		s.write(string(n.Segment.Value(s.source)), style)
		if n.SoftLineBreak() || n.HardLineBreak() {
			s.writeBreak(style)
		}
	case *ast.String:
		s.writeLiteral(string(n.Value), style)
	case *ast.Emphasis:
		if n.Level == 1 {
			s.children(n, style|Italic, depth)
		} else {
			s.children(n, style|Bold, depth)
		}
	case *east.Strikethrough:
		s.children(n, style|Strike, depth)
	case *ast.CodeSpan:
		s.add(Inline{Kind: CodeSpan, Text: s.codeSpan(n), Style: style})
	case *ast.AutoLink:
		s.autoLink(n, style)
	case *ast.Link:
		s.link(n, string(n.Destination), style, false)
	case *ast.Image:
		s.link(n, string(n.Destination), style, true)
	case *ast.RawHTML:
		s.tag(n, style)
	case *east.TaskCheckBox:
	default:
		s.children(n, style, depth)
	}
}

func (s *span) write(text string, style Style) {
	if text == "" {
		return
	}
	if style != s.style {
		s.flush()
		s.style = style
	}
	s.text.WriteString(text)
}

func (s *span) flush() {
	if s.text.Len() == 0 {
		return
	}
	if s.label {
		s.out = plain(s.out, decode(s.text.String()), s.style)
	} else {
		s.out = splitAddresses(s.out, s.text.String(), s.style)
	}
	s.text.Reset()
}

func (s *span) writeLiteral(text string, style Style) {
	s.flush()
	s.out = plain(s.out, text, style)
}

func (s *span) add(n Inline) {
	s.flush()
	if n.Kind == CodeSpan && n.Text == "" {
		return
	}
	s.out = append(s.out, n)
}

func (s *span) writeBreak(style Style) { s.add(Inline{Kind: Break, Style: style}) }

func (s *span) codeSpan(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(s.source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

func (s *span) autoLink(n *ast.AutoLink, style Style) {
	address := string(n.Label(s.source))
	switch {
	case s.label:
		s.writeLiteral(address, style)
	case n.AutoLinkType == ast.AutoLinkEmail:
		s.add(Inline{Kind: Email, Text: address, Style: style})
	default:
		address, label, _ := strings.Cut(address, "|") // an address contains no bar
		s.add(plainLink(decode(address), decode(label), style))
	}
}

var footnote = regexp.MustCompile(`^\[([1-9][0-9]{0,8})\]$`)

func (s *span) link(n ast.Node, address string, style Style, image bool) {
	inner := &span{reader: s.reader, label: true}
	inner.children(n, style, 1)
	inner.flush()
	label := oneLine(trim(inner.out))
	link := Inline{
		Kind: Link, URL: decode(strings.Map(printableOrBlank, address)),
		Label: label, Style: style,
	}
	if words := Words(label); words == link.URL || strings.TrimSpace(words) == "" {
		link.Label = nil
	} else if m := footnote.FindStringSubmatch(words); m != nil && !image {
		if number, err := strconv.Atoi(m[1]); err == nil {
			link.Kind, link.Number = Footnote, number
		}
	}
	if link.URL == "" { // a link without an address is only its label
		s.flush()
		s.out = append(s.out, label...)
		return
	}
	s.add(link)
}

func printableOrBlank(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// htmlElements lists the HTML names that are parsed as tags. Other names, such as <your-token>, are
// text.
var htmlElements = func() map[string]bool {
	m := make(map[string]bool)
	for _, name := range strings.Fields(`a abbr address article aside audio b big blockquote body br button caption center cite code col
		colgroup dd del details dfn div dl dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img
		input ins kbd label li link main mark meta nav object ol option p pre q s samp script section select small source span strike
		strong style sub summary sup table tbody td textarea tfoot th thead title tr tt u ul var video wbr`) {
		m[name] = true
	}
	return m
}()

// lineTags lists the HTML tags after which a new line begins. "/p" is the end tag of p.
var lineTags = map[string]bool{
	"br": true, "hr": true, "/p": true, "/div": true, "/li": true, "/tr": true, "/summary": true, "/blockquote": true, "/pre": true,
	"/h1": true, "/h2": true, "/h3": true, "/h4": true, "/h5": true, "/h6": true, "/dt": true, "/dd": true,
}

// tag removes an HTML tag. It writes a line break for tags such as <br>. It keeps tags of unknown
// elements, such as <your-token>, as text.
func (s *span) tag(n *ast.RawHTML, style Style) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		b.Write(segment.Value(s.source))
	}
	raw := b.String()
	if strings.HasPrefix(raw, "<!--") {
		s.add(Inline{Kind: seam, Style: style})
		return
	}
	end := 1
	for end < len(raw) && (alphanumeric(raw[end]) || end == 1 && raw[end] == '/') {
		end++
	}
	name := strings.ToLower(raw[1:end])
	bare := strings.TrimPrefix(name, "/")
	if !htmlElements[bare] || end < len(raw) && raw[end] == '-' {
		s.writeLiteral(strings.Join(strings.Fields(raw), " "), style)
		return
	}
	if lineTags[name] {
		s.writeBreak(style)
	} else {
		s.add(Inline{Kind: seam, Style: style})
	}
}

// decode resolves backslash escapes and character references, but keeps the backslashes of Windows
// paths.
func decode(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && punctuation(s[i+1]):
			i++
			if windowsPath(s, i-1) {
				b.WriteByte(c)
			}
			b.WriteByte(s[i])
		case c == '&':
			end := strings.IndexByte(s[i:min(len(s), i+34)], ';')
			if end > 0 && entity.MatchString(s[i:i+end+1]) {
				b.WriteString(strings.Map(blankIfUnsafe, html.UnescapeString(s[i:i+end+1])))
				i += end
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// windowsPath reports whether the backslash at i belongs to a path, such as C:\_new or
// \\server\share, and is not an escape.
func windowsPath(s string, i int) bool {
	const far = 260 // the longest path that Windows has by default
	from := max(0, i-far)
	word := strings.TrimLeft(s[from+strings.LastIndexAny(s[from:i], " \t\n")+1:], "(\"'")
	drive := len(word) > 2 && word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z' && word[1] == ':' && word[2] == '\\'
	server := len(word) > 2 && word[:2] == `\\` && alphanumeric(word[2])
	return drive || server
}

func blankIfUnsafe(r rune) rune {
	if isInvisible(0, r) {
		return -1
	}
	if r < ' ' || r >= 0x7f && r <= 0xa0 || unicode.IsSpace(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfffd {
		return ' '
	}
	return r
}

func punctuation(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// trim removes blanks and line breaks at both ends. It modifies in.
func trim(in []Inline) []Inline {
	for len(in) > 0 {
		switch first := &in[0]; {
		case first.Kind == Text:
			first.Text = strings.TrimLeft(first.Text, " \t")
			if first.Text != "" {
				return trimRight(in)
			}
		case first.Kind != Break && first.Kind != seam:
			return trimRight(in)
		}
		in = in[1:]
	}
	return nil
}

func trimRight(in []Inline) []Inline {
	for len(in) > 0 {
		switch last := &in[len(in)-1]; {
		case last.Kind == Text:
			last.Text = strings.TrimRight(last.Text, " \t")
			if last.Text != "" {
				return in
			}
		case last.Kind != Break && last.Kind != seam:
			return in
		}
		in = in[:len(in)-1]
	}
	return nil
}

// Words returns the text of inlines without markup, on one line. A footnote becomes its number,
// such as "[1]".
func Words(inlines []Inline) string {
	if len(inlines) == 1 && inlines[0].Kind == Text {
		return inlines[0].Text
	}
	var b strings.Builder
	for _, n := range inlines {
		switch n.Kind {
		case Break:
			b.WriteByte(' ')
		case Footnote:
			b.WriteString("[" + strconv.Itoa(n.Number) + "]")
		case Link:
			if n.Label == nil {
				b.WriteString(n.URL)
			} else {
				b.WriteString(Words(n.Label))
			}
		default:
			b.WriteString(n.Text)
		}
	}
	return b.String()
}
