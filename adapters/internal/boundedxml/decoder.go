// Package boundedxml parses untrusted XML token by token in little memory. It rejects deep nesting
// and tags with too many attributes before they use memory.
package boundedxml

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	deepest      = 512     // nesting of elements
	longestToken = 1 << 20 // bytes of a tag with its attributes, or of the text between two tags
	steps        = 1024    // tokens between two checks of the context
)

// ErrTooDeep and ErrTooLong are errors of [Decoder.Next] for texts that exceed a limit.
var (
	ErrTooDeep = fmt.Errorf("more than %d elements stand inside one another", deepest)
	ErrTooLong = fmt.Errorf("a tag or a text has more than %d MB", longestToken>>20)
)

// Decoder parses one XML text within limits. It is not safe for concurrent use.
type Decoder struct {
	tokens *xml.Decoder
	in     *meter
	depth  int
	step   int
}

// New returns a decoder. If strict is false, elements may lack end tags and attribute values may
// lack quotes. The decoder then also accepts other encodings than UTF-8, without converting them.
func New(r io.Reader, strict bool) *Decoder {
	in := &meter{from: bufio.NewReader(r)}
	d := &Decoder{tokens: xml.NewDecoder(in), in: in}
	d.tokens.Strict = strict
	if !strict {
		d.tokens.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	}
	return d
}

// Next returns the next token, which is valid until the next call. At the end of the text it
// returns io.EOF. It may return the cause of ctx once ctx is done.
func (d *Decoder) Next(ctx context.Context) (xml.Token, error) {
	if d.step++; d.step%steps == 0 && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d.in.remaining = longestToken
	token, err := d.tokens.RawToken()
	if err != nil {
		if errors.Is(err, io.EOF) && d.depth > 0 && d.tokens.Strict {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch token.(type) {
	case xml.StartElement:
		if d.depth++; d.depth > deepest {
			return nil, ErrTooDeep
		}
	case xml.EndElement:
		d.depth = max(d.depth-1, 0)
	}
	return token, nil
}

// Skip reads to the end of an element. Call it directly after Next has returned the element's start
// tag.
func (d *Decoder) Skip(ctx context.Context) error {
	return d.until(ctx, func(string) {})
}

// Text reads to the end of an element and returns its text, including that of nested elements. Call
// it directly after Next has returned the element's start tag.
func (d *Decoder) Text(ctx context.Context) (string, error) {
	var b strings.Builder
	err := d.until(ctx, func(text string) {
		if b.Len() < longestToken {
			b.WriteString(text)
		}
	})
	return b.String(), err
}

func (d *Decoder) until(ctx context.Context, text func(string)) error {
	for outside := d.depth - 1; d.depth > outside; {
		token, err := d.Next(ctx)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if chars, ok := token.(xml.CharData); ok {
			text(string(chars))
		}
	}
	return nil
}

// Attribute returns the value of an attribute of e, whatever its name space. It returns "" if there
// is none.
func Attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

type meter struct {
	from      *bufio.Reader
	remaining int
}

var _ io.ByteReader = (*meter)(nil)

// ReadByte implements io.ByteReader, which xml.Decoder uses to read its input.
func (m *meter) ReadByte() (byte, error) {
	if m.remaining--; m.remaining < 0 {
		return 0, ErrTooLong
	}
	return m.from.ReadByte()
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	if m.remaining <= 0 {
		return 0, ErrTooLong
	}
	n, err := m.from.Read(p[:min(len(p), m.remaining)])
	m.remaining -= n
	return n, err
}
