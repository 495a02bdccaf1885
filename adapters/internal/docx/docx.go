// Package docx reads Word documents (Office Open XML) as documents: sections of paragraphs, lists and tables. Pictures, comments, deleted
// text, headers and footers are left out.
//
// Any input is accepted, in memory proportional to a limit: an archive that would unpack to more is refused.
package docx

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Page is what a document says about itself, and its content.
type Page struct {
	Title     string // of its properties, else its first heading of the highest rank; may be empty
	UpdatedAt time.Time
	Sections  []document.Section
}

// mostUnpacked is how many bytes one part of the archive may unpack to. The text of a thick book has less than a tenth of that.
const mostUnpacked = 64 << 20

// Parse reads a document. It is safe for concurrent use. The text of an error is a sentence that says what to do.
func Parse(raw []byte) (Page, error) {
	if bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) { // a compound file: how Word encrypts, and how it wrote before 2007
		return Page{}, errors.New("it is protected with a password, or in the format of Word 97. Save it as .docx without a password")
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return Page{}, fmt.Errorf("it is damaged: it is no archive as Word writes it (%w). Open it in Word and save it anew", err)
	}
	body, err := part(archive, "word/document.xml")
	if err != nil {
		return Page{}, err
	}
	if body == nil {
		return Page{}, errors.New("it is no Word document: it holds no word/document.xml. Check what it is")
	}
	var page Page
	if properties, err := part(archive, "docProps/core.xml"); err == nil {
		page.Title, page.UpdatedAt = readProperties(properties)
	}
	var levels map[string]int
	if styles, err := part(archive, "word/styles.xml"); err == nil { // without them there are no headings, and the text all the same
		levels = readStyles(styles)
	}
	r := reader{levels: levels}
	if err := r.read(body); err != nil {
		return Page{}, fmt.Errorf("it is damaged: its text is not well-formed (%w). Open it in Word and save it anew", err)
	}
	page.Sections = r.outline.Sections()
	if page.Title == "" {
		page.Title = r.outline.Title()
	}
	return page, nil
}

// part unpacks a file of the archive; nil where there is none.
func part(archive *zip.Reader, name string) ([]byte, error) {
	for _, f := range archive.File {
		if f.Name != name {
			continue
		}
		packed, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("it is damaged: %s in it cannot be unpacked (%w). Open it in Word and save it anew", name, err)
		}
		raw, err := io.ReadAll(io.LimitReader(packed, mostUnpacked+1))
		if err := errors.Join(err, packed.Close()); err != nil {
			return nil, fmt.Errorf("it is damaged: %s in it cannot be unpacked (%w). Open it in Word and save it anew", name, err)
		}
		if len(raw) > mostUnpacked {
			return nil, fmt.Errorf("it unpacks to more than %d MB of text. Split it into smaller documents", mostUnpacked>>20)
		}
		return raw, nil
	}
	return nil, nil
}

func readProperties(raw []byte) (title string, updated time.Time) {
	var p struct {
		Title    string `xml:"title"`
		Modified string `xml:"modified"`
	}
	if xml.Unmarshal(raw, &p) != nil {
		return "", time.Time{}
	}
	updated, err := time.Parse(time.RFC3339, strings.TrimSpace(p.Modified))
	if err != nil {
		updated = time.Time{}
	}
	return strings.Join(strings.Fields(p.Title), " "), updated.UTC()
}

// readStyles returns the heading level of each style that has one, by the style's id.
func readStyles(raw []byte) map[string]int {
	var s struct {
		Styles []struct {
			ID   string `xml:"styleId,attr"`
			Name struct {
				Val string `xml:"val,attr"`
			} `xml:"name"`
			Level *struct {
				Val int `xml:"val,attr"`
			} `xml:"pPr>outlineLvl"`
		} `xml:"style"`
	}
	levels := make(map[string]int)
	if xml.Unmarshal(raw, &s) != nil {
		return levels
	}
	for _, style := range s.Styles {
		name := strings.ToLower(style.Name.Val)
		switch digit, heading := strings.CutPrefix(name, "heading "); {
		case name == "title":
			levels[style.ID] = 1
		case heading && len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9':
			levels[style.ID] = int(digit[0]-'0') + 1 // below the title
		case style.Level != nil && style.Level.Val >= 0 && style.Level.Val < 9:
			levels[style.ID] = style.Level.Val + 2
		}
	}
	return levels
}
