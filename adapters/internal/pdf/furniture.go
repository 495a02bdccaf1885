package pdf

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

const (
	outermost = 3 // rows at the top and bottom that may be running heads and page numbers
	// repeatedOn is the number of pages from which a repeated row counts as a running head or
	// footer. It is small, because running heads change with the chapter.
	repeatedOn = 3
	sameHeight = 3 // points
)

var digits = regexp.MustCompile(`[0-9]+|\b[ivxlc]+\b`)

var pageNumber = regexp.MustCompile(`(?i)^[\W_]*(?:page|seite|p\.|s\.)?\s*(?:\d{1,5}|[ivxlc]{1,7})(?:\s*(?:/|of|von|sur|de)\s*\d{1,5})?[\W_]*$`)

// furniture counts rows that repeat on many pages, such as running heads and footers.
type furniture struct {
	rows  map[string]int
	pages int
}

func findFurniture(pages [][]row) furniture {
	f := furniture{make(map[string]int), len(pages)}
	for _, p := range pages {
		seen := make(map[string]bool) // once for each page
		for i := range p {
			if key, outer := furnitureKey(p, i); outer && !seen[key] {
				seen[key] = true
				f.rows[key]++
			}
		}
	}
	return f
}

// furnitureKey returns a key that is equal for rows with the same height and text. It ignores
// numbers. The bool is false if row i is not at the top or bottom of the page.
func furnitureKey(p []row, i int) (string, bool) {
	if i >= outermost && i < len(p)-outermost {
		return "", false
	}
	text := digits.ReplaceAllString(strings.ToLower(strings.Join(strings.Fields(p[i].line().text), " ")), "#")
	return fmt.Sprintf("%.0f %s", math.Round(p[i].y/sameHeight), text), true
}

func (f furniture) strip(p []row) []row {
	from, to := 0, len(p)
	for from < min(outermost, len(p)) && f.contains(p, from) {
		from++
	}
	for to > max(from, len(p)-outermost) && f.contains(p, to-1) {
		to--
	}
	return p[from:to]
}

func (f furniture) contains(p []row, i int) bool {
	if f.pages < 2 {
		return false
	}
	if (i == 0 || i == len(p)-1) && pageNumber.MatchString(p[i].line().text) {
		return true
	}
	key, outer := furnitureKey(p, i)
	return outer && f.rows[key] >= repeatedOn
}
