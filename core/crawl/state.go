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

// state is what is known of a source between runs. Each part is a separate note
// (index.Listings), so that a page stores little. Times are in microseconds since 1970, 0 for
// never.
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
	Open   bool                     `json:"open,omitempty"`   // the run did not come to its end
	Strays bool                     `json:"strays,omitempty"` // stored documents may be in no list
	Failed map[document.ID]failure  `json:"failed,omitempty"` // documents to ask for again
	Left   map[document.ID]struct{} `json:"left,omitempty"`   // Page.Left of the run
}

// failure is a document that could not be loaded.
type failure struct {
	List  string      `json:"l"`
	Of    document.ID `json:"o,omitempty"`
	Times int         `json:"n"`
}

type scopeState struct {
	State string `json:"s,omitempty"`
	Note  string `json:"n,omitempty"`
	Lost  int64  `json:"g,omitempty"` // since when it is not shown (Page.Lost)
}

type listState struct {
	Name  string `json:"n,omitempty"` // for operators
	Scope string `json:"s,omitempty"`
	Pass  int64  `json:"p,omitempty"` // the newest scan that began
	Done  int64  `json:"d,omitempty"` // when the last scan began that has ended
	Full  int64  `json:"f,omitempty"` // when the last main scan began that was complete
	Again bool   `json:"a,omitempty"` // the main scan is due
	Since int64  `json:"h,omitempty"` // since when documents that are missing are hidden
	Lost  int64  `json:"g,omitempty"` // since when no feed names the list
}

type feedState struct {
	Mark    string   `json:"m,omitempty"`
	Done    int64    `json:"d,omitempty"` // when the last reading began that has ended
	Partial bool     `json:"x,omitempty"` // that one left something out
	Short   int      `json:"s,omitempty"` // scans in a row that met fewer than their Page.Count
	Reading *reading `json:"r,omitempty"` // under way
}

// reading is a feed that is being read.
type reading struct {
	Began   int64   `json:"b"`
	Pass    int64   `json:"p,omitempty"` // of the list
	Stack   []frame `json:"s"`           // the last is read next
	Pages   int     `json:"n,omitempty"`
	Again   int     `json:"a,omitempty"` // how often it was restarted
	Loose   bool    `json:"l,omitempty"`
	Partial bool    `json:"x,omitempty"`
	Broken  bool    `json:"k,omitempty"` // it ended before the list did
	Mark    string  `json:"m,omitempty"`
	Log     string  `json:"o,omitempty"` // mark of Feed.After
	// Missed are documents that were asked for (Feed.Confirm) and are not there.
	Missed []document.ID `json:"q,omitempty"`
	Count  int           `json:"c,omitempty"` // smallest Page.Count
	Exact  bool          `json:"e,omitempty"` // Page.Exact
	Hidden bool          `json:"h,omitempty"` // Page.Hidden
	// From and To are those of a Window.
	From time.Time `json:"f,omitzero"`
	To   time.Time `json:"t,omitzero"`
}

// frame is a place in a feed: in the one that is read, or in one found on the way.
type frame struct {
	Feed   *Feed  `json:"f,omitempty"`
	Cursor string `json:"c,omitempty"`
}

const headKey = "run"

func scopeKey(id string) string { return "scope/" + id }
func listKey(id string) string  { return "list/" + id }
func feedKey(id string) string  { return "feed/" + id }

// errNoListings says that Sync was called outside of a run.
var errNoListings = errors.New("a source is read by a run of the pipeline, which keeps its lists")

// load reads the notes of the source that a run is over.
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

func (s *state) scope(id string) *scopeState { return of(s.known, id) }
func (s *state) list(id string) *listState   { return of(s.lists, id) }
func (s *state) feed(id string) *feedState   { return of(s.reads, id) }

func of[V any](all map[string]*V, id string) *V {
	if all[id] == nil {
		all[id] = new(V)
	}
	return all[id]
}

// change says that the part of the state with a key has changed.
func (s *state) change(key string) {
	s.loading.Lock()
	defer s.loading.Unlock()
	s.dirty[key] = true
}

// changed adds the notes of the parts that have changed.
func (s *state) changed(notes map[string][]byte) map[string][]byte {
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

// encode returns the note of a part; nil if there is none any more.
func (s *state) encode(key string) []byte {
	kind, id, _ := strings.Cut(key, "/")
	var part any = &s.head
	switch kind {
	case "scope":
		part = none(s.known[id])
	case "list":
		part = none(s.lists[id])
	case "feed":
		part = none(s.reads[id])
	}
	if part == nil {
		return nil
	}
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // it holds texts and numbers
	}
	return text
}

func none[V any](part *V) any {
	if part == nil {
		return nil
	}
	return part
}

// abandon ends readings that are under way.
func (s *state) abandon() {
	for id, f := range s.reads {
		if f.Reading != nil {
			f.Reading = nil
			s.change(feedKey(id))
			if l := s.lists[id]; l != nil { // a main scan
				l.Again = true
				s.change(listKey(id))
			}
		}
	}
	s.head.Open = false
}

// beginAgain has everything read from the beginning. What lists hold stays known.
func (s *state) beginAgain() {
	for id := range maps.Clone(s.reads) {
		s.reads[id] = &feedState{}
		s.change(feedKey(id))
	}
	for id, l := range s.lists {
		l.Again, l.Done, l.Full = true, 0, 0
		s.change(listKey(id))
	}
	for id, k := range s.known {
		k.State = ""
		s.change(scopeKey(id))
	}
	s.head = headState{Failed: make(map[document.ID]failure), Left: make(map[document.ID]struct{})}
}
