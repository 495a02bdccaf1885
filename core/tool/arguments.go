package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrArguments reports that a call's arguments are not a JSON object.
var ErrArguments = errors.New("the arguments are not a JSON object")

// maxNesting is how often arguments may be encoded as a JSON string. Models rarely do it more than
// twice.
const maxNesting = 3

// ParseArguments parses the arguments that a model wrote for a call. The result is a valid, compact
// JSON object. Mistakes with a clear meaning are corrected:
//
//   - Empty text means {}.
//   - An object inside a JSON string is unwrapped, up to three times.
//   - A code fence, text after the object, NUL and invalid UTF-8 are removed.
func ParseArguments(raw string) (json.RawMessage, error) {
	text := unfence(stripInvalid(raw))
	for range maxNesting {
		if text == "" || text == "null" {
			return json.RawMessage("{}"), nil
		}
		if text[0] != '"' {
			break
		}
		var inner string
		if err := json.Unmarshal([]byte(text), &inner); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrArguments, err)
		}
		text = unfence(stripInvalid(inner))
	}
	if !strings.HasPrefix(text, "{") {
		return nil, ErrArguments
	}
	// Unlike Unmarshal, a decoder stops after the object and so ignores trailing words.
	var object json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&object); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, object); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return compact.Bytes(), nil
}

func stripInvalid(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.ReplaceAll(s, "\x00", "")
	return strings.TrimSpace(withoutNUL(s))
}

// escapedNUL is NUL in JSON. PostgreSQL refuses to store it.
const escapedNUL = `\u0000`

// withoutNUL removes each escape sequence \u0000 from JSON text. It keeps `\\u0000`, in which the
// backslash itself is escaped.
func withoutNUL(s string) string {
	if !strings.Contains(s, escapedNUL) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		if strings.HasPrefix(s, escapedNUL) {
			s = s[len(escapedNUL):]
			continue
		}
		n := min(2, len(s)) // the backslash and the escaped character
		b.WriteString(s[:n])
		s = s[n:]
	}
	b.WriteString(s)
	return b.String()
}

func unfence(s string) string {
	if !strings.HasPrefix(s, "```") {
		return s
	}
	_, body, found := strings.Cut(s, "\n")
	if !found {
		return s
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(body), "```"))
}

// Strings is a list of strings for use in arguments. It accepts all forms that models write: a JSON
// array, a single string, or either inside a JSON string. It drops blank entries and duplicates.
type Strings []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Strings) UnmarshalJSON(data []byte) error {
	var list []any
	if json.Unmarshal(data, &list) != nil {
		var one string
		if err := json.Unmarshal(data, &one); err != nil {
			return fmt.Errorf("want a list of strings: %w", err)
		}
		if json.Unmarshal([]byte(one), &list) != nil {
			list = []any{one}
		}
	}
	*s = nil
	seen := make(map[string]bool, len(list))
	for _, item := range list {
		text := strings.TrimSpace(fmt.Sprint(item))
		if item == nil || text == "" || seen[text] {
			continue
		}
		seen[text] = true
		*s = append(*s, text)
	}
	return nil
}

// Integer is a whole number for use in arguments. It accepts numbers and strings such as "2".
// Numbers beyond 32 bits become the largest or smallest one, which is out of range everywhere. Any
// other value becomes 0.
type Integer int

// UnmarshalJSON implements json.Unmarshaler.
func (i *Integer) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), "\" ")
	n, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // n is infinite
	}
	if *i = 0; err == nil && n == math.Trunc(n) {
		*i = Integer(min(max(n, -math.MaxInt32), math.MaxInt32))
	}
	return nil // the call is still useful without this field
}
