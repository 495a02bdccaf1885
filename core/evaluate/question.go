package evaluate

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Question is one line of a file of questions. It holds a question about indexed documents and says
// what a right answer cites and contains.
type Question struct {
	ID   string
	Kind string // label by which results are grouped; may be empty
	Text string
	// matches the path, within its source, of every page that answers the question; nil if the
	// documents have no answer
	Pages  *regexp.Regexp
	After  string // id of the previous question in the thread; empty: it opens a thread
	Answer string // a sentence that a right answer must contain; may be empty
}

// Answerable reports whether the documents answer the question.
func (q Question) Answerable() bool { return q.Pages != nil }

// questionColumns are the columns of a file of questions, separated by tabs. The first line of the
// file names them, in any order. The first three are required.
var questionColumns = []string{"id", "question", "pages_regex", "kind", "after", "answer"}

const neededColumns = 3

// NoPages is the value of the column pages_regex for a question that the documents do not answer.
const NoPages = "-"

const (
	maxQuestionLine   = 1 << 20 // bytes
	maxQuestionFaults = 20      // faults reported at once
)

// ReadQuestions reads a file of questions. Its error lists the first 20 faults, each with its line.
func ReadQuestions(from io.Reader) ([]Question, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxQuestionLine)
	var questions []Question
	var columns map[string]int
	var faults []error
	seen := make(map[string]bool)
	for n := 1; lines.Scan() && len(faults) < maxQuestionFaults; n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			line = strings.TrimPrefix(line, byteOrderMark)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(line, "\t")
		if columns == nil {
			var err error
			if columns, err = namedColumns(fields); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			continue
		}
		q, err := readQuestion(columns, fields, seen)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", n, err))
		}
		seen[q.ID] = true
		questions = append(questions, q)
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, err)
	}
	if len(faults) == 0 && len(questions) == 0 {
		faults = append(faults, fmt.Errorf("there is no question in the file: its first line names the columns (%s), parted by tabs, and each further line is a question",
			strings.Join(questionColumns, ", ")))
	}
	return questions, errors.Join(faults...)
}

func namedColumns(fields []string) (map[string]int, error) {
	columns := make(map[string]int, len(fields))
	for i, name := range fields {
		name = strings.TrimSpace(name)
		if _, again := columns[name]; again {
			return nil, fmt.Errorf("the column %q is named twice", name)
		}
		if !slices.Contains(questionColumns, name) {
			return nil, fmt.Errorf("the column %q is unknown: the columns are %s, parted by tabs", name, strings.Join(questionColumns, ", "))
		}
		columns[name] = i
	}
	for _, name := range questionColumns[:neededColumns] {
		if _, there := columns[name]; !there {
			return nil, fmt.Errorf("the column %s is missing: the first line names the columns %s, parted by tabs", name, strings.Join(questionColumns, ", "))
		}
	}
	return columns, nil
}

func readQuestion(columns map[string]int, fields []string, earlier map[string]bool) (Question, error) {
	field := func(name string) string {
		if at, there := columns[name]; there && at < len(fields) {
			return strings.TrimSpace(fields[at])
		}
		return ""
	}
	q := Question{ID: field("id"), Kind: field("kind"), Text: field("question"), After: field("after"), Answer: field("answer")}
	pages := field("pages_regex")
	switch {
	case len(fields) > len(columns):
		return q, fmt.Errorf("it has %d columns, and the first line names %d: parts of a question are not parted by tabs", len(fields), len(columns))
	case q.ID == "" || q.Text == "":
		return q, errors.New("id and question have to be there")
	case earlier[q.ID]:
		return q, fmt.Errorf("the id %q stands in an earlier line already", q.ID)
	case q.After != "" && !earlier[q.After]:
		return q, fmt.Errorf("it follows the question %q, which is in no earlier line", q.After)
	case pages == "":
		return q, fmt.Errorf("it does not say which pages answer: write a regular expression that matches their paths, or %s where the documents have no answer", NoPages)
	case pages == NoPages:
		return q, nil
	}
	var err error
	if q.Pages, err = regexp.Compile(pages); err != nil {
		return q, fmt.Errorf("pages_regex: %w", err)
	}
	return q, nil
}

// FingerprintQuestions returns 16 hexadecimal digits that identify the questions and expected
// answers.
func FingerprintQuestions(questions []Question) string {
	sum := sha256.New()
	for _, q := range questions {
		pages := NoPages
		if q.Answerable() {
			pages = q.Pages.String()
		}
		fmt.Fprintf(sum, "%q %q %q %q %q %q\n", q.ID, q.Kind, q.Text, pages, q.After, q.Answer)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
