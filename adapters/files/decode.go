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

// sniffed is the number of bytes at the start of a file that decide whether the file is text.
const sniffed = 64 << 10

// decode converts the bytes of a file to UTF-8 with "\n" line breaks. If html is true, a meta
// element may name the encoding. The error wraps index.ErrSkipped if the content is not text.
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

// plainBreaks converts line breaks to "\n" and removes zero bytes. It makes only one copy, because
// a text may be large.
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

// zeros reports whether nearly every second byte from offset on is zero, and no other byte is.
// UTF-16 of Latin text looks like this.
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

// decodeUnmarked decodes UTF-8, or the encoding that the bytes resemble. ok is false if a text in
// another encoding than UTF-8 is too large to decode.
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

// nearlyUTF8 reports whether a text is UTF-8 with a few invalid bytes.
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
