package stream

import (
	"context"

	"github.com/footnotehq/footnote/core/thread"
)

// Log stores which messages a turn has posted, so that another worker can edit them instead of
// posting again. Call Intend before each post. If the result of a post is unknown, the worker looks
// in the thread for the message.
type Log interface {
	Intend(ctx context.Context, page int) error
	Posted(ctx context.Context, page int, id thread.MessageID, hash string) error
	Final(ctx context.Context, page int, hash string) error
	Pages(ctx context.Context) ([]Page, error)
	// Foreign reports whether a message is recorded for another turn or as a notice.
	Foreign(ctx context.Context, id thread.MessageID) (bool, error)
}

// Page is one recorded message. ID is empty if a create call was intended and its outcome is
// unknown.
type Page struct {
	Number int
	ID     thread.MessageID
	Hash   string
	Final  bool
}

// MemoryLog is a Log in memory, for surfaces such as a terminal. It is not safe for concurrent use.
type MemoryLog struct{ pages map[int]Page }

// Intend implements Log.
func (m *MemoryLog) Intend(_ context.Context, page int) error { m.put(Page{Number: page}); return nil }

// Posted implements Log.
func (m *MemoryLog) Posted(_ context.Context, page int, id thread.MessageID, hash string) error {
	m.put(Page{Number: page, ID: id, Hash: hash})
	return nil
}

// Final implements Log.
func (m *MemoryLog) Final(_ context.Context, page int, hash string) error {
	m.put(Page{Number: page, ID: m.pages[page].ID, Hash: hash, Final: true})
	return nil
}

// Pages implements Log.
func (m *MemoryLog) Pages(context.Context) ([]Page, error) {
	var pages []Page
	for n := range len(m.pages) {
		pages = append(pages, m.pages[n])
	}
	return pages, nil
}

// Foreign implements Log.
func (m *MemoryLog) Foreign(context.Context, thread.MessageID) (bool, error) { return false, nil }

func (m *MemoryLog) put(p Page) {
	if m.pages == nil {
		m.pages = make(map[int]Page)
	}
	m.pages[p.Number] = p
}
