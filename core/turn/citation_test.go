package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/google/go-cmp/cmp"
)

// A follow-up that is shown another section of a known document has another number for it, and the
// old number leads where it led.
func TestEachPassageOfADocumentHasItsNumber(t *testing.T) {
	t.Parallel()
	s := ask("And then?", llmtest.Native(searching("1"), llmtest.Answer("So it was then [1]. So it is now [2].")))
	old := s.index.hits[0].Document
	s.request.History = []message.Message{{Turn: 1, Role: message.Assistant, Text: "A [1].", Documents: []message.Reference{{Number: 1, Document: old, Anchor: "old", Text: "x"}}}}
	_, packets := s.run(t, t.Context())
	if got := shown(packets, 0); got != "So it was then [[1]](https://docs.example/replication#old). So it is now [[2]](https://docs.example/replication#top)." {
		t.Errorf("shown %q", got)
	}
}

// Document 7 stays 7 for the model, whatever the reader sees, and a number that the audience may
// not follow leads nowhere.
func TestNumbersAreStableWithinTheSession(t *testing.T) {
	t.Parallel()
	seven := hit("slots", "Slots keep WAL.").Document
	model := llmtest.Native(searching("1"), llmtest.Answer("As said [7], and [11], not [9]."))
	s := ask("And then?", model)
	backup := s.index.hits[1]
	s.request.Numbers = map[int]cite.Passage{
		7: {Document: seven.ID}, 9: {Document: "docs:hidden"}, 10: {Document: backup.Document.ID, Part: cite.ChunkPart(backup.Chunk)},
	}
	s.request.History = []message.Message{
		{Turn: 1, Role: message.User, Text: "How?"},
		{Turn: 1, Role: message.Assistant, Text: "With slots [7].", Documents: []message.Reference{{Number: 7, Document: seven, Anchor: "top", Text: "Slots keep WAL."}}},
	}
	report, packets := s.run(t, t.Context())
	if got, want := shown(packets, 0), "As said [[1]](https://docs.example/slots#top), and [[2]](https://docs.example/replication#top), not [9]."; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if c := report.Best().Citations; len(c) != 2 || c[0].ModelSees != 7 || c[1].ModelSees != 11 || c[1].Number != 2 {
		t.Errorf("citations = %+v", c)
	}
	if numbers := report.Best().References; numbers[0].Number != 11 || numbers[1].Number != 10 {
		t.Errorf("the search gave %+v, want new number 11 and old number 10", numbers)
	}
}

// The release before gave each document one number. Its answers lead where they led, and a passage
// of such a document gets another number. A number that two documents have, because both releases
// answered in one session, belongs to the one that the history shows.
func TestSessionOfPreviousReleaseContinues(t *testing.T) {
	t.Parallel()
	s := ask("And then?", llmtest.Native(searching("1"), llmtest.Answer("As said [1]. So it is now [4]. As for the other [2].")))
	ref := s.index.hits[0].Document
	other := document.Ref{ID: "docs:other", Title: "OTHER", URL: "https://docs.example/other"}
	s.request.Numbers = map[int]cite.Passage{1: {Document: ref.ID}, 2: {Document: ref.ID, Part: "c9"}, 3: {Document: "docs:third"}}
	s.request.History = []message.Message{{Turn: 1, Role: message.Assistant, Text: "A [1]. B [2].",
		Documents: []message.Reference{
			{Number: 1, Document: ref, Anchor: "old", Text: "x", Chunk: new(document.ChunkID(1))}, {Number: 1, Document: ref, Anchor: "older", Text: "y", Chunk: new(document.ChunkID(2))},
			{Number: 2, Document: other, Anchor: "b", Text: "b", Chunk: new(document.ChunkID(3))},
		},
		Citations: []message.Citation{{Number: 1, ModelSees: 1, Document: ref, Link: ref.Link("older")}},
	}}
	_, packets := s.run(t, t.Context())
	want := "As said [[1]](https://docs.example/replication#old). So it is now [[2]](https://docs.example/replication#top). As for the other [[3]](https://docs.example/other#b)."
	if got := shown(packets, 0); got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
}

// A number under which the history shows two documents leads to neither.
func TestAmbiguousNumberIsNotCited(t *testing.T) {
	t.Parallel()
	s := ask("And then?", llmtest.Native(llmtest.Answer("It is so [2]. It was so [1].")))
	at := func(name string) message.Reference {
		return message.Reference{Number: 2, Document: document.Ref{ID: document.ID(name), URL: "https://docs.example/" + name}, Text: name}
	}
	one := at("one")
	one.Number = 1
	s.request.History = []message.Message{
		{Turn: 1, Role: message.Assistant, Text: "A [2].", Documents: []message.Reference{one, at("a")}},
		{Turn: 2, Role: message.Assistant, Text: "B [2].", Documents: []message.Reference{at("b")}},
	}
	_, packets := s.run(t, t.Context())
	if got, want := shown(packets, 0), "It is so [2]. It was so [[1]](https://docs.example/one)."; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
}

// The text of a page that was opened can be cited although its first chunk was shown before, and
// leads to its sections.
func TestOpenedPageIsCitedByItsSections(t *testing.T) {
	t.Parallel()
	s := ask("How?", llmtest.Native(searching("1"), llmtest.Reply{llmtest.Call(0, "2", "open", "{}")},
		llmtest.Answer("Set wal_level [1]. Watch the lag of it [3]. Then drop the slot [3].")))
	ref, chunk := s.index.hits[0].Document, s.index.hits[0].Chunk
	s.tools = []tool.Tool{&probe{name: "open", run: func(_ context.Context, call tool.Call, _ *packet.Emitter) (tool.Result, error) {
		n := call.Scope.Citations.Add(cite.Source{Document: ref.ID, Part: cite.PagePart, Title: ref.Title, URL: ref.URL})
		return tool.Result{Citable: true, Evidence: true, Content: "the page", References: []message.Reference{{
			Number: n, Document: ref, Chunk: &chunk, Part: cite.PagePart, Text: "Set wal_level.\n\nWatch the lag.\n\nDrop the slot.",
			Sections: []message.Section{{Anchor: "top", Heading: "Top", Text: "Set wal_level."}, {Anchor: "lag", Heading: "Lag", Text: "Watch the lag."}, {Anchor: "removal", Text: "Drop the slot."}},
		}}}, nil
	}}}
	report, packets := s.run(t, t.Context())
	const at = "https://docs.example/replication#"
	if got, want := shown(packets, 0), "Set wal_level [[1]]("+at+"top). Watch the lag of it [[2]]("+at+"lag). Then drop the slot [[3]]("+at+"removal)."; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	a := report.Best()
	if len(a.References) != 3 || a.References[2].Number != 3 || a.Unsupported != 0 {
		t.Errorf("%d citations are not supported by %+v", a.Unsupported, a.References)
	}
}

// A citation leads to the section that its sentence is from, among those of the passage that it
// names, whichever model wrote it.
func TestCitationLeadsToTheSectionOfItsSentence(t *testing.T) {
	t.Parallel()
	const at = "https://docs.example/replication#"
	tests := map[string]struct {
		answer, want string
		sections     []string
	}{
		"of one section":     {"Set wal_level to replica. [1]", "Set wal_level to replica. [[1]](" + at + "top)", []string{"Top"}},
		"the first part":     {"Drop the slot when the replica is gone [3].", "Drop the slot when the replica is gone [[1]](" + at + "removal).", []string{"Removal"}},
		"another part":       {"Watch the lag of the replica [3].", "Watch the lag of the replica [[1]](" + at + "lag).", []string{"Lag"}},
		"not of another one": {"Watch the lag of the replica [1].", "Watch the lag of the replica [[1]](" + at + "top).", []string{"Top"}},
		"of none":            {"Bananas ripen [3].", "Bananas ripen [[1]](" + at + "removal).", []string{"Removal"}},
		"both": {
			"Watch the lag of it [3]. Then drop the slot [3]. The lag is what to watch [3].",
			"Watch the lag of it [[1]](" + at + "lag). Then drop the slot [[2]](" + at + "removal). The lag is what to watch [[1]](" + at + "lag).", []string{"Lag", "Removal"},
		},
		"adjacent numbers of one section": {"Drop the slot when the replica is gone [3][4].", "Drop the slot when the replica is gone [[1]](" + at + "removal).", []string{"Removal"}},
	}
	for name, test := range tests {
		for _, extractive := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", extractive), func(t *testing.T) {
				t.Parallel()
				s := ask("How?", llmtest.New(llm.Info{NativeTools: true, Extractive: extractive}, searching("1"), llmtest.Answer(strings.SplitAfter(test.answer, " ")...)))
				ref := s.index.hits[0].Document
				s.index.hits[0].Heading = []string{"REPLICATION", "Top"}
				s.index.hits = append(s.index.hits, retrieve.Hit{
					Document: ref, Chunk: 7001, Heading: []string{"Removal"}, Anchor: "removal", Link: ref.Link("removal"),
					Text: "Drop the slot when the replica is gone.\n\nWatch the lag of the replica.",
					Parts: []retrieve.Part{
						{Anchor: "removal", Heading: "Removal", Text: "Drop the slot when the replica is gone."}, {Anchor: "lag", Heading: "Lag", Text: "Watch the lag of the replica."},
					},
				}, retrieve.Hit{
					Document: ref, Chunk: 7003, Heading: []string{"Removal"}, Anchor: "removal", Link: ref.Link("removal"), Text: "A replica that is gone needs no slot: drop it.",
				})
				report, packets := s.run(t, t.Context())
				if got := shown(packets, 0); got != test.want {
					t.Errorf("shown %q, want %q", got, test.want)
				}
				var sections []string
				for i, c := range report.Best().Citations {
					sections = append(sections, c.Section)
					if c.Number != i+1 || c.Link != ref.Link(c.Anchor) || !strings.EqualFold(c.Anchor, c.Section) || !strings.Contains(test.answer, fmt.Sprintf("[%d]", c.ModelSees)) {
						t.Errorf("citation %+v", c)
					}
				}
				if diff := cmp.Diff(test.sections, sections); diff != "" {
					t.Errorf("sections (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Numbers that were never shown, and a list that the model writes itself, are neither shown nor
// kept, and the numbers are counted.
func TestInventedCitationsAreDropped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer, text, shown string
		invented            int
	}{
		"numbers": {"Set wal_level [1]. Restart the server [7][1, 8].", "Set wal_level [1]. Restart the server [1].",
			"Set wal_level [[1]](https://docs.example/replication#top). Restart the server [[1]](https://docs.example/replication#top).", 2},
		"a list": {"Set wal_level [1].\n\nSources:\n[1] REPLICATION", "Set wal_level [1].", "Set wal_level [[1]](https://docs.example/replication#top).", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, packets := ask("How?", llmtest.Native(searching("1"), llmtest.Answer(strings.SplitAfter(test.answer, " ")...))).run(t, t.Context())
			a := report.Best()
			if got := strings.TrimSpace(shown(packets, 0)); got != test.shown || strings.TrimSpace(a.Text) != test.text || a.Invented != test.invented {
				t.Errorf("shown %q, kept %q, %d invented", got, a.Text, a.Invented)
			}
			if run := a.Run(1, time.Time{}); run.Invented != test.invented {
				t.Errorf("%d are counted", run.Invented)
			}
		})
	}
	s := ask("How?", llmtest.Native(searching("1"), llmtest.Answer(`{"text":"Restart the server [7].","list":[7]}`)))
	s.request.ResponseFormat = json.RawMessage(`{}`)
	report, _ := s.run(t, t.Context())
	if a := report.Best(); a.Shown != `{"text":"Restart the server [7].","list":[7]}` || a.Invented != 0 {
		t.Errorf("a form that a program reads was changed: %q", a.Shown)
	}
}

func TestUnsupportedCitationsAreCounted(t *testing.T) {
	t.Parallel()
	report, _ := ask("How?", llmtest.Native(searching("1"), llmtest.Answer("Create a replication slot [1]. Bananas ripen quickly [2]."))).run(t, t.Context())
	if got := report.Best().Unsupported; got != 1 {
		t.Errorf("%d unsupported citations, want 1", got)
	}
}

// Where the operator wants it so, such citations are left out, and numbers are given to what is
// left.
func TestUnsupportedCitationsAreDropped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer, want string
		cited              int
		grounding          packet.Grounding
	}{
		{"one of two", "Bananas ripen quickly [2]. Create a replication slot [1].", "Bananas ripen quickly. Create a replication slot [[1]](https://docs.example/replication#top).", 1, packet.Cited},
		{"all", "Bananas ripen quickly [2].", "Bananas ripen quickly.", 0, packet.Uncited},
		{"none", "Create a replication slot [1] with pg_basebackup [2].",
			"Create a replication slot [[1]](https://docs.example/replication#top) with pg_basebackup [[2]](https://docs.example/backup#top).", 2, packet.Cited},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := ask("How?", llmtest.Native(searching("1"), llmtest.Answer(strings.SplitAfter(tt.answer, " ")...)))
			s.config.DropUnsupported = true
			report, packets := s.run(t, t.Context())
			a := report.Best()
			if got := shown(packets, 0); got != tt.want || a.Shown != tt.want {
				t.Errorf("shown %q, reported %q, want %q", got, a.Shown, tt.want)
			}
			if len(a.Citations) != tt.cited || a.Ending.Grounding != tt.grounding || a.Text != tt.answer {
				t.Errorf("%d citations, grounding %s, text %q", len(a.Citations), a.Ending.Grounding, a.Text)
			}
		})
	}
}

// A quotation is cited by its own section, or by its page if the section has no link of its own.
func TestQuotationIsCitedByItsSection(t *testing.T) {
	t.Parallel()
	const page, title = "https://docs.example/replication", "**Replication"
	parts := []retrieve.Part{
		{Anchor: "added", Heading: "Added", Text: "## Added\n\nReplication of tables."}, {Anchor: "lag", Heading: "The `lag`", Text: "## The `lag`\n\nWatch it."},
		{Anchor: "added-1", Heading: "Added", Text: "## Added\n\nName | Use\n\nslot | removal of\nlag"},
	}
	for name, test := range map[string]struct {
		quoted  llm.Quoted
		parts   []retrieve.Part
		want    string
		section string
	}{
		"by its heading":                {llm.Quoted{Section: "The lag", Text: "Watch it."}, parts, "#lag", "The `lag`"},
		"by its text":                   {llm.Quoted{Section: "Added", Text: "- slot | removal of lag"}, parts, "#added-1", "Added"},
		"a link":                        {llm.Quoted{Section: "Added"}, parts, "#added", "Added"},
		"a section without a link":      {llm.Quoted{Section: "Removal", Text: "Watch it."}, parts, "", ""},
		"a page without links":          {llm.Quoted{Section: "Removal", Text: "Drop it."}, nil, "", ""},
		"the only section":              {llm.Quoted{Section: "Top", Text: "Drop it."}, nil, "#top", "Top"},
		"a message, which has no title": {llm.Quoted{Text: "Drop it."}, []retrieve.Part{{Anchor: "m1", Text: "Replication?"}, {Anchor: "m2", Text: "Drop it."}}, "#m2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.quoted.Number = 1
			answer := append(llmtest.Reply{llmtest.Quoted(test.quoted)}, llmtest.Answer(title+" › "+test.quoted.Section+"** [1]\n\n", "Drop it.")...)
			s := ask("How?", llmtest.New(llm.Info{NativeTools: true, Extractive: true}, searching("1"), answer))
			s.index.hits[0].Heading, s.index.hits[0].Parts = []string{"REPLICATION", "Top"}, test.parts
			report, _ := s.run(t, t.Context())
			c := report.Best().Citations[0]
			if c.Link != page+test.want || c.Section != test.section || c.Document.Link(c.Anchor) != c.Link {
				t.Errorf("cites %q %q by %q, not %q %q", c.Link, c.Section, c.Anchor, page+test.want, test.section)
			}
		})
	}
}
