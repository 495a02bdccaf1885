package files

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/goccy/go-yaml"
)

type matter struct {
	title    string
	claims   []string // addresses that the document claims as its own
	updated  time.Time
	acl      access.ACL // nil if there is none
	tags     string
	language string
	stated   map[string]string // metadata, such as owners and a status
}

// longestMatter is the maximum length of front matter in bytes. Longer front matter is treated as
// text.
const longestMatter = 64 << 10

// statesACL matches an access list in front matter, even if the YAML is invalid. A typing error
// must not make a restricted document visible.
var statesACL = regexp.MustCompile(`(?mi)(?:^|[{,?])[ \t]*(?:!!str[ \t]+)?["']?[ \t]*acl[ \t]*["']?[ \t]*(?:[:=]|$)`)

var strayACL = regexp.MustCompile(`(?mi)^[ \t]*["']?acl["']?[ \t]*[:=][ \t]*(.+)$`)

var matterLike = regexp.MustCompile(`^\s*$|^\s*(---+|\+\+\++|<!--.*-->)\s*$|^\s*["']?\w[\w-]*["']?\s*[:=]|^\s*- `)

// Narrows reports whether a file may have its own access list in front matter. It needs only the
// name and the first bytes of the file. For formats with front matter, it returns true if the bytes
// are not UTF-8.
func Narrows(name string, begins []byte) bool {
	if !formatOf(name).matter {
		return false
	}
	most := 4 << 10
	if bytes.HasPrefix(bytes.TrimLeft(begins, " \t\r\n\ufeff"), []byte("---")) {
		most = longestMatter
	}
	// the cut may split a character
	if begins = begins[:min(len(begins), most)]; len(begins) > most-utf8.UTFMax {
		begins = bytes.ToValidUTF8(begins[:len(begins)-utf8.UTFMax], nil)
	}
	return !utf8.Valid(begins) || statesACL.Match(begins)
}

// splitMatter separates the front matter, between lines of three dashes, from the text. It returns
// the whole text if the text only begins with such a line.
func splitMatter(text string) (matter, string, error) {
	head, body, err := cutMatter(text)
	var values map[string]any
	ends := err == nil
	if ends {
		values, err = parseMatter(head)
	}
	if err != nil {
		if statesACL.MatchString(head) || errors.Is(err, errTwice) {
			return matter{}, "", fmt.Errorf("its front matter holds an access list but cannot be read (%w). Correct it: %w", err, index.ErrWithdrawn)
		}
		if lines, found := lostACL(text); found {
			return matter{}, "", fmt.Errorf("its beginning reads like an access list (%s) but is no front matter, which stands between lines of "+
				"three dashes at the very top. Correct it: %w", lines, index.ErrWithdrawn)
		}
		if values = lineByLine(head); !ends || values == nil && !keyed.MatchString(head) {
			return matter{}, text, nil // a text that begins with a line of dashes
		}
		if values == nil {
			return matter{}, "", fmt.Errorf("its front matter cannot be read (%w). Correct it, or put a blank line above it to make it text", err)
		}
	}
	m, err := readMatter(values)
	return m, body, err
}

const fewLines = 20

// lostACL returns an access list that became part of the text because of a typing error, such as a
// blank line above it. The bool is false if there is none.
func lostACL(text string) (string, bool) {
	n := 0
	for line := range strings.Lines(text[:min(len(text), 4<<10)]) {
		if n++; n > fewLines || !matterLike.MatchString(line) {
			return "", false
		}
		if m := strayACL.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			if _, err := access.ParseACL(strings.Trim(m[1], "[]\"' \t")); err == nil {
				return strings.TrimSpace(m[0]), true
			}
		}
	}
	return "", false
}

func cutMatter(text string) (head, body string, err error) {
	opening, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(opening, " \t") != "---" {
		return "", "", errors.New("there is none")
	}
	length := 0
	for line := range strings.Lines(rest[:min(len(rest), longestMatter)]) {
		if bare := strings.TrimRight(line, " \t\n"); bare == "---" || bare == "..." {
			return rest[:length], rest[length+len(line):], nil
		}
		length += len(line)
	}
	head, _, _ = strings.Cut(rest[:length], "\n\n")
	return head, "", errors.New("its last line of three dashes is missing")
}

func parseMatter(head string) (map[string]any, error) {
	if aliasPattern.MatchString(head) {
		return nil, errors.New("it uses YAML anchors or aliases, which front matter has no need of")
	}
	if nesting(head) > deepestMatter {
		return nil, fmt.Errorf("it nests more than %d levels deep", deepestMatter)
	}
	values := make(map[string]any)
	if err := yaml.Unmarshal([]byte(head), &values); err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(placed(message))
	}
	named := make(map[string]any, len(values))
	for key, value := range values { // keys are case-insensitive; two access lists are an error
		name := strings.ToLower(strings.TrimSpace(key))
		if _, twice := named[name]; twice && name == "acl" {
			return nil, errTwice
		}
		named[name] = value
	}
	return named, nil
}

var errTwice = errors.New("it has more than one access list, in different letters")

// deepestMatter is the maximum nesting of front matter. The YAML parser needs quadratic time in the
// nesting, and a kilobyte of stack for each level.
const deepestMatter = 32

func nesting(head string) int {
	most, open := 0, 0
	for line := range strings.Lines(head) {
		marks := 0
		rest := strings.TrimLeft(line, " \t")
		for len(rest) > 1 && (rest[0] == '-' || rest[0] == '?' || rest[0] == ':') && (rest[1] == ' ' || rest[1] == '\t') {
			marks++
			rest = strings.TrimLeft(rest[1:], " \t")
		}
		indented := (len(line) - len(strings.TrimLeft(line, " \t"))) / 2
		for _, b := range []byte(line) {
			switch b {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			most = max(most, open)
		}
		most = max(most, marks+indented)
	}
	return most
}

// place matches "[LINE:COLUMN] " at the start of an error of the YAML parser. LINE is too small by
// one, because the parser does not get the file's first line.
var place = regexp.MustCompile(`^\[(\d+):\d+\] `)

func placed(message string) string {
	found := place.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return message
	}
	return fmt.Sprintf("line %d: %s", line+1, strings.TrimPrefix(message, found[0]))
}

var keyed = regexp.MustCompile(`^\s*["']?[\w-]+["']?:(?:\s|$)`)

var oneLine = regexp.MustCompile(`^([\w-]+):[ \t]+([^\s\[{&*!|>"'].*)$`)

// lineByLine reads front matter that is invalid YAML because of colons in values, such as "title:
// Backups: how to". It returns nil unless every line is a key with a simple value.
func lineByLine(head string) map[string]any {
	values := make(map[string]any)
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pair := oneLine.FindStringSubmatch(line)
		if pair == nil {
			return nil
		}
		values[strings.ToLower(pair[1])] = pair[2]
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// aliasPattern matches YAML aliases, with which a few lines can describe gigabytes.
var aliasPattern = regexp.MustCompile(`(?m)(^|[:\-\[{,])[ \t]*\*[A-Za-z0-9_]+`)

func readMatter(values map[string]any) (matter, error) {
	m := matter{title: text(values["title"]), tags: strings.Join(list(values["tags"]), ", ")}
	for _, key := range []string{"url", "link"} {
		if claim := text(values[key]); claim != "" {
			m.claims = append(m.claims, claim)
		}
	}
	for _, key := range []string{"updated", "lastmod", "last_updated", "last_modified", "modified", "date"} {
		if m.updated.IsZero() {
			m.updated = date(values[key])
		}
	}
	for _, key := range []string{"lang", "language"} {
		if primary, _, _ := strings.Cut(strings.ToLower(text(values[key])), "-"); m.language == "" {
			m.language = primary
		}
	}
	m.stated = make(map[string]string)
	for _, key := range statedKeys {
		if said := strings.Join(list(values[key]), ", "); strings.Trim(said, ", ") != "" {
			m.stated[key] = said
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		said := strings.Join(strings.Fields(strings.Join(list(values[key]), ", ")), " ")
		_, known := m.stated[key]
		if known || len(m.stated) >= maxStated || slices.Contains(otherKeys, key) || !plainKey.MatchString(key) || strings.Trim(said, ", ") == "" || len(said) > maxSaid {
			continue
		}
		m.stated[key] = said
	}
	stated, ok := values["acl"]
	if !ok {
		return m, nil
	}
	acl, err := access.ParseACL(strings.Join(list(stated), ","))
	if err != nil {
		return m, fmt.Errorf("its front matter holds an access list that cannot be used (%w). Correct it: %w", err, index.ErrWithdrawn)
	}
	m.acl = acl
	return m, nil
}

var statedKeys = []string{
	"author", "authors", "owner", "owners", "maintainer", "maintainers", "assignee", "assignees", "team", "teams", "project", "service", "repository",
	"supersedes", "replaces", "superseded_by", "replaced_by", "depends_on", "dependencies",
}

// maxStated and maxSaid limit the metadata from keys that are not in statedKeys, such as "status:
// retired". Longer values and further keys are dropped.
const (
	maxStated = 24  // keys
	maxSaid   = 200 // bytes of a value
)

var plainKey = regexp.MustCompile(`^[a-z][a-z0-9_ -]{0,39}$`)

var otherKeys = []string{
	"acl", "title", "tags", "url", "link", "updated", "lastmod", "last_updated", "last_modified", "modified", "date", "lang", "language",
	"aliases", "cover", "css", "draft", "hide", "icon", "id", "image", "layout", "menu", "nav_order", "parent", "permalink", "redirect_from", "sidebar",
	"sidebar_label", "sidebar_position", "slug", "template", "theme", "toc", "weight",
}

func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	case time.Time:
		return v.Format(time.RFC3339)
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v)
	default:
		return ""
	}
}

func list(value any) []string {
	var values []string
	if many, ok := value.([]any); ok {
		for _, v := range many {
			values = append(values, text(v))
		}
		return values
	}
	for part := range strings.SplitSeq(text(value), ",") {
		if part = strings.TrimSpace(part); part != "" {
			values = append(values, part)
		}
	}
	return values
}

// dates lists the date formats that are read. With dots, the day comes first. Dates with slashes
// and the year last are ambiguous and are not read.
var dates = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05 -0700 MST", time.DateTime, "2006-01-02 15:04 -0700", "2006-01-02 15:04", time.DateOnly, "2006-1-2",
	"2006/01/02 15:04:05", "2006/01/02", "2006/1/2", "2006.01.02", "2.1.2006", "2.1.2006 15:04", "2006-01", "20060102", "2006",
	"2 January 2006", "2 Jan 2006", "2. January 2006", "January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006", "January 2006", "Jan 2006",
	"Monday, 2 January 2006", "Monday, January 2, 2006", "Mon Jan 2 2006", time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", time.RFC850, time.UnixDate, time.ANSIC, time.RubyDate,
}

// date converts a value in front matter to a time. It returns the zero time if the date is missing
// or has an unknown format.
func date(value any) time.Time {
	if t, ok := value.(time.Time); ok {
		return t.UTC()
	}
	stated := text(value)
	for _, layout := range dates {
		if t, err := time.Parse(layout, stated); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
