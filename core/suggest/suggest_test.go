package suggest_test

import (
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/suggest"
)

func TestQuestionOfHeading(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{
		"How to write Go code":         "How do I write Go code?",
		"Where do old logs go?":        "Where do old logs go?",
		"What is a lease for replicas": "What is a lease for replicas?", "What is read, and how?": "",
		"Connecting to Slack":         "How do I connect to Slack?",
		"3.2. Setting up replication": "How do I set up replication?",
		"Storing keys":                "How do I store keys?",
		"Rotate the signing key":      "How do I rotate the signing key?",
		"Vacation days per year":      "What do the documents say about “Vacation days per year”?",
		"API keys":                    "What do the documents say about “API keys”?",
		"Write-Ahead Logging":         "What do the documents say about “Write-Ahead Logging”?",
		"Select statements":           "What do the documents say about “Select statements”?", "For the release team": "", "Build system": "What do the documents say about “Build system”?",
		"What this does":         "",
		"Introduction":           "",
		"Vacation":               "What do the documents say about “Vacation”?",
		"Why?":                   "",
		"Set it up":              "",
		"Introduction to leases": "",
		"func (t *T) Run":        "",
		"v1.2.3 changes":         "",
		"a/b/c.md":               "",
		"":                       "",
		"\x1b[31mred alert":      "",
		"One two three four five six seven eight nine": "",
	} {
		got, _, ok := suggest.Question(suggest.Heading{Text: heading})
		if got != want || ok != (want != "") {
			t.Errorf("%q gives %q, want %q", heading, got, want)
		}
	}
	if _, _, ok := suggest.Question(suggest.Heading{Text: "Backups wiederherstellen", Language: "de"}); ok {
		t.Error("a German heading became an English question")
	}
	if got, _, _ := suggest.Question(suggest.Heading{Text: "Wie sichere ich Daten?", Language: "de"}); got != "Wie sichere ich Daten?" {
		t.Errorf("a German question became %q", got)
	}
}

func TestQuestionsAreOfDifferentDocuments(t *testing.T) {
	t.Parallel()
	headings := []suggest.Heading{
		{Document: "c", Text: "Vacation days per year"},
		{Document: "a", Text: "Restore a backup"}, {Document: "a", Text: "Rotate the keys"}, {Document: "a", Text: "Rotate the keys"},
		{Document: "b", Text: "Why is search slow?"},
	}
	if got, want := suggest.Questions(headings, 3), []string{"Why is search slow?", "How do I restore a backup?", "What do the documents say about “Vacation days per year”?"}; !slices.Equal(got, want) {
		t.Errorf("questions are %q, want %q", got, want)
	}
	if got, want := suggest.Questions(headings, 9), []string{
		"Why is search slow?", "How do I restore a backup?", "What do the documents say about “Vacation days per year”?", "How do I rotate the keys?",
	}; !slices.Equal(got, want) {
		t.Errorf("questions are %q, want %q", got, want)
	}
	if got := suggest.Questions(nil, 3); len(got) > 0 {
		t.Errorf("no headings give %q", got)
	}
}
