package footprint

const mebi = 1 << 20

// Costs of all parsers of untrusted input. A test runs eight of each parser at once on the worst
// input, under a memory limit of the operating system.
var (
	// Office is the cost of Word, Excel and PowerPoint files. The size of an input is the size of
	// the text that the caller wants, because such files can expand to any size.
	Office = Cost{Reader: "Word, Excel and PowerPoint files", Fixed: 32 * mebi, PerByte: 4, Max: 96 * mebi}
	// PDF is the cost of PDF files. It includes 128 MiB for the parser's sandbox.
	PDF      = Cost{Reader: "PDF files", Fixed: 192 * mebi, PerByte: 2, Max: 288 * mebi}
	HTML     = Cost{Reader: "HTML pages", Fixed: mebi, PerByte: 100, Max: 256 * mebi}
	Markdown = Cost{Reader: "Markdown files", Fixed: mebi, PerByte: 400, Max: 224 * mebi}
	CSV      = Cost{Reader: "CSV files", Fixed: mebi, PerByte: 8, Max: 192 * mebi}
	Text     = Cost{Reader: "plain text and source code", Fixed: mebi, PerByte: 8, Max: 192 * mebi}
	// Git is the cost of Git repositories. It is fixed, because small packs may unpack to any size.
	Git    = Cost{Reader: "Git repositories", Fixed: 192 * mebi, Max: 192 * mebi}
	JSON   = Cost{Reader: "JSON answers of sources", Fixed: mebi, PerByte: 256, Max: 128 * mebi}
	Model  = Cost{Reader: "answers of models", Fixed: 64 << 10, PerByte: 180, Max: 16 * mebi}
	Frame  = Cost{Reader: "events of Slack and Discord", Fixed: 64 << 10, PerByte: 240, Max: 64 * mebi}
	Engine = Cost{Reader: "answers of OpenSearch", Fixed: mebi, PerByte: 80, Max: 64 * mebi}
)

// Table returns all costs in the order of deploy/threats.md.
func Table() []Cost {
	return []Cost{Office, PDF, HTML, Markdown, CSV, Text, Git, JSON, Model, Frame, Engine}
}
