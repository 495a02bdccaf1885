package extractive

import (
	"regexp"
	"strconv"
	"strings"
)

// What the reader is told beside the quotations.
const (
	intro   = "No language model is configured, so this is quoted from the documents:"
	nothing = "No language model is configured, so answers are quoted from the documents, and nothing was found in them that answers this question. " +
		"Other words may find more."
	unsearched = "No language model is configured, so answers are quoted from the documents, and no documents were searched for this message."
)

// answer writes the whole answer as Markdown.
func answer(t turn) string {
	if len(t.passages) == 0 {
		if t.searched {
			return nothing
		}
		return unsearched
	}
	all := units(t)
	a := weigh(t, all)
	chosen := choose(all, a)
	if len(chosen) == 0 || t.before != "" && a.strange > 0 && a.own <= a.strange/2 { // the documents are those of earlier questions
		return nothing
	}
	w := &writer{passages: t.passages}
	w.b.WriteString(intro)
	for i := 0; i < len(chosen); {
		end := i + 1
		for end < len(chosen) && chosen[end].passage == chosen[i].passage {
			end++
		}
		w.group(chosen[i:end])
		i = end
	}
	return w.b.String()
}

// writer puts quotations together. Blocks are parted by blank lines, so that none can change how the next one is read.
type writer struct {
	passages []passage
	b        strings.Builder
}

// group writes the quotations from one passage.
func (w *writer) group(chosen []unit) {
	mark := "[" + strconv.Itoa(w.passages[chosen[0].passage].Number) + "]"
	written := false // a block of this passage stands above
	for i := 0; i < len(chosen); {
		switch u := chosen[i]; u.kind {
		case code:
			if !written {
				w.block("From " + mark + ":")
			}
			w.fence(u.info, u.text)
			i++
		case item, table:
			end := i + 1
			for end < len(chosen) && (chosen[end].kind == item || chosen[end].kind == table) && len(chosen[end-1].follow) == 0 {
				end++
			}
			w.list(chosen[i:end], mark)
			w.follow(chosen[end-1].follow, mark)
			i = end
		default:
			end := i + 1
			for end < len(chosen) && chosen[end].kind == prose && chosen[end].block == u.block {
				end++
			}
			w.paragraph(chosen[i:end], mark)
			w.follow(chosen[end-1].follow, mark)
			i = end
		}
		written = true
	}
}

// paragraph writes sentences of one paragraph; those that do not follow each other are parted by an ellipsis.
func (w *writer) paragraph(chosen []unit, mark string) {
	var b strings.Builder
	for i, u := range chosen {
		if i > 0 {
			if before := chosen[i-1]; u.order == before.order+1 {
				b.WriteByte(' ')
			} else {
				b.WriteString(" " + mark + " … ")
			}
		}
		b.WriteString(protect(u.text))
	}
	if strings.HasSuffix(b.String(), ":") { // what it introduces comes next
		w.block(strings.TrimSuffix(b.String(), ":") + " " + mark + ":")
		return
	}
	w.block(b.String() + " " + mark)
}

func (w *writer) list(chosen []unit, mark string) {
	lines := make([]string, len(chosen))
	for i, u := range chosen {
		lines[i] = "- " + protect(u.text) + " " + mark
	}
	w.block(strings.Join(lines, "\n"))
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
	lines := make([]string, len(blocks))
	for i, b := range blocks {
		bullet := "- "
		if b.ordered {
			bullet = strconv.Itoa(i+1) + ". "
		}
		lines[i] = bullet + protect(b.text) + " " + mark
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

// protect puts a backslash before a document's own numbers in brackets, outside code: they are not citations of this answer.
func protect(text string) string {
	if !ownNumbers.MatchString(text) {
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
		b.WriteString(ownNumbers.ReplaceAllStringFunc(text[i:end], func(s string) string { return `\` + s }))
		i = end
	}
	return b.String()
}
