package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
)

func bodySize(all []element) float64 {
	count := make(map[float64]int)
	for _, e := range all {
		for _, l := range e.lines {
			if e.kind != code {
				count[rounded(l.size)] += l.count
			}
		}
	}
	size, most := 0.0, 0
	for s, n := range count {
		if n > most || n == most && s < size {
			size, most = s, n
		}
	}
	return size
}

func rounded(size float64) float64 { return math.Round(size*2) / 2 }

const (
	headingLines  = 3
	headingText   = 200  // maximum length in bytes
	headingLarger = 1.12 // minimum letter size, as a multiple of the body text's size
	headingHuge   = 1.4
)

type headingStyle struct {
	size float64
	bold bool
}

// markTitles finds headings by the file's table of contents, or else by the size and weight of
// letters.
func markTitles(all []element, marks []bookmark) []element {
	if len(marks) > 0 {
		return markByContents(all, marks)
	}
	body := bodySize(all)
	seen := make(map[headingStyle]int)
	var looks []headingStyle
	for i := range all {
		if l, ok := headingLook(all, i, body); ok {
			if _, known := seen[l]; !known {
				seen[l] = 0
				looks = append(looks, l)
			}
		}
	}
	slices.SortFunc(looks, func(a, b headingStyle) int {
		if c := cmp.Compare(b.size, a.size); c != 0 {
			return c
		}
		if a.bold == b.bold {
			return 0
		} else if a.bold {
			return -1
		}
		return 1
	})
	for rank, l := range looks {
		seen[l] = min(rank+1, 6)
	}
	for i := range all {
		if l, ok := headingLook(all, i, body); ok {
			all[i].level = seen[l]
		}
	}
	for i := range all { // set last, because headingLook reads the kinds of neighbouring elements
		if all[i].level > 0 {
			all[i].kind = title
		}
	}
	return all
}

func headingLook(all []element, i int, body float64) (headingStyle, bool) {
	e := &all[i]
	if e.kind != prose && e.kind != item || len(e.lines) > headingLines {
		return headingStyle{}, false
	}
	text := e.text(nil)
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if len(text) > headingText || letters < 2 || strings.Contains(text, leader) {
		return headingStyle{}, false
	}
	l := headingStyle{rounded(e.size()), e.bold() || isUpperCase(text)}
	larger := e.size() / max(body, 1)
	switch {
	case i+1 < len(all) && all[i+1].page == e.page && unicode.IsLower(all[i+1].first()):
		// an unfinished sentence
		return headingStyle{}, false
	case larger >= headingHuge:
		return l, true
	case strings.HasSuffix(text, ",") || endsSentence(text) && !strings.HasSuffix(text, "?") || unicode.IsLower(firstRune(text)) || len(text) > headingText/2:
		return headingStyle{}, false
	case larger >= headingLarger:
		return l, true
	case !l.bold || len(e.lines) > 2 || rounded(e.size()) < rounded(body):
		return headingStyle{}, false
	}
	if e.kind == item {
		mark, _, _ := cutMark(text)
		if !isNumber(mark) {
			return headingStyle{}, false
		}
		// a number such as "3.1" belongs to a section and not to an item
		if strings.Contains(strings.TrimRight(mark, "."), ".") {
			return l, true
		}
	}
	// a heading has other text below it
	return l, i+1 < len(all) && !(all[i+1].bold() && rounded(all[i+1].size()) == l.size)
}

func isNumber(mark string) bool {
	return strings.ContainsAny(mark, "0123456789") || strings.Trim(mark, "IVX.") == "" && mark != "."
}

const mostCompared = 200_000

// markByContents turns the elements that match an entry of the table of contents into headings. For
// an entry without a match, it adds a heading at the top of the page. It drops such an entry if the
// page already has a matched heading.
func markByContents(all []element, marks []bookmark) []element {
	out := make([]element, 0, len(all)+len(marks))
	at := 0
	compared := 0
	lastFound := -1 // page of the last heading that was found
	for _, m := range marks {
		rest := all[at:] // elements are in the order of pages
		from := at + sort.Search(len(rest), func(i int) bool { return rest[i].page >= m.page })
		end := at + sort.Search(len(rest), func(i int) bool { return rest[i].page > m.page })
		found := -1
		for i := from; i < end && compared < mostCompared; i++ {
			compared++
			if matchesEntry(&all[i], m.title) {
				found = i
				break
			}
		}
		if found < 0 && lastFound == m.page {
			continue
		}
		if found < 0 {
			for at < end && all[at].page < m.page {
				out = append(out, all[at])
				at++
			}
			out = append(out, element{kind: title, page: m.page, level: m.level, lines: []run{{text: m.title, count: 1}}})
			continue
		}
		out = append(out, all[at:found]...)
		all[found].kind, all[found].level = title, m.level
		out = append(out, all[found])
		at, lastFound = found+1, m.page
	}
	return append(out, all[at:]...)
}

// numbering matches the number at the start of a heading, such as "Chapter 3" or "2.1".
var numbering = regexp.MustCompile(`(?i)^\s*(?:(?:chapter|section|part|appendix|kapitel|abschnitt|teil|anhang)\s+)?(?:[0-9]+|[a-z])?(?:\.?[0-9]+)*[.:)]?\s+`)

func matchesEntry(e *element, entry string) bool {
	if e.kind != prose && e.kind != item || len(e.lines) > headingLines {
		return false
	}
	a, b := e.text(nil), entry
	return plain(a) == plain(b) || plain(numbering.ReplaceAllString(a, "")) == plain(numbering.ReplaceAllString(b, ""))
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
