package retrieve_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
)

// A section of source code begins with a fence, which is not its heading.
func TestPartsOfCodeAreNamedByTheirFirstLine(t *testing.T) {
	t.Parallel()
	first := "```go\nfunc A() {\n}\n```\n\n"
	c := document.Chunk{Text: first + "```go\nfunc B() {\n}\n```", Anchor: "L1", Heading: []string{"a.go"}, Places: []document.Place{{Start: 0, Anchor: "L1"}, {Start: len(first), Anchor: "L5"}}}
	parts := retrieve.Parts(c)
	if len(parts) != 2 || parts[1].Heading != "func B() {" || parts[1].Anchor != "L5" {
		t.Errorf("the parts are %+v", parts)
	}
}
