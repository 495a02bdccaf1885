package extractive

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

const (
	intro      = "these passages match best:"
	unsearched = "answers are quoted from the documents, and no documents were searched for this message."
)

func because(why, sentence string) string {
	if why == "" {
		return strings.ToUpper(sentence[:1]) + sentence[1:]
	}
	return why + sentence
}

// answer returns the answer as Markdown, after the sections that it cites. It omits the explanation
// m.why if an earlier answer begins with that explanation.
func (m *Model) answer(ctx context.Context, t turn) (cited []llm.Delta, text string, err error) {
	why := m.why
	for _, earlier := range t.answers {
		if why != "" && strings.HasPrefix(earlier, why) {
			why = ""
		}
	}
	switch {
	case len(t.passages) == 0 && t.failed:
		return nil, "", nil // a search failed, so SentenceNothing would be wrong
	case len(t.passages) == 0 && t.searched:
		return nil, session.SentenceNothing, nil
	case len(t.passages) == 0:
		return nil, because(why, unsearched), nil
	}
	a := ask(t)
	pages := groupByPage(t)
	quoted, linked, err := m.choose(ctx, a, pages)
	if err != nil {
		return nil, "", err
	}
	var out []string
	if why != "" && len(quoted) > 0 {
		out = append(out, because(why, intro))
	}
	for i := range quoted {
		out = append(out, a.markdown(&quoted[i]))
	}
	if len(quoted)+len(linked) > 0 && (len(quoted) == 0 || !quoted[0].exact) {
		if more := a.links(quoted, linked, pages); more != "" {
			out = append(out, more)
		}
	}
	return a.cited, cmp.Or(strings.Join(out, "\n\n"), session.SentenceNothing), nil
}

func (a *asked) markdown(x *quotation) string {
	text := x.blocks[len(x.blocks)-1].text
	if len(x.rows) > 0 {
		text = x.rows[0]
	}
	mark, title := a.cite(x.page, x.part, x.blocks[0], text)
	out := []string{"From " + mark + ":"}
	if title != "" {
		out[0] = "**" + title + "** " + mark
	}
	for i := range x.blocks {
		out = append(out, x.block(&x.blocks[i]))
	}
	return strings.Join(out, "\n\n")
}

// cite returns the citation and the title of a quotation or link. It records the section, so that
// the citation leads to it.
func (a *asked) cite(p *page, part *passage, b block, text string) (mark, title string) {
	a.cited = append(a.cited, llm.Delta{Quoted: &llm.Quoted{Number: part.Number, Section: b.section, Text: text}})
	return "[" + strconv.Itoa(part.Number) + "]", titled(part, p.unique(&b))
}

// unique returns the heading of a block, below its parent if the page has this heading twice.
func (p *page) unique(b *block) string {
	times := 0
	for _, part := range p.parts {
		times += strings.Count(part.Contents+"\n", "# "+b.section+"\n")
	}
	if times > 1 && b.parent != "" {
		return b.parent + headingSeparator + b.section
	}
	return b.section
}

func (x *quotation) block(b *block) string {
	switch {
	case b.kind == table:
		var lines []string
		sound := true
		if x.head != "" {
			var head string
			head, sound = cite.Protect(x.head)
			lines = []string{head + ":", ""}
		}
		for _, r := range x.rows {
			text, whole := cite.Protect(r)
			lines, sound = append(lines, "- "+text), sound && whole
		}
		if !sound {
			return b.asCode()
		}
		if b.after {
			lines = append(lines, "- …")
		}
		return strings.Join(lines, "\n")
	case b.kind == code:
		return b.asCode()
	}
	text, sound := cite.Protect(b.text)
	if !sound || b.kind == prose && startsBlock.MatchString(b.text) {
		return b.asCode()
	}
	before, after := "… ", " …"
	if b.kind == list {
		before, after = "- …\n", "\n- …"
	}
	if b.before {
		text = before + text
	}
	if b.after {
		text += after
	}
	return text
}

func (b *block) asCode() string {
	out := fenced(b.info, b.text)
	if b.before {
		out = "…\n\n" + out
	}
	if b.after {
		out += "\n\n…"
	}
	return out
}

func fenced(info, text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + info + "\n" + text + "\n" + mark
}

// firstHits is the number of links to the first pages that the search found. These pages may answer
// better than the quoted ones.
const firstHits = 2

// links returns a Markdown list of links to pages that may help, or "" if there are none: those of
// linked, and up to firstHits of the best pages of the search that are close to the question.
func (a *asked) links(quoted, linked []quotation, pages []*page) string {
	var lines []string
	seen := map[string]bool{}
	for i := range quoted {
		seen[oneLine(quoted[i].part.Title)] = true
	}
	add := func(p *page, part *passage, b block) {
		if title := oneLine(p.parts[0].Title); !seen[title] {
			seen[title] = true
			mark, title := a.cite(p, part, b, b.text)
			lines = append(lines, strings.TrimSpace("- "+title)+" "+mark)
		}
	}
	for i := range linked {
		add(linked[i].page, linked[i].part, linked[i].blocks[0])
	}
	most := len(seen) + firstHits
	for _, p := range pages {
		if len(seen) < most && (p.near || a.evidence(p)) {
			add(p, p.parts[0], p.parts[0].start())
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return retrieve.MayHelp + "\n\n" + strings.Join(lines, "\n")
}

const headingSeparator = " › "

func titled(p *passage, section string) string {
	title := oneLine(p.Title)
	if section = oneLine(section); section != "" && section != title {
		title = strings.TrimPrefix(title+headingSeparator+section, headingSeparator)
	}
	text, sound := cite.Protect(title)
	if title != "" && !sound {
		return "`" + strings.ReplaceAll(title, "`", "'") + "`"
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// start returns an empty block in the section at the start of a passage.
func (p *passage) start() block {
	path := strings.Split(headingSeparator+p.Heading, headingSeparator)
	n := len(path)
	return block{section: strings.TrimSpace(path[n-1]), parent: strings.TrimSpace(path[n-2])}
}

// opening is like start, but has no section if the passage has its heading too.
func (p *passage) opening() block {
	at := p.start()
	if strings.Contains(p.Contents+"\n", "# "+at.section+"\n") {
		return block{}
	}
	return at
}

var startsBlock = regexp.MustCompile(`(?m)^\s*(#{1,6}\s|>|[-*+•]\s|\d{1,9}[.)]\s|\||~{3}|={2,}|-{2,}|\[[^\]]*\]:|!\[)`)
