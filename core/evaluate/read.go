package evaluate

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/footnotehq/footnote/core/plural"
)

type reader struct {
	dir   fs.FS
	notes []string
}

// line is a line of corpus.jsonl or queries.jsonl. Its id has the key "_id", as in BEIR, or "id".
// Other fields are ignored.
type line struct {
	BEIR  scalar `json:"_id"`
	ID    scalar `json:"id"`
	Title scalar `json:"title"`
	Text  scalar `json:"text"`
}

// scalar is a JSON string, number or null. null is an empty text.
type scalar struct {
	there bool
	text  string
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(raw []byte) error {
	s.there = true
	if string(raw) == "null" {
		return nil
	}
	var number json.Number
	if raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		s.text = number.String()
		return nil
	}
	if err := json.Unmarshal(raw, &s.text); err != nil {
		return errors.New("ids, titles and texts are texts or numbers")
	}
	return nil
}

func (r *reader) texts(name string) ([]Text, error) {
	var texts []Text
	lines := make(map[string]int)
	again, foreign := 0, 0
	err := r.eachLine(name, func(n int, raw string) error {
		if !utf8.ValidString(raw) {
			foreign++
		}
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			return fmt.Errorf("it is not a JSON object with id, title and text on a single line: %w", err)
		}
		id := strings.TrimSpace(l.BEIR.text)
		if !l.BEIR.there {
			id = strings.TrimSpace(l.ID.text)
		}
		switch {
		case id == "":
			return errors.New(`it has no "_id"`)
		case !l.Text.there && !l.Title.there:
			return errors.New(`it has neither "text" nor "title"`)
		case lines[id] > 0:
			again++
			return nil
		}
		lines[id] = n
		texts = append(texts, Text{ID: id, Title: l.Title.text, Text: l.Text.text})
		return nil
	})
	if again > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%s of %s with the id of an earlier one: left out.", plural.Count(again, "line"), name))
	}
	if foreign > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%s of %s not in UTF-8: what cannot be read there matches nothing.", plural.Count(foreign, "line"), name))
	}
	return texts, err
}

// judgementFiles returns the possible names of the file with judgements, in order of preference.
func judgementFiles() []string {
	files := []string{"qrels.tsv", "qrels.txt", "qrels"}
	for _, split := range []string{"test", "dev", "validation", "train"} {
		files = append(files, path.Join("qrels", split+".tsv"))
	}
	return files
}

func (r *reader) judgements() (map[string]map[string]int, error) {
	name := ""
	for _, candidate := range judgementFiles() {
		if r.has(candidate) {
			name = candidate
			break
		}
	}
	if name == "" {
		return nil, errors.New("there is neither qrels.tsv nor qrels/test.tsv in the collection (nor dev, validation or train there): they say which documents answer which query")
	}
	if path.Dir(name) == "qrels" && path.Base(name) != "test.tsv" {
		r.notes = append(r.notes, fmt.Sprintf("There is no qrels/test.tsv; the judgements are those of %s.", name))
	}
	judgements := make(map[string]map[string]int)
	first := true
	err := r.eachLine(name, func(_ int, raw string) error {
		header := first
		first = false
		query, id, value, err := columns(raw)
		if err != nil {
			return err
		}
		grade, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil && header:
			return nil
		case err != nil || grade != math.Trunc(grade) || math.Abs(grade) > math.MaxInt32:
			return fmt.Errorf("the grade %q is not a whole number: 0 is no answer, and the higher above it the better; multiply fractions", value)
		}
		if judgements[query] == nil {
			judgements[query] = make(map[string]int)
		}
		judgements[query][id] = int(grade)
		return nil
	})
	return judgements, err
}

// columns splits a line of judgements as in BEIR: query, document and grade. In the TREC format, an
// unused column follows the query. Columns are separated by tabs, so that ids may contain spaces.
// If the line has no tab, columns are separated by spaces.
func columns(raw string) (query, id, grade string, err error) {
	fields := strings.Split(strings.TrimRight(raw, "\t "), "\t")
	if len(fields) == 1 {
		fields = strings.Fields(raw)
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	switch len(fields) {
	case 3:
		return fields[0], fields[1], fields[2], nil
	case 4:
		return fields[0], fields[2], fields[3], nil
	}
	return "", "", "", fmt.Errorf("it has %d columns; three are needed, parted by tabs: query, document, grade", len(fields))
}

const compressed = ".gz"

func (r *reader) has(name string) bool {
	for _, suffix := range []string{"", compressed} {
		if info, err := fs.Stat(r.dir, name+suffix); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// open opens a file, or the file with the same name and .gz. It detects UTF-8, UTF-16 and gzip from
// the first bytes.
func (r *reader) open(name string) (*bufio.Reader, io.Closer, error) {
	file, err := r.dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		if file, err = r.dir.Open(name + compressed); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("there is no %s in the collection: give a folder that holds corpus.jsonl, queries.jsonl and qrels.tsv", name)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s of the collection: %w", name, err)
	}
	text := bufio.NewReaderSize(file, bufferBytes)
	if begins(text, "\x1f\x8b") {
		plain, err := gzip.NewReader(text)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("unpack %s of the collection: %w", name, err), file.Close())
		}
		text = bufio.NewReaderSize(plain, bufferBytes)
	}
	if begins(text, "\xff\xfe") || begins(text, "\xfe\xff") {
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		text = bufio.NewReaderSize(utf16.Reader(text), bufferBytes)
	}
	return text, file, nil
}

const bufferBytes = 1 << 16

func begins(r *bufio.Reader, with string) bool {
	first, _ := r.Peek(len(with)) // an error occurs again when the lines are read
	return string(first) == with
}

const byteOrderMark = "\uFEFF"

// eachLine calls f with each non-empty line and its number, from 1.
func (r *reader) eachLine(name string, f func(n int, line string) error) error {
	file, closer, err := r.open(name)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		raw, err := file.ReadString('\n')
		text := strings.TrimRight(raw, "\r\n")
		if n == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		if strings.TrimSpace(text) != "" {
			if bad := f(n, text); bad != nil {
				return errors.Join(fmt.Errorf("read line %d of %s: %w", n, name, bad), closer.Close())
			}
		}
		if errors.Is(err, io.EOF) {
			return closer.Close()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("read line %d of %s: %w", n, name, err), closer.Close())
		}
	}
}
