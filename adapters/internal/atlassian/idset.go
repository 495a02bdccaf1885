package atlassian

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// IDSet is a set of numeric ids such as "123", or "att123" for an attachment. It marshals to text
// of two or three bytes per id, without ids of any other form.
type IDSet map[string]bool

const attachmentPrefix = "att"

// MarshalText implements encoding.TextMarshaler.
func (s IDSet) MarshalText() ([]byte, error) {
	numbers := make([]uint64, 0, len(s))
	for id := range maps.Keys(s) {
		bare, file := strings.CutPrefix(id, attachmentPrefix)
		n, err := strconv.ParseUint(bare, 10, 63)
		if err != nil {
			continue // not an id
		}
		if n *= 2; file {
			n++
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var raw []byte
	last := uint64(0)
	for _, n := range numbers {
		raw = binary.AppendUvarint(raw, n-last)
		last = n
	}
	return []byte(base64.StdEncoding.EncodeToString(raw)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *IDSet) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	*s = make(IDSet)
	for last := uint64(0); err == nil && len(raw) > 0; {
		n, length := binary.Uvarint(raw)
		if length <= 0 {
			break
		}
		last, raw = last+n, raw[length:]
		id := strconv.FormatUint(last/2, 10)
		if last%2 == 1 {
			id = attachmentPrefix + id
		}
		(*s)[id] = true
	}
	return err
}
