package evaluate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Collection is a labelled collection in the layout of BEIR.
type Collection struct {
	Documents  []Text
	Queries    []Text                    // those with judgements
	Judgements map[string]map[string]int // query id → document id → grade
}

// Text is a document or a query.
type Text struct {
	ID    string
	Title string // of documents; may be empty
	Text  string
}

// line is a line of corpus.jsonl and queries.jsonl. BEIR itself writes "_id", some copies "id".
type line struct {
	BEIR  string `json:"_id"`
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
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
	return c, nil
}

func readTexts(dir fs.FS, name string) ([]Text, error) {
	var texts []Text
	err := eachLine(dir, name, func(raw string) error {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			return fmt.Errorf("it is not JSON: %w", err)
		}
		if l.BEIR == "" {
			l.BEIR = l.ID
		}
		if l.BEIR == "" {
			return errors.New(`it has no "_id"`)
		}
		texts = append(texts, Text{ID: l.BEIR, Title: l.Title, Text: l.Text})
		return nil
	})
	return texts, err
}

func readJudgements(dir fs.FS) (map[string]map[string]int, error) {
	name := "qrels.tsv"
	if _, err := fs.Stat(dir, name); errors.Is(err, fs.ErrNotExist) {
		name = path.Join("qrels", "test.tsv")
	}
	judgements := make(map[string]map[string]int)
	first := true
	err := eachLine(dir, name, func(raw string) error {
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

// eachLine calls f with each line that is not empty.
func eachLine(dir fs.FS, name string, f func(string) error) error {
	file, err := dir.Open(name)
	if err != nil {
		return fmt.Errorf("read %s of the collection: %w", name, err)
	}
	r := bufio.NewReaderSize(file, 1<<16)
	for n := 1; ; n++ {
		raw, err := r.ReadString('\n')
		if text := strings.TrimRight(raw, "\r\n"); strings.TrimSpace(text) != "" {
			if bad := f(text); bad != nil {
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
