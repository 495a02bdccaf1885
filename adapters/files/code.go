package files

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
)

// parseSource returns a parser for source code. Each declaration becomes a section, together with
// the comment above it. The section's anchor is the number of its first line, such as "L42".
func parseSource(name string) func(string) parsed {
	long, language := quotes[strings.ToLower(path.Ext(name))], languageOf(name)
	return func(text string) parsed {
		if strings.Count(text, "\n") > mostLines {
			return parseCode(languageOf(name))(text)
		}
		lines := slices.Collect(strings.Lines(text))
		var sections []document.Section
		for _, p := range pieces(lines, 0, len(lines), long, 0) {
			body := strings.TrimRight(strings.TrimLeft(strings.Join(lines[p.from:p.to], ""), "\r\n"), " \t\r\n")
			if body == "" {
				continue
			}
			s := document.Section{Anchor: fmt.Sprintf("L%d", p.from+1), Blocks: []document.Block{{Kind: document.Code, Text: body, Language: language}}}
			if declared := declaration(lines[p.from:p.to]); declared != "" {
				s.Heading = []string{declared}
			}
			sections = append(sections, s)
		}
		return parsed{sections: sections}
	}
}

func languageOf(name string) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if language := languages[ending]; language != "" {
		return language
	}
	if ending == "" {
		return strings.ToLower(path.Base(name)) // "dockerfile"
	}
	return ending
}

var languages = map[string]string{
	"py": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript", "kt": "kotlin", "kts": "kotlin", "h": "c",
	"cc": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "cs": "csharp", "m": "objectivec", "mm": "objectivec", "rs": "rust", "rb": "ruby", "pl": "perl",
	"pm": "perl", "jl": "julia", "hs": "haskell", "ml": "ocaml", "mli": "ocaml", "ex": "elixir", "exs": "elixir", "erl": "erlang", "clj": "clojure",
	"el": "lisp", "scm": "scheme", "v": "verilog", "s": "asm", "bash": "sh", "zsh": "sh", "ps1": "powershell", "tf": "hcl", "gradle": "groovy",
	"mk": "makefile", "yml": "yaml", "cfg": "ini", "conf": "ini", "xsd": "xml", "xsl": "xml", "jsonl": "json", "ndjson": "json", "patch": "diff", "log": "text",
}

// quotes maps extensions to the delimiters of multi-line strings. Source code is never cut inside
// such a string.
var quotes = map[string][]string{
	".go": {"`"}, ".py": {`"""`, "'''"}, ".sql": {"$$"}, ".js": {"`"}, ".ts": {"`"}, ".jsx": {"`"}, ".tsx": {"`"}, ".mjs": {"`"}, ".cjs": {"`"},
	".kt": {`"""`}, ".scala": {`"""`}, ".java": {`"""`}, ".swift": {`"""`}, ".cs": {`"""`}, ".lua": {"[[", "]]"}, ".vue": {"`"}, ".svelte": {"`"},
}

// mostLines is the maximum number of lines of a file that is split at its declarations. Longer
// files are usually generated.
const mostLines = 100_000

type stretch struct{ from, to int }

// longest is the maximum number of lines of a section of code. A longer section, such as a class,
// is split between its members.
const longest = 60

// deepestMember is the maximum depth to which pieces splits a long section of code.
const deepestMember = 8

// pieces splits lines[from:to] into declarations. It splits after a blank line, before lines with
// the least indentation. It splits long parts again, down to the depth deepestMember. long has the
// delimiters of multi-line strings, which stay whole.
func pieces(lines []string, from, to int, long []string, depth int) []stretch {
	least := math.MaxInt
	open := false
	var begins []int // lines after a blank line, outside of multi-line strings
	for i := from; i < to; i++ {
		inside := open
		for _, q := range long {
			open = open != (strings.Count(lines[i], q)%2 == 1)
		}
		if inside || i == from || strings.TrimSpace(lines[i]) == "" || strings.TrimSpace(lines[i-1]) != "" {
			continue
		}
		begins = append(begins, i)
		least = min(least, indentation(lines[i]))
	}
	var out []stretch
	start := from
	cut := func(end int) {
		p := stretch{start, end}
		if end-start > longest && (start > from || end < to) && depth < deepestMember {
			out = append(out, pieces(lines, start, end, long, depth+1)...)
		} else {
			out = append(out, p)
		}
		start = end
	}
	for _, i := range begins {
		if indentation(lines[i]) == least && !closing.MatchString(lines[i]) {
			cut(i)
		}
	}
	cut(to)
	return out
}

var closing = regexp.MustCompile(`^\s*(?:[)\]}]|end\b|else\b|elif\b|except\b|finally\b|catch\b|rescue\b|ensure\b)`)

func indentation(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

var declares = regexp.MustCompile(`(?i)^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|extern|` +
	`virtual|override|open|sealed|data|suspend|inline|const|declare|create(?:\s+or\s+replace)?|alter)\s+)*` +
	`(?:func|def|class|function|interface|type|struct|enum|trait|impl|fn|module|mod|namespace|object|protocol|extension|record|macro_rules!|defmodule|defp?|` +
	`sub|proc|procedure|table|view|materialized\s+view|index|unique\s+index|trigger|schema|message|service|rpc|resource|variable|fun)\b\s*[\w("'\x60<]`)

// calls matches declarations of methods that have no keyword, such as "int size() {".
var calls = regexp.MustCompile(`^\s*[\w<>\[\],.*&:~@ \t]*\b\w+\s*\([^;]*\)[^;=]*\{\s*$`)

var controls = regexp.MustCompile(`^\s*(?:if|for|while|switch|catch|return|else|do|try|with|using|lock|match|when)\b|^\s*[)}]`)

// longestLine is the maximum length in bytes of a line that declares a name.
const longestLine = 2000

const longestName = 100 // maximum length of a declaration's name

// declaration returns the line that declares a name, or "" if there is none.
func declaration(lines []string) string {
	for _, l := range lines {
		if len(l) > longestLine {
			return ""
		}
		bare := strings.TrimSpace(l)
		if bare == "" || comment.MatchString(bare) {
			continue
		}
		if controls.MatchString(l) || !declares.MatchString(l) && !calls.MatchString(l) {
			return ""
		}
		bare = strings.TrimRight(bare, " \t{(:=")
		if utf8.RuneCountInString(bare) > longestName {
			bare = string([]rune(bare)[:longestName-1]) + "…"
		}
		return bare
	}
	return ""
}

var comment = regexp.MustCompile(`^(?://|#|/\*|\*|--|;;|%|@|\[\w|"""|''')`)
