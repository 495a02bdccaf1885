package local

import (
	"os"
	"strings"
)

var remedies = []struct{ says, do string }{
	{"No space left on device", "The disk is full: make room on it, then try again."},
	{"Disk quota exceeded", "Your disk quota is used up: make room, then try again."},
	{"Read-only file system", "The disk is read-only: set FOOTNOTE_DATA to a place that can be written."},
	{"Permission denied", "A file or directory may not be used by the user who runs PostgreSQL: look at its owner and mode."},
	{"Cannot allocate memory", "Memory is short: free some, or set a smaller shared_buffers in a file postgresql.conf next to the data directory."},
	{"invalid value for parameter", "A setting in your postgresql.conf next to the data directory is wrong: correct it."},
	{"unrecognized configuration parameter", "A setting in your postgresql.conf next to the data directory is unknown to this version: remove it."},
	{"could not locate a valid checkpoint record", "The data directory is damaged: restore it from a backup, or move it away and index your documents again."},
}

// explain returns the last lines of a failed program's output and, if known, the remedy. The text
// begins with a colon and is appended to an error message. It is "" if there is no output.
func explain(output string) string {
	const keep = 8
	var lines []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, "  "+line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	text := ":\n" + strings.Join(lines[max(0, len(lines)-keep):], "\n")
	if do := remedy(output); do != "" {
		return text + "\n" + do
	}
	return text
}

// remedy returns a sentence that says what to do about an error, or "". It ignores case, because Go
// and C capitalize the same messages differently.
func remedy(output string) string {
	output = strings.ToLower(output)
	for _, known := range remedies {
		if strings.Contains(output, strings.ToLower(known.says)) {
			return known.do
		}
	}
	return ""
}

// readFrom returns the text of a file after an offset, but at most the last 16 KiB. If the file
// cannot be read, it returns "", because the text only completes another error.
func readFrom(name string, offset int64) string {
	const most = 16 << 10
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() < offset {
		return ""
	}
	text := make([]byte, min(info.Size()-offset, most))
	n, err := file.ReadAt(text, info.Size()-int64(len(text)))
	if err != nil {
		return ""
	}
	return string(text[:n])
}
