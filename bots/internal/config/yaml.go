package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// reader reads typed values from a YAML document and collects every fault with its line. It walks
// the tree itself because a decoder stops at the first fault.
type reader struct {
	name   string
	faults []fault
}

type fault struct {
	line int
	text string
}

// byteOrderMark is what some editors write at the beginning of a file. YAML allows it there.
const byteOrderMark = "\ufeff"

// parse returns nil if the document is empty or not YAML.
func (r *reader) parse(data []byte) ast.Node {
	file, err := parser.ParseBytes([]byte(strings.TrimPrefix(string(data), byteOrderMark)), 0)
	if err != nil {
		line, text := 0, err.Error()
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			text = syntax.GetMessage()
			if token := syntax.GetToken(); token != nil && token.Position != nil {
				line = token.Position.Line
			}
		}
		first, _, _ := strings.Cut(text, "\n")
		r.faults = append(r.faults, fault{line, "this is not YAML: " + first})
		return nil
	}
	var root ast.Node
	for _, doc := range file.Docs {
		if doc == nil || doc.Body == nil {
			continue
		}
		if root != nil {
			r.fault(doc.Body, "a second document begins here: keep everything in one")
			return root
		}
		root = doc.Body
	}
	return root
}

func (r *reader) err() error {
	if len(r.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(r.faults, func(a, b fault) int { return a.line - b.line })
	lines := make([]string, len(r.faults))
	for i, f := range r.faults {
		lines[i] = fmt.Sprintf("%s:%d: %s", r.name, f.line, f.text)
	}
	return errors.New(strings.Join(lines, "\n"))
}

func (r *reader) fault(at ast.Node, format string, args ...any) {
	r.faults = append(r.faults, fault{lineOf(at), fmt.Sprintf(format, args...)})
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// value unwraps tags and anchors. It does not follow aliases, because the file should show every
// value in place.
func (r *reader) value(n ast.Node) ast.Node {
	for {
		switch inner := n.(type) {
		case *ast.TagNode:
			n = inner.Value
		case *ast.AnchorNode:
			n = inner.Value
		default:
			return n
		}
	}
}

type field struct {
	key  string
	read func(path string, n ast.Node)
}

// fields reads a mapping with a fixed set of keys. A key without a value counts as absent.
func (r *reader) fields(path string, n ast.Node, fields ...field) {
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.key
	}
	r.pairs(path, n, func(key string, at, value ast.Node) {
		i := slices.Index(known, key)
		if i < 0 {
			advice := "the keys here are " + strings.Join(known, ", ")
			if meant := meantKey(key, known); meant != "" {
				advice = "did you mean " + meant + "?"
			}
			r.fault(at, "%s is not a setting: %s", join(path, key), advice)
			return
		}
		if _, empty := r.value(value).(*ast.NullNode); !empty {
			fields[i].read(join(path, key), value)
		}
	})
}

// otherNames maps words that people often write to the real keys. `footnote sources add` accepts
// them too.
var otherNames = map[string]string{"git": "url", "site": "url", "folder": "path"}

// meantKey returns the known key that a person probably meant: the real key for another name, or
// the closest key with at most two different letters. It returns "" if there is none or a tie.
func meantKey(key string, known []string) string {
	if other := otherNames[key]; slices.Contains(known, other) {
		return other
	}
	best, least := "", 3
	for _, k := range known {
		d := edits(key, k)
		switch {
		case d < least && 3*d <= len(k):
			best, least = k, d
		case d == least:
			best = ""
		}
	}
	return best
}

// edits returns the Levenshtein distance of a and b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// pairs calls each in file order. Duplicate keys and merge keys are faults.
func (r *reader) pairs(path string, n ast.Node, each func(key string, at, value ast.Node)) {
	m, ok := r.value(n).(ast.MapNode)
	if !ok {
		if path == "" {
			r.fault(n, "the file holds %s: write keys and values, such as sources:", describe(r.value(n)))
		} else {
			r.fault(n, "%s holds %s: write keys and values below it", path, describe(r.value(n)))
		}
		return
	}
	seen := make(map[string]bool)
	for pairs := m.MapRange(); pairs.Next(); {
		at := pairs.Key()
		key, ok := scalar(r.value(at))
		switch {
		case at.IsMergeKey() || !ok:
			r.fault(at, "%s has a key that is not a plain word: write the settings out", cmp.Or(path, "the file"))
		case seen[key]:
			r.fault(at, "%s stands here twice: keep one", join(path, key))
		default:
			seen[key] = true
			each(key, at, pairs.Value())
		}
	}
}

// items calls each for every entry of a list. A single value counts as a list of one.
func (r *reader) items(path string, n ast.Node, each func(path string, n ast.Node)) {
	switch list := r.value(n).(type) {
	case *ast.SequenceNode:
		if len(list.Values) == 0 {
			r.fault(n, "%s is an empty list: name something, or leave the key out", path)
		}
		for i, item := range list.Values {
			each(fmt.Sprintf("%s[%d]", path, i+1), item)
		}
	default:
		each(path, n)
	}
}

func (r *reader) text(to *string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		s, ok := scalar(r.value(n))
		if !ok {
			r.fault(n, "%s holds %s: write text", path, describe(r.value(n)))
			return
		}
		if *to = strings.TrimSpace(s); *to == "" {
			r.fault(n, "%s is empty: write text, or leave the key out", path)
		}
	}
}

func (r *reader) texts(to *[]string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.items(path, n, func(path string, n ast.Node) {
			var s string
			r.text(&s)(path, n)
			if s != "" {
				*to = append(*to, s)
			}
		})
	}
}

func (r *reader) yes(to *bool) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		b, ok := r.value(n).(*ast.BoolNode)
		if !ok {
			r.fault(n, "%s holds %s: write true or false", path, describe(r.value(n)))
			return
		}
		*to = b.Value
	}
}

func (r *reader) count(to *int, least, most int) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		number, err := strconv.Atoi(r.value(n).String())
		if _, whole := r.value(n).(*ast.IntegerNode); !whole || err != nil || number < least || number > most {
			r.fault(n, "%s holds %s: write a number from %d to %d", path, describe(r.value(n)), least, most)
			return
		}
		*to = number
	}
}

func (r *reader) no(to *bool) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		yes := true
		r.yes(&yes)(path, n)
		*to = !yes
	}
}

// acl accepts a YAML list, or principals separated by commas.
func (r *reader) acl(to *access.ACL) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		var parts []string
		r.texts(&parts)(path, n)
		if len(parts) == 0 {
			return
		}
		list, err := access.ParseACL(strings.Join(parts, ","))
		if err != nil {
			r.fault(n, "%s: %v", path, err)
			return
		}
		*to = list
	}
}

func word[T ~string](r *reader, to *T, words ...T) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		s, _ := scalar(r.value(n))
		if !slices.Contains(words, T(s)) {
			all := make([]string, len(words))
			for i, w := range words {
				all[i] = string(w)
			}
			r.fault(n, "%s holds %s: write %s", path, describe(r.value(n)), alternatives(all))
			return
		}
		*to = T(s)
	}
}

// scalar returns the text as written, so that ids that look like numbers keep all their digits.
func scalar(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	default:
		return "", false
	}
}

// describe returns a value in quotes, or what kind of node it is, such as "a list".
func describe(n ast.Node) string {
	if s, ok := scalar(n); ok {
		return quote(s)
	}
	switch n.(type) {
	case *ast.SequenceNode:
		return "a list"
	case ast.MapNode:
		return "keys and values"
	case *ast.AliasNode:
		return "a reference, which is not followed"
	default:
		return "nothing"
	}
}

func quote(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		s = string(runes[:40]) + "…"
	}
	return strconv.Quote(s)
}

func alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
