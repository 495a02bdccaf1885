package markdown

import (
	"iter"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const (
	// pieceSize is the size in bytes of the pieces in which a long text is parsed. A syntax tree
	// takes up to 300 bytes for each byte of text. A text of up to twice pieceSize is parsed whole.
	pieceSize = 128 << 10
	// lineSize is added to the length of each line, to account for the node of a short line.
	lineSize       = 32
	maxDefinitions = 64 << 10 // bytes of all link definitions
	// longestInfo is the maximum length in bytes of the text after a fence. If code is cut into two
	// pieces, both get the fence and this text.
	longestInfo = 100
)

// pieces cuts a long text before a heading if possible, else before a paragraph, else between any
// two lines. If it cuts fenced code, both pieces get fences.
func pieces(source string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var fence, info string // opening fence of the code around the line, and the text after it
		begin, start, size, blank := "", 0, 0, true
		at := 0
		for line := range strings.Lines(source) {
			if size >= pieceSize && cuts(line, size, fence != "", blank) {
				piece := begin + source[start:at]
				if begin = ""; fence != "" {
					piece, begin = piece+fence+"\n", fence+info+"\n"
				}
				if !yield(piece) {
					return
				}
				start, size = at, 0
			}
			switch mark := fenceOf(line); {
			case fence == "":
				fence = mark
				if info = strings.TrimSpace(line)[len(mark):]; len(info) > longestInfo {
					info = ""
				}
			case mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(line, mark[:1]+" \t\r\n") == "":
				fence = ""
			}
			at += len(line)
			size += len(line) + lineSize
			blank = strings.TrimSpace(line) == ""
		}
		yield(begin + source[start:])
	}
}

func cuts(line string, size int, fenced, blank bool) bool {
	switch {
	case size >= 2*pieceSize:
		return true
	case fenced:
		return false
	case strings.HasPrefix(line, "#"):
		return true
	}
	return blank && size >= pieceSize*3/2 && line != "" && !strings.ContainsRune(" \t\r\n>|-*+0123456789", rune(line[0]))
}

// fenceOf returns the marks with which a line opens or closes fenced code, such as "```". Otherwise
// it returns "".
func fenceOf(line string) string {
	bare := strings.TrimLeft(line, " ")
	if len(line)-len(bare) > 3 || len(bare) < 3 || bare[0] != '`' && bare[0] != '~' {
		return ""
	}
	length := len(bare) - len(strings.TrimLeft(bare, bare[:1]))
	if length < 3 || bare[0] == '`' && strings.Contains(bare[length:], "`") {
		return ""
	}
	return bare[:length]
}

var definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S[^\n]*$`)

func definitions(source string) []parser.Reference {
	var b strings.Builder
	for rest := source; b.Len() < maxDefinitions; {
		found := definition.FindStringIndex(rest)
		if found == nil {
			break
		}
		b.WriteString(rest[found[0]:found[1]] + "\n")
		rest = rest[found[1]:]
	}
	if b.Len() == 0 {
		return nil
	}
	pc := parser.NewContext()
	grammar.Parse(text.NewReader([]byte(b.String())), parser.WithContext(pc))
	return pc.References()
}
