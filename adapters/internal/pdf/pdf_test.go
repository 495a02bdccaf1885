package pdf_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pdf"
	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

// parse reads a file that must be readable.
func parse(t testing.TB, raw []byte) pdf.Page {
	t.Helper()
	page, err := pdf.Parse(t.Context(), raw, pdf.Options{})
	if err != nil {
		t.Fatalf("Parse() = %v", err)
	}
	return page
}

// shown writes sections as a test can compare them: "anchor | heading > path" and the blocks with
// their kinds.
func shown(page pdf.Page) string {
	var b strings.Builder
	for _, s := range page.Sections {
		fmt.Fprintf(&b, "== %s | %s\n", s.Anchor, strings.Join(s.Heading, " > "))
		for _, block := range s.Blocks {
			fmt.Fprintf(&b, "%s: %s\n", [...]string{document.Paragraph: "text", document.List: "list", document.Table: "table", document.Code: "code", document.Heading: "heading"}[block.Kind], block.Text)
		}
	}
	return b.String()
}

func check(t *testing.T, page pdf.Page, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), shown(page)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestParagraphsHeadingsAndLists(t *testing.T) {
	t.Parallel()
	var b book
	b.sheet().
		at(72, 720, 24, bold, "Travel handbook").
		lines(72, 680, 11, roman,
			"Every trip is booked by the travel desk, which also keeps the list of the hotels that we",
			"have an agreement with. Whoever books elsewhere pays the differ-",
			"ence. A self-service portal is open day and night; the self-",
			"service portal needs a sign-in. The ofﬁce is closed on Sundays.").
		at(72, 610, 14, bold, "1. Before the trip").
		lines(72, 590, 11, roman,
			"Ask your manager first.",
			"• The purpose of the trip and the dates of it, which somebody has to be able to check",
			"  afterwards",
			"• The cost").
		at(72, 520, 14, bold, "2. Afterwards").
		lines(72, 500, 11, roman, "Hand in all receipts within thirty days of the return.")
	page := parse(t, b.bytes())
	if page.Title != "Travel handbook" {
		t.Errorf("title %q", page.Title)
	}
	check(t, page, `
== page=1 | Travel handbook
heading: # Travel handbook
text: Every trip is booked by the travel desk, which also keeps the list of the hotels that we have an agreement with. Whoever books elsewhere pays the difference. A self-service portal is open day and night; the self-service portal needs a sign-in. The office is closed on Sundays.
== page=1 | Travel handbook > 1. Before the trip
heading: ## 1. Before the trip
text: Ask your manager first.
list: - The purpose of the trip and the dates of it, which somebody has to be able to check afterwards
- The cost
== page=1 | Travel handbook > 2. Afterwards
heading: ## 2. Afterwards
text: Hand in all receipts within thirty days of the return.
`)
}

func TestTwoColumnsBelowATitle(t *testing.T) {
	t.Parallel()
	left := []string{"The left column begins here and holds", "running text that fills all of its", "lines to about the same width, so that", "nobody takes it for a table, and it goes", "on for a few more lines before it ends in", "the middle of a sentence that is con-"}
	right := []string{"tinued at the top of the right column.", "That one is read after the left one has", "been read to its end, as a person would", "do. Its lines are as long as those of the", "left one, and it ends a little earlier."}
	var b book
	b.sheet().at(120, 720, 20, bold, "On reading in columns, a short study").
		lines(72, 680, 10, roman, left...).lines(310, 680, 10, roman, right...)
	check(t, parse(t, b.bytes()), `
== page=1 | On reading in columns, a short study
heading: # On reading in columns, a short study
text: The left column begins here and holds running text that fills all of its lines to about the same width, so that nobody takes it for a table, and it goes on for a few more lines before it ends in the middle of a sentence that is continued at the top of the right column. That one is read after the left one has been read to its end, as a person would do. Its lines are as long as those of the left one, and it ends a little earlier.
`)
}

func TestTables(t *testing.T) {
	t.Parallel()
	var b book
	s := b.sheet()
	s.lines(72, 720, 11, roman, "The rates for each country are these, and they hold for the whole year without any change.")
	for i, r := range [][]string{{"Country", "Day rate", "Night"}, {"France", "53 EUR", "105"}, {"Japan, Tokyo", "50 EUR", "285"}, {"Peru", "34 EUR", "143"}} {
		for j, c := range r {
			s.at(72+150*float64(j), 690-16*float64(i), 11, roman, c)
		}
	}
	s.at(72, 690-16*4+2, 11, roman, "").at(222, 690-16*3-13, 11, roman, "(from May)")
	s.lines(72, 580, 11, roman, "Whoever travels to another country asks the travel desk, which will look the rate up for them.")
	check(t, parse(t, b.bytes()), `
== page=1 | 
text: The rates for each country are these, and they hold for the whole year without any change.
table: Country | Day rate | Night
France | 53 EUR | 105
Japan, Tokyo | 50 EUR | 285
Peru | 34 EUR (from May) | 143
text: Whoever travels to another country asks the travel desk, which will look the rate up for them.
`)
}

func TestCodeKeepsItsLines(t *testing.T) {
	t.Parallel()
	var b book
	b.sheet().lines(72, 720, 11, roman, "A program begins like this:").
		lines(72, 695, 10, courier, "func main() {", "    if ready {", "        run()", "    }", "}").
		lines(72, 620, 11, roman, "And that is all there is to it.")
	check(t, parse(t, b.bytes()), `
== page=1 | 
text: A program begins like this:
code: func main() {
    if ready {
        run()
    }
}
text: And that is all there is to it.
`)
}

func TestPagesAnchorsAndWhatIsOnEveryPage(t *testing.T) {
	t.Parallel()
	b := book{info: "/Title (Operations guide) /CreationDate (D:20230101) /ModDate (D:20240302101500+01'00')"}
	texts := []string{
		"The first page tells how to start the service. It ends with a sentence that goes on over the",
		"border between two pages and ends here. The second page tells how to stop it again.",
		"The third page tells how to look into it while it runs, and names the addresses.",
	}
	for i, text := range texts {
		b.sheet().at(72, 760, 9, roman, "ACME Corp – Operations").lines(72, 700, 11, roman, text).at(300, 30, 9, roman, fmt.Sprintf("Page %d of 3", i+1))
	}
	page := parse(t, b.bytes())
	if want := time.Date(2024, 3, 2, 9, 15, 0, 0, time.UTC); page.Title != "Operations guide" || !page.UpdatedAt.Equal(want) {
		t.Errorf("title %q, updated %v", page.Title, page.UpdatedAt)
	}
	check(t, page, `
== page=1 | 
text: The first page tells how to start the service. It ends with a sentence that goes on over the border between two pages and ends here. The second page tells how to stop it again.
== page=3 | 
text: The third page tells how to look into it while it runs, and names the addresses.
`)
}

func TestTableOfContents(t *testing.T) {
	t.Parallel()
	b := book{marks: []entry{{"Install", 0, []entry{{"On Linux", 0, nil}, {"Über Windows", 1, nil}}}, {"Not in the text", 1, nil}, {"A picture of words", 2, nil}}}
	b.sheet().lines(72, 720, 11, roman, "1. Install", "", "It is installed in one of these ways, of which the first is the best one for most people.", "", "1.1 On Linux", "", "Run the script.")
	b.sheet().lines(72, 720, 11, roman, "BIG WORDS that are no heading here", "", "Über Windows", "", "Click.")
	b.sheet().picture().lines(72, 120, 11, roman, "Its text.")
	check(t, parse(t, b.bytes()), `
== page=1 | 1. Install
heading: # 1. Install
text: It is installed in one of these ways, of which the first is the best one for most people.
== page=1 | 1. Install > 1.1 On Linux
heading: ## 1.1 On Linux
text: Run the script.
== page=2 | 1. Install > 1.1 On Linux
text: BIG WORDS that are no heading here
== page=2 | 1. Install > Über Windows
heading: ## Über Windows
text: Click.
== page=3 | A picture of words
heading: # A picture of words
text: Its text.
`)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	var b book
	b.sheet().at(72, 720, 12, cjk, "年次有給休暇は三十日").at(72, 705, 12, cjk, "です。")
	b.sheet().turned(100, 100, 12, 0, 1, "A page that is turned by a quarter.").turned(115, 100, 12, 0, 1, "It has two lines.").turned(300, 300, 40, 0.7, 0.7, "DRAFT").at(10, 10, 8, roman, "margin")
	b.sheet().turned(500, 700, 12, -1, 0, "Upside down.")
	b.sheet().turned(100, 700, 12, 0, -1, "The other way round.")
	check(t, parse(t, b.bytes()), `
== page=1 | 
text: 年次有給休暇は三十日です。
== page=2 | 
text: A page that is turned by a quarter. It has two lines.
== page=3 | 
text: Upside down.
== page=4 | 
text: The other way round.
`)
}
