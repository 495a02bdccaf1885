package extractive

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

// Notices that the reader sees with the quotations.
const (
	intro      = "these passages match best:"
	unsearched = "answers are quoted from the documents, and no documents were searched for this message."
)

// because puts the reason, which may be empty, before a sentence.
func because(why, sentence string) string {
	if why == "" {
		return strings.ToUpper(sentence[:1]) + sentence[1:]
	}
	return why + sentence
}

// answer writes the whole answer as Markdown. Why there are only quotations is said once in a
// thread.
func (m *Model) answer(ctx context.Context, t turn) (string, error) {
	why := m.why
	for _, earlier := range t.answers {
		if why != "" && strings.HasPrefix(earlier, why) {
			why = ""
		}
	}
	if len(t.passages) == 0 {
		if t.failed {
			return "", nil // that nothing was found would not be true
		}
		if t.searched {
			return session.SentenceNothing, nil
		}
		return because(why, unsearched), nil
	}
	language := languageOf(t.passages)
	a := ask(t, language, rarity(t, language))
	s := &scorer{asked: a, reader: &reader{language: language, slots: a.slots, said: a.said, known: map[string]mask{}}}
	pages := read(t, s.reader)
	chosen, band, err := m.choose(ctx, t, s, pages)
	switch {
	case err != nil:
		return "", err
	case band == retrieve.Nothing:
		return session.SentenceNothing, nil
	case band == retrieve.Links:
		return s.links(chosen, pages, 0), nil
	}
	w := &writer{}
	if why != "" { // whoever has a stand-in answer says why
		w.b.WriteString(because(why, intro))
	}
	for _, x := range chosen {
		for _, y := range s.warned(x) {
			w.span(y)
		}
	}
	if more := s.links(chosen, pages, len(chosen)); more != "" && !chosen[0].named && !chosen[0].told {
		w.block(more)
	}
	return w.b.String(), nil
}

// writer puts quotations together. Blocks are parted by blank lines, so that none can change how
// the next one is read.
type writer struct{ b strings.Builder }

// span writes one quotation.
func (w *writer) span(x span) {
	mark := "[" + strconv.Itoa(x.part.Number) + "]"
	p := &x.part.pieces[x.at]
	switch x.kind {
	case code:
		w.block("From " + mark + ":")
		w.fence(p.info, x.code)
	case table:
		head, _ := x.rows[0].row()
		if head != "" {
			w.block(protect(head) + " " + mark + ":")
		}
		lines := make([]string, len(x.rows))
		for i := range x.rows {
			_, row := x.rows[i].row()
			lines[i] = "- " + protect(row) + " " + mark
		}
		w.block(strings.Join(lines, "\n"))
	default:
		if x.from < x.to {
			w.paragraph(x, mark)
		}
		w.follow(x.follow, mark)
	}
}

// paragraph writes a paragraph or an item as it is, with a mark where it is cut.
func (w *writer) paragraph(x span, mark string) {
	p := &x.part.pieces[x.at]
	text := protect(joined(p.sentences[x.from:x.to]))
	if term := termOf(x.part, x.at, text); term != "" {
		text = protect(term) + ": " + text
	}
	if x.from > 0 {
		text = "… " + text
	}
	if p.kind == item {
		text = "- " + text
		// the list goes on
		if next := x.at + 1; next < len(x.part.pieces) && x.part.pieces[next].kind == item {
			mark += "\n- … " + mark
		}
	}
	switch {
	case len(x.follow) > 0 && x.follow[0].kind != prose:
		w.block(strings.TrimSuffix(text, ":") + " " + mark + ":")
	case x.to < len(p.sentences):
		w.block(text + " … " + mark)
	default:
		w.block(text + " " + mark)
	}
}

// follow writes what a sentence introduced.
func (w *writer) follow(blocks []block, mark string) {
	if len(blocks) == 0 {
		return
	}
	if blocks[0].kind == code {
		w.fence(blocks[0].info, blocks[0].text)
		return
	}
	var lines []string
	for _, b := range blocks {
		bullet := "- "
		if b.kind == prose {
			bullet = ""
		}
		if b.ordered {
			bullet = strings.TrimRight(b.number, ".)") + ". "
		}
		text := protect(b.text)
		if b.short {
			text += " …"
		}
		lines = append(lines, bullet+text+" "+mark)
		if b.cut {
			lines = append(lines, "- … "+mark)
		}
	}
	w.block(strings.Join(lines, "\n"))
}

// fence writes code between fences that nothing inside can close.
func (w *writer) fence(info, text string) {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	if !plainInfo.MatchString(info) {
		info = ""
	}
	w.block(mark + info + "\n" + text + "\n" + mark)
}

var plainInfo = regexp.MustCompile(`^[A-Za-z0-9+#_.-]{1,20}$`)

func (w *writer) block(text string) {
	w.b.WriteString("\n\n")
	w.b.WriteString(text)
}

var ownNumbers = regexp.MustCompile(`\[\s*\d+(?:\s*[,–-]\s*\d+)*\s*\]`)

// protect puts a backslash before a document's own numbers in brackets, outside code: they are not
// citations of this answer. What stands for a value, such as <file>, it writes as code.
func protect(text string) string {
	if !strings.Contains(text, "<") && !ownNumbers.MatchString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '`' {
			end := skipSpan(text, i)
			b.WriteString(text[i:end])
			i = end
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '`' {
			end++
		}
		writePlaceholders(&b, text, i, end)
		i = end
	}
	return b.String()
}

func withNumbers(text string) string {
	return ownNumbers.ReplaceAllStringFunc(text, func(s string) string { return `\` + s })
}
