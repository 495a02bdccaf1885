package files

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

// sniffed is how many bytes of a file are checked to recognise text.
const sniffed = 64 << 10

// decode turns a file's bytes into UTF-8 text with plain line breaks. What is no text is an error
// that wraps index.ErrSkipped.
func decode(raw []byte, html bool) (string, error) {
	text, ok := decodeMarked(raw)
	if !ok {
		if kind := binary(raw); kind != "" {
			return "", fmt.Errorf("it holds %s and no text: %w", kind, index.ErrSkipped)
		}
		if text, ok = decodeUnmarked(raw, html); !ok {
			return "", errTooMuchText
		}
	}
	return strings.ToValidUTF8(plainBreaks(text), "\uFFFD"), nil
}

// plainBreaks writes each line break as one character and leaves zeros out, in one copy: a text may
// be large.
func plainBreaks(text string) string {
	if !strings.ContainsAny(text, "\r\x00") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		end := strings.IndexAny(text, "\r\x00")
		if end < 0 {
			end = len(text)
		}
		b.WriteString(text[:end])
		rest := text[end:]
		if strings.HasPrefix(rest, "\r") && !strings.HasPrefix(rest, "\r\n") {
			b.WriteByte('\n')
		}
		text = rest[min(1, len(rest)):]
	}
	return b.String()
}

// decodeMarked reads what begins with a byte order mark, or is UTF-16 without one.
func decodeMarked(raw []byte) (string, bool) {
	var order unicode.Endianness
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		return string(raw[3:]), true
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		order = unicode.LittleEndian
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		order = unicode.BigEndian
	case zeros(raw, 1):
		order = unicode.LittleEndian
	case zeros(raw, 0):
		order = unicode.BigEndian
	default:
		return "", false
	}
	text, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(raw)
	return string(text), err == nil
}

// zeros reports whether nearly every second byte from offset on is zero and the others are not, as
// in UTF-16 of Latin text.
func zeros(raw []byte, offset int) bool {
	sample := raw[:min(len(raw), sniffed)]
	if len(sample) < 16 {
		return false
	}
	in, out := 0, 0
	for i, b := range sample {
		switch {
		case b != 0:
		case i%2 == offset:
			in++
		default:
			out++
		}
	}
	return out == 0 && in*10 > len(sample)/2*9
}

// binary returns the kind of content that is not text, or "". A few control characters are allowed
// in text.
func binary(raw []byte) string {
	sample := raw[:min(len(raw), sniffed)]
	kind, _, _ := strings.Cut(http.DetectContentType(sample), ";")
	if kind != "application/octet-stream" && !strings.HasPrefix(kind, "text/") && kind != "application/json" && kind != "application/postscript" {
		return kind
	}
	controls := 0
	for _, b := range sample {
		if b < ' ' && !bytes.ContainsRune([]byte("\t\n\r\f\b\x1b"), rune(b)) {
			controls++
		}
	}
	if controls*20 > len(sample) {
		return "binary data"
	}
	return ""
}

// decodeUnmarked reads UTF-8, or what the bytes look like. In the latter case ok is false for more
// bytes than a document may have: the decoder holds several times as many.
func decodeUnmarked(raw []byte, html bool) (text string, ok bool) {
	switch {
	case utf8.Valid(raw) || nearlyUTF8(raw):
		return string(raw), true
	case len(raw) > document.MaxText:
		return "", false
	}
	kind := "text/plain"
	if html {
		kind = "text/html" // looks for a meta element
	}
	encoding, _, _ := charset.DetermineEncoding(raw[:min(len(raw), 1024)], kind)
	if text, err := encoding.NewDecoder().Bytes(raw); err == nil && utf8.Valid(text) {
		return string(text), true
	}
	return string(raw), true
}

// nearlyUTF8 reports whether a text is UTF-8 with a few broken places rather than in another
// encoding.
func nearlyUTF8(raw []byte) bool {
	good, broken := 0, 0
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			broken++
		case size > 1:
			good++
		}
		at += size
	}
	return broken*10 < good
}
