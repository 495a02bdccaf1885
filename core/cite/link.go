package cite

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LinkURL escapes an address so that every Markdown renderer and chat platform parses it the same
// way. It percent-encodes brackets, quotes, blanks, control characters and other characters with a
// meaning in Markdown, but keeps existing escapes. It returns false for addresses that must not be
// links: all except http and https with a host, mailto and file.
func LinkURL(raw string) (string, bool) {
	raw = strings.TrimSpace(raw)
	scheme, rest, ok := strings.Cut(raw, ":")
	if !ok {
		return "", false
	}
	authority := 0
	switch strings.ToLower(scheme) {
	case "http", "https":
		if !strings.HasPrefix(rest, "//") {
			return "", false
		}
		host := rest[2:]
		if end := strings.IndexAny(host, "/?#"); end >= 0 {
			host = host[:end]
		}
		// Browsers end the host at a backslash; encoded, it would not.
		if host == "" || strings.HasPrefix(host, ":") || strings.Contains(host, `\`) {
			return "", false
		}
		if ipv6(host) {
			authority = len(scheme) + len("://") + len(host)
		}
	case "mailto", "file":
		if rest == "" || rest == "//" {
			return "", false
		}
	default:
		return "", false
	}
	return escapeURL(raw, authority), true
}

// ipv6 reports whether host is "[address]" or "[address]:port".
func ipv6(host string) bool {
	address, port, ok := strings.Cut(host, "]")
	return ok && strings.HasPrefix(address, "[") && strings.Trim(address[1:], "0123456789abcdefABCDEF:.") == "" &&
		strings.Trim(port, "0123456789:") == ""
}

const hexDigits = "0123456789ABCDEF"

// escapeURL escapes raw for Markdown. It keeps square brackets within the first authority bytes,
// which belong to an IPv6 host.
func escapeURL(raw string, authority int) string {
	var b strings.Builder
	b.Grow(len(raw) + 16)
	entity := false // a ; would end a character reference
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		c := raw[i]
		escape := false
		switch {
		case r == utf8.RuneError && size == 1:
			escape = true
		case r >= utf8.RuneSelf:
			escape = !unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
		case c <= ' ' || c == 0x7f || strings.IndexByte("()|<>\"'`\\", c) >= 0:
			escape = true
		case c == '[' || c == ']':
			escape = i >= authority
		case c == '%':
			escape = i+2 >= len(raw) || !isHex(raw[i+1]) || !isHex(raw[i+2])
		case c == ';':
			escape = entity
		}
		entity = c == '&' || entity && (isWord(c) && c < utf8.RuneSelf || c == '#')
		if !escape {
			b.WriteString(raw[i : i+size])
		} else {
			for _, c := range []byte(raw[i : i+size]) {
				b.WriteByte('%')
				b.WriteByte(hexDigits[c>>4])
				b.WriteByte(hexDigits[c&15])
			}
		}
		i += size
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// maxLabel is the maximum length of a link's label that Unlink looks for, in bytes.
const maxLabel = 1000

// Unlink returns Markdown without the links to an address. It removes a citation with the blanks
// before it. Of another link, it keeps the label. It does not change the given text.
func Unlink(text []byte, address string) []byte {
	if address == "" {
		return text
	}
	for _, form := range []string{address, escaped(address)} {
		end := []byte("](" + form + ")")
		if !bytes.Contains(text, end) {
			continue
		}
		kept := make([]byte, 0, len(text))
		for {
			before, after, found := bytes.Cut(text, end)
			kept = append(kept, before...)
			if !found {
				break
			}
			text = after
			start := labelStart(kept)
			switch {
			case start < 0:
				kept = append(kept, "]"...)
			case isCitation(kept[start+1:]):
				kept = kept[:start-blanksBefore(kept[:start])]
			default:
				kept = append(kept[:start], kept[start+1:]...)
			}
		}
		text = kept
	}
	return text
}

func escaped(address string) string {
	safe, ok := LinkURL(address)
	if !ok {
		return address
	}
	return safe
}

// labelStart returns the index of the bracket that opens the label at the end of text, or -1.
func labelStart(text []byte) int {
	depth := 0
	for i := len(text) - 1; i >= max(0, len(text)-maxLabel); i-- {
		switch text[i] {
		case '[':
			if depth == 0 {
				return i
			}
			depth--
		case ']':
			depth++
		}
	}
	return -1
}

// isCitation reports whether label is "[n]".
func isCitation(label []byte) bool {
	return len(label) > 2 && label[0] == '[' && label[len(label)-1] == ']' && len(bytes.Trim(label[1:len(label)-1], "0123456789")) == 0
}
