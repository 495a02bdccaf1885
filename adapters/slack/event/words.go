package event

import (
	"encoding/json"
	"strings"

	api "github.com/slack-go/slack"
)

// Extras holds the blocks and attachments of a message. A message of another app often has no other
// text.
type Extras struct {
	Blocks      json.RawMessage `json:"blocks"`
	Attachments []attached      `json:"attachments"`
}

type attached struct {
	Fallback string          `json:"fallback"`
	Pretext  string          `json:"pretext"`
	Title    string          `json:"title"`
	Text     string          `json:"text"`
	Blocks   json.RawMessage `json:"blocks"`
	Fields   []struct {
		Title string `json:"title"`
		Value string `json:"value"`
	} `json:"fields"`
}

// Words returns text if text is not empty. Otherwise it returns the text of the blocks and
// attachments. The result uses Slack's markup.
func (s Extras) Words(text string) string {
	if strings.TrimSpace(text) != "" {
		return text
	}
	lines := blockWords(s.Blocks)
	for _, a := range s.Attachments {
		before := len(lines)
		for _, line := range []string{a.Pretext, a.Title, a.Text} {
			lines = appendLine(lines, line)
		}
		for _, f := range a.Fields {
			lines = appendLine(lines, strings.TrimPrefix(f.Title+": "+f.Value, ": "))
		}
		lines = append(lines, blockWords(a.Blocks)...)
		if len(lines) == before {
			lines = appendLine(lines, a.Fallback)
		}
	}
	return strings.Join(lines, "\n")
}

func appendLine(lines []string, line string) []string {
	if line = strings.TrimSpace(line); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// piece is a block of any kind, or an element or text object inside a block. The text field of a
// piece may be a string or an object.
type piece struct {
	Type     string          `json:"type"`
	Text     json.RawMessage `json:"text"`
	URL      string          `json:"url"`
	User     string          `json:"user_id"`
	Channel  string          `json:"channel_id"`
	Fields   []piece         `json:"fields"`
	Elements []piece         `json:"elements"`
}

// maxNesting is the maximum depth at which elements are read. Slack's own elements are at most five
// levels deep.
const maxNesting = 8

// blockWords returns the text of blocks, one line for each block or paragraph. It returns nil for
// invalid JSON.
func blockWords(raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	blocks, err := Decode[[]piece]("blocks", raw)
	if err != nil {
		return nil // the message then counts as one without blocks
	}
	var lines []string
	for _, b := range blocks {
		switch b.Type {
		case "actions", "context_actions", "image", "divider", "input": // they hold no useful text
		case "rich_text":
			for _, e := range b.Elements {
				lines = appendLine(lines, e.words(0))
			}
		default:
			lines = appendLine(lines, b.words(0))
		}
	}
	return lines
}

func (p piece) words(depth int) string {
	if depth > maxNesting {
		return ""
	}
	var text string
	var object piece
	if json.Unmarshal(p.Text, &text) != nil && json.Unmarshal(p.Text, &object) == nil {
		text = object.words(depth + 1)
	}
	switch {
	case p.Type == "link" && text != "":
		text = "<" + p.URL + "|" + text + ">"
	case p.Type == "link":
		text = "<" + p.URL + ">"
	case p.Type == "user":
		text = "<@" + p.User + ">"
	case p.Type == "channel":
		text = "<#" + p.Channel + ">"
	}
	var b strings.Builder
	b.WriteString(text)
	separator := ""
	if p.Type == "rich_text_list" || p.Type == "context" || len(p.Fields) > 0 {
		separator = "\n"
	}
	for _, inner := range append(p.Fields, p.Elements...) {
		if said := inner.words(depth + 1); said != "" {
			if b.Len() > 0 {
				b.WriteString(separator)
			}
			b.WriteString(said)
		}
	}
	return b.String()
}

// ExtrasOf returns the blocks and attachments of a message that was read from the API. It returns
// none if the message has text.
func ExtrasOf(m api.Message) Extras {
	if strings.TrimSpace(m.Text) != "" {
		return Extras{}
	}
	raw, err := json.Marshal(m.Msg)
	if err != nil {
		return Extras{} // the library cannot encode what it decoded
	}
	s, err := Decode[Extras]("a message", raw)
	if err != nil {
		return Extras{}
	}
	return s
}
