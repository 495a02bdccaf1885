package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/plural"
)

// Collection is a set of documents and queries with relevance judgements, in the layout of the BEIR
// benchmark.
type Collection struct {
	Documents  []Text
	Queries    []Text                    // queries with judgements
	Judgements map[string]map[string]int // query id → document id → grade; only for Queries
	// query id → quotations that support the answer; nil if the collection has no quotations
	Gold  map[string][]Quote
	Steps map[string][]Step // query id → steps of reasoning; nil if the collection has none
	// sentences about inconsistent data that was left out
	Notes []string
}

// Text is a document or a query of a collection.
type Text struct {
	ID    string
	Title string // title of a document; may be empty
	Text  string // text of the document or query; may be empty for a document
}

// Read reads a collection from corpus.jsonl, queries.jsonl, and either qrels.tsv or the folder
// qrels. Each file may be compressed (.gz). An error names the file and line. Faults that Read can
// ignore are listed in Notes.
func Read(dir fs.FS) (Collection, error) {
	var c Collection
	r := reader{dir: dir}
	documents, err := r.texts("corpus.jsonl")
	if err != nil {
		return c, err
	}
	c.Documents = documents
	if c.Judgements, err = r.judgements(); err != nil {
		return c, err
	}
	queries, err := r.texts("queries.jsonl")
	if err != nil {
		return c, err
	}
	if c.Gold, err = r.gold(); err != nil {
		return c, err
	}
	if c.Steps, err = r.steps(); err != nil {
		return c, err
	}
	empty := 0
	for _, q := range queries {
		switch {
		case !hasRelevant(c.Judgements[q.ID]):
			delete(c.Judgements, q.ID)
		case strings.TrimSpace(q.Text) == "":
			delete(c.Judgements, q.ID)
			empty++
		default:
			c.Queries = append(c.Queries, q)
		}
	}
	c.Notes = r.notes
	if empty > 0 {
		c.Notes = append(c.Notes, plural.Count(empty, "judged query")+" without a text: left out.")
	}
	if len(c.Documents) == 0 || len(c.Queries) == 0 {
		return c, fmt.Errorf("the collection has %d documents and %d judged queries: check that corpus.jsonl, queries.jsonl and qrels.tsv belong together",
			len(c.Documents), len(c.Queries))
	}
	return c, c.dropUnmatched()
}

func hasRelevant(grades map[string]int) bool {
	for _, g := range grades {
		if g > 0 {
			return true
		}
	}
	return false
}

// dropUnmatched removes judgements of missing queries. Judgements of missing documents remain and
// count as not found, as in BEIR.
func (c *Collection) dropUnmatched() error {
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
			if hasRelevant(grades) {
				unknown++
			}
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
		c.Notes = append(c.Notes, plural.Count(unknown, "judged query")+" not in queries.jsonl: left out.")
	}
	if missing > 0 {
		c.Notes = append(c.Notes, plural.Count(missing, "relevant document")+" not in corpus.jsonl: counted as not found.")
	}
	return nil
}

// Fingerprint returns 16 hexadecimal digits that identify the content of the collection, regardless
// of its folder.
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
