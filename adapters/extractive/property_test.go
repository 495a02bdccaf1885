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
	ownMark = regexp.MustCompile(`(?m)^(?:\*\*.*\*\*|From|- .*) \[1[1-4]\]:?$`)
	mark    = regexp.MustCompile(`(?:^|[^\\])\[(\d+)\]`)
	inline  = regexp.MustCompile("`[^`]*`") // where nothing is a citation
	leftOut = regexp.MustCompile(`^(?:- )?(?:… ?)?(.*?)(?: …)?:?$`)
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
		source := strings.Join(strings.Fields(strings.NewReplacer("`", "", `\[`, "[").Replace(collapsed.String())), " ")
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
		got, _, _ = strings.Cut(got, "\n\n"+retrieve.MayHelp)
		text, code := parted(below(got))
		for _, line := range code {
			for _, cell := range strings.Split(line, " | ") { // spaces of rows are shown as one
				if !strings.Contains(all.String(), line) && !strings.Contains(collapsed.String(), cell) {
					t.Fatalf("code line %q is not in the documents; answer:\n%s", line, got)
				}
			}
		}
		for _, line := range text {
			if mark.MatchString(inline.ReplaceAllString(line, "")) {
				t.Fatalf("line %q has a number; answer:\n%s", line, got)
			}
			line = strings.ReplaceAll(leftOut.ReplaceAllString(line, "$1"), `\[`, "[")
			for _, cell := range strings.Split(line, " | ") {
				if cell = strings.Join(strings.Fields(strings.ReplaceAll(cell, "`", "")), " "); !strings.Contains(source, cell) {
					t.Fatalf("%q is not in the documents:\n%s", cell, source)
				}
			}
		}
	})
}

// parted returns the lines of an answer outside and inside fenced blocks. The latter end with a
// line that is in no document if a block is not closed.
func parted(answer string) (text, code []string) {
	fence := ""
	for _, line := range strings.Split(answer, "\n") {
		switch {
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			code = append(code, line)
		case strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		default:
			text = append(text, line)
		}
	}
	if fence != "" {
		code = append(code, "never closed")
	}
	return text, code
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
	text, _ := parted(answer)
	marks := len(ownMark.FindAllString(strings.Join(text, "\n"), -1))
	if links != marks {
		t.Fatalf("%d links for %d marks:\n%s", links, marks, answer)
	}
}
