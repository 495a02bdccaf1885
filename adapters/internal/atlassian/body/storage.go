package body

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/html"
)

// Storage parses a text in Confluence's storage format, which is XHTML with macros
// (https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html). It returns an
// error only if ctx is done.
func Storage(ctx context.Context, text string, about About) ([]document.Section, error) {
	s := &storage{writer: newWriter(about), tokens: html.NewTokenizer(strings.NewReader(text))}
	s.tokens.AllowCDATA(true)
	for step := 0; ; step++ {
		if step%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch kind := s.tokens.Next(); kind {
		case html.ErrorToken:
			if err := s.tokens.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			for len(s.open) > 0 {
				s.pop()
			}
			return s.sections(ctx)
		case html.TextToken:
			// CDATA has no escapes
			if raw := string(s.tokens.Raw()); strings.HasPrefix(raw, cdata) {
				s.chars(strings.TrimSuffix(strings.TrimPrefix(raw, cdata), "]]>"))
			} else {
				s.chars(string(s.tokens.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			s.start()
			if kind == html.SelfClosingTagToken && len(s.open) > 0 && s.pushed {
				s.pop()
			}
		case html.EndTagToken:
			name, _ := s.tokens.TagName()
			s.end(string(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

const cdata = "<![CDATA["

type element struct {
	tag    string
	skip   bool // its content is dropped
	inside bool // a heading in a heading, or a link in a link: only its text counts
	at     int  // offset in out where its content begins

	name     string            // of a macro or parameter; status of a task
	values   map[string]string // parameters of a macro
	body     bool              // the body of the macro has been read
	captures bool              // its text goes to captured and not to out
	captured strings.Builder

	page, space, file, person, address, anchor string // target of a link or macro
	alt                                        string // alternative text of a picture
}

type storage struct {
	*writer
	tokens *html.Tokenizer
	open   []*element
	pushed bool // the last start tag opened an element
	above  int  // number of open elements that were ignored because they are too deep

	headings, links int // number of open headings and links
}

var keptElements = map[string]bool{
	"p": true, "br": true, "strong": true, "em": true, "b": true, "i": true, "u": true, "s": true, "del": true, "ins": true, "sub": true, "sup": true,
	"code": true, "pre": true, "blockquote": true, "ul": true, "ol": true, "li": true, "table": true, "tbody": true, "thead": true, "tfoot": true,
	"tr": true, "th": true, "td": true, "caption": true, "hr": true, "div": true, "dl": true, "dt": true, "dd": true, "tt": true, "kbd": true, "samp": true,
}

var boxes = map[string]bool{
	"ac:layout": true, "ac:layout-section": true, "ac:layout-cell": true, "ac:adf-extension": true, "ac:adf-node": true, "ac:adf-content": true,
}

var droppedElements = map[string]bool{
	"ac:placeholder": true, "ac:adf-fallback": true, "ac:adf-attribute": true, "ac:task-id": true, "ac:task-uuid": true, "script": true, "style": true,
	"iframe": true, "object": true, "embed": true, "noscript": true, "title": true, "textarea": true, "template": true, "noembed": true, "noframes": true,
}

var empty = map[string]bool{"br": true, "hr": true, "img": true, "col": true, "input": true, "meta": true, "link": true, "wbr": true}

func (s *storage) top() *element {
	if len(s.open) == 0 {
		return &element{}
	}
	return s.open[len(s.open)-1]
}

func (s *storage) around(tags ...string) *element {
	for i := len(s.open) - 1; i >= max(0, len(s.open)-searched); i-- {
		for _, tag := range tags {
			if s.open[i].tag == tag {
				return s.open[i]
			}
		}
	}
	return nil
}

// searched limits how many open elements are searched for the start tag of an end tag. The limit
// keeps parsing linear.
const searched = 64

func (s *storage) chars(text string) {
	top := s.top()
	switch {
	case top.skip:
	case top.captures:
		top.captured.WriteString(text)
	default:
		s.text(text)
	}
}

func (s *storage) attributes() map[string]string {
	var all map[string]string
	for {
		key, value, more := s.tokens.TagAttr()
		if len(key) > 0 {
			if all == nil {
				all = make(map[string]string)
			}
			if _, twice := all[string(key)]; !twice {
				all[string(key)] = string(value)
			}
		}
		if !more {
			return all
		}
	}
}

func (s *storage) start() {
	raw, more := s.tokens.TagName()
	tag := string(raw)
	var a map[string]string
	if more {
		a = s.attributes()
	}
	s.pushed = false
	if strings.HasPrefix(tag, "ri:") {
		s.resource(tag, a)
	}
	if empty[tag] {
		if keptElements[tag] && !s.top().skip && !s.top().captures {
			s.raw("<" + tag + ">")
		}
		return
	}
	if len(s.open) >= deepest {
		s.above++
		return
	}
	e := &element{tag: tag, skip: s.top().skip || droppedElements[tag] || strings.HasPrefix(tag, "ri:"), captures: s.top().captures && tag != "ac:link", at: len(s.out)}
	s.open, s.pushed = append(s.open, e), true
	if open := s.openCounter(tag); open != nil {
		e.inside = *open > 0
		*open++
	}
	if !e.skip && !e.inside {
		s.begin(e, a)
	}
}

func (s *storage) openCounter(tag string) *int {
	switch tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return &s.headings
	case "a", "ac:link":
		return &s.links
	}
	return nil
}

func (s *storage) resource(tag string, a map[string]string) {
	e := s.around("ac:link", "ac:image", "ac:structured-macro", "ac:macro")
	if e == nil {
		return
	}
	switch tag {
	case "ri:page", "ri:blog-post", "ri:content-entity":
		e.page, e.space = a["ri:content-title"], a["ri:space-key"]
	case "ri:space":
		e.space = a["ri:space-key"]
	case "ri:attachment":
		e.file = a["ri:filename"]
	case "ri:url":
		e.address = safe(a["ri:value"])
	case "ri:user":
		if e.person = a["ri:account-id"]; e.person == "" {
			e.person = a["ri:userkey"]
		}
	}
	if e.tag == "ac:link" { // a parameter of a macro may be a link
		if m := s.around("ac:structured-macro", "ac:macro"); m != nil && s.around("ac:parameter") != nil {
			m.page, m.space, m.file, m.address = e.page, e.space, e.file, e.address
		}
	}
}

func (s *storage) begin(e *element, a map[string]string) {
	switch e.tag {
	case "ac:structured-macro", "ac:macro":
		e.name, e.values = strings.ToLower(a["ac:name"]), make(map[string]string)
		if e.name == "html" || e.name == "style" { // markup for browsers
			e.skip = true
		}
	case "ac:parameter", "ac:default-parameter":
		e.name, e.captures = a["ac:name"], true
	case "ac:plain-text-body", "ac:task-status":
		e.captures = true
	case "ac:rich-text-body":
		if m := s.around("ac:structured-macro", "ac:macro"); m != nil {
			m.body = true
			s.raw("<div>")
			s.writer.title(m.values["title"])
		}
	case "ac:link":
		e.anchor = a["ac:anchor"]
	case "ac:image":
		e.alt = a["ac:alt"]
	case "ac:emoticon":
		s.emoticon(a)
	case "ac:task-list":
		s.raw("<ul>")
	case "ac:task":
		s.raw("<li>")
	case "ac:task-body":
		mark := "[ ] "
		if t := s.around("ac:task"); t != nil && t.name == "complete" {
			mark = "[x] "
		}
		s.raw(mark)
	case "time":
		s.text(a["datetime"])
		e.skip = a["datetime"] != ""
	case "a":
		e.address = safe(a["href"])
	default:
		if keptElements[e.tag] && !e.captures {
			s.raw("<" + e.tag + ">")
		} else if boxes[e.tag] {
			s.raw("<div>")
		}
	}
}

func (s *storage) emoticon(a map[string]string) {
	sign := a["ac:emoji-fallback"]
	if strings.HasPrefix(sign, ":") {
		sign = ""
	}
	switch a["ac:name"] {
	case "tick":
		sign = "✓"
	case "cross":
		sign = "✗"
	}
	s.text(sign)
}

func (s *storage) end(tag string) {
	if s.above > 0 { // presumably the end of an ignored element
		s.above--
		return
	}
	for i := len(s.open) - 1; i >= max(0, len(s.open)-searched); i-- {
		if s.open[i].tag == tag {
			for len(s.open) > i {
				s.pop()
			}
			return
		}
	}
}

func (s *storage) pop() {
	e := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	s.pushed = false
	if open := s.openCounter(e.tag); open != nil {
		*open--
	}
	if e.skip || e.inside {
		return
	}
	switch e.tag {
	case "ac:structured-macro", "ac:macro":
		s.macro(e)
	case "ac:parameter", "ac:default-parameter":
		if m := s.around("ac:structured-macro", "ac:macro"); m != nil && m.values != nil {
			m.values[e.name] = strings.TrimSpace(e.captured.String())
		}
	case "ac:plain-text-body":
		if m := s.around("ac:structured-macro", "ac:macro"); m != nil {
			m.body = true
			s.writer.title(m.values["title"])
			s.code(m.values["language"], e.captured.String())
		}
	case "ac:rich-text-body":
		s.raw("</div>")
	case "ac:link":
		s.writeLink(e)
	case "ac:image":
		s.text(e.alt)
	case "ac:task-status":
		if t := s.around("ac:task"); t != nil {
			t.name = strings.TrimSpace(e.captured.String())
		}
	case "ac:task-list":
		s.raw("</ul>")
	case "ac:task":
		s.raw("</li>")
	case "a":
		if !e.captures {
			s.link(e.address, s.since(e.at))
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if !e.captures {
			s.heading(int(e.tag[1]-'0'), s.since(e.at))
		}
	default:
		s.close(e)
	}
}

func (s *storage) close(e *element) {
	if e.captures {
		if above := s.top(); above.captures {
			above.captured.WriteString(e.captured.String())
		}
		return
	}
	if keptElements[e.tag] {
		s.raw("</" + e.tag + ">")
	} else if boxes[e.tag] {
		s.raw("</div>")
	}
}

func (s *storage) writeLink(e *element) {
	content := s.since(e.at)
	if s.top().captures { // the link is the value of a macro's parameter
		return
	}
	if e.person != "" {
		s.person(e.person)
		return
	}
	address := e.address
	switch {
	case e.file != "":
		address = ""
	case e.page != "" || e.anchor != "":
		address = s.pageURL(e.space, e.page, e.anchor)
	case e.space != "":
		address = s.Site + "display/" + e.space
	}
	if strings.TrimSpace(content) == "" {
		for _, name := range []string{e.page, e.file, e.space, e.anchor} {
			if name != "" {
				content = html.EscapeString(name)
				break
			}
		}
	}
	s.link(address, content)
}

func (s *storage) macro(m *element) {
	if m.body || s.top().captures {
		return
	}
	switch m.name {
	case "status":
		s.text(m.values["title"])
	case "include", "excerpt-include":
		if m.page == "" { // format of older editors
			m.space, m.page = named(m.values[""], m.values["pageTitle"])
		}
		s.included(m.space, m.page)
	case "jira", "jiraissues":
		s.issue(m.values["key"], m.values["jqlQuery"])
	case "widget", "iframe":
		s.link(m.address, html.EscapeString(m.address))
	case "view-file", "viewpdf", "viewdoc", "viewxls", "viewppt":
		s.text(m.file)
	}
}

// named returns the space and title in the first text that is not empty, such as "SPACE:Title".
// space is "" if the text has no space key.
func named(texts ...string) (space, title string) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		if key, rest, found := strings.Cut(text, ":"); found && key != "" && !strings.ContainsAny(key, " /") {
			return key, rest
		}
		return "", text
	}
	return "", ""
}

func plain(content string) string {
	tokens := html.NewTokenizer(strings.NewReader(content))
	var b strings.Builder
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			b.Write(tokens.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}
