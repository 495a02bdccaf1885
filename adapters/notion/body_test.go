package notion_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/adapters/notion/notiontest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// connector returns one over a server, with what is said of pages.
func connector(t testing.TB, s *notiontest.Server, readers map[string]access.ACL, change ...func(*notion.Options)) *notion.Connector {
	t.Helper()
	client, err := notion.New(notion.Config{
		URL: s.URL, Token: s.Token, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond, Patience: time.Second,
		Now: func() time.Time {
			s.Pass(time.Second)
			return s.Now()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	options := notion.Options{Name: "wiki", Readers: readers}
	for _, c := range change {
		c(&options)
	}
	c, err := notion.NewConnector(client, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// read reads a source whole, as far as documents are yielded, by their ids without the source's.
func read(t testing.TB, c *notion.Connector, since index.Checkpoint) (docs map[string]document.Document, failed map[string]error, next index.Checkpoint, notices []index.Notice) {
	t.Helper()
	docs, failed = make(map[string]document.Document), make(map[string]error)
	for batch, err := range c.Sync(listed(t.Context()), since) {
		if err != nil {
			t.Fatal(err)
		}
		notices = append(notices, batch.Skipped...)
		for _, item := range batch.Documents {
			id := strings.TrimPrefix(string(item.ID), "notion-wiki:")
			if d, err := item.Load(t.Context()); err != nil {
				failed[id] = err
			} else {
				docs[id] = d
			}
		}
		if batch.Next != nil {
			next = batch.Next
		}
	}
	return docs, failed, next, notices
}

// oneFile is the connector of one file, which is one paragraph.
type oneFile string

// Source implements index.Connector.
func (oneFile) Source() document.Source { return document.Source{} }

// Settings implements index.Connector.
func (oneFile) Settings() string { return "" }

// Sync implements index.Connector.
func (f oneFile) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		yield(index.Batch{Documents: []index.Item{{ID: "file", Load: func(context.Context) (document.Document, error) {
			text, err := os.ReadFile(string(f))
			var o document.Outline
			o.Block(document.Paragraph, string(text))
			return document.Document{Sections: o.Sections()}, err
		}}}}, nil)
	}
}

// written is a document as a text for people.
func written(d document.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%v\n", d.Title, d.URL, d.Metadata)
	for _, s := range d.Sections {
		fmt.Fprintf(&b, "\n== %s #%s\n", strings.Join(s.Heading, " > "), s.Anchor)
		for _, block := range s.Blocks {
			fmt.Fprintf(&b, "[%d] %s\n", block.Kind, block.Text)
		}
	}
	return b.String()
}

type held = map[string]any

// A page of all the blocks that Notion has, and a row of a database, read as their golden files
// say. The blocks were made by hand from the schemas at
// https://developers.notion.com/reference/block and
// https://developers.notion.com/reference/page-property-values: no sample of a real workspace was
// to be had.
func TestBlocksOfAPage(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "")
	w.Do(func() { top.Connected = true })
	text := func(words string) held { return held{"rich_text": notiontest.Text(words)} }
	secret := w.Page(top, "Salaries", "")
	colleague := w.Page(top, "Printer", "Toner is in the cupboard.")
	w.Block(top, "paragraph", held{"rich_text": append(notiontest.Text("See "), notiontest.Mention(colleague), notiontest.Text(" and ")[0], notiontest.Mention(secret),
		held{"type": "equation", "plain_text": "E=mc^2", "equation": held{"expression": "E=mc^2"}})})
	w.Block(top, "heading_1", text("Travel"))
	w.Block(top, "paragraph", text("Trains first.\nThen cars."))
	list := w.Block(top, "bulleted_list_item", text("Tickets"))
	w.Block(list, "numbered_list_item", text("ask"))
	w.Block(list, "numbered_list_item", text("buy"))
	w.Block(list, "paragraph", text("by the portal"))
	w.Block(top, "bulleted_list_item", text("Hotels"))
	w.Block(top, "to_do", held{"rich_text": notiontest.Text("book"), "checked": true})
	folded := w.Block(top, "heading_2", held{"rich_text": notiontest.Text("Rates"), "is_toggleable": true})
	table := w.Block(folded, "table", held{"has_column_header": true})
	for _, row := range [][2]string{{"City", "Limit"}, {"Porto", "140"}} {
		w.Block(table, "table_row", held{"cells": []any{notiontest.Text(row[0]), notiontest.Text(row[1])}})
	}
	question := w.Block(top, "toggle", text("Who pays for taxis?"))
	w.Block(question, "paragraph", text("Ada does."))
	w.Block(top, "quote", text("Go far."))
	callout := w.Block(top, "callout", text("Mind the gap."))
	w.Block(callout, "bulleted_list_item", text("twice"))
	columns := w.Block(top, "column_list", held{})
	for _, words := range []string{"left", "right"} {
		column := w.Block(columns, "column", held{})
		w.Block(column, "paragraph", text(words))
	}
	w.Block(top, "code", held{"rich_text": notiontest.Text("if x {\n\ty()\n}"), "language": "go", "caption": notiontest.Text("How it is done")})
	w.Block(top, "equation", held{"expression": "a^2+b^2=c^2"})
	w.Block(top, "bookmark", held{"url": "https://rail.example", "caption": notiontest.Text("Rail")})
	w.Block(top, "image", held{"type": "external", "caption": notiontest.Text("The platform")})
	w.Block(top, "divider", held{})
	w.Block(top, "unsupported", held{})
	w.Block(top, "something_new", text("of tomorrow"))
	w.Files["plan.md"] = "The plan is simple."
	w.Block(top, "file", held{"type": "file", "name": "plan.md", "file": held{"url": strings.TrimSuffix(s.URL, "v1/") + "files/plan.md"}})
	w.Block(top, "file", held{"type": "external", "name": "other.md", "external": held{"url": "https://elsewhere.example/other.md"}})
	notes := w.Block(top, "paragraph", text(""))
	w.Block(notes, "paragraph", text("Ada said yes."))
	w.Block(top, "meeting_notes", held{"title": notiontest.Text("Weekly"), "children": held{"notes_block_id": notes.ID}})
	_, rows := w.Database(top, "Tasks")
	row := w.Page(rows, "Fix the door", "It squeaks.")
	w.Do(func() {
		row.Props = held{
			"Status": held{"type": "status", "status": held{"name": "Open"}}, "Tags": held{"type": "multi_select", "multi_select": []held{{"name": "house"}, {"name": "door"}}},
			"Due":   held{"type": "date", "date": held{"start": "2026-12-01", "end": "2026-12-03"}},
			"Owner": held{"type": "people", "people": []held{{"object": "user", "name": "Ada"}}}, "Hours": held{"type": "number", "number": 2.5},
			"Note": held{"type": "rich_text", "rich_text": notiontest.Text("bring oil")}, "Done": held{"type": "checkbox", "checkbox": false},
			"Number": held{"type": "unique_id", "unique_id": held{"prefix": "TASK", "number": 7}}, "Where": held{"type": "url", "url": "https://door.example"},
			"Sum":   held{"type": "rollup", "rollup": held{"type": "number", "number": 99999}},
			"Other": held{"type": "formula", "formula": held{"type": "string", "string": "of other pages"}}, "Kin": held{"type": "relation", "relation": []held{{"id": secret.ID}}},
		}
	})
	docs, failed, _, notices := read(t, connector(t, s, map[string]access.ACL{top.ID: {access.Members}, secret.ID: {access.Group("finance")}}, func(o *notion.Options) {
		o.Wanted = func(name string) bool { return strings.HasSuffix(name, ".md") }
		o.Read = func(path string) (index.Connector, error) { return oneFile(path), nil }
	}), nil)
	if len(failed)+len(notices) > 0 || len(docs) != 4 {
		t.Fatalf("%d documents, %v, %v", len(docs), failed, notices)
	}
	goldentest.Check(t, "testdata/page.golden", written(docs[top.ID]))
	goldentest.Check(t, "testdata/row.golden", written(docs[row.ID]))
	for name, d := range docs {
		if text := written(d); d.Title != "Salaries" && (strings.Contains(text, "Salaries") || strings.Contains(text, "99999") || strings.Contains(text, "of other pages")) {
			t.Errorf("%s says what stands on pages with other readers:\n%s", name, text)
		}
	}
}

// The title of a page with other readers is nowhere on a page: not in its title or address, in code,
// captions, properties and names of files, or in the title of a page that it names.
func TestTitlesOfPagesWithOtherReadersAreNotShown(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	open, board := w.Page(nil, "Handbook", "x"), w.Page(nil, "Board", "x")
	w.Do(func() { open.Connected, board.Connected = true, true })
	secret := w.Page(board, "Layoffs durian plan", "x")
	hidden, _ := w.Database(board, "Durian salaries")
	printer := w.Page(open, "Printer", "x")
	follow := notiontest.Text("Follow up on ")[0]
	page := w.Page(open, "", "x")
	w.Rename(page, follow, notiontest.Mention(secret), notiontest.Text(" and ")[0], notiontest.Mention(printer))
	below := w.Page(page, "", "x")
	w.Rename(below, notiontest.Mention(secret))
	tasks, rows := w.Database(page, "")
	w.Rename(tasks, notiontest.Mention(hidden))
	w.Rename(rows, notiontest.Mention(hidden))
	row := w.Page(rows, "", "x")
	w.Rename(row, follow, notiontest.Mention(hidden))
	w.Do(func() {
		row.Props = held{"Note": held{"type": "rich_text", "rich_text": []any{notiontest.Mention(secret)}}}
	})
	newer := notiontest.Mention(hidden)
	newer["mention"] = held{"type": "data_source", "data_source": held{"id": hidden.ID}}
	for _, runs := range [][]any{{notiontest.Mention(secret)}, {notiontest.Mention(page)}, {notiontest.Mention(tasks)}, {newer}} {
		w.Block(page, "paragraph", held{"rich_text": runs})
		w.Block(page, "heading_1", held{"rich_text": runs})
		w.Block(page, "toggle", held{"rich_text": runs})
		w.Block(page, "code", held{"rich_text": append(runs, notiontest.Text(" {\n\t}")[0]), "caption": runs})
		w.Block(page, "image", held{"type": "external", "caption": runs})
		w.Block(page, "meeting_notes", held{"title": runs})
	}
	linked := w.Block(page, "child_database", held{"title": "Durian salaries"}) // a view of another database
	w.Block(page, "paragraph", held{"rich_text": []any{held{"type": "mention", "plain_text": "Ada", "mention": held{"type": "user", "user": held{"id": "u"}}}}})
	c := connector(t, s, map[string]access.ACL{open.ID: {access.Members}, board.ID: {access.Group("board")}})
	docs, failed, _, _ := read(t, c, nil)
	if len(failed) > 0 || docs[page.ID].Title != "Follow up on (another page) and Printer" {
		t.Errorf("the title is %q; %v", docs[page.ID].Title, failed)
	}
	for _, p := range []*notiontest.Thing{open, page, below, row} {
		if said := written(docs[p.ID]); strings.Contains(strings.ToLower(said), "durian") || !strings.Contains(docs[p.ID].URL, p.ID) {
			t.Errorf("%s says\n%s", p.ID, said)
		}
	}
	for _, want := range []string{"- (another page)", "(another page) {\n\t}", "Ada"} {
		if said := written(docs[page.ID]); !strings.Contains(said, want) {
			t.Errorf("without %q (%s):\n%s", want, linked.ID, said)
		}
	}
	known, _ := nodes(t, connector(t, s, map[string]access.ACL{page.ID: {access.Members}}))
	if name := known[page.ID].Name; name != "Follow up on (another page) and (another page)" {
		t.Errorf("the named page is called %q", name)
	}
}

// What a synced block says is said by the page where it first stands alone: whoever may read that
// page may be others tomorrow, and nothing would tell of it here.
func TestSyncedBlocks(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	open, closed := w.Page(nil, "Open", "common"), w.Page(nil, "Closed", "common")
	w.Do(func() { open.Connected, closed.Connected = true, true })
	synced := func(above, from *notiontest.Thing) *notiontest.Thing {
		if from == nil {
			return w.Block(above, "synced_block", held{"synced_from": nil})
		}
		return w.Block(above, "synced_block", held{"synced_from": held{"type": "block_id", "block_id": from.ID}})
	}
	original := synced(closed, nil)
	w.Block(original, "paragraph", held{"rich_text": notiontest.Text("the secret recipe")})
	own := synced(open, nil)
	w.Block(own, "paragraph", held{"rich_text": notiontest.Text("the open recipe")})
	synced(open, original)
	other := w.Page(open, "Other", "")
	synced(other, own)
	synced(own, own) // shows itself
	docs, failed, _, _ := read(t, connector(t, s, map[string]access.ACL{open.ID: {access.Members}, closed.ID: {access.Group("cooks")}}), nil)
	if len(failed) > 0 {
		t.Fatal(failed)
	}
	text := func(p *notiontest.Thing) string {
		d := docs[p.ID]
		return d.Text()
	}
	if got := text(open); strings.Contains(got, "secret recipe") || strings.Count(got, "the open recipe") != 1 {
		t.Errorf("the open page says %q", got)
	}
	if got := text(other); strings.Contains(got, "recipe") {
		t.Errorf("another page with the same readers says %q", got)
	}
	if got := text(closed); !strings.Contains(got, "the secret recipe") {
		t.Errorf("the closed page says %q", got)
	}
}

// A page of hundreds of blocks is read a hundred at a time; one whose reading is ended goes on
// where it was.
func TestLongPagesGoOn(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "FAQ", "")
	w.Do(func() { top.Connected = true })
	for i := range 250 {
		q := w.Block(top, "toggle", held{"rich_text": notiontest.Text(fmt.Sprintf("Question %d", i))})
		w.Block(q, "paragraph", held{"rich_text": notiontest.Text(fmt.Sprintf("Answer %d", i))})
	}
	c := connector(t, s, map[string]access.ACL{top.ID: {access.Members}})
	load := func(ctx context.Context) (d document.Document, err error) {
		for batch, syncErr := range c.Sync(listed(t.Context()), nil) {
			if syncErr != nil {
				t.Fatal(syncErr)
			}
			for _, item := range batch.Documents {
				return item.Load(ctx)
			}
		}
		t.Fatal("nothing is yielded")
		return d, nil
	}
	ctx, stop := context.WithCancelCause(t.Context())
	s.Faults.Add(notiontest.Fault{Path: "children", Answer: func(rw http.ResponseWriter, r *http.Request) {
		stop(index.ErrPaused)
		notiontest.Refuse(http.StatusBadGateway, "bad_gateway")(rw, r)
	}}, 200, 1)
	if _, err := load(ctx); err == nil {
		t.Fatal("it was not ended")
	}
	before := s.Mark()
	d, err := load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Counts(before, "children"); n != 253-200 {
		t.Errorf("%d lists of blocks were asked for to go on, want 53", n)
	}
	if len(d.Sections) != 250 || d.Sections[249].Heading[0] != "Question 249" || d.Sections[249].Anchor == "" || !strings.Contains(d.Text(), "Answer 249") {
		t.Errorf("%d sections", len(d.Sections))
	}
}

// Some blocks say that they hold others, and the API refuses to give those out: "The Notion API
// returns meeting transcription blocks as type: "unsupported" with has_children: true … The API
// rejects these requests" (https://github.com/n8n-io/n8n/pull/26188). The rest of the page is read;
// a page that is refused itself is no page that is gone.
func TestBlocksThatNotionDoesNotGiveOut(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "before")
	w.Do(func() { top.Connected = true })
	for _, kind := range []string{"unsupported", "ai_block"} {
		w.Block(w.Block(top, kind, held{}), "paragraph", held{"rich_text": notiontest.Text("within")})
	}
	w.Block(top, "paragraph", held{"rich_text": notiontest.Text("after")})
	c := connector(t, s, map[string]access.ACL{top.ID: {access.Members}})
	docs, failed, _, notices := read(t, c, nil)
	d := docs[top.ID]
	if text := d.Text(); len(failed) > 0 || !strings.Contains(text, "before") || !strings.Contains(text, "after") || strings.Contains(text, "within") {
		t.Errorf("it says %q; %v", text, failed)
	}
	if len(notices) != 1 || !strings.Contains(notices[0].Sentence, "400") {
		t.Errorf("it is told of %v", notices)
	}
	s.Faults.Add(notiontest.Fault{Path: "blocks/" + top.ID, Answer: notiontest.Refuse(http.StatusBadRequest, "validation_error")}, 0, 5)
	if _, failed, _, _ = read(t, c, nil); failed[top.ID] == nil || errors.Is(failed[top.ID], index.ErrSkipped) || !strings.Contains(failed[top.ID].Error(), "400") {
		t.Errorf("it fails with %v", failed[top.ID])
	}
}
