package knowledge

import (
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// text reads what a passage states: lines such as "Owner: Ann Lee", numbers of tickets, and
// addresses.
func (r *reader) text(text string, chunk int) {
	for line := range strings.Lines(text) {
		at := strings.IndexByte(line[:min(len(line), longestLabel+8)], ':')
		if at < 1 {
			continue
		}
		for key, rest := line[:at], line[at+1:]; key != ""; {
			key = strings.Trim(key, " \t*_#->|`")
			if len(key) > longestLabel || labels[Form(key)] == noLabel {
				break
			}
			value, next, behind := firstValue(rest)
			if value = strings.Trim(value, " \t*_\r\n|`"); len(value) <= longestValue {
				r.labelled(key, value, chunk)
			}
			key, rest = next, behind
		}
	}
	r.tickets(text, chunk)
	r.links(text, chunk)
	r.terms(text)
}

// firstValue is what stands before the next key in a line, with that key and what stands behind it:
// lines of Markdown are joined where no empty line parts them, so that "Owner: Ann Lee" and
// "Author: Bo Chen" become one. A key begins with a capital.
func firstValue(rest string) (value, key, behind string) {
	for from := 0; ; {
		colon := strings.IndexByte(rest[from:], ':')
		if colon < 0 {
			return rest, "", ""
		}
		colon += from
		from = colon + 1
		start := colon
		for range mostKeyWords {
			start = strings.LastIndexAny(strings.TrimRight(rest[:start], " \t"), " \t") + 1
			key := strings.Trim(rest[start:colon], " \t*_`")
			if key != "" && isCapital(key[0]) && len(key) <= longestLabel && labels[Form(key)] != noLabel {
				return rest[:start], key, rest[colon+1:]
			}
			if start == 0 {
				break
			}
		}
	}
}

// mostKeyWords is how many words a key has at most.
const mostKeyWords = 3

// longestValue is how many bytes a line may have behind its key: what is longer is a sentence.
const longestValue = 200

// tickets finds keys such as OPS-1234: two to ten capitals and digits, beginning with a capital, a hyphen, and up to seven digits.
func (r *reader) tickets(text string, chunk int) {
	for at := 0; at < len(text); {
		hyphen := strings.IndexByte(text[at:], '-')
		if hyphen < 0 {
			return
		}
		hyphen += at
		at = hyphen + 1
		start := hyphen
		for start > 0 && hyphen-start < 11 && (isCapital(text[start-1]) || isDigit(text[start-1])) {
			start--
		}
		end := hyphen + 1
		for end < len(text) && end-hyphen < 9 && isDigit(text[end]) {
			end++
		}
		if n, digits := hyphen-start, end-hyphen-1; n < 2 || n > 10 || !isCapital(text[start]) || digits < 1 || digits > 7 ||
			start > 0 && joins(text[start-1]) || end < len(text) && joins(text[end]) || notTickets[text[start:hyphen]] {
			continue
		}
		key := text[start:end]
		r.add(Fact{Relation: Mentions, Object: &Entity{Kind: Ticket, Key: key, Name: key}, Chunk: chunk})
		at = end
	}
}

// notTickets are names of standards, and of what biologists number (interleukins, clusters of differentiation), which are written as keys of tickets are.
var notTickets = map[string]bool{
	"UTF": true, "ISO": true, "SHA": true, "MD": true, "RFC": true, "AES": true, "IEEE": true, "CVE": true, "COVID": true, "X": true, "RS": true, "TLS": true, "PEP": true,
	"IEC": true, "DIN": true, "EN": true, "ES": true, "HS": true, "PS": true, "UTC": true, "GMT": true, "US": true, "IPV": true, "ASCII": true, "BASE": true, "WINDOWS": true, "IL": true, "CD": true,
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }

// joins reports whether a byte beside a key makes it part of something longer.
func joins(c byte) bool {
	return isCapital(c) || isDigit(c) || 'a' <= c && c <= 'z' || c == '_' || c == '-' || c == '/'
}

// links finds addresses of the web. That of a fragment is that of its page.
func (r *reader) links(text string, chunk int) {
	for at := 0; ; {
		found := strings.Index(text[at:], "://")
		if found < 0 {
			return
		}
		found += at
		start := found
		switch {
		case strings.HasSuffix(text[:found], "https"):
			start -= len("https")
		case strings.HasSuffix(text[:found], "http"):
			start -= len("http")
		default:
			at = found + len("://")
			continue
		}
		end := found + len("://")
		for end < len(text) && end-start < longestAddress && text[end] > ' ' && !strings.ContainsRune("<>\"'`()[]{}|\\^", rune(text[end])) {
			end++
		}
		at = end
		if target := address(strings.TrimRight(text[start:end], ".,;:!?*_")); target != nil && target.Key != r.document.URL {
			r.add(Fact{Relation: LinksTo, Object: target, Chunk: chunk})
		}
	}
}

const longestAddress = 500 // bytes

// searchedForLinks is how many times the length of a document is searched at most for where its
// links stand: the texts of links may be made so that each is looked for to the end.
const searchedForLinks = 64

// linked reads the links of which the text does not tell where they lead. They are in reading
// order, so that the first passage from that of the one before which holds a link's text is at or
// before its own.
func (r *reader) linked(chunks []document.Chunk) {
	left := 0
	for i := range chunks {
		left += searchedForLinks * len(chunks[i].Text)
	}
	at := 0
	for _, l := range r.document.Links {
		target := &Entity{Kind: Document, Key: l.To, Name: l.To}
		if strings.Contains(l.To, "://") {
			target = address(l.To)
		}
		if target == nil || len(target.Key) > longestAddress || target.Key == r.document.URL || target.Key == string(r.document.ID) {
			continue
		}
		for i := at; i < len(chunks) && left > 0; i++ {
			left -= len(chunks[i].Text)
			if strings.Contains(chunks[i].Text, l.Text) {
				at = i
				r.add(Fact{Relation: LinksTo, Object: target, Chunk: i})
				break
			}
		}
	}
}

// address is the document at an address; nil where that is none.
func address(text string) *Entity {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return &Entity{Kind: Document, Key: u.String(), Name: text}
}

// targets are the documents that the value of "supersedes" names: by address where there is one,
// else by title.
func targets(value string) []*Entity {
	if at := strings.Index(value, "http"); at >= 0 {
		end := at
		for end < len(value) && value[end] > ' ' && !strings.ContainsRune("<>\"'`()[]{}|,;", rune(value[end])) {
			end++
		}
		if target := address(value[at:end]); target != nil {
			return []*Entity{target}
		}
	}
	name := unlinked(value)
	form := Form(name)
	if !Nameable(form) {
		return nil
	}
	return []*Entity{{Kind: Document, Key: form, Name: name}}
}
