package body

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/html"
)

// node is a node of the Atlassian Document Format
// (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/; the schema is
// https://unpkg.com/@atlaskit/adf-schema).
type node struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	Attrs   map[string]any `json:"attrs"`
	Marks   []node         `json:"marks"`
	Content []node         `json:"content"`
}

func (n node) attr(name string) string {
	switch v := n.Attrs[name].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// ErrForm reports a text that is not in the Atlassian Document Format.
var ErrForm = errors.New("the text is not in the form that Confluence says it is in")

// ADF parses a text in the Atlassian Document Format, which is JSON. It returns [ErrForm] for
// malformed input, and the cause of ctx if ctx is done.
func ADF(ctx context.Context, text string, about About) ([]document.Section, error) {
	var doc node
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Type != "doc" {
		return nil, ErrForm
	}
	a := &adf{writer: newWriter(about), ctx: ctx}
	a.children(doc, 0)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return a.sections(ctx)
}

type adf struct {
	*writer
	ctx   context.Context //nolint:containedctx // of one text
	steps int
	ended bool
}

func (a *adf) children(n node, depth int) {
	for _, c := range n.Content {
		a.node(c, depth+1)
	}
}

func (a *adf) around(tag string, n node, depth int) {
	a.raw("<" + tag + ">")
	a.children(n, depth)
	a.raw("</" + tag + ">")
}

var elements = map[string]string{
	"paragraph": "p", "bulletList": "ul", "orderedList": "ol", "listItem": "li", "blockquote": "blockquote", "panel": "div", "table": "table",
	"tableRow": "tr", "tableHeader": "th", "tableCell": "td", "layoutSection": "div", "layoutColumn": "div", "mediaSingle": "div", "mediaGroup": "div",
	"caption": "p", "taskList": "ul", "decisionList": "ul", "bodiedExtension": "div",
}

func (a *adf) node(n node, depth int) {
	if a.steps++; a.steps%1024 == 0 && a.ctx.Err() != nil {
		a.ended = true
	}
	if a.ended || depth > deepest {
		return
	}
	if tag, ok := elements[n.Type]; ok {
		a.around(tag, n, depth)
		return
	}
	switch n.Type {
	case "text":
		a.marked(n)
	case "heading":
		level, _ := n.Attrs["level"].(float64)
		at := len(a.out)
		a.children(n, depth)
		a.heading(int(min(max(level, 1), 6)), a.since(at))
	case "taskItem", "blockTaskItem":
		mark := "[ ] "
		if n.attr("state") == "DONE" {
			mark = "[x] "
		}
		a.raw("<li>" + mark)
		a.children(n, depth)
		a.raw("</li>")
	case "decisionItem":
		a.around("li", n, depth)
	case "codeBlock":
		at := len(a.out)
		a.children(n, depth)
		a.code(n.attr("language"), plainCode(a.since(at)))
	case "expand", "nestedExpand":
		a.raw("<div>")
		a.title(n.attr("title"))
		a.children(n, depth)
		a.raw("</div>")
	case "rule":
		a.raw("<hr>")
	case "hardBreak":
		a.raw("<br>")
	case "mention":
		if text := n.attr("text"); text != "" {
			a.text(text)
		} else {
			a.person(n.attr("id"))
		}
	case "emoji":
		a.text(n.attr("text"))
	case "date":
		if ms, err := strconv.ParseInt(n.attr("timestamp"), 10, 64); err == nil {
			a.text(time.UnixMilli(ms).UTC().Format(time.DateOnly))
		}
	case "status":
		a.text(n.attr("text"))
	case "inlineCard", "blockCard", "embedCard":
		address := safe(n.attr("url"))
		a.link(address, html.EscapeString(address))
	case "media", "mediaInline":
		a.text(n.attr("alt"))
	case "extension", "inlineExtension":
		a.extension(n)
	case "placeholder":
	default: // an unknown node may contain known ones
		a.children(n, depth)
	}
}

func (a *adf) marked(n node) {
	var address string
	code := false
	for _, m := range n.Marks {
		switch m.Type {
		case "link":
			address = safe(m.attr("href"))
		case "code":
			code = true
		}
	}
	content := html.EscapeString(n.Text)
	if code {
		content = "<code>" + content + "</code>"
	}
	a.link(address, content)
}

// extension writes the name or link of a macro, but not the content that the macro includes. The
// person who asks may not be allowed to read that content.
func (a *adf) extension(n node) {
	value := func(name string) string {
		parameters, _ := n.Attrs["parameters"].(map[string]any)
		all, _ := parameters["macroParams"].(map[string]any)
		one, _ := all[name].(map[string]any)
		text, _ := one["value"].(string)
		return text
	}
	switch n.attr("extensionKey") {
	case "include", "excerpt-include":
		space, title := named(value(""), value("page"), value("name"))
		a.included(space, title)
	case "jira", "jiraissues":
		a.issue(value("key"), value("jqlQuery"))
	case "status":
		a.text(value("title"))
	}
}

func plainCode(content string) string { return html.UnescapeString(content) }
