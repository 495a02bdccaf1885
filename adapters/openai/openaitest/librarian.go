package openaitest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// SearchTool is the name of the tool that [Librarian] calls.
const SearchTool = "internal_search"

// Librarian imitates a small model that follows instructions. If the request offers [SearchTool],
// it first searches for the newest question. It then answers from the results and cites the first
// document by its number. It is deterministic.
func Librarian(req Request) Reply {
	start := 0 // index of the first message after the last answer
	for i, m := range req.Messages {
		if m.Role == "assistant" && len(m.ToolCalls) == 0 {
			start = i + 1
		}
	}
	question := strings.TrimSpace(Request{Messages: req.Messages[start:]}.Last("user").Text())
	called := false
	var found []string
	for _, m := range req.Messages[start:] {
		if m.Role == "tool" {
			called = true
			found = append(found, m.Text())
		}
	}
	if req.Offers(SearchTool) && !called {
		arguments, err := json.Marshal(map[string]any{"queries": []string{question}})
		if err != nil {
			panic(err) // strings always marshal
		}
		return Reply{Calls: []Call{{Name: SearchTool, Arguments: string(arguments)}}}
	}
	for i := len(found) - 1; i >= 0; i-- {
		if number, title, contents, ok := firstDocument(found[i]); ok {
			return Reply{Text: fmt.Sprintf("According to %s, %s [%d]", title, firstWords(contents, 30), number)}
		}
	}
	return Reply{Text: "I have no documents about this."}
}

func firstDocument(content string) (number int, title, contents string, ok bool) {
	start := strings.Index(content, `{"documents"`)
	if start < 0 {
		return 0, "", "", false
	}
	var list struct {
		Documents []struct {
			Document int    `json:"document"`
			Title    string `json:"title"`
			Contents string `json:"contents"`
		} `json:"documents"`
	}
	if err := json.NewDecoder(strings.NewReader(content[start:])).Decode(&list); err != nil || len(list.Documents) == 0 {
		return 0, "", "", false
	}
	d := list.Documents[0]
	return d.Document, d.Title, d.Contents, true
}

func firstWords(s string, n int) string {
	words := strings.Fields(s)
	if len(words) > n {
		words = words[:n]
	}
	return strings.Join(words, " ")
}
