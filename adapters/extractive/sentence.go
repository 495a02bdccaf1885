package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations do not end a sentence.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "etc": true, "cf": true, "vs": true, "dr": true, "mr": true, "mrs": true, "ms": true, "prof": true, "st": true,
	"no": true, "nr": true, "fig": true, "sec": true, "ch": true, "vol": true, "pp": true, "approx": true, "resp": true, "al": true, "inc": true,
	"z.b": true, "d.h": true, "bzw": true, "usw": true, "ca": true, "u.a": true, "p.ex": true, "art": true, "abs": true,
}

// sentences cuts running text. White space runs become one space; code spans are never cut.
func sentences(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var out []string
	start := 0
	for i := 0; i < len(text); {
		if text[i] == '`' {
			i = skipSpan(text, i)
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		if !strings.ContainsRune(".!?…。！？", r) {
			i = end
			continue
		}
		for end < len(text) {
			next, n := utf8.DecodeRuneInString(text[end:])
			if !strings.ContainsRune(".!?…。！？\"')]}”’»*_", next) {
				break
			}
			end += n
		}
		if ends(text, start, i, end, r) {
			if s := strings.TrimSpace(text[start:end]); s != "" {
				out = append(out, s)
			}
			start = end
		}
		i = end
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

// ends reports whether the mark r at text[mark:end] ends the sentence that began at start.
func ends(text string, start, mark, end int, r rune) bool {
	if end == len(text) || strings.ContainsRune("。！？", r) {
		return true
	}
	if text[end] != ' ' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[end+1:])
	if unicode.IsLower(next) {
		return false
	}
	if r != '.' {
		return true
	}
	word := text[start:mark]
	word = strings.ToLower(strings.TrimLeft(word[strings.LastIndexByte(word, ' ')+1:], "(\"'[“"))
	initial := len(word) == 1 && unicode.IsLetter(rune(word[0]))
	return !initial && !abbreviations[word]
}

// skipSpan returns the end of the code span that begins at i, or of its backticks when nothing closes it.
func skipSpan(text string, i int) int {
	run := i
	for run < len(text) && text[run] == '`' {
		run++
	}
	mark := text[i:run]
	for at := run; at < len(text); {
		next := strings.Index(text[at:], mark)
		if next < 0 {
			return run
		}
		from := at + next
		to := from
		for to < len(text) && text[to] == '`' {
			to++
		}
		if to-from == len(mark) {
			return to
		}
		at = to
	}
	return run
}

// sound reports whether a quotation can stand in Markdown next to others: what it opens, it closes. Otherwise a citation behind it
// could end up inside a code span or a link.
func sound(s string) bool {
	if strings.HasSuffix(s, `\`) || strings.ContainsAny(s, "【［\x00") || strings.Contains(s, "$$") || strings.Contains(s, `\(`) || strings.Contains(s, `\[`) {
		return false
	}
	depth, round := 0, 0
	for i := 0; i < len(s); {
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '`':
			end := skipSpan(s, i)
			if strings.Trim(s[i:end], "`") == "" {
				return false // never closed
			}
			i = end
			continue
		case '<':
			if end := placeholder(s, i); end > i {
				i = end
				continue
			}
			// Raw HTML may swallow what follows; comparisons have a space or a digit behind the sign.
			if i+1 < len(s) && (s[i+1] == '/' || s[i+1] == '!' || s[i+1] == '?' || unicode.IsLetter(rune(s[i+1]))) {
				return false
			}
		case '[':
			depth++
		case ']':
			depth--
		case '(':
			round++
		case ')':
			round--
		}
		if depth < 0 {
			return false
		}
		i++
	}
	return depth == 0 && round == 0 && strings.Count(s, "**")%2 == 0
}
