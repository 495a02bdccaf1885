package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// state is the stored state of a source. Each entry is a separate note in [index.Listings], so that
// only changed entries are written. Times are in microseconds since 1970, and 0 means never.
type state struct {
	listings index.Listings
	head     headState
	known    map[string]*scopeState
	lists    map[string]*listState
	reads    map[string]*feedState
	dirty    map[string]bool // keys of notes that have changed

	loading sync.Mutex // guards head.Failed and dirty[headKey] while documents load
}

type headState struct {
	Rules  string                   `json:"rules"`
	Open   bool                     `json:"open,omitempty"`   // the run did not finish
	Strays bool                     `json:"strays,omitempty"` // stored documents may be in no list
	Failed map[document.ID]failure  `json:"failed,omitempty"` // documents to retry
	Left   map[document.ID]struct{} `json:"left,omitempty"`   // Page.Left of the run
}

type failure struct {
	List  string      `json:"l"`
	Of    document.ID `json:"o,omitempty"`
	Times int         `json:"n"`
}

type scopeState struct {
	State string `json:"s,omitempty"`
	Note  string `json:"n,omitempty"`
	Lost  int64  `json:"g,omitempty"` // since when it is invisible (Page.Lost)
}

type listState struct {
	Name  string `json:"n,omitempty"` // for operators
	Scope string `json:"s,omitempty"`
	Pass  int64  `json:"p,omitempty"` // number of the newest scan
	Done  int64  `json:"d,omitempty"` // start of the last scan that ended
	Full  int64  `json:"f,omitempty"` // start of the last complete main scan
	Again bool   `json:"a,omitempty"` // the main scan is due
	Since int64  `json:"h,omitempty"` // since when its missing documents are hidden
	Lost  int64  `json:"g,omitempty"` // since when no feed names the list
}

type feedState struct {
	Mark    string   `json:"m,omitempty"`
	Done    int64    `json:"d,omitempty"` // start of the last reading that ended
	Partial bool     `json:"x,omitempty"` // the last reading was incomplete
	Short   int      `json:"s,omitempty"` // consecutive scans that listed fewer than Page.Count
	Reading *reading `json:"r,omitempty"` // in progress
}

// reading is the progress in a feed that was not read to its end yet.
type reading struct {
	Began   int64   `json:"b"`
	Pass    int64   `json:"p,omitempty"` // number of the pass over the list
	Stack   []frame `json:"s"`           // positions; the last is read next
	Pages   int     `json:"n,omitempty"`
	Again   int     `json:"a,omitempty"` // number of restarts
	Loose   bool    `json:"l,omitempty"`
	Partial bool    `json:"x,omitempty"`
	Broken  bool    `json:"k,omitempty"` // it ended before the end of the list
	Mark    string  `json:"m,omitempty"`
	Log     string  `json:"o,omitempty"` // mark of Feed.After
	// Missed are documents that were requested (Feed.Confirm) but not returned.
	Missed []document.ID `json:"q,omitempty"`
	Count  int           `json:"c,omitempty"` // smallest Page.Count
	Exact  bool          `json:"e,omitempty"` // Page.Exact
	Hidden bool          `json:"h,omitempty"` // Page.Hidden
	// From and To are the bounds of a Window feed.
	From time.Time `json:"f,omitzero"`
	To   time.Time `json:"t,omitzero"`
}

// frame is a position in a feed that is being read. If the feed was found on a page of another
// feed, Feed describes it. For the main feed, Feed is nil.
type frame struct {
	Feed   *Feed  `json:"f,omitempty"`
	Cursor string `json:"c,omitempty"`
}

const headKey = "run"

func scopeKey(id string) string { return "scope/" + id }
func listKey(id string) string  { return "list/" + id }
func feedKey(id string) string  { return "feed/" + id }

// errNoListings means that Sync was called outside of a pipeline run.
var errNoListings = errors.New("a source is read by a run of the pipeline, which keeps its lists")

func load(ctx context.Context) (*state, error) {
	s := &state{
		listings: index.ListingsOf(ctx), known: make(map[string]*scopeState), lists: make(map[string]*listState), reads: make(map[string]*feedState),
		dirty: make(map[string]bool),
	}
	if s.listings == nil {
		return nil, errNoListings
	}
	notes, err := s.listings.Notes(ctx)
	if err != nil {
		return nil, err
	}
	for key, text := range notes {
		kind, id, _ := strings.Cut(key, "/")
		var err error
		switch kind {
		case headKey:
			err = json.Unmarshal(text, &s.head)
		case "scope":
			err = json.Unmarshal(text, s.scope(id))
		case "list":
			err = json.Unmarshal(text, s.list(id))
		case "feed":
			err = json.Unmarshal(text, s.feed(id))
		}
		if err != nil {
			return nil, fmt.Errorf("what is noted of %s cannot be read: %w", key, err)
		}
	}
	clear(s.dirty)
	if s.head.Failed == nil {
		s.head.Failed = make(map[document.ID]failure)
	}
	if s.head.Left == nil {
		s.head.Left = make(map[document.ID]struct{})
	}
	return s, nil
}

func (s *state) scope(id string) *scopeState { return entryOf(s.known, id) }
func (s *state) list(id string) *listState   { return entryOf(s.lists, id) }
func (s *state) feed(id string) *feedState   { return entryOf(s.reads, id) }

func entryOf[V any](all map[string]*V, id string) *V {
	if all[id] == nil {
		all[id] = new(V)
	}
	return all[id]
}

func (s *state) markDirty(key string) {
	s.loading.Lock()
	defer s.loading.Unlock()
	s.dirty[key] = true
}

// dirtyNotes adds the changed entries of the state to notes, which may be nil, and returns it. The
// entries are then no longer marked as changed.
func (s *state) dirtyNotes(notes map[string][]byte) map[string][]byte {
	s.loading.Lock()
	defer s.loading.Unlock()
	if notes == nil {
		notes = make(map[string][]byte)
	}
	for key := range s.dirty {
		notes[key] = s.encode(key)
	}
	clear(s.dirty)
	return notes
}

// encode returns an entry of the state as JSON, or nil if the entry was deleted.
func (s *state) encode(key string) []byte {
	kind, id, _ := strings.Cut(key, "/")
	var part any = &s.head
	switch kind {
	case "scope":
		part = orNil(s.known[id])
	case "list":
		part = orNil(s.lists[id])
	case "feed":
		part = orNil(s.reads[id])
	}
	if part == nil {
		return nil
	}
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // impossible: only strings and numbers
	}
	return text
}

func orNil[V any](part *V) any {
	if part == nil {
		return nil
	}
	return part
}

// abandon drops the progress of all feeds that were not read to their end. Main scans among them
// are due again.
func (s *state) abandon() {
	for id, f := range s.reads {
		if f.Reading != nil {
			f.Reading = nil
			s.markDirty(feedKey(id))
			if l := s.lists[id]; l != nil { // a main scan
				l.Again = true
				s.markDirty(listKey(id))
			}
		}
	}
	s.head.Open = false
}

// reset makes the run read the whole source again. It keeps the contents of lists.
func (s *state) reset() {
	for id := range maps.Clone(s.reads) {
		s.reads[id] = &feedState{}
		s.markDirty(feedKey(id))
	}
	for id, l := range s.lists {
		l.Again, l.Done, l.Full = true, 0, 0
		s.markDirty(listKey(id))
	}
	for id, k := range s.known {
		k.State = ""
		s.markDirty(scopeKey(id))
	}
	s.head = headState{Failed: make(map[document.ID]failure), Left: make(map[document.ID]struct{})}
}
