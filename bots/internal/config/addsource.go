package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Pair is a key of a source in the configuration file, with its value. A dot separates nested keys:
// "slack.channels". The value is a []string, a string, true, nil (empty), or a []Pair of keys below
// it.
type Pair struct {
	Key   string
	Value any
}

// sourceName is strict because a source's name becomes part of document ids and group names.
var sourceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// SourceEntry returns the YAML of one entry of the file's sources, indented by two spaces. Pairs
// with keys below the same mapping, such as "slack.", must be adjacent. The error says what is
// wrong with the entry, without line numbers.
func SourceEntry(name string, pairs []Pair) (string, error) {
	if !sourceName.MatchString(name) {
		return "", fmt.Errorf("a source cannot be called %s: use up to 63 letters, digits, dots, - and _, a letter or digit first", quote(name))
	}
	lines := entryLines(name, pairs, "  ", "  ")
	entry := strings.Join(lines, "\n") + "\n"
	if _, err := ParseFile("", []byte("sources:\n"+entry)); err != nil {
		return "", errors.New(withoutLines.ReplaceAllString(err.Error(), ""))
	}
	return entry, nil
}

var withoutLines = regexp.MustCompile(`(?m)^:\d+: `)

func entryLines(name string, pairs []Pair, indent, step string) []string {
	lines := []string{indent + yamlText(name) + ":"}
	var within string // mapping that contains the previous line
	for _, p := range pairs {
		at, key, nested := strings.Cut(p.Key, ".")
		if !nested {
			lines, within = append(lines, indent+step+p.Key+": "+yamlValue(p.Value)), ""
			continue
		}
		if at != within {
			lines, within = append(lines, indent+step+at+":"), at
		}
		lines = append(lines, indent+step+step+key+": "+yamlValue(p.Value))
	}
	return lines
}

func yamlValue(v any) string {
	switch v := v.(type) {
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = yamlText(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case []Pair:
		pairs := make([]string, len(v))
		for i, p := range v {
			pairs[i] = yamlText(p.Key) + ": " + yamlValue(p.Value)
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	case nil:
		return "null"
	case string:
		return yamlText(v)
	default:
		return fmt.Sprint(v)
	}
}

// plainText matches text that YAML reads unchanged without quotes.
var plainText = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 ./_+@-]*(:/[A-Za-z0-9./_+@-]*)?$|^[0-9]+[a-z]$`)

func yamlText(s string) string {
	if plainText.MatchString(s) && !strings.HasSuffix(s, " ") &&
		!slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}

// AddSource returns the configuration file data with one more source at the end of its sources. All
// other bytes stay the same. It returns an error if the file has faults or already has a source of
// that name. Relative paths in the entry start from the folder of path.
func AddSource(path string, data []byte, name string, pairs []Pair) ([]byte, error) {
	entry, err := SourceEntry(name, pairs)
	if err != nil {
		return nil, err
	}
	before, err := ParseFile(path, data)
	if err != nil {
		return nil, fmt.Errorf("%s has faults, and is left as it is:\n%w", path, err)
	}
	if _, taken := before.Source(name); taken {
		return nil, fmt.Errorf("%s has a source %s already: choose another name with --name", path, name)
	}
	added, err := insertSource(data, name, pairs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; add this below sources: by yourself:\n%s", path, err, entry)
	}
	// The result must mean the same as before, plus the new source.
	after, err := ParseFile(path, added)
	if err != nil || !sameBut(before, after, name) {
		return nil, fmt.Errorf("%s is written in a way that cannot be added to; add this below sources: by yourself:\n%s", path, entry)
	}
	return added, nil
}

func sameBut(before, after *File, name string) bool {
	b, a := *before, *after
	last := len(a.Sources) - 1
	if last < 0 || a.Sources[last].Name != name {
		return false
	}
	a.Sources = a.Sources[:last]
	if last == 0 {
		a.Sources = b.Sources // nil and empty are equal
	}
	was, errBefore := json.Marshal(b) // without line numbers
	is, errAfter := json.Marshal(a)
	return errBefore == nil && errAfter == nil && string(was) == string(is)
}

func insertSource(data []byte, name string, pairs []Pair) ([]byte, error) {
	lines, end := splitLines(data)
	keys, err := rootKeys(data)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(keys, func(k rootKey) bool { return k.name == "sources" })
	if i < 0 {
		indent := strings.Repeat(" ", firstColumn(keys)-1)
		return insertLines(lines, endOfDocument(lines), append([]string{indent + "sources:"}, entryLines(name, pairs, indent+"  ", "  ")...), end), nil
	}
	below, indent := keys[i], ""
	switch {
	case below.flow:
		return nil, errors.New("sources: stands in braces, where nothing can be added")
	case below.column > 0:
		indent = strings.Repeat(" ", below.column-1)
	default: // the key has no entries yet
		indent = strings.Repeat(" ", firstColumn(keys)+1)
	}
	last, limit := below.line, endOfDocument(lines) // the first line is 1
	if i+1 < len(keys) {
		limit = keys[i+1].line - 1
	}
	for n := below.line + 1; n <= limit; n++ {
		text := strings.TrimSpace(lines[n-1])
		indented := len(lines[n-1]) > len(strings.TrimLeft(lines[n-1], " "))
		// an unindented comment belongs to the next key
		if text != "" && (indented || !strings.HasPrefix(text, "#")) {
			last = n
		}
	}
	return insertLines(lines, last, entryLines(name, pairs, indent, "  "), end), nil
}

type rootKey struct {
	name         string
	line, column int  // line of the key, column of the keys below it (0: none)
	flow         bool // the value is in braces
	at           int  // the column of the key itself
}

// rootKeys expects a file that ParseFile accepts. It refuses flow style, such as {agent: docs}.
func rootKeys(data []byte) ([]rootKey, error) {
	r := &reader{}
	root := r.parse(data)
	if root == nil {
		return nil, nil
	}
	m, ok := r.value(root).(*ast.MappingNode)
	if !ok {
		return nil, errors.New("the keys of the file are not written one below the other")
	}
	if m.IsFlowStyle {
		return nil, errors.New("the file stands in braces, where nothing can be added")
	}
	var keys []rootKey
	for _, pair := range m.Values {
		key, _ := scalar(r.value(pair.Key))
		k := rootKey{name: key, line: lineOf(pair.Key), at: pair.Key.GetToken().Position.Column}
		if below, ok := r.value(pair.Value).(*ast.MappingNode); ok {
			k.flow = below.IsFlowStyle
			if len(below.Values) > 0 {
				k.column = below.Values[0].Key.GetToken().Position.Column
			}
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func firstColumn(keys []rootKey) int {
	if len(keys) == 0 {
		return 1
	}
	return cmp.Or(keys[0].at, 1)
}

func splitLines(data []byte) (lines []string, end string) {
	end = "\n"
	if strings.Contains(string(data), "\r\n") {
		end = "\r\n"
	}
	return strings.SplitAfter(string(data), "\n"), end
}

// endOfDocument returns the number of lines before "...", which ends a YAML document, or before the
// end of the file. Blank lines at the end are not counted.
func endOfDocument(lines []string) int {
	last := len(lines)
	for i, line := range lines {
		if strings.TrimRight(line, " \r\n") == "..." {
			last = i
			break
		}
	}
	for last > 0 && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	return last
}

func insertLines(lines []string, n int, more []string, end string) []byte {
	var b strings.Builder
	for _, line := range lines[:n] {
		b.WriteString(line)
	}
	if n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
		b.WriteString(end)
	}
	for _, line := range more {
		b.WriteString(line + end)
	}
	for _, line := range lines[n:] {
		b.WriteString(line)
	}
	return []byte(b.String())
}
