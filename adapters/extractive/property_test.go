package extractive_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// passageOf draws Markdown, whole and broken.
func passageOf() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"# Pump", "## Valve", "The pump moves water through the valve.", "Open the valve with care, then start the pump again.",
			"Run `pump --start` to start the pump.", "An unclosed `span of the pump is here.", "The **pump is bold and the valve is not.",
			"See [the pump](https://example.org/a_(b)) about the valve.", "The pump is [11] and the valve [12, 13] bar.", "A link [half the pump.",
			"- The pump is first in the list\n- the valve comes second in it", "1. Start the pump at once.\n2. Close the valve (slowly).",
			"To start the pump, run this:", "```sh\npump start\nvalve open\n```", "```\npump never ends", "~~~\n``` pump valve\n~~~",
			"pump start \\\n    --now;\nvalve = 3;", "| Part | Use |\n|---|---|\n| The pump | moves the water on |", "> The pump is quoted here as well.",
			"    pump indented", "<div>The pump in HTML.</div>", "The pump costs $$5 and the valve \\(x\\).", "Pump【1】valve is what it says here.", "---",
			"1) The pump (", "The valve is at 3.14 bar, e.g. in winter. It drops! Does the pump stop? Yes.", "水泵把水送过阀门，然后停下来。", "[11]: https://pump.example.org valve pump water.", "In the code `pump[11]` the valve is an index.", "The pump【12】and the valve [[11]](https://x.example) differ.", "Valve\\[11] is a pump as well.", "part | use [11]\npump | moves; water\nvalve | `a | b`\n | stops", "hunter2", "Pump: only after 22:00", "port: 8443\nvalve: [1, 2]", "# How do I start the pump?\n\nyes", " a | b\n---+---\n pump | 2", "- --pump\n- --dry-valve <pump>\n  Starts the pump <valve> [11] at once.", "| Pump | Valve\npump | starts | stops\nvalve | opens | closes", "The `pump`<valve> opens a <b>pump</b> or <valve>.", "- pump=5\n  valve [11] is what it says\n\n  And the pump.",
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "pieces"), rapid.SampledFrom([]string{"\n\n", "\n", " "}).Draw(t, "separator"))
	})
}

var (
	ownMark    = regexp.MustCompile(`(?m) \[1[1-4]\](?: … |:?$)`)
	mark       = regexp.MustCompile(`(?:^|[^\\])\[(\d+)\]`)
	span       = regexp.MustCompile("`[^`]*`") // where nothing is a citation
	quoteMarks = regexp.MustCompile(` > `)
	leftOut    = regexp.MustCompile(`^(?:… )?(.*?)(?: …)?( \[\d+\]:?)$`)
	marker     = regexp.MustCompile(`^(- |\d+\. )`)
)

// Whatever the documents hold: only what stands in them is quoted, code is closed, and every number
// is one that was given.
func TestQuotesVerbatim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var docs []tool.Document
		var all, collapsed strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "documents") {
			text := passageOf().Draw(t, "text")
			docs = append(docs, tool.Document{Number: 11 + i, Title: "Pumps", Contents: text})
			all.WriteString(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n") + "\n")
			collapsed.WriteString(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ") + " ")
		}
		source := collapsed.String() + "\n" + quoteMarks.ReplaceAllString(collapsed.String(), " ")
		question := rapid.SampledFrom([]string{"How do I start the pump?", "What is a valve?", "Show me the command for the pump", "水泵", "pump"}).Draw(t, "question")
		got, _, _ := run(t, asked(question, docs...))
		if !strings.HasPrefix(got, heading) && !strings.HasPrefix(got, retrieve.MayHelp) {
			if strings.Contains(got, "\n") || mark.MatchString(got) {
				t.Fatalf("neither quotations nor a plain sentence:\n%s", got)
			}
			return
		}
		checkCitations(t, got)
		if strings.HasPrefix(got, retrieve.MayHelp) {
			return
		}
		fence := ""
		got, _, _ = strings.Cut(got, "\n\n"+retrieve.MayHelp)
		for _, line := range strings.Split(strings.TrimPrefix(got, heading), "\n") {
			switch {
			case fence != "" && line == fence:
				fence = ""
			case fence != "":
				if !strings.Contains(all.String(), line) {
					t.Fatalf("code line %q is not in the documents; answer:\n%s", line, got)
				}
			case strings.HasPrefix(line, "```"):
				fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
			case line == "", strings.HasPrefix(line, "- … ["), regexp.MustCompile(`^From \[\d+\]:$`).MatchString(line):
			default:
				checkLine(t, line, source, got)
			}
		}
		if fence != "" {
			t.Fatalf("code is never closed:\n%s", got)
		}
	})
}

// checkCitations checks that what becomes a link is what the answer put there: never a number out
// of a document, and no mark lost in code.
func checkCitations(t *rapid.T, answer string) {
	t.Helper()
	mapping := cite.NewMapping()
	for n := 11; n <= 14; n++ {
		mapping.Restore(n, cite.Source{Document: document.ID(strconv.Itoa(n)), Title: "Pumps", URL: "https://linked.example/"})
	}
	links := strings.Count(cite.NewProcessor(mapping, cite.Options{}).Text(answer), "](https://linked.example/)")
	marks := len(ownMark.FindAllString(withoutCode(answer), -1))
	if links != marks {
		t.Fatalf("%d links for %d marks:\n%s", links, marks, answer)
	}
}

// withoutCode leaves fenced blocks out.
func withoutCode(answer string) string {
	var out []string
	fence := ""
	for _, line := range strings.Split(answer, "\n") {
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
		case strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// checkLine checks one line of quotations: each ends with a number, and stands in the source word
// for word.
func checkLine(t *rapid.T, line, source, answer string) {
	t.Helper()
	line = leftOut.ReplaceAllString(marker.ReplaceAllString(line, ""), "$1$2")
	for _, m := range mark.FindAllStringSubmatch(span.ReplaceAllString(line, ""), -1) {
		if n := m[1]; n != "11" && n != "12" && n != "13" && n != "14" {
			t.Fatalf("number %s was not given; line %q", n, line)
		}
	}
	if !regexp.MustCompile(`\[1[1-4]\]:?$`).MatchString(line) {
		t.Fatalf("line %q has no number; answer:\n%s", line, answer)
	}
	for _, part := range regexp.MustCompile(` \[1[1-4]\](?: … |:?$)`).Split(line, -1) {
		for _, cell := range piecesOf(strings.ReplaceAll(part, `\[`, "["), source) {
			if cell = strings.ReplaceAll(cell, "`", ""); !strings.Contains(strings.ReplaceAll(source, "`", ""), cell) {
				t.Fatalf("%q is not in the documents:\n%s", cell, source)
			}
		}
	}
}

// piecesOf returns a quotation, or if it is a table's row its cells and the names of its columns.
func piecesOf(quote, source string) []string {
	if strings.Contains(source, quote) {
		return []string{quote}
	}
	var out []string
	for _, cell := range strings.Split(quote, "; ") {
		for _, name := range strings.Split(cell, ": ") {
			for _, part := range strings.Split(name, " – ") {
				out = append(out, strings.Split(part, ", ")...)
			}
		}
	}
	return out
}
