package notion

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
)

// mostBlocks is the maximum number of blocks that are read from a page. deepestPart is the maximum
// nesting. The limit also ends a cycle of blocks.
const (
	mostBlocks  = 20_000
	deepestPart = 40 // levels of nested blocks
	toggleLevel = 4  // heading level of a toggle at the top of a page
)

var errMany = errors.New("it holds more than " + strconv.Itoa(mostBlocks) + " blocks. Split it into several pages")

// writer converts the blocks of a page to sections. It must not be used concurrently.
type writer struct {
	*Connector
	tree    *tree
	page    string // id of the page
	root    string // id of the root above the page
	partial *partialPage
	outline document.Outline
	list    []string // lines of the current list
	count   int
	found   crawl.Finding // pages and databases on the page, and omitted parts
	files   []block
	failed  error // first error in a function that cannot return it
	omitted error // reason why a block was omitted last
}

// blocks writes the child blocks of a block or page. indent is the depth within a list, or 0
// outside of lists.
func (w *writer) blocks(ctx context.Context, id string, depth, indent int) error {
	if depth > deepestPart {
		return nil
	}
	all, err := w.children(ctx, id)
	if err != nil {
		return err
	}
	number := 0
	for _, b := range all {
		if b.Type != "numbered_list_item" {
			number = 0
		}
		switch {
		case b.InTrash:
			continue
		case b.Type == "numbered_list_item":
			number++
		}
		if err := w.block(ctx, b, number, depth, indent); err != nil {
			return err
		}
	}
	if indent == 0 {
		w.endList()
	}
	return nil
}

// block writes a block with its child blocks. number is its number in a numbered list.
func (w *writer) block(ctx context.Context, b block, number, depth, indent int) error {
	text := w.text(ctx, b.RichText)
	switch b.Type {
	case "bulleted_list_item":
		return w.item(ctx, b, "- "+text, depth, indent)
	case "numbered_list_item":
		return w.item(ctx, b, strconv.Itoa(number)+". "+text, depth, indent)
	case "to_do":
		mark := "- [ ] "
		if b.Checked {
			mark = "- [x] "
		}
		return w.item(ctx, b, mark+text, depth, indent)
	case "toggle":
		if indent > 0 {
			return w.item(ctx, b, "- "+text, depth, indent)
		}
		return w.toggle(ctx, b, text, depth)
	case "heading_1", "heading_2", "heading_3", "heading_4":
		if indent == 0 && text != "" {
			w.endList()
			w.outline.Heading(int(b.Type[len(b.Type)-1]-'0'), text, b.ID)
			return w.inner(ctx, b, depth, indent)
		}
	case "table":
		return w.table(ctx, b)
	case "synced_block":
		return w.synced(ctx, b, depth, indent)
	case "child_page", "child_database":
		return w.child(ctx, b, indent)
	case "meeting_notes":
		return w.meeting(ctx, b, depth, indent)
	case "code":
		w.endList()
		w.outline.Code(strings.ReplaceAll(b.Language, "plain text", ""), w.rawText(ctx, b.RichText))
		text = w.text(ctx, b.Caption)
	case "equation":
		text = b.Expression
	case "file", "pdf":
		w.files = append(w.files, b)
		text = strings.TrimSpace(b.Name + " " + w.text(ctx, b.Caption))
	case "bookmark", "embed", "link_preview":
		text = strings.TrimSpace(w.text(ctx, b.Caption) + " " + b.URL)
	case "image", "video", "audio":
		text = w.text(ctx, b.Caption)
	}
	w.paragraph(text, indent)
	return w.inner(ctx, b, depth, indent)
}

func (w *writer) inner(ctx context.Context, b block, depth, indent int) error {
	// "has_children" is true for some of these, but Notion refuses their children
	if !b.HasChildren || b.Type == "unsupported" {
		return nil
	}
	return w.blocks(ctx, b.ID, depth+1, indent)
}

func (w *writer) paragraph(text string, indent int) {
	switch {
	case text == "":
	case indent > 0:
		w.list = append(w.list, strings.Repeat("  ", indent)+text)
	default:
		w.endList()
		w.outline.Block(document.Paragraph, text)
	}
}

func (w *writer) item(ctx context.Context, b block, line string, depth, indent int) error {
	w.list = append(w.list, strings.Repeat("  ", indent)+line)
	return w.inner(ctx, b, depth, indent+1)
}

func (w *writer) endList() {
	w.outline.Block(document.List, strings.Join(w.list, "\n"))
	w.list = nil
}

// toggle writes a toggle as a separate section, so that it can be linked to. A toggle is usually a
// question with its answer.
func (w *writer) toggle(ctx context.Context, b block, text string, depth int) error {
	w.endList()
	if text == "" {
		return w.inner(ctx, b, depth, 0)
	}
	level := toggleLevel + depth
	w.outline.Heading(level, text, b.ID)
	err := w.inner(ctx, b, depth, 0)
	w.endList()
	w.outline.Close(level)
	return err
}

func (w *writer) table(ctx context.Context, b block) error {
	w.endList()
	if !b.HasChildren {
		return nil
	}
	rows, err := w.children(ctx, b.ID)
	if err != nil {
		return err
	}
	var lines []string
	for _, row := range rows {
		cells := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = w.text(ctx, c)
		}
		if strings.Join(cells, "") != "" {
			lines = append(lines, strings.Join(cells, " | "))
		}
	}
	w.outline.Block(document.Table, strings.Join(lines, "\n"))
	return nil
}

// synced writes the content of a synced block. It skips copies, because their content belongs to a
// page that may have other readers (https://www.notion.com/help/synced-blocks).
func (w *writer) synced(ctx context.Context, b block, depth, indent int) error {
	if b.SyncedFrom != nil {
		return nil
	}
	return w.inner(ctx, b, depth, indent)
}

// child adds the id of a subpage or database to w.found, because it is a separate document. It
// writes the title only if the subpage has the same readers as this page.
func (w *writer) child(ctx context.Context, b block, indent int) error {
	at, mark := place{page, b.ID}, ""
	if b.Type == "child_database" {
		at.kind, mark = database, databaseMark
	}
	w.found.IDs = append(w.found.IDs, w.id(mark+b.ID))
	if _, listed := w.roots[b.ID]; listed {
		return nil // a root, which has other readers
	}
	name, err := w.childName(ctx, at)
	if err != nil || name == "" || name == untitled {
		return err
	}
	return w.item(ctx, block{}, "- "+name, 0, indent)
}

// childName returns the name of a subpage or database on this page, or "" if it is not visible. The
// name does not include the names of other pages that the title mentions.
func (w *writer) childName(ctx context.Context, at place) (string, error) {
	name, known := w.partial.names[at.id]
	if !known {
		var err error
		if name, err = w.tree.name(ctx, at); err != nil {
			return "", err
		}
		w.partial.names[at.id] = name
	}
	return name, nil
}

func (w *writer) meeting(ctx context.Context, b block, depth, indent int) error {
	var title []rich
	if json.Unmarshal(b.Title, &title) == nil {
		w.paragraph(w.text(ctx, title), indent)
	}
	for _, part := range []string{"summary_block_id", "notes_block_id", "transcript_block_id"} {
		if id := bareID(b.Children[part]); len(id) == 32 {
			if err := w.blocks(ctx, id, depth+1, indent); err != nil && !absent(err) {
				return err
			}
		}
	}
	return nil
}

// text returns runs of text without needless spaces. It includes the name of another page only if
// that page has the same readers.
func (w *writer) text(ctx context.Context, runs []rich) string {
	lines := strings.Split(w.rawText(ctx, runs), "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// rawText returns runs of text with all their spaces, for code. It includes the name of another
// page only if that page has the same readers.
func (w *writer) rawText(ctx context.Context, runs []rich) string {
	return plain(runs, func(at place) string {
		if title, same := w.sameReaders(ctx, at); same {
			return title
		}
		return anotherPage
	})
}

// sameReaders returns the name of another page, and whether that page has the same readers as this
// page.
func (w *writer) sameReaders(ctx context.Context, at place) (title string, same bool) {
	root, err := w.tree.root(ctx, at)
	if err == nil && root == w.root {
		title, err = w.tree.name(ctx, at)
	}
	if err != nil && w.failed == nil {
		w.failed = err
	}
	return title, title != ""
}
