package access

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Local implements [Changes], [People] and [Accounts] in memory. It is for a single process that
// receives all events. It is safe for concurrent use.
type Local struct {
	mu       sync.Mutex
	last     int
	versions map[Workspace]map[string]int
	people   map[Workspace]map[string]presenceRecord
	lists    map[Workspace]listState
	accounts map[Workspace]map[string]accountRecord
}

type accountRecord struct {
	account Account
	at      time.Time
}

type presenceRecord struct {
	inside, known bool
	at            time.Time
}

type listState struct {
	listed, until time.Time
	reading       bool
}

var (
	_ Changes = (*Local)(nil)
	_ People  = (*Local)(nil)

	_ Accounts = (*Local)(nil)
)

// NewLocal returns an empty Local.
func NewLocal() *Local {
	return &Local{
		versions: make(map[Workspace]map[string]int), people: make(map[Workspace]map[string]presenceRecord), lists: make(map[Workspace]listState),
		accounts: make(map[Workspace]map[string]accountRecord),
	}
}

// Version implements Changes.
func (l *Local) Version(_ context.Context, w Workspace, scopes ...string) (Version, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	b.WriteByte('v')
	for _, s := range append([]string{Everything}, scopes...) {
		if n := l.versions[w][s]; n > 0 {
			b.WriteString(" " + strconv.Itoa(n))
		}
	}
	return Version(b.String()), nil
}

// Changed implements Changes.
func (l *Local) Changed(_ context.Context, w Workspace, scopes ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed(w, scopes...)
	return nil
}

func (l *Local) changed(w Workspace, scopes ...string) {
	if l.versions[w] == nil {
		l.versions[w] = make(map[string]int)
	}
	for _, s := range scopes {
		l.last++
		l.versions[w][s] = l.last
	}
}

// Heard implements Changes.
func (l *Local) Heard(context.Context, ...Workspace) error { return nil }

// Known implements People.
func (l *Local) Known(_ context.Context, w Workspace, people []string) (Roll, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	list := l.lists[w]
	roll := Roll{Inside: make(map[string]bool), At: now, Pending: list.reading || !now.Before(list.until) && now.Sub(list.listed) >= ListAge}
	for _, id := range people {
		s := l.people[w][id]
		if list.listed.After(s.at) {
			s.at = list.listed
		}
		if s.known && now.Sub(s.at) < ListAge {
			roll.Inside[id] = s.inside
		}
	}
	return roll, nil
}

// Found implements People.
func (l *Local) Found(_ context.Context, w Workspace, inside map[string]bool, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.people[w] == nil {
		l.people[w] = make(map[string]presenceRecord)
	}
	for id, in := range inside {
		before, there := l.people[w][id]
		if there && before.at.After(at) {
			continue
		}
		if there && before.known && before.inside != in {
			l.changed(w, Everything)
		}
		l.people[w][id] = presenceRecord{inside: in, known: true, at: at}
	}
	return nil
}

// Told implements People.
func (l *Local) Told(_ context.Context, w Workspace, person string, is Standing) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed(w, person)
	before, there := l.people[w][person]
	if there && before.known && is != Unsaid && before.inside == (is == Inside) {
		return nil
	}
	if l.people[w] == nil {
		l.people[w] = make(map[string]presenceRecord)
	}
	l.people[w][person] = presenceRecord{known: is == Outside, at: time.Now()}
	l.changed(w, Everything)
	return nil
}

// Begin implements Lists.
func (l *Local) Begin(_ context.Context, w Workspace) (time.Time, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, list := time.Now(), l.lists[w]
	if now.Before(list.until) || now.Sub(list.listed) < ListEvery {
		return now, false, nil
	}
	list.reading, list.until = true, now.Add(ListStep)
	l.lists[w] = list
	return now, true, nil
}

// End implements Lists.
func (l *Local) End(_ context.Context, w Workspace, people []string, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.lists[w]
	list.reading = false
	if at.IsZero() {
		list.until = at
	}
	if people != nil {
		list.listed = at
		gone := maps.Clone(l.people[w])
		for _, id := range people {
			delete(gone, id)
		}
		for _, id := range slices.Sorted(maps.Keys(gone)) {
			if s := gone[id]; s.inside && s.at.Before(at) {
				l.people[w][id] = presenceRecord{at: time.Now()}
				l.changed(w, Everything)
			}
		}
	}
	l.lists[w] = list
	return nil
}

// Accounts implements Accounts.
func (l *Local) Accounts(_ context.Context, w Workspace, ids []string) (map[string]Account, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make(map[string]Account)
	for _, id := range ids {
		if s, ok := l.accounts[w][id]; ok && time.Since(s.at) < ListAge {
			found[id] = s.account
		}
	}
	return found, nil
}

// Saw implements Accounts.
func (l *Local) Saw(_ context.Context, w Workspace, people []Account, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts[w] == nil {
		l.accounts[w] = make(map[string]accountRecord)
	}
	for _, p := range people {
		if before, ok := l.accounts[w][p.ID]; !ok || !before.at.After(at) {
			p.Workspace = w
			l.accounts[w][p.ID] = accountRecord{p, at}
		}
	}
	return nil
}

// Listed implements Accounts.
func (l *Local) Listed(_ context.Context, w Workspace, people []string, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := maps.Clone(l.accounts[w])
	for _, id := range people {
		delete(gone, id)
	}
	for id, s := range gone {
		if s.at.Before(at) {
			s.account.Email, s.account.Full, s.at = "", false, at
			l.accounts[w][id] = s
		}
	}
	return nil
}
