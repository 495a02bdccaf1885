package answer

import (
	"strings"
	"unicode/utf8"
)

// maxHold is the maximum number of bytes of unfinished Markdown that are not shown yet. Longer
// unfinished Markdown is shown as plain text.
const maxHold = 512

// Closed returns the part of a growing Markdown text that can be shown. It closes open code blocks
// and emphasis. It omits incomplete links, tags, entities, addresses, table rows and markers.
// Closed is idempotent.
func Closed(text string) string {
	text = Visible(text)
	all := segments(text)
	last := all[len(all)-1]
	settled := len(text) - len(last.text) + last.repeated
	if shown := closeSegment(last.text); len(shown) > last.repeated {
		return text[:settled] + shown[last.repeated:]
	}
	return text[:settled]
}

func closeSegment(text string) string {
	for range 2 {
		for range maxTries {
			next, done := closeOnce(text)
			if done || next == text {
				return next
			}
			text = next
		}
		// the text only begins constructs: the paragraph is shown when it is complete
		text = text[:min(scan(text).leaf, max(0, len(text)-1))]
	}
	return ""
}

// maxTries is the maximum number of unfinished constructs that are removed from the end of a text,
// one after another.
const maxTries = 16

func closeOnce(text string) (next string, done bool) {
	e := scan(text)
	if e.fence != 0 {
		return closeFence(text, e)
	}
	if h := e.blockHold(text); h < len(text) {
		return text[:h], false
	}
	if e.code || e.leaf >= len(text) {
		return text, true
	}
	leaf := text[e.leaf:]
	if text[len(text)-1] != '\n' {
		if shown := strings.TrimRight(leaf, " \t"); len(shown) < len(leaf) {
			return text[:e.leaf+len(shown)], false
		}
		if h := addressHold(leaf); h < len(leaf) {
			return text[:e.leaf+h], false
		}
	}
	p := inlineScan(leaf)
	end := len(leaf)
	if p.hold < end && len(leaf)-p.hold <= maxHold {
		if p.code == "" {
			return text[:e.leaf+p.hold], false
		}
		span := strings.TrimRight(leaf[p.hold:], " \t\n")
		content := strings.TrimRight(span, "`")
		if strings.TrimSpace(strings.TrimLeft(content, "`")) == "" {
			return text[:e.leaf+p.hold], false
		}
		if len(content) < len(span) {
			return text[:e.leaf+p.hold+len(content)], false
		}
	} else {
		p.code = ""
	}
	return p.closers(text, e.leaf)
}

func (p *pending) closers(text string, leaf int) (next string, done bool) {
	whole := text
	first, _ := p.first(len(text) - leaf)
	text = strings.TrimRight(text, " \t\n")
	if leaf >= len(text) {
		return whole, true
	}
	closing := p.code
	for {
		last := -1
		for k, stack := range p.openers {
			if n := len(stack); n > 0 && (last < 0 || stack[n-1].at > p.openers[last][len(p.openers[last])-1].at) {
				last = k
			}
		}
		if last < 0 {
			break
		}
		stack := p.openers[last]
		o := stack[len(stack)-1]
		if len(text)-leaf-o.at > maxHold {
			break // too long for emphasis: the mark is plain text
		}
		if strings.Trim(text[leaf+o.at:], marks+" \t\n") == "" {
			return text[:leaf+o.at], false
		}
		closing += strings.Repeat(string(o.mark), o.left)
		p.openers[last] = stack[:len(stack)-1]
	}
	if closing == "" {
		return whole, true
	}
	check := inlineScan(text[leaf:] + closing + "\n")
	again := scan(text + closing)
	if open, _ := check.first(check.hold); first < len(text)-leaf && (open <= len(text)-leaf || again.leaf != leaf || again.fence != 0) {
		return text[:leaf+first], false // the marks do not close one another, or become a fence
	}
	if whole[len(whole)-1] == '\n' {
		closing += "\n"
	}
	return text + closing, true
}

func closeFence(text string, e blockState) (next string, done bool) {
	content := strings.IndexByte(text[e.opened:], '\n') + 1 + e.opened
	last := text[e.line:]
	if strings.Trim(last, "`~> \t") == "" && e.line < len(text) {
		return text[:e.line], false
	}
	if strings.Trim(text[content:], "> \t\n") == "" {
		return text[:e.opened], false
	}
	return strings.TrimRight(text, "\n") + "\n" + e.prefix + strings.Repeat(string(e.fence), e.run) + "\n", true
}

func (e *blockState) blockHold(text string) int {
	last := text[e.line:]
	if e.header >= 0 && strings.Trim(last, "-:|> \t") == "" {
		return e.header
	}
	if last == "" {
		return e.bareMarker(text)
	}
	rest := content(last)
	switch {
	case strings.Trim(rest, "-+*_=#`~|:> \t") == "", len(rest) <= len("123456789") && strings.Trim(rest, "0123456789") == "",
		strings.HasPrefix(rest, "|"), e.table, fenceRun(rest) > 0:
		return e.line
	}
	return len(text)
}

func content(line string) string {
	line = strings.TrimLeft(line, "> \t")
	for n, _ := listMarker(line); n > 0 && !isRule(line); n, _ = listMarker(line) {
		line = strings.TrimLeft(line[n:], "> \t")
	}
	return strings.TrimRight(line, " \t")
}

func (e *blockState) bareMarker(text string) int {
	end := len(text)
	line := strings.TrimSuffix(text, "\n")
	if line == text {
		return end
	}
	start := strings.LastIndexByte(line, '\n') + 1
	if l := line[start:]; strings.TrimSpace(l) != "" && strings.Trim(content(l), "#") == "" && len(content(l)) <= 6 {
		return start
	}
	return end
}

func lastWord(leaf string) int {
	end := len(leaf)
	for end > 0 && leaf[end-1] > ' ' && leaf[end-1] < utf8.RuneSelf {
		end--
	}
	return end
}

func addressHold(leaf string) int {
	start := lastWord(leaf)
	for _, scheme := range []string{"http", "www."} {
		if i := strings.Index(leaf[start:], scheme); i >= 0 && len(leaf)-start <= maxHold {
			if j := strings.IndexAny(leaf[start:], "<[`"); j >= 0 && j < i {
				return len(leaf) // inlineScan handles the bracket
			}
			return start
		}
	}
	return len(leaf)
}

type growingText struct {
	segmenter
	shown      int    // bytes of the open segment that are shown
	reads      int    // how often the open segment was parsed to determine shown
	incomplete string // the beginning of an incomplete character or line break
	cleaner    cleaner
}

func (g *growingText) write(delta string) []segment {
	delta = g.incomplete + delta
	end := len(delta)
	for i := 1; i <= min(utf8.UTFMax-1, end); i++ {
		if utf8.RuneStart(delta[end-i]) {
			if !utf8.FullRuneInString(delta[end-i:]) {
				end -= i
			}
			break
		}
	}
	if end > 0 && delta[end-1] == '\r' {
		end--
	}
	g.incomplete = delta[end:]
	done := g.segmenter.write(g.cleaner.clean(delta[:end]), nil)
	if len(done) > 0 {
		g.shown = 0
	}
	return done
}

func (g *growingText) finish() []segment {
	done := g.segmenter.write(Visible(g.incomplete), nil)
	g.incomplete = ""
	return append(done, g.last())
}

// stablePart returns the beginning of the text that looks the same whatever text follows. It treats
// an opening mark as plain text if maxHold bytes follow without a closing mark.
func (g *growingText) stablePart() string {
	for {
		text := string(g.open)
		hold, why := g.shownLength(text)
		g.shown = max(g.shown, hold)
		if len(text)-hold <= maxHold || why < g.shown {
			return text[:g.shown]
		}
		run := runLength(text, why)
		if c := text[why]; strings.IndexByte("*_~`", c) < 0 {
			run = 1
		}
		g.escape(why, run)
	}
}

func isEscaped(s string, i int) bool {
	n := i
	for n > 0 && s[n-1] == '\\' {
		n--
	}
	return (i-n)%2 == 1
}

func (g *growingText) shownLength(text string) (hold, why int) {
	hold, why = len(text), -1
	for range maxTries {
		next, mark := g.shownLengthOnce(text[:hold], hold == len(text))
		if next == hold {
			return hold, why
		}
		hold = next
		if mark >= g.repeated && text[mark] != '\\' && punctuation(text[mark]) && !isEscaped(text, mark) {
			why = mark
		}
	}
	return 0, -1 // the text only begins constructs
}

func (g *growingText) shownLengthOnce(text string, whole bool) (hold, mark int) {
	g.reads++
	e := g.scan(text)
	if e.fence != 0 {
		return e.fenceHold(text), -1
	}
	if h := e.blockHold(text); h < len(text) {
		return h, -1
	}
	if e.code {
		if i := strings.IndexAny(text[e.line:], "<@"); i >= 0 { // as in fenceHold
			return e.line + i, -1
		}
		return len(text), -1
	}
	if e.leaf >= len(text) {
		return len(text), -1
	}
	leaf := text[e.leaf:]
	if whole { // the last word may grow
		if end := lastWord(leaf); end < len(leaf) {
			return e.leaf + end, -1
		}
	}
	p := inlineScan(leaf)
	if h, at := p.first(p.hold); h < len(leaf) {
		mark = e.leaf + at
		if at < len(leaf)-1 && leaf[at] == '!' {
			mark++
		}
		// the mark decides whether the word before it is an address
		if strings.IndexByte(marks, leaf[h]) >= 0 {
			for h > 0 && leaf[h-1] < utf8.RuneSelf && strings.IndexByte(addressBreaks, leaf[h-1]) < 0 {
				h--
			}
		}
		return e.leaf + h, mark
	}
	return len(text), -1
}

func (e *blockState) fenceHold(text string) int {
	content := strings.IndexByte(text[e.opened:], '\n') + 1 + e.opened
	last := text[e.line:]
	hold := len(text)
	if strings.Trim(last, "`~> \t") == "" {
		hold = e.line
	} else if i := strings.IndexAny(last, "<@"); i >= 0 { // it may become a mention
		hold = e.line + i
	}
	if strings.Trim(text[content:max(hold, content)], "> \t\n") == "" {
		return e.opened
	}
	return hold
}
