// Package docx reads Word documents (Office Open XML) as documents: sections of paragraphs, lists and tables. Pictures, comments, deleted
// text, headers and footers are left out.
//
// Any input is accepted, in memory proportional to a limit: an archive that would unpack to more is refused.
package docx

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
	"github.com/footnotehq/footnote/core/document"
)

// Page is what a document says about itself, and its content.
type Page struct {
	Title     string // of its properties, else its first heading of the highest rank; may be empty
	UpdatedAt time.Time
	Sections  []document.Section
}

// What the parts of an archive may unpack to, in bytes. The text of a thick book has less than a tenth of that.
const (
	mostText       = 64 << 20
	mostStyles     = 8 << 20
	mostProperties = 1 << 20
)

// atOnce bounds how many documents are read at the same time: a file of a few kilobytes may unpack to all that one is allowed.
var atOnce = make(chan struct{}, 2)

// Parse reads a document, within the time that ctx has. It is safe for concurrent use; few documents are read at once and the others wait. The
// text of an error is a sentence that says what to do, unless ctx is over: then the error is its cause.
func Parse(ctx context.Context, raw []byte) (Page, error) {
	select {
	case atOnce <- struct{}{}:
		defer func() { <-atOnce }()
	case <-ctx.Done():
		return Page{}, context.Cause(ctx)
	}
	page, err := parse(ctx, raw)
	if err != nil && ctx.Err() != nil {
		return Page{}, context.Cause(ctx)
	}
	return page, err
}

func parse(ctx context.Context, raw []byte) (Page, error) {
	if bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) { // a compound file: how Word encrypts, and how it wrote before 2007
		return Page{}, errors.New("it is protected with a password, or in the format of Word 97. Save it as .docx without a password")
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return Page{}, fmt.Errorf("it is damaged: it is no archive as Word writes it (%w). Open it in Word and save it anew", err)
	}
	var page Page
	if _, err := part(archive, "docProps/core.xml", mostProperties, func(d *boundedxml.Decoder) (err error) {
		page.Title, page.UpdatedAt, err = readProperties(ctx, d)
		return err
	}); err != nil {
		page.Title, page.UpdatedAt = "", time.Time{}
	}
	levels := make(map[string]int)
	if _, err := part(archive, "word/styles.xml", mostStyles, func(d *boundedxml.Decoder) error { return readStyles(ctx, d, levels) }); err != nil {
		clear(levels) // without them there are no headings, and the text all the same
	}
	r := reader{levels: levels}
	found, err := part(archive, "word/document.xml", mostText, func(d *boundedxml.Decoder) error { return r.read(ctx, d) })
	switch {
	case errors.Is(err, errLarge):
		return Page{}, fmt.Errorf("it unpacks to more than %d MB of text. Split it into smaller documents", mostText>>20)
	case errors.Is(err, boundedxml.ErrTooDeep), errors.Is(err, boundedxml.ErrTooLong):
		return Page{}, fmt.Errorf("it is no document of a person: %w. Split it into smaller documents", err)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrAlgorithm), errors.Is(err, zip.ErrFormat):
		return Page{}, fmt.Errorf("it is damaged: word/document.xml in it cannot be unpacked (%w). Open it in Word and save it anew", err)
	case err != nil:
		return Page{}, fmt.Errorf("it is damaged: its text is not well-formed (%w). Open it in Word and save it anew", err)
	case !found:
		return Page{}, errors.New("it is no Word document: it holds no word/document.xml. Check what it is")
	}
	page.Sections = r.outline.Sections()
	if page.Title == "" {
		page.Title = r.outline.Title()
	}
	return page, nil
}

// errLarge ends the reading of a part that unpacks to more than it may.
var errLarge = errors.New("it unpacks to too much")

// part reads a file of the archive while it is unpacked. found is false where there is none.
func part(archive *zip.Reader, name string, most int64, read func(*boundedxml.Decoder) error) (found bool, err error) {
	for _, f := range archive.File {
		if f.Name != name {
			continue
		}
		packed, err := f.Open()
		if err != nil {
			return true, err
		}
		return true, errors.Join(read(boundedxml.New(&limited{packed, most}, true)), packed.Close())
	}
	return false, nil
}

// limited fails once more was read than may be.
type limited struct {
	from io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errLarge
	}
	return n, err
}

func readProperties(ctx context.Context, d *boundedxml.Decoder) (title string, updated time.Time, err error) {
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return strings.Join(strings.Fields(title), " "), updated, nil
		}
		if err != nil {
			return "", time.Time{}, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "title" && start.Name.Local != "modified" {
			continue
		}
		text, err := d.Text(ctx)
		if err != nil {
			return "", time.Time{}, err
		}
		if start.Name.Local == "title" {
			title = text
		} else if t, err := time.Parse(time.RFC3339, strings.TrimSpace(text)); err == nil {
			updated = t.UTC()
		}
	}
}

// readStyles collects the heading level of each style that has one, by the style's id.
func readStyles(ctx context.Context, d *boundedxml.Decoder, levels map[string]int) error {
	id, name, level := "", "", -1
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "style":
				id, name, level = boundedxml.Attribute(t, "styleId"), "", -1
			case "name":
				name = strings.ToLower(boundedxml.Attribute(t, "val"))
			case "outlineLvl":
				if n, err := strconv.Atoi(boundedxml.Attribute(t, "val")); err == nil {
					level = n
				}
			}
		case xml.EndElement:
			if t.Name.Local != "style" {
				continue
			}
			switch digit, heading := strings.CutPrefix(name, "heading "); {
			case name == "title":
				levels[id] = 1
			case heading && len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9':
				levels[id] = int(digit[0]-'0') + 1 // below the title
			case level >= 0 && level < 9:
				levels[id] = level + 2
			}
		}
	}
}
