package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type opener struct {
	at     int
	mark   byte
	length int // as written
	left   int // unmatched part of length
	both   bool
}

type bracket struct {
	at    int // of the [, or of the ! before it
	stack [3]int
}

type pending struct {
	// hold is the offset from which the meaning of the text may still change, or len(text).
	hold    int
	code    string // backticks of a code span that is open at hold
	openers [3][]opener
	urls    [][2]int // ranges of bare addresses in which marks may be emphasis
}

const marks = "*_~"

// maxLocal is the maximum length in bytes of the part before the @ of an e-mail address.
const maxLocal = 64

// maxSkips limits the search for an opener that matches a closing mark, so that scanning stays
// linear.
const maxSkips = 16

func inlineScan(s string) pending {
	p := pending{hold: len(s)}
	var brackets []bracket
	node := 0 // where the last code, tag, link or mark ended
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\':
			if strings.TrimLeft(s[i+1:], "\n") == "" { // a backslash may break the line
				p.hold = i
			}
			if i++; i < len(s) && punctuation(s[i]) {
				i++
			}
			continue
		case c == '`':
			n := runLength(s, i)
			end := closingRun(s, i+n, n)
			if end < 0 {
				p.hold, p.code = i, s[i:i+n]
				i = len(s)
			} else {
				i = end
				node = i
			}
			continue
		case c == '<':
			n, complete := scanAngle(s[i:])
			if !complete {
				p.hold = i
				i = len(s)
				continue
			}
			i += n
			node = i
			continue
		case c == '&':
			if n := entityPrefix(s[i:]); i+n == len(s) {
				p.hold = i
				i = len(s)
				continue
			}
		case (c|0x20 == 'h' || c|0x20 == 'w') && len(brackets) == 0 && (i == 0 || !alphanumeric(s[i-1])):
			if n, whole := urlExtent(s[i:]); i+whole == len(s) {
				p.hold = min(p.hold, i)
				i = len(s)
				continue
			} else if n > 0 && (i == node || strings.IndexByte(" \t\n(", s[i-1]) >= 0) {
				// elsewhere marks come first, as in bareURL
				i += n
				node = i
				continue
			} else if n > 0 {
				p.urls = append(p.urls, [2]int{i, i + whole})
			}
		case c == '@':
			if domainLength(s[i+1:]) == len(s)-i-1 {
				for least := max(0, i-maxLocal); i > least && (alphanumeric(s[i-1]) || strings.IndexByte("._%+-", s[i-1]) >= 0); {
					i--
				}
				p.hold = min(p.hold, i)
				i = len(s)
				continue
			}
		case c == '!' && i+1 == len(s):
			p.hold = i
		case c == '[':
			at := i
			if i > 0 && s[i-1] == '!' {
				at--
			}
			brackets = append(brackets, bracket{at: at, stack: p.depths()})
		case c == ']' && len(brackets) > 0:
			open := brackets[len(brackets)-1]
			if i+1 == len(s) {
				break // a ( may follow
			}
			brackets = brackets[:len(brackets)-1]
			if s[i+1] != '(' {
				break
			}
			n, complete := linkTarget(s[i+1:])
			if !complete {
				p.hold = min(p.hold, open.at)
				i = len(s)
				continue
			}
			if n > 0 {
				p.cut(open.stack)
				if s[open.at] != '!' { // no link holds a link, but an image may
					brackets = slices.DeleteFunc(brackets, func(b bracket) bool { return s[b.at] != '!' })
				}
				i += 1 + n
				node = i
				continue
			}
		case strings.IndexByte(marks, c) >= 0:
			i += p.run(s, i)
			node = i
			continue
		}
		i++
	}
	if len(brackets) > 0 && brackets[0].at < p.hold {
		p.hold, p.code = brackets[0].at, ""
	}
	return p
}

func (p *pending) depths() [3]int {
	return [3]int{len(p.openers[0]), len(p.openers[1]), len(p.openers[2])}
}

func (p *pending) cut(depths [3]int) {
	for k := range p.openers {
		p.openers[k] = p.openers[k][:min(depths[k], len(p.openers[k]))]
	}
}

func (p *pending) first(end int) (hold, mark int) {
	for _, stack := range p.openers {
		if len(stack) > 0 {
			end = min(end, stack[0].at)
		}
	}
	for _, u := range p.urls {
		if u[0] < end && end < u[1] {
			return u[0], end
		}
	}
	return end, end
}

// run opens or closes emphasis at a run of equal marks, such as "**". It follows CommonMark's rules
// for delimiter runs. The result is the length of the run in bytes.
func (p *pending) run(s string, i int) int {
	c := s[i]
	n := runLength(s, i)
	if i+n == len(s) {
		p.hold = min(p.hold, i) // more text may extend it or change its meaning
	}
	before, after := ' ', ' '
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	if i+n < len(s) {
		after, _ = utf8.DecodeRuneInString(s[i+n:])
	}
	left := !unicode.IsSpace(after) && (!isPunct(after) || unicode.IsSpace(before) || isPunct(before))
	right := !unicode.IsSpace(before) && (!isPunct(before) || unicode.IsSpace(after) || isPunct(after))
	canOpen, canClose := left, right
	switch c {
	case '_':
		canOpen, canClose = left && (!right || isPunct(before)), right && (!left || isPunct(after))
	case '~':
		if n > 2 {
			return n
		}
	}
	rest := n
	if canClose {
		rest = p.close(c, n, canOpen)
	}
	if canOpen && rest > 0 {
		k := strings.IndexByte(marks, c)
		p.openers[k] = append(p.openers[k], opener{at: i, mark: c, length: n, left: rest, both: canClose})
	}
	return n
}

func (p *pending) close(c byte, n int, both bool) int {
	k := strings.IndexByte(marks, c)
	rest := n
	for rest > 0 {
		stack := p.openers[k]
		found := -1
		for j := len(stack) - 1; j >= max(0, len(stack)-maxSkips); j-- {
			o := stack[j]
			if (o.both || both) && (o.length+n)%3 == 0 && (o.length%3 != 0 || n%3 != 0) {
				continue
			}
			found = j
			break
		}
		if found < 0 {
			return rest
		}
		o := &stack[found]
		used := 1
		if rest >= 2 && o.left >= 2 {
			used = 2
		}
		rest -= used
		o.left -= used
		at := o.at
		p.openers[k] = stack[:found+1]
		if o.left <= 0 {
			p.openers[k] = stack[:found]
		}
		for other := range p.openers { // openers in between are literal
			for m := len(p.openers[other]); other != k && m > 0 && p.openers[other][m-1].at > at; m-- {
				p.openers[other] = p.openers[other][:m-1]
			}
		}
	}
	return rest
}

func domainLength(s string) int {
	n := 0
	for n < len(s) && n < 255 && (alphanumeric(s[n]) || s[n] == '.' || s[n] == '-') {
		n++
	}
	return n
}

func isPunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

func runLength(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

func closingRun(s string, from, n int) int {
	for i := from; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		size := runLength(s, i)
		if size == n {
			return i + size
		}
		i += size - 1
	}
	return -1
}

// scanAngle returns the length of the tag, comment or autolink that begins with <, or 1 if there is
// none. complete is false if more text may still complete such a construct.
func scanAngle(s string) (n int, complete bool) {
	if len(s) == 1 {
		return 0, false
	}
	if c := s[1]; !alphanumeric(c) && strings.IndexByte("/!?", c) < 0 {
		return 1, true
	}
	if strings.HasPrefix("<!--", s[:min(4, len(s))]) {
		if end := strings.Index(s, "-->"); end >= 0 {
			return end + 3, true
		}
		return 0, false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '>':
			if completeTag.MatchString(s[:i+1]) {
				return i + 1, true
			}
			if s[1] != '?' && s[1] != '!' {
				return 1, true
			}
		case '<':
			if s[1] != '?' && s[1] != '!' {
				return 1, true
			}
		case '"', '\'':
			if s[i-1] == '=' && s[1] != '?' && s[1] != '!' {
				end := strings.IndexByte(s[i+1:], s[i])
				if end < 0 {
					return 0, false
				}
				i += end + 1
			}
		}
	}
	return 0, false
}

var completeTag = regexp.MustCompile(`^(?:<[A-Za-z][A-Za-z0-9-]*(?:[ \t\n]+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:[ \t\n]*=[ \t\n]*(?:[^"'=<>` + "`" + `\x00-\x20]+|'[^']*'|"[^"]*"))?)*[ \t\n]*/?>` +
	`|</[A-Za-z][A-Za-z0-9-]*[ \t\n]*>|<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*>|<[^<>@\s]+@[^<>@\s]+>|<\?(?s:.*)\?>|<![A-Z](?s:.*)>|<!\[CDATA\[(?s:.*)\]\]>)$`)

func entityPrefix(s string) int {
	n := 1
	for n < len(s) && n < 33 && (alphanumeric(s[n]) || n == 1 && s[n] == '#') {
		n++
	}
	return n
}

func linkTarget(s string) (n int, complete bool) {
	i := blanks(s, 1)
	if i == len(s) {
		return 0, false
	}
	if s[i] == '<' {
		for i++; ; i++ {
			if i >= len(s) {
				return 0, false
			}
			if s[i] == '\\' {
				i++
			} else if s[i] == '>' {
				i++
				break
			} else if s[i] == '<' || s[i] == '\n' {
				return 0, true
			}
		}
	} else {
		depth := 0
	address:
		for ; ; i++ {
			if i >= len(s) {
				return 0, false
			}
			switch c := s[i]; {
			case c == '\\':
				i++
			case c == '(':
				depth++
			case c == ')':
				if depth == 0 {
					break address
				}
				depth--
			case c <= ' ':
				break address
			}
		}
	}
	after := i
	if i = blanks(s, i); i == len(s) {
		return 0, false
	}
	if s[i] == ')' {
		return i + 1, true
	}
	closing := byte(')')
	if s[i] == '"' || s[i] == '\'' {
		closing = s[i]
	} else if s[i] != '(' {
		return 0, true
	}
	if i == after {
		return 0, true
	}
	for i++; ; i++ {
		if i >= len(s) {
			return 0, false
		}
		if s[i] == '\\' {
			i++
		} else if s[i] == closing {
			break
		}
	}
	if i = blanks(s, i+1); i == len(s) {
		return 0, false
	}
	if s[i] == ')' {
		return i + 1, true
	}
	return 0, true
}

func blanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
		i++
	}
	return i
}
