package render_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
)

// citing is an answer of so many sentences, each with a citation of an address of so many bytes,
// and what a reader sees of it.
func citing(sentences, length int) (packets []packet.Payload, seen []string) {
	packets = append(packets, packet.MessageStart{})
	for i := range sentences {
		address := fmt.Sprintf("https://docs.example/%d/", i%5)
		address += strings.Repeat("x", length-len(address))
		if i < 5 {
			packets = append(packets, packet.CitationInfo{Number: i + 1, Title: "Page", URL: address})
		}
		sentence := fmt.Sprintf("Sentence %d says something that is worth a citation, in about a hundred characters or so ", i)
		seen = append(seen, strings.TrimSpace(sentence))
		packets = append(packets, packet.MessageDelta{Text: fmt.Sprintf("%s[[%d]](%s). ", sentence, i%5+1, address)})
	}
	return packets, seen
}

var linked = regexp.MustCompile(`\[\[\d\]\]\(<`)

func content(pages []render.Page) string {
	var all strings.Builder
	for _, p := range pages {
		all.WriteString(p.Content + "\n")
	}
	return all.String()
}

// What a reader sees decides how much of an answer is shown: addresses do not.
func TestAddressesLeaveTheTextItsRoom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		sentences, length int
		links             bool // the citations in the text lead somewhere
	}{
		{"short addresses in a short answer", 10, 60, true},
		{"short addresses in an answer of four messages", 40, 60, true},
		{"short addresses in a long answer", 70, 60, true},
		{"addresses in a long answer", 72, 110, true},
		{"long addresses in a short answer", 3, 200, false},
		{"long addresses in a long answer", 72, 500, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			packets, seen := citing(tt.sentences, tt.length)
			pages := renderer().Render(rendertest.View(append(packets, packet.Stop{Reason: "answered"})...))
			checkContent(t, pages)
			all := content(pages)
			for _, s := range seen {
				if !strings.Contains(all, s) {
					t.Fatalf("%q is not shown in %d messages", s, len(pages))
				}
			}
			if got := linked.MatchString(all); got != tt.links {
				t.Errorf("citations lead somewhere: %v, want %v", got, tt.links)
			}
			last := pages[len(pages)-1]
			if last.Attachment != "" || len(last.Links) != min(5, tt.sentences) {
				t.Errorf("the last message is %+v", last)
			}
		})
	}
}

// An answer that takes a file has its addresses in the messages above it, each once.
func TestAddressesStayAboveAFile(t *testing.T) {
	t.Parallel()
	packets, _ := citing(160, 100)
	pages := renderer().Render(rendertest.View(append(packets, packet.Stop{Reason: "answered"})...))
	checkContent(t, pages)
	if got := len(linked.FindAllString(content(pages), -1)); pages[len(pages)-1].Attachment == "" || got != 5 {
		t.Errorf("%d citations of 5 documents lead somewhere", got)
	}
}

// While it is written, an answer gives its addresses up at most once, and keeps every sentence that
// it has shown.
func TestAddressesAreGivenUpOnce(t *testing.T) {
	t.Parallel()
	packets, _ := citing(80, 100)
	before, changes := true, 0
	for n := 2 + 5; n <= len(packets); n++ {
		all := content(renderer().Render(rendertest.View(packets[:n]...)))
		if now := linked.MatchString(all); now != before {
			before = now
			changes++
		}
	}
	if changes != 1 || before {
		t.Errorf("citations got and lost their addresses %d times", changes)
	}
}
