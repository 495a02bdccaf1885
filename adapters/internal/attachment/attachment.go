// Package attachment reads files that come with chat messages. It converts text, pages, office
// documents and PDF files to text, and leaves pictures unchanged. It gets a name, a media type and
// the bytes, and trusts none of them. The files of a message share one Room.
package attachment

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/message"
	"golang.org/x/text/encoding/unicode"
)

// MaxFiles is the maximum number of files of one message. maxImage and MaxBytes are the maximum
// sizes of a picture and of any other file, in bytes. Model providers accept pictures of up to 5
// MB.
const (
	MaxFiles = 10
	maxImage = 5 << 20
	// maxImages is the maximum total size of a message's pictures in bytes. Several copies of them
	// are in memory while a model is called.
	maxImages = 6 << 20
	MaxBytes  = 10 << 20
)

const (
	defaultTokens = 100_000 // default limit for the text of a message's files
	bytesPerToken = 8       // upper bound, except for runs of one character
)

// pixelsPerToken and mostImage estimate the tokens of a picture. Providers count width times height
// divided by 750, up to a maximum. An image of unknown size counts as the maximum.
const (
	pixelsPerToken = 750
	mostImage      = 1600
)

// pdfLimit is the timeout for parsing a PDF file. It is short because a person waits for the
// answer.
const pdfLimit = 5 * time.Second

// SayTooLarge and the other constants are sentences that tell a person why a file cannot be read,
// and what to do.
const (
	SayTooLarge = "It is larger than 10 MB. Attach the part that matters."
	sayTooMany  = "Only the first 10 files of a message are read. Attach it to a separate message."
	sayImage    = "The picture is larger than 5 MB. Attach a smaller one."
	sayImages   = "The pictures of a message may have 6 MB together. Attach it to a separate message."
	sayNoRoom   = "The files before it have all the text that is read with one question. Attach it to a separate message."
	sayBusy     = "Too many files are being read at the moment. Ask again in a minute."
	sayKind     = "Files of this kind cannot be read. Attach text, Markdown, HTML, a Word, Excel or PowerPoint document, a PDF file or a picture."
	sayEmpty    = "It is empty."
	sayTooLong  = "It takes too long to read. Attach the part that matters."
	saySlow     = "It takes too long to download. Attach it again, or the part that matters."
	sayLate     = "It had too little time, because other files took so long. Attach it to a separate message."
	sayNoText   = "No text was found in it. If it is a scan, attach its text."
)

var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// Limit returns the maximum download size of a file in bytes. media is the file's media type.
// Pictures have a lower limit than other files.
func Limit(media string) int64 {
	if images[media] {
		return maxImage
	}
	return MaxBytes
}

// Room is the number of bytes that remain for the text and for the pictures of one message. It is
// not safe for concurrent use.
type Room struct{ Text, Images int }

// RoomFor returns the room for the files of one message. Their text may have the given number of
// tokens, or a default number if tokens is 0.
func RoomFor(tokens int) Room {
	return Room{Text: min(cmp.Or(tokens, defaultTokens), document.MaxText/bytesPerToken) * bytesPerToken, Images: maxImages}
}

// Read returns the text of a file, or the unchanged file if it is a picture. It subtracts the
// result's size from room, and truncates text that does not fit. It never fails. An unreadable file
// has a sentence that says why.
func Read(ctx context.Context, name, media string, raw []byte, room *Room) message.File {
	f, cut := readText(ctx, name, media, raw, room.Text)
	switch {
	case len(f.Image) > room.Images:
		f = Unread(name, f.Media, sayImages)
	case cut && room.Text <= 0:
		f = Unread(name, f.Media, sayNoRoom)
	}
	room.Images -= len(f.Image)
	room.Text -= len(f.Text)
	if cut && f.Failed == "" {
		room.Text = 0
		f.Cut(f.Text)
	}
	return f
}

func readText(ctx context.Context, name, media string, raw []byte, most int) (f message.File, cut bool) {
	f = message.File{Name: clean(name), Media: media}
	kind, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	switch ending := strings.ToLower(path.Ext(name)); {
	case len(raw) == 0:
		f.Failed = sayEmpty
	case len(raw) > MaxBytes:
		f.Failed = SayTooLarge
	case images[kind]:
		if len(raw) > maxImage {
			f.Failed = sayImage
			return f, false
		}
		f.Media, f.Image, f.Tokens = kind, raw, cost(raw)
	case office.Named(name) || kind == "application/zip" && office.Typed(media):
		page, err := office.Begin(ctx, raw, most)
		switch {
		case err != nil && ctx.Err() != nil:
			f.Failed = unfinished(err)
			return f, false
		case err != nil:
			f.Failed = "The file could not be read: " + err.Error() + "."
			return f, false
		}
		f.Text, cut = flat(page.Title, page.Sections, most)
		cut = cut || page.Cut
	case kind == "application/pdf":
		page, err := pdf.Parse(ctx, raw, pdf.Options{Timeout: pdfLimit})
		switch {
		case err != nil && ctx.Err() != nil:
			f.Failed = unfinished(err)
			return f, false
		case err != nil:
			f.Failed = "The PDF file could not be read: " + err.Error() + "."
			return f, false
		}
		f.Text, cut = flat(page.Title, page.Sections, most)
	default:
		page := kind == "text/html" && (ending == ".html" || ending == ".htm" || media == "text/html")
		// UTF-16 has two bytes where UTF-8 has one
		if end := 2 * (max(most, 0) + 1); !page && len(raw) > end {
			raw = raw[:end]
		}
		text, err := footprint.Hold(ctx, footprint.Text, int64(len(raw)), func(context.Context) (string, error) { return decode(raw) })
		switch {
		case errors.Is(err, errNoText):
			f.Failed = sayKind
			return f, false
		case err != nil:
			f.Failed = unfinished(err)
			return f, false
		case !page:
			f.Text, cut = beginning(text, most)
		default:
			page, err := htmltext.Read(ctx, text)
			if err != nil {
				f.Failed = unfinished(err)
				return f, false
			}
			f.Text, cut = flat(page.Title, page.Sections, most)
		}
	}
	if f.Failed == "" && f.Image == nil && !cut && strings.TrimSpace(f.Text) == "" {
		f.Text, f.Failed = "", sayNoText
	}
	return f, cut
}

// unfinished returns the sentence for a file whose reading was not finished in time.
func unfinished(err error) string {
	if errors.Is(err, footprint.ErrWaiting) {
		return sayBusy
	}
	return sayTooLong
}

func beginning(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	return strings.Clone(strings.ToValidUTF8(text[:max(most, 0)], "")), true
}

// Unread returns a file without content, and a sentence that says why it could not be read.
func Unread(name, media, sentence string) message.File {
	return message.File{Name: clean(name), Media: media, Failed: sentence}
}

func cost(raw []byte) int {
	size, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return mostImage
	}
	return min(max(size.Width*size.Height/pixelsPerToken, 1), mostImage)
}

func flat(title string, sections []document.Section, most int) (string, bool) {
	var b strings.Builder
	add := func(text string) bool {
		text, cut := beginning(text, most-b.Len())
		b.WriteString(text)
		return cut
	}
	if title != "" && add(title+"\n") {
		return b.String(), true
	}
	for _, s := range sections {
		for _, block := range s.Blocks {
			if add("\n") || add(block.Text) || add("\n") {
				return b.String(), true
			}
		}
	}
	return b.String(), false
}

var errNoText = errors.New("it is no text")

// decode converts UTF-8 or UTF-16 text to UTF-8 with "\n" line breaks. It returns errNoText for
// binary data.
func decode(raw []byte) (string, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw = raw[3:]
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(raw)
		if err != nil {
			return "", errNoText
		}
		raw = decoded
	}
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		kind := http.DetectContentType(raw)
		if !strings.HasPrefix(kind, "text/") || bytes.IndexByte(raw, 0) >= 0 {
			return "", errNoText
		}
	}
	kind, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	if !strings.HasPrefix(kind, "text/") && kind != "application/octet-stream" {
		return "", errNoText // such as a PDF, whose beginning may be text
	}
	text := strings.ToValidUTF8(string(raw), "\uFFFD")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), nil
}

// clean returns a file name without line breaks and quotation marks. It truncates long names.
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
