package render_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// longAnswer is an answer of 60,000 characters with everything that answers have.
func longAnswer() string {
	const part = "## Setting **wal_level**\n\nThe primary needs `wal_level = replica` [[1]](https://docs.example/r#wal), *and* the standby a slot " +
		"[[2]](https://docs.example/s). Watch C:\\data and https://docs.example/a_b for more.\n\n1. Edit the file:\n   ```ini\n   wal_level = replica\n" +
		"   ```\n2. Restart.\n   - First the primary\n   - then the [standby](https://docs.example/s)\n\n| Setting | Value |\n|---|---:|\n" +
		"| wal_level | replica |\n| slots | 10 |\n\n> Do not forget the **backup**.\n\n"
	return strings.Repeat(part, 60000/len(part)+1)[:60000]
}

func BenchmarkRender(b *testing.B) {
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: longAnswer()})...)
	r := renderer()
	for b.Loop() {
		r.Render(view)
	}
}

// BenchmarkTail is one piece of a long stream: 200 characters behind 60,000.
func BenchmarkTail(b *testing.B) {
	text := longAnswer()
	for b.Loop() {
		b.StopTimer()
		view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: text})...)
		tail := renderer().Tail()
		tail(view)
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: text[:200]}})
		b.StartTimer()
		if _, ok := tail(view); !ok {
			b.Fatal("nothing came")
		}
	}
}

// BenchmarkHostile renders what parsers are slow on.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"brackets": "[", "images": "![", "angles": "<", "tags": "<a ", "stars": "*a ", "closers": "a* _b", "quotes": "> ", "backticks": "`a``",
		"ampersands": "&a", "backslashes": `\`, "bars": "|", "parens": "](", "links": "[a](", "urls": "http://a.b/(", "ats": "a@b", "lists": "- ",
		"nested": "  - a\n", "word": "a", "cjk": "日本", "marks": "e\u0301",
	} {
		b.Run(name, func(b *testing.B) {
			view := rendertest.View(packet.MessageDelta{Text: strings.Repeat(unit, 60000/len(unit))})
			for b.Loop() {
				view.Phase = stream.Writing
				renderer().Render(view)
				view.Phase = stream.Done
				renderer().Render(view)
			}
		})
	}
}
