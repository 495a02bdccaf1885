package answer

import "strings"

// Growing shows what is stable of a text that grows.
type Growing struct {
	growingText
	closed strings.Builder
	begun  bool
}

func (g *Growing) add(done []segment) {
	for _, s := range done {
		g.closed.WriteString(s.text[s.repeated:])
	}
}

// Write appends to the text.
func (g *Growing) Write(delta string) {
	if !g.begun {
		g.segmenter, g.begun = newSegmenter(), true
	}
	g.add(g.write(delta))
}

// Stable is what can be shown.
func (g *Growing) Stable() string {
	if open := g.stablePart(); len(open) > g.repeated {
		return g.closed.String() + open[g.repeated:]
	}
	return g.closed.String()
}

// All is the whole text.
func (g *Growing) All() string {
	g.add(g.finish())
	return g.closed.String()
}

// MaxLooks is how often a text is read at the most for each time that it is asked for, and for each
// of its marks.
const MaxLooks = maxTries

// Looked is how often the text was read to see what of it can be shown.
func (g *Growing) Looked() int { return g.reads }
