package transcript

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// VersionOf returns a time that serves as a version of a document. It is computed from a hash of
// the lines, and changes if any line changes.
func VersionOf(lines ...string) time.Time {
	sum := fnv.New64a()
	for _, line := range lines {
		_, _ = sum.Write([]byte(line + "\n")) // a hash accepts any text
	}
	// at most a time in 2005, which every store can represent
	return time.UnixMicro(int64(sum.Sum64() >> 14)).UTC()
}

// Said returns a chat message as a section of a document. link becomes the anchor. The text begins
// with the author and the time, and code is in separate blocks.
func Said(link, who string, at time.Time, text string) document.Section {
	return document.Section{Anchor: link, Blocks: blocks(fmt.Sprintf("%s (%s UTC): %s", who, at.UTC().Format("2006-01-02 15:04"), text))}
}

// longestTitle is the maximum length of a title in bytes.
const longestTitle = 80

// Beginning returns the first words of a message, as a title.
func Beginning(text string) string {
	words := strings.Fields(text)
	var b strings.Builder
	for _, w := range words {
		if b.Len() > 0 {
			if b.Len()+len(w) > longestTitle {
				return b.String() + " …"
			}
			b.WriteByte(' ')
		}
		b.WriteString(w)
		if b.Len() > longestTitle {
			return strings.ToValidUTF8(b.String()[:longestTitle], "") + "…"
		}
	}
	return b.String()
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
