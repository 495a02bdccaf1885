package answer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// bareURL finds URLs that are not in a Markdown link. It runs before the emphasis parser, which
// would treat underscores in a URL as marks.
type bareURL struct{}

// Trigger implements parser.InlineParser. goldmark treats the start of a line like a blank, so the
// parser also runs there.
func (bareURL) Trigger() []byte { return []byte{' ', '('} }

// Parse implements parser.InlineParser.
func (bareURL) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, segment := block.PeekLine()
	if segment.Padding != 0 {
		return nil
	}
	skip := 0
	if line[0] == ' ' || line[0] == '\t' || line[0] == '(' {
		skip = 1
	}
	if urlPrefix(line[skip:]) == 0 {
		return nil
	}
	size := urlLength(string(line[skip:min(len(line), skip+maxURL)]))
	if size == 0 {
		return nil
	}
	if skip == 1 {
		ast.MergeOrAppendTextSegment(parent, text.NewSegment(segment.Start, segment.Start+1))
	}
	block.Advance(skip + size)
	start := segment.Start + skip
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(start, start+size)))
}

// maxURL is the maximum length of a URL in bytes.
const maxURL = 4096

func urlLength(s string) int {
	n, _ := urlExtent(s)
	return n
}

func urlExtent(s string) (n, whole int) {
	host := urlPrefix(s)
	if host == 0 {
		return 0, 0
	}
	end := host
scan:
	for end < min(len(s), maxURL) {
		r, size := utf8.DecodeRuneInString(s[end:])
		switch {
		case r <= ' ' || strings.ContainsRune("<>\"`|\\^{}*", r) || unicode.IsSpace(r):
			break scan
		// a bracket ends the address, except around an IPv6 host such as [::1]
		case r == '[' && end > host || r == ']' && (s[host] != '[' || strings.IndexByte(s[host:end], ']') >= 0):
			break scan
		case r >= utf8.RuneSelf && (unicode.IsPunct(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError):
			break scan
		}
		end += size
	}
	whole = end
	end = trimURL(s, end)
	if end <= host || !alphanumeric(s[host]) && s[host] < utf8.RuneSelf && s[host] != '[' {
		return 0, whole
	}
	return end, whole
}

// urlPrefix returns the length of "https://", "http://" or "www." at the beginning of s, or 0.
func urlPrefix[T string | []byte](s T) int {
	if len(s) < len("www.x") || s[0]|0x20 != 'h' && s[0]|0x20 != 'w' {
		return 0
	}
	for _, prefix := range []string{"https://", "http://", "www."} {
		if len(s) > len(prefix) && strings.EqualFold(string(s[:len(prefix)]), prefix) {
			return len(prefix)
		}
	}
	return 0
}

// trimURL returns the length of the URL s[:end] without the text that follows it. It cuts trailing
// punctuation, unmatched closing brackets and character references such as "&amp;".
func trimURL(s string, end int) int {
	round := strings.Count(s[:end], "(") - strings.Count(s[:end], ")")
	square := strings.Count(s[:end], "[") - strings.Count(s[:end], "]")
	for end > 0 {
		switch c := s[end-1]; {
		case strings.IndexByte("?!.,:_~'", c) >= 0:
			end--
		case c == ';':
			from := max(0, end-maxEntity)
			start := strings.LastIndexByte(s[from:end], '&')
			if start >= 0 && entity.MatchString(s[from+start:end]) {
				end = from + start
			} else {
				end--
			}
		case c == ')' && round < 0:
			round++
			end--
		case c == ']' && square < 0:
			square++
			end--
		default:
			return end
		}
	}
	return end
}

// maxEntity is the maximum length of a character reference in bytes.
const maxEntity = 34

var entity = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});$`)

// emailAt returns the e-mail address around the @ at i. end is 0 if there is none.
func emailAt(s string, i int) (start, end int) {
	for start = i; start > max(0, i-maxLocal) && (alphanumeric(s[start-1]) || strings.IndexByte("._%+-", s[start-1]) >= 0); start-- {
	}
	for start < i && !alphanumeric(s[start]) {
		start++
	}
	host := s[i+1 : i+1+domainLength(s[i+1:])]
	host = strings.TrimRight(host, ".-")
	dot := strings.LastIndexByte(host, '.')
	if start == i || dot < 1 || len(host)-dot < 3 || host[0] == '-' || host[0] == '.' || strings.Contains(host, "..") ||
		strings.Trim(host[dot+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
		return 0, 0
	}
	return start, i + 1 + len(host)
}

// splitAddresses appends the text s to out, with links for bare URLs and e-mail addresses. It
// decodes the escapes in s.
func splitAddresses(out []Inline, s string, style Style) []Inline {
	rest := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case (c == 'h' || c == 'H' || c == 'w' || c == 'W') && (i == 0 || !alphanumeric(s[i-1])):
			if size := urlLength(s[i:]); size > 0 {
				if label, end := slackLink(s, i); end > 0 {
					out = plain(out, decode(s[rest:i-1]), style)
					out = append(out, plainLink(decode(s[i:i+strings.IndexByte(s[i:], '|')]), decode(label), style))
					i, rest = end, end
					continue
				}
				out = plain(out, decode(s[rest:i]), style)
				out = append(out, Inline{Kind: Link, URL: decode(s[i : i+size]), Style: style})
				i += size
				rest = i
				continue
			}
		case c == '@':
			start, end := emailAt(s, i)
			if start >= rest && end > 0 && (start == 0 || s[start-1] != '@') {
				out = plain(out, decode(s[rest:start]), style)
				out = append(out, Inline{Kind: Email, Text: s[start:end], Style: style})
				i, rest = end, end
				continue
			}
		}
		i++
	}
	return plain(out, decode(s[rest:]), style)
}

// slackLink parses a link in Slack's syntax, <address|label>, which models sometimes write. The
// address begins at i. end is 0 if there is no such link.
func slackLink(s string, i int) (label string, end int) {
	if i == 0 || s[i-1] != '<' || i > 1 && s[i-2] == '\\' {
		return "", 0
	}
	whole := slackLinked.FindStringSubmatch(s[i:min(len(s), i+maxURL)])
	if whole == nil {
		return "", 0
	}
	return whole[1], i + len(whole[0])
}

var slackLinked = regexp.MustCompile(`^[^\s<>|]+\|([^<>\n]*)>`)

func plainLink(address, label string, style Style) Inline {
	link := Inline{Kind: Link, URL: address, Style: style}
	if label = strings.TrimSpace(label); label != "" && label != address {
		link.Label = []Inline{{Kind: Text, Text: label, Style: style}}
	}
	return link
}

func plain(out []Inline, s string, style Style) []Inline {
	if s == "" {
		return out
	}
	if n := len(out); n > 0 && out[n-1].Kind == Text && out[n-1].Style == style {
		out[n-1].Text += s
		return out
	}
	return append(out, Inline{Kind: Text, Text: s, Style: style})
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
