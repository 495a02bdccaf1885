package extractive

import (
	"context"
	"regexp"
	"strconv"
	"strings"

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

// answer returns the answer as Markdown. It omits the explanation m.why if an earlier answer begins
// with that explanation.
func (m *Model) answer(ctx context.Context, t turn) (string, error) {
	why := m.why
	for _, earlier := range t.answers {
		if why != "" && strings.HasPrefix(earlier, why) {
			why = ""
		}
	}
	switch {
	case len(t.passages) == 0 && t.failed:
		return "", nil // a search failed, so SentenceNothing would be wrong
	case len(t.passages) == 0 && t.searched:
		return session.SentenceNothing, nil
	case len(t.passages) == 0:
		return because(why, unsearched), nil
	}
	a := ask(t)
	pages := groupByPage(t)
	chosen, band, err := m.choose(ctx, a, pages)
	switch {
	case err != nil:
		return "", err
	case band == retrieve.Nothing:
		return session.SentenceNothing, nil
	case band == retrieve.Links:
		return a.links(chosen, pages, 0), nil
	}
	var out []string
	if why != "" {
		out = append(out, because(why, intro))
	}
	for i := range chosen {
		out = append(out, chosen[i].markdown())
	}
	if more := a.links(chosen, pages, len(chosen)); more != "" && !chosen[0].exact {
		out = append(out, more)
	}
	return strings.Join(out, "\n\n"), nil
}

func (x *quotation) markdown() string {
	mark := "[" + strconv.Itoa(x.part.Number) + "]"
	out := []string{"From " + mark + ":"}
	if title := titled(x.part, x.blocks[0].section); title != "" {
		out[0] = "**" + title + "** " + mark
	}
	for i := range x.blocks {
		out = append(out, x.block(&x.blocks[i]))
	}
	return strings.Join(out, "\n\n")
}

func (x *quotation) block(b *block) string {
	switch {
	case b.kind == table:
		var lines []string
		sound := true
		if x.head != "" {
			var head string
			head, sound = protect(x.head)
			lines = []string{head + ":", ""}
		}
		for _, r := range x.rows {
			text, whole := protect(r)
			lines, sound = append(lines, "- "+text), sound && whole
		}
		if !sound {
			return b.asCode()
		}
		return strings.Join(lines, "\n")
	case b.kind == code:
		return b.asCode()
	}
	text, sound := protect(b.text)
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

// links returns a Markdown list of links to pages that may help, or "" if there are none. It lists
// the pages of chosen after the first quoted ones. It adds up to firstHits of the best pages of the
// search, if they are close to the question.
func (a *asked) links(chosen []quotation, pages []*page, quoted int) string {
	var lines []string
	seen := map[string]bool{}
	add := func(p *page, part *passage) {
		if title := oneLine(p.parts[0].Title); !seen[title] {
			seen[title] = true
			lines = append(lines, strings.TrimSpace("- "+titled(part, part.lastHeading()))+" ["+strconv.Itoa(part.Number)+"]")
		}
	}
	for i := range chosen {
		add(chosen[i].page, chosen[i].part)
	}
	lines = lines[min(quoted, len(lines)):]
	for _, p := range pages {
		if len(seen) < len(chosen)+firstHits && (p.near || a.evidence(p)) {
			add(p, p.parts[0])
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
	text, sound := protect(title)
	if title != "" && !sound {
		return "`" + strings.ReplaceAll(title, "`", "'") + "`"
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (p *passage) lastHeading() string {
	at := strings.LastIndex(p.Heading, headingSeparator)
	return strings.TrimSpace(strings.TrimPrefix(p.Heading[max(at, 0):], headingSeparator))
}

func (p *passage) opening() string {
	last := p.lastHeading()
	if strings.Contains(p.Contents+"\n", "# "+last+"\n") {
		return ""
	}
	return last
}

// protect makes a text safe next to other Markdown. It escapes numbers in brackets, because they
// would look like citations, and writes placeholders such as <file> as code. sound is false if the
// text leaves markup open, such as a code span.
func protect(text string) (protected string, sound bool) {
	var b strings.Builder
	square := 0
	sound = text != "" && !strings.HasSuffix(text, `\`) && !unsound.MatchString(text) && strings.Count(text, "**")%2 == 0
	for i := 0; i < len(text); {
		end := i + 1
		switch rest := text[i:]; text[i] {
		case '\\':
			end = min(i+2, len(text))
		case '`':
			end = skipSpan(text, i)
			span := text[i:end]
			// Platforms end a span at a line end, so a number after it would be a citation.
			sound = sound && strings.Trim(span, "`") != "" && !(strings.Contains(span, "\n") && strings.Contains(span, "["))
		case '<':
			value := placeholder.FindString(rest)
			if value != "" && (i == 0 || text[i-1] != '`') && !strings.HasPrefix(rest[len(value):], "`") {
				b.WriteString("`" + value + "`")
				i += len(value)
				continue
			}
			sound = sound && !tag.MatchString(rest)
		case '[':
			square++
			if ownNumber.MatchString(rest) {
				b.WriteByte('\\')
			}
		case ']':
			square--
		}
		sound = sound && square >= 0
		b.WriteString(text[i:end])
		i = end
	}
	return b.String(), sound && square == 0
}

var (
	startsBlock = regexp.MustCompile(`(?m)^\s*(#{1,6}\s|>|[-*+•]\s|\d{1,9}[.)]\s|\||~{3}|={2,}|-{2,}|\[[^\]]*\]:|!\[)`)
	unsound     = regexp.MustCompile("[【［\x00]|\\$\\$|\\\\\\(|\\\\\\[|\\[\\[|```|~~~")
	ownNumber   = regexp.MustCompile(`^\[\s*\d+(?:\s*[,–-]\s*\d+)*\s*\]`)
	placeholder = regexp.MustCompile(`^<[A-Za-z][\w/|.-]{0,40}>`)
	tag         = regexp.MustCompile(`^<[/!?\pL]`)
)

// skipSpan returns the end of the code span at i. If the span is not closed, it returns the end of
// its opening backticks.
func skipSpan(text string, i int) int {
	run := i
	for run < len(text) && text[run] == '`' {
		run++
	}
	for at := run; at < len(text); at++ {
		from := at
		for at < len(text) && text[at] == '`' {
			at++
		}
		if at-from == run-i {
			return at
		}
	}
	return run
}
