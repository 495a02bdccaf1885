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
)

// reader reads the files of a collection.
type reader struct {
	dir   fs.FS
	notes []string
}

// line is a line of corpus.jsonl and queries.jsonl. BEIR itself writes "_id", some copies "id". What else is in it does not count.
type line struct {
	BEIR  *scalar `json:"_id"`
	ID    *scalar `json:"id"`
	Title *scalar `json:"title"`
	Text  *scalar `json:"text"`
}

// scalar is written as a string or as a number.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(raw []byte) error {
	var number json.Number
	if raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		*s = scalar(number)
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return errors.New("ids, titles and texts are texts or numbers")
	}
	*s = scalar(text)
	return nil
}

func (s *scalar) String() string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// texts reads documents or queries. An id that comes again is left out and noted.
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
			return fmt.Errorf("it is not a JSON object with id, title and text: %w", err)
		}
		id := strings.TrimSpace(l.BEIR.String())
		if l.BEIR == nil {
			id = strings.TrimSpace(l.ID.String())
		}
		switch {
		case id == "":
			return errors.New(`it has no "_id"`)
		case l.Text == nil && l.Title == nil:
			return errors.New(`it has neither "text" nor "title"`)
		case lines[id] > 0:
			again++
			return nil
		}
		lines[id] = n
		texts = append(texts, Text{ID: id, Title: l.Title.String(), Text: l.Text.String()})
		return nil
	})
	if again > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d lines of %s have the id of an earlier one and are left out.", again, name))
	}
	if foreign > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d lines of %s are not in UTF-8: what cannot be read in them matches nothing.", foreign, name))
	}
	return texts, err
}

// judgementFiles are where judgements may stand; the first that is there counts.
func judgementFiles() []string {
	return []string{"qrels.tsv", "qrels.txt", "qrels", path.Join("qrels", "test.tsv"), path.Join("qrels", "dev.tsv"), path.Join("qrels", "train.tsv")}
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
		return nil, errors.New("there is neither qrels.tsv nor qrels/test.tsv in the collection: they say which documents answer which query")
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
			return fmt.Errorf("the grade %q is not a whole number", value)
		}
		if judgements[query] == nil {
			judgements[query] = make(map[string]int)
		}
		judgements[query][id] = int(grade)
		return nil
	})
	return judgements, err
}

// columns reads a line of judgements: query, document and grade, as BEIR writes them, or with a column that nobody uses after the query, as TREC
// does. They are parted by tabs, so that ids may hold spaces, or by spaces where there is no tab.
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
	return "", "", "", fmt.Errorf("it has %d columns; three are needed: query, document, grade", len(fields))
}

// compressed ends the names of compressed files.
const compressed = ".gz"

func (r *reader) has(name string) bool {
	for _, suffix := range []string{"", compressed} {
		if info, err := fs.Stat(r.dir, name+suffix); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// open opens a file or its compressed form.
func (r *reader) open(name string) (io.Reader, io.Closer, error) {
	file, err := r.dir.Open(name)
	if err == nil {
		return file, file, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read %s of the collection: %w", name, err)
	}
	if file, err = r.dir.Open(name + compressed); err != nil {
		return nil, nil, fmt.Errorf("there is no %s in the collection: give a folder that holds corpus.jsonl, queries.jsonl and qrels.tsv", name)
	}
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read %s%s of the collection: %w", name, compressed, err), file.Close())
	}
	return plain, file, nil
}

// byteOrderMark begins files that some editors wrote.
const byteOrderMark = "\uFEFF"

// eachLine calls f with each line that is not empty, and its number from 1.
func (r *reader) eachLine(name string, f func(n int, line string) error) error {
	file, closer, err := r.open(name)
	if err != nil {
		return err
	}
	buffered := bufio.NewReaderSize(file, 1<<16)
	for n := 1; ; n++ {
		raw, err := buffered.ReadString('\n')
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
