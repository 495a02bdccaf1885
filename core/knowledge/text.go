package knowledge

import (
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

func (r *reader) readText(text string, chunk int) {
	for line := range strings.Lines(text) {
		at := strings.IndexByte(line[:min(len(line), maxLabel+8)], ':')
		if at < 1 {
			continue
		}
		for key, rest := line[:at], line[at+1:]; key != ""; {
			key = strings.Trim(key, " \t*_#->|`")
			if len(key) > maxLabel || labels[Form(key)] == noLabel {
				break
			}
			value, next, behind := firstValue(rest)
			if value = strings.Trim(value, " \t*_\r\n|`"); len(value) <= maxValue {
				r.readLabel(key, value, chunk)
			}
			key, rest = next, behind
		}
	}
	r.findTickets(text, chunk)
	r.findLinks(text, chunk)
	r.readTerms(text)
}

// firstValue splits the rest of a line, after a key and a colon, at the next key. Markdown may have
// joined several lines with keys into one. A key begins with a capital letter. "Ann Lee Author: Bo
// Chen" yields "Ann Lee", "Author" and "Bo Chen".
func firstValue(rest string) (value, key, behind string) {
	for from := 0; ; {
		colon := strings.IndexByte(rest[from:], ':')
		if colon < 0 {
			return rest, "", ""
		}
		colon += from
		from = colon + 1
		start := colon
		for range maxKeyWords {
			start = strings.LastIndexAny(strings.TrimRight(rest[:start], " \t"), " \t") + 1
			key := strings.Trim(rest[start:colon], " \t*_`")
			if key != "" && isCapital(key[0]) && len(key) <= maxLabel && labels[Form(key)] != noLabel {
				return rest[:start], key, rest[colon+1:]
			}
			if start == 0 {
				break
			}
		}
	}
}

const maxKeyWords = 3

// maxValue is the maximum length of a value in bytes. Longer texts are sentences.
const maxValue = 200

// findTickets finds keys such as OPS-1234: a capital letter, one to nine capitals or digits, a
// hyphen, and one to seven digits.
func (r *reader) findTickets(text string, chunk int) {
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
			start > 0 && joinsWord(text[start-1]) || end < len(text) && joinsWord(text[end]) || notTickets[text[start:hyphen]] {
			continue
		}
		key := text[start:end]
		r.add(Fact{Relation: Mentions, Object: &Entity{Kind: Ticket, Key: key, Name: key}, Chunk: chunk})
		at = end
	}
}

// notTickets are prefixes that look like ticket keys but belong to standards and biological terms
// (interleukins, clusters of differentiation).
var notTickets = map[string]bool{
	"UTF": true, "ISO": true, "SHA": true, "MD": true, "RFC": true, "AES": true, "IEEE": true, "CVE": true, "COVID": true, "X": true, "RS": true, "TLS": true, "PEP": true,
	"IEC": true, "DIN": true, "EN": true, "ES": true, "HS": true, "PS": true, "UTC": true, "GMT": true, "US": true, "IPV": true, "ASCII": true, "BASE": true, "WINDOWS": true, "IL": true, "CD": true,
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }

func joinsWord(c byte) bool {
	return isCapital(c) || isDigit(c) || 'a' <= c && c <= 'z' || c == '_' || c == '-' || c == '/'
}

func (r *reader) findLinks(text string, chunk int) {
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
		for end < len(text) && end-start < maxAddress && text[end] > ' ' && !strings.ContainsRune("<>\"'`()[]{}|\\^", rune(text[end])) {
			end++
		}
		at = end
		if target := documentAt(strings.TrimRight(text[start:end], ".,;:!?*_")); target != nil && target.Key != r.document.URL {
			r.add(Fact{Relation: LinksTo, Object: target, Chunk: chunk})
		}
	}
}

const maxAddress = 500 // bytes

// maxLinkSearch limits the search for the positions of links, as a multiple of the document's
// length. It bounds the time for adversarial link texts.
const maxLinkSearch = 64

// addLinks assigns each link to the first passage that contains the link's text. Links are in
// reading order, so the search starts at the passage of the previous link.
func (r *reader) addLinks(chunks []document.Chunk) {
	left := 0
	for i := range chunks {
		left += maxLinkSearch * len(chunks[i].Text)
	}
	at := 0
	for _, l := range r.document.Links {
		target := &Entity{Kind: Document, Key: l.To, Name: l.To}
		if strings.Contains(l.To, "://") {
			target = documentAt(l.To)
		}
		if target == nil || len(target.Key) > maxAddress || target.Key == r.document.URL || target.Key == string(r.document.ID) {
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

func documentAt(text string) *Entity {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return &Entity{Kind: Document, Key: u.String(), Name: text}
}

// replacedDocuments returns the document that is named by the value of a key such as "supersedes".
// It prefers an address in the value to a title. It returns nil if the value contains no address
// and cannot be a title.
func replacedDocuments(value string) []*Entity {
	if at := strings.Index(value, "http"); at >= 0 {
		end := at
		for end < len(value) && value[end] > ' ' && !strings.ContainsRune("<>\"'`()[]{}|,;", rune(value[end])) {
			end++
		}
		if target := documentAt(value[at:end]); target != nil {
			return []*Entity{target}
		}
	}
	name := stripLink(value)
	form := Form(name)
	if !Nameable(form) {
		return nil
	}
	return []*Entity{{Kind: Document, Key: form, Name: name}}
}
