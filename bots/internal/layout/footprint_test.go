package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/footprint"
)

// readerTests names the tests of each reader in footprint.Table.
var readerTests = map[string][]string{
	footprint.Office.Reader:   {"TestOfficeFilesInLittleMemory", "TestBeginningsOfOfficeFilesInLittleMemory"},
	footprint.PDF.Reader:      {"TestHostileFilesInLittleMemory"},
	footprint.HTML.Reader:     {"TestElementsWithoutEndInLittleMemory"},
	footprint.Markdown.Reader: {"TestMarksWithoutEndInLittleMemory"},
	footprint.CSV.Reader:      {"TestTablesInLittleMemory"},
	footprint.Text.Reader:     {"TestTextsInLittleMemory"},
	footprint.Git.Reader:      {"TestNestedTreesInLittleMemory", "TestBlobBombInLittleMemory", "TestManyEntriesInLittleMemory"},
	footprint.JSON.Reader:     {"TestAnswersInLittleMemory", "TestDecodeRefusesBombs"},
	footprint.Model.Reader:    {"TestLittleMemoryEndlessAnswers", "TestLittleMemoryEndlessVectors"},
	footprint.Frame.Reader:    {"TestLittleMemoryGatewayFrames", "TestLittleMemorySlackPayloads"},
	footprint.Engine.Reader:   {"TestLittleMemoryLargeAnswers"},
}

// TestThreatsShowTheMemoryOfReaders holds the table in threats.md to footprint.Table.
func TestThreatsShowTheMemoryOfReaders(t *testing.T) {
	t.Parallel()
	table := "| reader | fixed | per input byte | most | test |\n|---|---|---|---|---|\n"
	known := make(map[string]bool)
	for _, c := range footprint.Table() {
		known[c.Reader] = true
		var tests []string
		for _, name := range readerTests[c.Reader] {
			tests = append(tests, "`"+name+"`")
		}
		table += fmt.Sprintf("| %s | %s | %d | %s | %s |\n", c.Reader, amount(c.Fixed), c.PerByte, amount(c.Max), strings.Join(tests, ", "))
	}
	for reader := range readerTests {
		if !known[reader] {
			t.Errorf("tests of %q, which footprint.Table does not list", reader)
		}
	}
	generated(t, "../threats.md", "readers", "core/footprint", table)
}

func amount(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}
