// Package sessiontest tests implementations of the session ports (Suite, SignalSuite). It also
// contains Memory, an implementation for tests.
package sessiontest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Store combines the stores of package session: conversations, settings, audit trail and owners.
type Store interface {
	session.Store
	session.Settings
	session.Audit
	session.Owners
}

// Memory is a Store in memory. It passes Suite, works inside a testing/synctest bubble, and is safe
// for concurrent use.
type Memory struct {
	mu          sync.Mutex
	ids         int
	sessions    map[sessionKey]*conversation
	turns       []*turn // in order of intake
	events      map[eventKey]*turn
	messages    map[messageKey]*posted
	replicas    map[session.ReplicaID]replica
	quarantines map[session.ReplicaID]*quarantine
	threads     map[sessionKey]*knownThread
	prompts     map[access.TenantID]session.Prompt
	settings    map[settingKey]session.Setting
	counters    map[counterKey]int
	verdicts    map[messageKey]session.Verdict
	trail       []session.Entry
	tenants     []access.TenantID // tenant of each entry in trail
	claims      map[eventKey]time.Time
	refused     map[eventKey]bool
	undisturbed map[eventKey]bool // by person
}

type sessionKey struct {
	tenant access.TenantID
	ref    thread.Ref
	owner  string
}

type eventKey struct {
	tenant    access.TenantID
	platform  thread.Platform
	workspace string
	key       string
}

type messageKey struct {
	tenant    access.TenantID
	platform  thread.Platform
	workspace string
	channel   string
	message   thread.MessageID
}

type conversation struct {
	session.Session
	starter string
	turns   int
}

type turn struct {
	session.Turn
	in         *conversation
	owner      session.ReplicaID
	notBefore  time.Time
	waits      bool              // the turn waits until a person starts its deep search
	quarantine session.ReplicaID // the replica that died last while it held the turn
	saved      session.Saved
	disturbed  bool
	pages      []session.Page
	finished   time.Time
	// the edited question, which is answered when the running attempt ends
	edit      *message.Message
	withdrawn bool // the question was deleted
	// the owner of the nearest page was asked
	ownerAsked bool
	became     *turn // the turn that replaced it after an edit
	revised
}

// posted is what the store knows about a message on a platform. turn is nil if the message was
// stopped or deleted before it was stored.
type posted struct {
	turn       *turn
	stopped    time.Time
	stoppers   []string
	privileged bool
	deleted    bool
}

type replica struct{ started, expires time.Time }

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{
		sessions: make(map[sessionKey]*conversation), events: make(map[eventKey]*turn), messages: make(map[messageKey]*posted),
		threads:  make(map[sessionKey]*knownThread),
		replicas: make(map[session.ReplicaID]replica), quarantines: make(map[session.ReplicaID]*quarantine), prompts: make(map[access.TenantID]session.Prompt),
		settings: make(map[settingKey]session.Setting), counters: make(map[counterKey]int), verdicts: make(map[messageKey]session.Verdict),
	}
}

func (m *Memory) id() string {
	m.ids++
	return fmt.Sprintf("00000000-0000-7000-8000-%012d", m.ids)
}

// Accept implements session.Store.
func (m *Memory) Accept(ctx context.Context, in session.Intake) (session.Accepted, error) {
	if err := in.Validate(); err != nil {
		return session.Accepted{}, err
	}
	if err := ctx.Err(); err != nil {
		return session.Accepted{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	event := eventKey{in.Tenant, in.Ref.Platform, in.Ref.Workspace, in.EventKey}
	if t := m.events[event]; t != nil {
		return session.Accepted{Turn: t.Turn, Duplicate: true}, nil
	}
	place := messageKey{in.Tenant, in.Ref.Platform, in.Ref.Workspace, in.Ref.Channel, in.Message}
	known := m.messages[place]
	if in.Message != "" && known != nil && known.turn != nil {
		m.events[event] = known.turn
		return session.Accepted{Turn: known.turn.Turn, Duplicate: true}, nil
	}
	s := m.conversation(in)
	later := m.overtake(s, in)
	s.turns++
	t := &turn{in: s, notBefore: time.Now().Add(in.After), Turn: session.Turn{
		ID: session.TurnID(m.id()), Session: s.Session, Number: s.turns, Asker: in.Asker, Message: in.Message, Audience: in.Audience.Platform(),
		Direct: in.Direct, Intake: time.Now(), Reply: in.Reply, State: session.Queued,
		Agent: in.Agent, Models: slices.Clone(in.Models), Reason: in.Reason, Ambient: in.Ambient, LimitedUntil: m.limit(in.Tenant, in.Quotas), Pending: in.Pending,
		Question: message.Message{ID: message.ID(m.id()), Turn: s.turns, Role: message.User, Author: in.Asker.Name, Text: in.Text,
			Files: slices.Clone(in.Files), Tokens: in.Tokens, At: in.At},
	}}
	if known != nil && in.Message != "" {
		if by, ok := known.stops(t); ok {
			m.stop(t, by)
		}
	}
	if in.Message != "" {
		m.messages[place] = &posted{turn: t}
	}
	t.place = m.ids
	for _, other := range later {
		s.turns++
		other.Number, other.Question.Turn = s.turns, s.turns
	}
	for _, other := range slices.Backward(later) { // each takes the next turn's position
		other.place, t.place = t.place, other.place
	}
	if in.Owner == "" {
		m.joinThread(in)
	}
	m.events[event] = t
	m.turns = append(m.turns, t)
	return session.Accepted{Turn: t.Turn, Ahead: m.ahead(t)}, nil
}

// overtake makes room for a new question by a person. It declines queued turns in which the bot
// would answer without being asked (Ambient). It returns the queued turns of later messages, in
// order. The caller inserts the new turn before them.
func (m *Memory) overtake(s *conversation, in session.Intake) (later []*turn) {
	if in.Ambient {
		return nil
	}
	for _, t := range m.turns {
		if t.in != s || t.State != session.Queued {
			continue
		}
		if t.Ambient {
			t.State, t.Outcome, t.finished = session.Done, session.Declined, time.Now()
			t.saved.Outcome = session.Declined
			t.Attempt++
			m.ended(t, session.Saved{})
		} else if t.Attempt == 0 && t.Origin.As == "" && !in.At.IsZero() && t.Question.At.After(in.At) {
			later = append(later, t)
		}
	}
	slices.SortFunc(later, func(a, b *turn) int { return cmp.Compare(a.Number, b.Number) })
	return later
}

func (m *Memory) conversation(in session.Intake) *conversation {
	key := sessionKey{in.Tenant, in.Ref, in.Owner}
	s := m.sessions[key]
	if s == nil {
		s = &conversation{Session: session.Session{ID: session.ID(m.id()), Tenant: in.Tenant, Ref: in.Ref, Owner: in.Owner}}
		m.sessions[key] = s
	}
	if s.starter == "" {
		s.starter = in.Starter
	}
	return s
}

// find returns the turn of a fence. The error is ErrFenced if the turn has a newer attempt, and
// ErrUnknownTurn if it does not exist.
func (m *Memory) find(f session.Fence) (*turn, error) {
	for _, t := range m.turns {
		if t.ID == f.Turn && t.Session.Tenant == f.Tenant {
			if t.Attempt != f.Attempt {
				return nil, session.ErrFenced
			}
			return t, nil
		}
	}
	return nil, session.ErrUnknownTurn
}

// Load implements session.Store.
func (m *Memory) Load(ctx context.Context, before session.Turn, limit int) ([]message.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var parts [][]message.Message
	for _, t := range m.past(before) {
		if len(parts) == limit {
			break
		}
		part := []message.Message{t.Question}
		if t.Session.ID == before.Session.ID {
			part = append(part, added(t.kept())...)
		} else {
			part[0].Turn -= session.ThreadTurns
		}
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return slices.Concat(parts...), ctx.Err()
}

// Numbers implements session.Store.
func (m *Memory) Numbers(ctx context.Context, of session.Turn) (map[int]cite.Passage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	numbers := make(map[int]cite.Passage)
	for _, t := range m.turns {
		if t.Session.ID != of.Session.ID {
			continue
		}
		for _, run := range t.saved.Runs {
			for _, msg := range run.Messages {
				for _, r := range msg.Documents {
					if _, found := numbers[r.Number]; !found && r.Number > 0 {
						numbers[r.Number] = cite.Passage{Document: r.Document.ID, Part: r.Part}
					}
				}
			}
		}
	}
	return numbers, ctx.Err()
}

// Saved implements session.Store.
func (m *Memory) Saved(ctx context.Context, of session.Turn) (session.Saved, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.turns {
		if t.ID == of.ID {
			saved := t.kept()
			saved.Runs = slices.Clone(saved.Runs)
			for i := range saved.Runs {
				saved.Runs[i].Messages = slices.Clone(saved.Runs[i].Messages)
			}
			return saved, ctx.Err()
		}
	}
	return session.Saved{}, session.ErrUnknownTurn
}

// Prompt implements session.Settings.
func (m *Memory) Prompt(ctx context.Context, tenant access.TenantID) (session.Prompt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prompts[tenant], ctx.Err()
}

// SetPrompt implements session.Settings.
func (m *Memory) SetPrompt(ctx context.Context, tenant access.TenantID, text, by string) (session.Prompt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := session.Prompt{Text: text, Version: m.prompts[tenant].Version + 1, By: by, At: time.Now()}
	m.prompts[tenant] = p
	deed := session.PromptSet
	if text == "" {
		deed = session.PromptReset
	}
	m.audited(tenant, session.Entry{
		Deed: deed, Who: session.Actor{Platform: session.Host, ID: by}, Details: map[string]string{"version": strconv.Itoa(p.Version)},
	})
	return p, ctx.Err()
}

// added returns the messages that a turn adds to the history after its question. A removed answer
// adds none. A corrected answer adds only the correction. Any other answer adds the messages of the
// best run.
func added(s session.Saved) []message.Message {
	best, ran := s.Best()
	switch {
	case s.Removed != nil:
		return nil
	case s.Correction != nil:
		return []message.Message{s.Correction.Message(best)}
	case !ran:
		return nil
	case s.Outcome == session.Stopped:
		messages := slices.Clone(best.Messages)
		for i := range messages {
			messages[i].Stopped = messages[i].Role == message.Assistant
		}
		return messages
	default:
		return best.Messages
	}
}
