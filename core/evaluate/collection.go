package evaluate

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Collection is a labelled collection in the layout of BEIR.
type Collection struct {
	Documents  []Text
	Queries    []Text                    // those with judgements
	Judgements map[string]map[string]int // query id → document id → grade; of Queries alone
	Notes      []string                  // sentences about what does not belong together and was left out
}

// Text is a document or a query.
type Text struct {
	ID    string
	Title string // of documents; may be empty
	Text  string // of documents; may be empty
}

// line is a line of corpus.jsonl and queries.jsonl. BEIR itself writes "_id", some copies "id".
type line struct {
	BEIR  *identifier `json:"_id"`
	ID    *identifier `json:"id"`
	Title string      `json:"title"`
	Text  *string     `json:"text"`
}

// identifier is written as a string or as a number.
type identifier string

// UnmarshalJSON implements json.Unmarshaler.
func (i *identifier) UnmarshalJSON(raw []byte) error {
	var number json.Number
	if raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		*i = identifier(number)
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return errors.New("an id is a text or a number")
	}
	*i = identifier(text)
	return nil
}

// Read reads corpus.jsonl, queries.jsonl, and the judgements from qrels.tsv or qrels/test.tsv. Errors name the file and line.
func Read(dir fs.FS) (Collection, error) {
	var c Collection
	var err error
	if c.Documents, err = readTexts(dir, "corpus.jsonl"); err != nil {
		return c, err
	}
	if c.Judgements, err = readJudgements(dir); err != nil {
		return c, err
	}
	queries, err := readTexts(dir, "queries.jsonl")
	if err != nil {
		return c, err
	}
	for _, q := range queries {
		if len(c.Judgements[q.ID]) > 0 {
			c.Queries = append(c.Queries, q)
		}
	}
	if len(c.Documents) == 0 || len(c.Queries) == 0 {
		return c, fmt.Errorf("the collection has %d documents and %d judged queries: check that corpus.jsonl, queries.jsonl and qrels.tsv belong together",
			len(c.Documents), len(c.Queries))
	}
	return c, c.match()
}

// match leaves out judgements of queries that are not there, and notes judgements of documents that are not there: those count as documents
// that were not found, as in BEIR.
func (c *Collection) match() error {
	queries := make(map[string]bool, len(c.Queries))
	for _, q := range c.Queries {
		queries[q.ID] = true
	}
	documents := make(map[string]bool, len(c.Documents))
	for _, d := range c.Documents {
		documents[d.ID] = true
	}
	unknown, missing, found := 0, 0, 0
	for query, grades := range c.Judgements {
		if !queries[query] {
			unknown++
			delete(c.Judgements, query)
			continue
		}
		for id, grade := range grades {
			switch {
			case grade <= 0:
			case documents[id]:
				found++
			default:
				missing++
			}
		}
	}
	if found == 0 {
		return errors.New("no document of corpus.jsonl is judged relevant to any query: check that corpus.jsonl, queries.jsonl and qrels.tsv belong together")
	}
	if unknown > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d judged queries are not in queries.jsonl and are left out.", unknown))
	}
	if missing > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d relevant documents are not in corpus.jsonl and count as not found.", missing))
	}
	return nil
}

// Fingerprint identifies the content of the collection, whatever its folder is called: 16 hexadecimal digits.
func (c *Collection) Fingerprint() string {
	sum := sha256.New()
	for _, texts := range [][]Text{c.Documents, c.Queries} {
		for _, t := range texts {
			fmt.Fprintf(sum, "%q %q %q\n", t.ID, t.Title, t.Text)
		}
		fmt.Fprintln(sum)
	}
	for _, query := range slices.Sorted(maps.Keys(c.Judgements)) {
		grades := c.Judgements[query]
		for _, id := range slices.Sorted(maps.Keys(grades)) {
			fmt.Fprintf(sum, "%q %q %d\n", query, id, grades[id])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// readTexts reads documents or queries; queries have a text, documents a text or a title.
func readTexts(dir fs.FS, name string) ([]Text, error) {
	var texts []Text
	lines := make(map[string]int)
	err := eachLine(dir, name, func(n int, raw string) error {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			return fmt.Errorf("it is not a JSON object with id, title and text: %w", err)
		}
		id := l.BEIR
		if id == nil {
			id = l.ID
		}
		switch {
		case id == nil || *id == "":
			return errors.New(`it has no "_id"`)
		case lines[string(*id)] > 0:
			return fmt.Errorf("its id %q is that of line %d already", *id, lines[string(*id)])
		case l.Text == nil:
			return errors.New(`it has no "text"`)
		case name == "queries.jsonl" && strings.TrimSpace(*l.Text) == "":
			return errors.New("its text is empty, so there is nothing to search for")
		}
		lines[string(*id)] = n
		texts = append(texts, Text{ID: string(*id), Title: l.Title, Text: *l.Text})
		return nil
	})
	return texts, err
}

func readJudgements(dir fs.FS) (map[string]map[string]int, error) {
	name := "qrels.tsv"
	if _, err := fs.Stat(dir, name); errors.Is(err, fs.ErrNotExist) {
		name = path.Join("qrels", "test.tsv")
		if _, err := fs.Stat(dir, name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is neither qrels.tsv nor %s in the collection: they say which documents answer which query", name)
		}
	}
	judgements := make(map[string]map[string]int)
	first := true
	err := eachLine(dir, name, func(_ int, raw string) error {
		fields := strings.Split(raw, "\t")
		header := first
		first = false
		if len(fields) != 3 {
			return fmt.Errorf("it has %d columns; three are needed: query, document, grade", len(fields))
		}
		grade, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		if err != nil {
			if header {
				return nil
			}
			return fmt.Errorf("the grade %q is not a number", fields[2])
		}
		if judgements[fields[0]] == nil {
			judgements[fields[0]] = make(map[string]int)
		}
		judgements[fields[0]][fields[1]] = grade
		return nil
	})
	return judgements, err
}

// eachLine calls f with each line that is not empty, and its number from 1.
func eachLine(dir fs.FS, name string, f func(n int, line string) error) error {
	file, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s in the collection: give a folder that holds corpus.jsonl, queries.jsonl and qrels.tsv", name)
	}
	if err != nil {
		return fmt.Errorf("read %s of the collection: %w", name, err)
	}
	r := bufio.NewReaderSize(file, 1<<16)
	for n := 1; ; n++ {
		raw, err := r.ReadString('\n')
		if text := strings.TrimRight(raw, "\r\n"); strings.TrimSpace(text) != "" {
			if bad := f(n, text); bad != nil {
				return errors.Join(fmt.Errorf("read line %d of %s: %w", n, name, bad), file.Close())
			}
		}
		if errors.Is(err, io.EOF) {
			return file.Close()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("read line %d of %s: %w", n, name, err), file.Close())
		}
	}
}
