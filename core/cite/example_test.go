package cite_test

import (
	"fmt"

	"github.com/footnotehq/footnote/core/cite"
)

// A turn: documents get numbers when they are found, the model's deltas pass
// the processor, and the sources list is made of what was cited.
func Example() {
	mapping := cite.NewMapping()
	mapping.Add(cite.Source{Document: "wiki:holidays", Title: "Holidays", URL: "https://wiki.example/holidays"})
	mapping.Add(cite.Source{Document: "wiki:leave", Title: "Leave (2025)", URL: "https://wiki.example/leave_(2025)"})

	p := cite.NewProcessor(mapping, cite.Options{})
	var events []cite.Event
	show := func() {
		for _, e := range events {
			if e.Info != nil {
				fmt.Printf("info %d %s\n", e.Info.Number, e.Info.Title)
			} else {
				fmt.Printf("text %q\n", e.Text)
			}
		}
	}
	for _, delta := range []string{"30 days [", "2], see `days[1]`", "."} {
		events = p.Push(delta, events[:0])
		show()
	}
	events = p.Flush(events[:0])
	show()
	for _, info := range p.Cited() {
		fmt.Println(info.Number, cite.SafeTitle(info.Title))
	}
	// Output:
	// text "30 days "
	// info 1 Leave (2025)
	// text "[[1]](https://wiki.example/leave_%282025%29), see `days[1]`"
	// text "."
	// 1 Leave (2025)
}
