package slacktest

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

type block struct {
	Type     string          `json:"type"`
	BlockID  string          `json:"block_id"`
	Text     json.RawMessage `json:"text"`
	Elements []struct {
		Type     string          `json:"type"`
		ActionID string          `json:"action_id"`
		Value    string          `json:"value"`
		Text     json.RawMessage `json:"text"`
	} `json:"elements"`
}

// Slack's documented size limits. In practice, Slack was seen to refuse 13,200 characters of
// Markdown.
const (
	maxBlocks   = 50
	maxSection  = 3000
	maxContext  = 10
	maxActions  = 25
	maxMarkdown = 12_000
	maxValue    = 2000
	maxID       = 255
	maxLabel    = 75
	maxHeader   = 150
)

func checkBlocks(raw json.RawMessage) error {
	var blocks []block
	if json.Unmarshal(raw, &blocks) != nil {
		return fail("invalid_blocks_format")
	}
	if len(blocks) > maxBlocks {
		return fail("msg_blocks_too_many")
	}
	markdown := 0
	for _, b := range blocks {
		text := textOf(b.Text)
		n := utf8.RuneCountInString(text)
		bad := utf8.RuneCountInString(b.BlockID) > maxID
		switch b.Type {
		case "markdown":
			markdown += n
			bad = bad || n == 0
		case "section":
			bad = bad || n == 0 || n > maxSection
		case "header":
			bad = bad || n == 0 || n > maxHeader
		case "context":
			bad = bad || len(b.Elements) == 0 || len(b.Elements) > maxContext
		case "actions", "context_actions":
			bad = bad || len(b.Elements) == 0 || len(b.Elements) > maxActions
		case "divider", "image", "rich_text", "table":
		default:
			return fail("invalid_blocks")
		}
		for _, e := range b.Elements {
			label := utf8.RuneCountInString(textOf(e.Text))
			bad = bad || utf8.RuneCountInString(e.ActionID) > maxID || utf8.RuneCountInString(e.Value) > maxValue ||
				e.Type == "button" && (label == 0 || label > maxLabel) || b.Type == "context" && label > maxSection
		}
		if bad {
			return fail("invalid_blocks")
		}
	}
	if markdown > maxMarkdown {
		return fail("msg_blocks_too_long")
	}
	return nil
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return ""
	}
	return object.Text
}

func blockText(raw json.RawMessage) string {
	var blocks []block
	if len(raw) == 0 || json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var lines []string
	for _, b := range blocks {
		switch b.Type {
		case "context":
			for _, e := range b.Elements {
				lines = append(lines, textOf(e.Text))
			}
		case "actions", "context_actions":
		default:
			lines = append(lines, textOf(b.Text))
		}
	}
	return strings.Join(lines, "\n")
}
