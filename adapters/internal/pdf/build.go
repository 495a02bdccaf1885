package pdf

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

const steps = 1024

func (f *file) document(ctx context.Context) (Page, error) {
	pages := make([][]row, len(f.pages))
	for i, runs := range f.pages {
		if ctx.Err() != nil {
			return Page{}, context.Cause(ctx)
		}
		pages[i] = rows(runs)
	}
	known := make(words)
	all, err := readPages(ctx, pages, findFurniture(pages), known)
	if err == nil && len(all) == 0 { // all of it looks like running heads: forms, labels
		all, err = readPages(ctx, pages, furniture{}, known)
	}
	if err != nil {
		return Page{}, err
	}
	all = markTitles(joinSplit(all), f.marks)
	w := writer{known: known, titles: make(map[int]string)}
	for i, e := range all {
		if i%steps == 0 && ctx.Err() != nil {
			return Page{}, context.Cause(ctx)
		}
		w.write(&e)
	}
	w.endList()
	sections := slices.DeleteFunc(w.sections, func(s document.Section) bool { return len(s.Blocks) == 0 })
	if len(sections) == 0 {
		return Page{}, errNoText
	}
	return Page{Title: f.chooseTitle(all, w.titles), UpdatedAt: f.updated, Sections: sections}, nil
}

func readPages(ctx context.Context, pages [][]row, f furniture, known words) ([]element, error) {
	var all []element
	for i, p := range pages {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p = f.strip(p)
		for _, r := range p {
			for _, c := range r.cells {
				known.collect(c.text)
			}
		}
		if len(p) > 0 {
			all = append(all, elements(p, i, 0)...)
		}
	}
	return all, nil
}

// chooseTitle returns the title in the file's properties. If there is none, it returns the largest
// text of the first page, or else the first heading.
func (f *file) chooseTitle(all []element, titles map[int]string) string {
	if f.title != "" {
		return f.title
	}
	body := bodySize(all)
	largest, text := 1.3*body, ""
	for _, e := range all {
		if e.page == all[0].page && len(e.lines) > 0 && len(e.lines) <= headingLines && (e.kind == prose || e.kind == title) && e.size() > largest {
			if t := e.text(nil); len(t) <= headingText && len(plain(t)) > 1 {
				largest, text = e.size(), t
			}
		}
	}
	if text != "" {
		return text
	}
	for level := 1; level <= 6; level++ {
		if t := titles[level]; t != "" {
			return t
		}
	}
	return ""
}

// writer converts elements to sections. It begins a new section on each page, with the headings
// that are still open, so that every section has a page number.
type writer struct {
	known    words
	sections []document.Section
	open     []openTitle
	page     int // page of the open section, from 1
	list     []string
	titles   map[int]string // first title of each level
}

type openTitle struct {
	level int
	text  string
}

func (w *writer) write(e *element) {
	text := e.text(w.known)
	if strings.TrimSpace(text) == "" {
		return
	}
	if e.kind == title {
		w.title(e, text)
		return
	}
	if len(w.sections) == 0 || w.page != e.page+1 {
		w.begin(e.page + 1)
	}
	switch e.kind {
	case item:
		w.list = append(w.list, text)
	case tabular:
		w.block(document.Table, text)
	case code:
		w.block(document.Code, text)
	default:
		w.block(document.Paragraph, text)
	}
}

func (w *writer) title(e *element, text string) {
	w.endList()
	for len(w.open) > 0 && w.open[len(w.open)-1].level >= e.level {
		w.open = w.open[:len(w.open)-1]
	}
	if w.titles[e.level] == "" {
		w.titles[e.level] = text
	}
	w.open = append(w.open, openTitle{e.level, text})
	w.begin(e.page + 1)
	w.block(document.Heading, strings.Repeat("#", min(max(e.level, 1), 6))+" "+text)
}

func (w *writer) begin(page int) {
	w.endList()
	s := document.Section{Anchor: fmt.Sprintf("page=%d", page)}
	for _, t := range w.open {
		s.Heading = append(s.Heading, t.text)
	}
	w.sections = append(w.sections, s)
	w.page = page
}

func (w *writer) endList() {
	if len(w.list) > 0 {
		list := w.list
		w.list = nil
		w.add(document.List, strings.Join(list, "\n"))
	}
}

func (w *writer) block(kind document.BlockKind, text string) {
	w.endList()
	w.add(kind, text)
}

func (w *writer) add(kind document.BlockKind, text string) {
	last := &w.sections[len(w.sections)-1]
	last.Blocks = append(last.Blocks, document.Block{Kind: kind, Text: strings.TrimRight(text, " \t\r\n")})
}
