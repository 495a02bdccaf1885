// Package boundedjson decodes JSON from other servers within limits of bytes, elements and depth. A
// byte limit alone does not bound the memory, because three bytes such as "{}," become a hundred
// bytes of memory.
package boundedjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrLimit is wrapped by errors about texts that exceed their [Limits].
var ErrLimit = errors.New("the JSON exceeds a limit")

// Limits are the limits of one JSON text. A zero field means no limit.
type Limits struct {
	Bytes    int64 // length of the text
	Elements int   // number of commas and opening brackets, which bounds the values
	Depth    int   // nesting of arrays and objects
}

// Reader reads a JSON text within limits. It does not check that the text is valid.
type Reader struct {
	in     io.Reader
	limits Limits
	scan   scan
}

// NewReader returns a reader that passes JSON through and enforces limits. If the JSON exceeds a
// limit, its Read method returns an error that wraps [ErrLimit].
func NewReader(in io.Reader, limits Limits) *Reader { return &Reader{in: in, limits: limits} }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if over := r.scan.over(p[:n], r.limits); over != nil {
		return 0, over
	}
	return n, err
}

// Check returns an error that wraps [ErrLimit] if a text exceeds the limits.
func (l Limits) Check(text []byte) error {
	var s scan
	return s.over(text, l)
}

// Unmarshal is like json.Unmarshal, but first checks the limits.
func (l Limits) Unmarshal(text []byte, out any) error {
	if err := l.Check(text); err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// Read reads all of in. It returns an error that wraps [ErrLimit] if the text exceeds the limits.
func (l Limits) Read(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(NewReader(in, l))
	if err != nil {
		return nil, err
	}
	return text, nil
}

type scan struct {
	bytes           int64
	elements, depth int
	quoted, escaped bool // inside a string, after a backslash
}

func (s *scan) over(text []byte, l Limits) error {
	if s.bytes += int64(len(text)); l.Bytes > 0 && s.bytes > l.Bytes {
		return fmt.Errorf("%w of %d bytes", ErrLimit, l.Bytes)
	}
	for _, c := range text {
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped, s.quoted = c == '\\', c != '"'
		case c == '"':
			s.quoted = true
		case c == '{', c == '[':
			s.depth++
			s.elements++
		case c == '}', c == ']':
			s.depth--
		case c == ',':
			s.elements++
		default:
			continue
		}
		if l.Elements > 0 && s.elements > l.Elements {
			return fmt.Errorf("%w of %d elements", ErrLimit, l.Elements)
		}
		if l.Depth > 0 && s.depth > l.Depth {
			return fmt.Errorf("%w of %d levels", ErrLimit, l.Depth)
		}
	}
	return nil
}
