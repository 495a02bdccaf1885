package htmltext

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// deepest is the maximum number of open elements. The text of deeper elements is kept, but the
	// elements are ignored.
	deepest = 1024
	// dtLevel is the heading level of a term in a definition list that is not nested. The level is
	// below that of h6.
	dtLevel = 10
)

type element struct {
	tag    atom.Atom
	skip   bool // its content is dropped
	main   bool // inside main or article
	aside  bool // headings inside are labels, not sections
	anchor string
	href   string
	mark   mark // where its text begins, for inline elements
	// language is the programming language of the code inside. It may be empty.
	language string
}

type extractor struct {
	tokens   *html.Tokenizer
	choosy   bool // omits navigation
	page     Page
	main     document.Outline
	all      document.Outline
	open     []element
	text     inline
	pre      strings.Builder
	preDepth int
	language string // programming language of pre
	anchor   string // id of the nearest element before the next text
	label    string // heading of a note, to be written before its text
	contents Contents
	headings int    // open headings
	linked   string // text in the open heading that links to another page
	lists    lists
	table    *table
	head     bool // the title has been read

	links, mainLinks []document.Link // of the page, and of its main part
}

const steps = 1024

func extract(ctx context.Context, text string, choosy bool) (*extractor, error) {
	x := &extractor{tokens: html.NewTokenizer(strings.NewReader(text)), choosy: choosy}
	for step := 0; ; step++ {
		if step%steps == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		switch x.tokens.Next() {
		case html.ErrorToken: // the end: a reader of a string has no other errors
			x.closeTo(0)
			x.flush()
			return x, nil
		case html.TextToken:
			x.addText(x.tokens.Text())
		case html.StartTagToken:
			x.start(false)
		case html.SelfClosingTagToken:
			x.start(true)
		case html.EndTagToken:
			name, _ := x.tokens.TagName()
			x.end(atom.Lookup(name))
		case html.CommentToken:
			x.comment(x.tokens.Text())
		case html.DoctypeToken:
		}
	}
}

func (x *extractor) top() element {
	if len(x.open) == 0 {
		return element{}
	}
	return x.open[len(x.open)-1]
}

func (x *extractor) start(selfClosing bool) {
	name, more := x.tokens.TagName()
	tag := atom.Lookup(name)
	a := x.attributes(more)
	switch tag {
	case atom.Meta:
		x.meta(a)
		return
	case atom.Link:
		if strings.EqualFold(a.rel, "canonical") && x.page.Canonical == "" {
			x.page.Canonical = strings.TrimSpace(a.href)
		}
		return
	case atom.Base:
		if x.page.Base == "" {
			x.page.Base = strings.TrimSpace(a.href)
		}
		return
	case atom.Html:
		primary, _, _ := strings.Cut(strings.ToLower(a.lang), "-")
		x.page.Language = primary
		return
	case atom.Br:
		x.lineBreak()
		return
	case atom.Img, atom.Input, atom.Wbr, atom.Col, atom.Area, atom.Embed, atom.Source, atom.Track, atom.Param, 0:
		return
	case atom.Hr:
		x.flush()
		return
	}
	x.imply(tag)
	if isBlock(tag) {
		x.flush()
	}
	e := x.top()
	e = element{tag: tag, skip: e.skip, main: e.main, aside: e.aside, language: e.language}
	if language := codeLanguage(tag, a.classes); language != "" {
		e.language = language
	}
	e.main = e.main || tag == atom.Main || tag == atom.Article || a.role == "main"
	e.skip = e.skip || unreadable(tag) || (x.choosy && a.navigation(tag, e.main))
	e.aside = e.aside || a.aside || isAside(tag)
	if a.id != "" && !e.skip && !isFrame(tag, a) {
		e.anchor, x.anchor = a.id, a.id
	}
	if formatting(tag) || len(x.open) >= deepest {
		return
	}
	e.href = a.href
	x.begin(&e)
	x.open = append(x.open, e)
	if selfClosing {
		x.end(tag)
	}
}

// searched limits how many open elements are searched for an element that a tag closes. The limit
// keeps parsing linear.
const searched = 256

func (x *extractor) end(tag atom.Atom) {
	if tag == 0 {
		return
	}
	for i := len(x.open) - 1; i >= max(0, len(x.open)-searched); i-- {
		if x.open[i].tag == tag || (isHeading(tag) && isHeading(x.open[i].tag)) {
			x.closeTo(i)
			return
		}
		if x.open[i].tag == atom.Table && !isContainer(tag) {
			return // a stray end tag inside a cell does not close the table around it
		}
	}
}

func (x *extractor) closeTo(depth int) {
	for len(x.open) > depth {
		e := x.open[len(x.open)-1]
		x.finish(e)
		x.open = x.open[:len(x.open)-1]
	}
}

// imply closes the open elements that end where an element with the given tag begins. HTML does not
// require end tags for them.
func (x *extractor) imply(tag atom.Atom) {
	switch tag {
	case atom.Li:
		x.closeWithin(atom.Li, atom.Ul, atom.Ol, atom.Menu)
	case atom.Dt, atom.Dd:
		x.closeWithin(atom.Dt, atom.Dl)
		x.closeWithin(atom.Dd, atom.Dl)
	case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot:
		x.closeWithin(atom.Tr, atom.Table)
	case atom.Td, atom.Th:
		x.closeWithin(atom.Td, atom.Tr, atom.Table)
		x.closeWithin(atom.Th, atom.Tr, atom.Table)
	case atom.A: // old pages leave <a name=…> open
		x.closeWithin(atom.A, atom.Table, atom.Td)
	}
	if !isBlock(tag) {
		return
	}
	for i := len(x.open) - 1; i >= max(0, len(x.open)-searched); i-- {
		open := x.open[i].tag
		if open == atom.P || (isHeading(open) && tag != atom.Div && tag != atom.Header) {
			x.closeTo(i)
			return
		}
		if isBlock(open) {
			return
		}
	}
}

// closeWithin closes the innermost open element with the tag, and all elements inside it. It does
// nothing if an element with a tag in bounds is inside that element.
func (x *extractor) closeWithin(tag atom.Atom, bounds ...atom.Atom) {
	for i := len(x.open) - 1; i >= max(0, len(x.open)-searched); i-- {
		for _, bound := range bounds {
			if x.open[i].tag == bound {
				return
			}
		}
		if x.open[i].tag == tag {
			x.closeTo(i)
			return
		}
	}
}

func (x *extractor) block(kind document.BlockKind, text string) {
	if x.contents.Only(text) && x.choosy {
		return
	}
	x.all.Block(kind, text)
	if x.top().main {
		x.main.Block(kind, text)
	}
	x.anchor = ""
}

func (x *extractor) code(text string) {
	if x.contents.Only(text) && x.choosy {
		return
	}
	x.all.Code(x.language, text)
	if x.top().main {
		x.main.Code(x.language, text)
	}
	x.anchor = ""
}

func (x *extractor) heading(level int, title, anchor string) {
	x.all.Heading(level, title, anchor)
	if x.top().main {
		x.main.Heading(level, title, anchor)
	}
	x.anchor = ""
}
