// Package attachment reads files that come with chat messages: text, pages, office documents and PDF files as text, pictures as they are. It is told
// a name, a media type and the bytes, and trusts neither of the first two.
package attachment

import (
	"bytes"
	"context"
	"image"
	_ "image/gif" // the sizes of pictures are read
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/adapters/internal/office"
	"github.com/footnotehq/footnote/adapters/internal/pdf"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"golang.org/x/text/encoding/unicode"
)

// Limits of one message's files. Providers take pictures of up to 5 MB; more than ten megabytes of a document fill no window.
const (
	MaxFiles = 10
	maxImage = 5 << 20
	MaxBytes = 10 << 20
)

// Images cost so many tokens: width times height over 750, as providers count, and as much as a large one where the size is not known.
const (
	pixelsPerToken = 750
	mostImage      = 1600
)

// pdfLimit is how long a PDF file may take to read: somebody waits for it.
const pdfLimit = 5 * time.Second

// The sentences of files that cannot be read. They begin with what the file is and say what to do.
const (
	SayTooLarge = "It is larger than 10 MB. Attach the part that matters."
	sayTooMany  = "Only the first 10 files of a message are read. Attach it to a message of its own."
	sayImage    = "The picture is larger than 5 MB. Attach a smaller one."
	sayKind     = "Files of this kind cannot be read. Attach text, Markdown, HTML, a Word, Excel or PowerPoint document, a PDF file or a picture."
	sayEmpty    = "It is empty."
	sayTooLong  = "It takes too long to read. Attach the part that matters."
	sayNoText   = "No text was found in it. If it is a scan, attach its text."
)

// Images are the media types that models take.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// Limit is how many bytes of a file are worth fetching, going by what its sender calls it.
func Limit(media string) int64 {
	if images[media] {
		return maxImage
	}
	return MaxBytes
}

// Read returns a file with its text, its picture, or a sentence about why it has neither. It never fails, also when ctx ends.
func Read(ctx context.Context, name, media string, raw []byte) message.File {
	f := message.File{Name: clean(name), Media: media}
	kind, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	switch ending := strings.ToLower(path.Ext(name)); {
	case len(raw) == 0:
		f.Failed = sayEmpty
	case len(raw) > MaxBytes:
		f.Failed = SayTooLarge
	case images[kind]:
		if len(raw) > maxImage {
			f.Failed = sayImage
			return f
		}
		f.Media, f.Image, f.Tokens = kind, raw, cost(raw)
	case office.Named(name) || kind == "application/zip" && office.Typed(media):
		page, err := office.Parse(ctx, raw)
		if err != nil {
			f.Failed = "The file could not be read: " + err.Error() + "."
			return f
		}
		f.Text = flat(page.Title, page.Sections)
	case kind == "application/pdf":
		page, err := pdf.Parse(ctx, raw, pdf.Options{Timeout: pdfLimit})
		if err != nil {
			f.Failed = "The PDF file could not be read: " + err.Error() + "."
			return f
		}
		f.Text = flat(page.Title, page.Sections)
	default:
		text, ok := decode(raw)
		if !ok {
			f.Failed = sayKind
			return f
		}
		f.Text = text
		if kind == "text/html" && (ending == ".html" || ending == ".htm" || media == "text/html") {
			page, err := htmltext.Read(ctx, text)
			if err != nil {
				f.Text, f.Failed = "", sayTooLong
				return f
			}
			f.Text = flat(page.Title, page.Sections)
		}
	}
	if f.Failed == "" && f.Image == nil && strings.TrimSpace(f.Text) == "" {
		f.Text, f.Failed = "", sayNoText
	}
	return f
}

// Unread is a file that could not be fetched, with a sentence about why.
func Unread(name, media, sentence string) message.File {
	return message.File{Name: clean(name), Media: media, Failed: sentence}
}

// cost is what a picture is assumed to take of the window, in tokens.
func cost(raw []byte) int {
	size, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return mostImage
	}
	return min(max(size.Width*size.Height/pixelsPerToken, 1), mostImage)
}

// flat is a document as one text.
func flat(title string, sections []document.Section) string {
	var b strings.Builder
	if title != "" {
		b.WriteString(title + "\n")
	}
	for _, s := range sections {
		for _, block := range s.Blocks {
			b.WriteString("\n" + block.Text + "\n")
		}
	}
	return b.String()
}

// decode returns the bytes as UTF-8 text with plain line breaks; ok is false when they are no text.
func decode(raw []byte) (text string, ok bool) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw = raw[3:]
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(raw)
		if err != nil {
			return "", false
		}
		raw = decoded
	}
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		kind := http.DetectContentType(raw)
		if !strings.HasPrefix(kind, "text/") || bytes.IndexByte(raw, 0) >= 0 {
			return "", false
		}
	}
	kind, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	if !strings.HasPrefix(kind, "text/") && kind != "application/octet-stream" {
		return "", false // such as a PDF, whose beginning may be text
	}
	text = strings.ToValidUTF8(string(raw), "\uFFFD")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), true
}

// clean keeps a name on one line, without what could end the quotation marks around it.
func clean(name string) string {
	name = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), `"`, "'")), " ")
	if r := []rune(name); len(r) > 120 {
		name = string(r[:119]) + "…"
	}
	if name == "" {
		return "file"
	}
	return name
}
