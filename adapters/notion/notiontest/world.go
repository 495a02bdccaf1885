// Package notiontest is an in-memory Notion workspace for tests. Its server shows the workspace to
// an integration like Notion's API, with the same limits and errors.
package notiontest

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// World is a simulated workspace. Change it only within Do or with its methods.
type World struct {
	servertest.World
	number int
	// Things has the pages, databases, data sources and blocks, in the order of their creation.
	Things []*Thing
	byID   map[string]*Thing // by id without dashes
	Files  map[string]string // stored files, by the name in their address
}

// Thing is a page, database, data source or block. Its parent is another Thing, or nil at the top
// of the workspace (https://developers.notion.com/reference/parent-object).
type Thing struct {
	ID        string           // without dashes
	Object    string           // page, database, data_source, block
	Title     string           // as plain text
	Runs      []map[string]any // the title in Notion's format; nil: one run with Title
	Parent    *Thing           // nil: the top of the workspace
	Created   time.Time
	Edited    time.Time
	Trashed   bool
	Connected bool // the integration was added to it by hand
	Deleted   bool
	Props     map[string]any // properties of a page, except its title
	Type      string         // type of a block
	Held      map[string]any // content of a block, under the name of its type
}

// NewWorld returns an empty workspace.
func NewWorld() *World {
	return &World{World: servertest.World{Time: time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)}, byID: make(map[string]*Thing), Files: make(map[string]string)}
}

// Add adds an object. If the object has no id, it gets a new id.
func (w *World) Add(t *Thing) *Thing {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.number++
	if t.ID == "" {
		t.ID = fmt.Sprintf("%08x%024x", w.number*2654435761%0xffffffff, w.number)
	}
	t.Created, t.Edited = w.Time, w.Time
	w.Things = append(w.Things, t)
	w.byID[t.ID] = t
	if t.Parent != nil {
		w.touch(t.Parent)
	}
	return t
}

// Page adds a page with a paragraph. If the text is "", it adds no paragraph.
func (w *World) Page(above *Thing, title, text string) *Thing {
	p := w.Add(&Thing{Object: "page", Parent: above, Title: title})
	if text != "" {
		w.Block(p, "paragraph", map[string]any{"rich_text": Text(text)})
	}
	return p
}

// Database adds a database with one data source, and returns both.
func (w *World) Database(above *Thing, title string) (database, source *Thing) {
	database = w.Add(&Thing{Object: "database", Parent: above, Title: title})
	return database, w.Add(&Thing{Object: "data_source", Parent: database, Title: title})
}

// Block adds a block at the end of a page or block. held is the content in Notion's format.
func (w *World) Block(above *Thing, kind string, held map[string]any) *Thing {
	return w.Add(&Thing{Object: "block", Parent: above, Type: kind, Held: held})
}

// Edit changes a block or property and the edit time of its page.
func (w *World) Edit(t *Thing, change func()) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	change()
	w.touch(t)
}

func (w *World) touch(t *Thing) {
	for ; t != nil; t = t.Parent {
		if t.Edited = w.Time; t.Object != "block" {
			return
		}
	}
}

// Rename gives a page or database a title of several runs, such as mentions of other pages.
func (w *World) Rename(t *Thing, runs ...map[string]any) {
	w.Edit(t, func() {
		t.Title, t.Runs = "", runs
		for _, r := range runs {
			t.Title += r["plain_text"].(string)
		}
	})
}

// title returns the title in Notion's format.
func (t *Thing) title() []map[string]any {
	if t.Runs != nil {
		return t.Runs
	}
	return Text(t.Title)
}

// address returns the web address of a page or database. Like Notion's addresses, it contains the
// title (https://developers.notion.com/reference/page).
func (t *Thing) address() string {
	words := strings.FieldsFunc(t.Title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return "https://www.notion.so/" + strings.Join(append(words, t.ID), "-")
}

// Text returns a text in Notion's format, as a single run.
func Text(text string) []map[string]any {
	return []map[string]any{{"type": "text", "text": map[string]any{"content": text}, "plain_text": text}}
}

// Mention returns a run that mentions a page.
func Mention(p *Thing) map[string]any {
	return map[string]any{"type": "mention", "mention": map[string]any{"type": "page", "page": map[string]any{"id": dashed(p.ID)}}, "plain_text": p.Title}
}

// Shown reports whether an object is visible to the integration: if the object or one above it is
// shared with the integration, and none of them is deleted. Call Shown within Do. Notion documents
// the rule at https://developers.notion.com/guides/get-started/authorization.
func (w *World) Shown(t *Thing) bool {
	connected := false
	for at, steps := t, 0; at != nil && steps < 1000; at, steps = at.Parent, steps+1 {
		if at.Deleted {
			return false
		}
		connected = connected || at.Connected
	}
	return connected
}

// MayRead reports whether a person may read a page. named has the configured pages by id, each with
// a function that reports whether its list of readers includes the person. The nearest configured
// page at or above t decides.
//
// A page in the trash is hidden from everyone. A page is also hidden if the integration cannot see
// every page from t up to the configured page. Call MayRead within Do.
func (w *World) MayRead(t *Thing, named map[string]func() bool) bool {
	allowed, found := false, false
	for at, steps := t, 0; at != nil; at, steps = at.Parent, steps+1 {
		if found && !w.Shown(at) { // invisible: whether it is in the trash is unknown
			break
		}
		if at.Trashed || !w.Shown(at) || steps > 1000 {
			return false
		}
		if list, is := named[at.ID]; is && !found {
			found, allowed = true, list()
		}
	}
	return allowed
}

func dashed(id string) string {
	return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
}
