package office

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
)

var (
	errLarge    = errors.New("a part unpacks to too much")
	errUnpacked = errors.New("its parts unpack to too much")
	errPages    = errors.New("it has too many sheets or slides")
	// errEnough ends parsing once the caller has enough text. It does not mean a failure.
	errEnough = errors.New("it holds more text than is wanted")
)

type archive struct {
	parts     map[string]*zip.File // by name in lower case, because programs use different cases
	remaining int64                // bytes that may still be unpacked
	most      int                  // bytes of text that the caller wants
	text      int                  // bytes of text that were read
}

// pieceSize is the memory in bytes that a piece of text needs in addition to its characters.
const pieceSize = 16

// addText adds n bytes to the size of the text. It returns errEnough if the size exceeds the amount
// of text that the caller wants.
func (a *archive) addText(n int) error {
	if a.text += n; a.text > a.most {
		return errEnough
	}
	return nil
}

var entry = []byte("PK\x01\x02")

func open(raw []byte, most int) (*archive, error) {
	// a compound file: the format of encrypted files, and of Office before 2007
	if bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return nil, errors.New("it is protected with a password, or in the format that Office had before 2007. Save it as .docx, .xlsx or .pptx without a password")
	}
	if bytes.Count(raw, entry) > mostMembers { // before the directory is in memory
		return nil, fmt.Errorf("it is no document of a person: it holds more than %d parts. Split it into smaller documents", mostMembers)
	}
	packed, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fmt.Errorf("it is damaged: it is no archive as Office writes it (%w). Open it in the program that wrote it and save it again", err)
	}
	a := &archive{parts: make(map[string]*zip.File, len(packed.File)), remaining: mostUnpacked, most: most}
	for _, f := range packed.File {
		if name := partName(f.Name); a.parts[name] == nil {
			a.parts[name] = f
		}
	}
	return a, nil
}

func partName(name string) string { return strings.ToLower(strings.TrimPrefix(name, "/")) }

func (a *archive) part(name string, most int64, read func(*boundedxml.Decoder) error) (found bool, err error) {
	f := a.parts[partName(name)]
	if f == nil {
		return false, nil
	}
	packed, err := f.Open()
	if err != nil {
		return true, err
	}
	return true, errors.Join(read(boundedxml.New(&limited{packed, most, a}, true)), packed.Close())
}

type limited struct {
	from io.Reader
	left int64
	of   *archive
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	l.left -= int64(n)
	l.of.remaining -= int64(n)
	switch {
	case l.left < 0:
		return 0, errLarge
	case l.of.remaining < 0:
		return 0, errUnpacked
	}
	return n, err
}

type relation struct {
	id     string
	kind   string // last word of its type, such as "slide"
	target string // name of the other part
}

// relations returns the references of a part to other parts. part is "" for the references of the
// whole file.
func (a *archive) relations(ctx context.Context, part string) []relation {
	var found []relation
	name := path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
	if part == "" {
		name = "_rels/.rels"
	}
	if _, err := a.part(name, mostStyles, func(d *boundedxml.Decoder) error {
		return eachElement(ctx, d, func(t xml.StartElement) error {
			if t.Name.Local != "Relationship" || boundedxml.Attribute(t, "TargetMode") == "External" || len(found) > mostMembers {
				return nil
			}
			target := boundedxml.Attribute(t, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(path.Dir(part), target)
			}
			found = append(found, relation{boundedxml.Attribute(t, "Id"), path.Base(boundedxml.Attribute(t, "Type")), partName(path.Clean(target))})
			return nil
		})
	}); err != nil {
		return nil
	}
	return found
}

func (a *archive) main(ctx context.Context) string {
	for _, r := range a.relations(ctx, "") {
		if r.kind == "officeDocument" && a.parts[r.target] != nil {
			return r.target
		}
	}
	for _, usual := range []string{"word/document.xml", "xl/workbook.xml", "ppt/presentation.xml", "xl/workbook.bin"} {
		if a.parts[usual] != nil {
			return usual
		}
	}
	return ""
}

func eachElement(ctx context.Context, d *boundedxml.Decoder, start func(xml.StartElement) error) error {
	for {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t, ok := token.(xml.StartElement); ok {
			if err := start(t); err != nil {
				return err
			}
		}
	}
}

func readProperties(ctx context.Context, d *boundedxml.Decoder) (title string, updated time.Time, err error) {
	err = eachElement(ctx, d, func(t xml.StartElement) error {
		if t.Name.Local != "title" && t.Name.Local != "modified" {
			return nil
		}
		text, err := d.Text(ctx)
		if err != nil {
			return err
		}
		if t.Name.Local == "title" {
			title = strings.Join(strings.Fields(text), " ")
		} else if at, err := time.Parse(time.RFC3339, strings.TrimSpace(text)); err == nil {
			updated = at.UTC()
		}
		return nil
	})
	return title, updated, err
}
