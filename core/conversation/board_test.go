package conversation_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// board is the smallest platform that has all that people do in conversations: a pin board in
// memory. Whoever adds a platform finds here what it takes. It is safe for concurrent use.
type board struct {
	chat.Unsupported

	talk *conversation.Conversation

	fault fault // what the platform does wrong
	// events do not say who is a moderator, Moderates does
	lookUp atomic.Bool
	// posting is called when a page hangs, before its id is returned
	posting func(to thread.Ref, id thread.MessageID)

	mu     sync.Mutex
	last   int
	signs  map[thread.Ref]string // that say what the bot does
	notes  []*note
	alone  map[string][]string // person to what was told that person alone
	closed bool                // nobody hears what is written
}

// note is what hangs on the board. A thread is the note that it hangs on.
type note struct {
	id      thread.MessageID
	at      thread.Ref
	by      string // empty: the bot
	written time.Time
	page
	file  string // that hangs with it
	about string // what a button of the bot's note is about
	gone  bool
}

// page is what a note shows. Streams compare pages by what they are as JSON.
type page struct {
	Text    string
	Done    bool
	Buttons []thread.Action
}

const boardName thread.Platform = "board"

// pin hangs up a note. In a thread it hangs under its first note.
func (b *board) pin(at thread.Ref, by string, p page, ago time.Duration) *note {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	n := &note{id: thread.MessageID(fmt.Sprintf("%06d", b.last)), at: at, by: by, page: p, written: time.Now().Add(-ago)}
	n.at.Thread = cmp.Or(at.Thread, string(n.id))
	b.notes = append(b.notes, n)
	return n
}

// hanging lists the notes for which a condition holds, oldest first.
func (b *board) hanging(holds func(*note) bool) []note {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []note
	for _, n := range b.notes {
		if !n.gone && holds(n) {
			list = append(list, *n)
		}
	}
	return list
}

// change changes a note, and reports whether it was there.
func (b *board) change(id thread.MessageID, how func(*note)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.notes, func(n *note) bool { return n.id == id && !n.gone })
	if i >= 0 {
		how(b.notes[i])
	}
	return i >= 0
}

// heard is a note as conversations know it: who writes "@bot" mentions it.
func (b *board) heard(n note) chat.Message {
	text, mentioned := strings.CutPrefix(n.Text, "@bot")
	m := chat.Message{
		Ref: n.at, At: n.at, ID: n.id, EventKey: string(n.id), Author: thread.Person{ID: n.by, Name: n.by}, Moderator: n.by == "chief",
		Text: strings.TrimSpace(text), Written: n.written, Attached: n.file != "", Source: n.file,
	}
	if b.fault == wrongPerson {
		m.Author = thread.Person{ID: "bob"}
	}
	m.Own, m.Mentioned, m.Direct, m.InThread = n.by == "", mentioned, strings.HasPrefix(n.at.Channel, "direct"), n.at.Thread != string(n.id)
	return m
}

// Features implements chat.Platform.
func (b *board) Features(thread.Ref) chat.Features {
	return chat.Features{Whispers: true, Moderates: b.lookUp.Load()}
}

// Moderates implements chat.Platform.
func (*board) Moderates(_ context.Context, _ thread.Ref, person string) bool {
	return person == people[common.Chief]
}

// Alone implements chat.Platform.
func (*board) Alone(_ context.Context, _ thread.Ref, person string) (access.Presence, error) {
	return access.Presence{
		Tenant: access.DefaultTenant, Held: []access.Held{{Principal: access.User(string(boardName), person), From: "your name"}},
		People: []access.Account{{Workspace: access.Workspace{Platform: string(boardName)}, ID: person}},
	}, nil
}

// Gather implements chat.Platform.
func (b *board) Gather(ctx context.Context, m chat.Message, _ bool, read *chat.Reading) (g chat.Gathered, err error) {
	g = chat.Gathered{Text: m.Text, Listens: access.NewAudience(access.DefaultTenant)}
	defer func() { // after what was said before
		if text, _ := m.Source.(string); text != "" && b.fault != losesFiles {
			g.Files = append(g.Files, message.File{ID: message.FileID(m.ID), Name: "notes.txt", Media: "text/plain", Text: text, Tokens: len(text)})
		}
	}()
	if read == nil || ctx.Err() != nil {
		return g, ctx.Err()
	}
	var said []conversation.Said
	for _, n := range b.hanging(func(n *note) bool {
		return n.by != "" && n.at == m.Ref && n.id > read.After && n.id < m.ID
	}) {
		said = append(said, conversation.Said{ID: n.id, Author: n.by, Text: n.Text})
	}
	if b.fault == wrongOrder {
		slices.Reverse(said)
	}
	if file, ok := conversation.Transcript(conversation.EarlierName, said, false); ok {
		g.Files = []message.File{file}
	}
	return g, nil
}

// Say implements chat.Platform.
func (b *board) Say(_ context.Context, to chat.Message, sentence string, _ bool) {
	if b.fault == loudWhisper {
		b.pin(to.At, "", page{Text: sentence, Done: true}, 0)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alone[to.Author.ID] = append(b.alone[to.Author.ID], sentence)
}

// Whisper implements chat.Platform.
func (b *board) Whisper(_ context.Context, t session.Turn, note chat.Note) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alone[t.Asker.ID] = append(b.alone[t.Asker.ID], note.Sentence)
	return nil
}

// Written implements chat.Platform.
func (b *board) Written(_ context.Context, _ session.Turn, p session.Page, _ chat.Permit) (string, bool, error) {
	for _, n := range b.hanging(func(n *note) bool { return n.id == p.Message }) {
		return n.Text, !n.Done, nil
	}
	return "", false, nil
}

// Post implements chat.Platform.
func (b *board) Post(_ context.Context, at thread.Ref, of chat.Notice) (thread.MessageID, error) {
	n := b.pin(at, "", page{Text: of.Text, Done: true}, 0)
	b.change(n.id, func(n *note) { n.about = of.Subject })
	return n.id, nil
}

// Edit implements chat.Platform.
func (b *board) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, of chat.Notice) error {
	b.change(id, func(n *note) { n.Text, n.about = of.Text, of.Subject })
	return nil
}

// Delete implements chat.Platform.
func (b *board) Delete(_ context.Context, _ thread.Ref, id thread.MessageID) error {
	b.change(id, func(n *note) { n.gone = true })
	return nil
}

// Posted implements chat.Platform.
func (b *board) Posted(_ context.Context, _ thread.Ref, of chat.Notice) (ids []thread.MessageID, err error) {
	for _, n := range b.hanging(func(n *note) bool { return n.by == "" && n.about == of.Subject }) {
		ids = append(ids, n.id)
	}
	return ids, nil
}

// Answered implements chat.Platform.
func (b *board) Answered(ctx context.Context, m chat.Message, aside func(thread.MessageID) bool) (bool, error) {
	return b.Involved(ctx, m, aside)
}

// Involved implements chat.Platform.
func (b *board) Involved(_ context.Context, m chat.Message, aside func(thread.MessageID) bool) (bool, error) {
	after := b.hanging(func(n *note) bool { return n.by == "" && n.at == m.Ref && n.id > m.ID })
	return slices.ContainsFunc(after, func(n note) bool { return !aside(n.id) }), nil
}

// Message implements chat.Platform.
func (b *board) Message(_ context.Context, _ thread.Ref, id thread.MessageID) (chat.Message, error) {
	for _, n := range b.hanging(func(n *note) bool { return n.id == id }) {
		return b.heard(n), nil
	}
	return chat.Message{}, thread.ErrMessageGone
}

// Listeners implements chat.Platform.
func (*board) Listeners(context.Context, session.Turn) (access.Presence, error) {
	return access.Presence{Tenant: access.DefaultTenant}, nil
}

// Open implements chat.Platform.
func (b *board) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	return answer.Deliver(ctx, b.talk.Desk(), t, permit, func(context.Context, []session.Page) (answer.Outlet[page], error) {
		return answer.Outlet[page]{
			To: t.Session.Ref, Surface: surface{board: b}, Renderer: renderer{whole: b.fault == longPage},
			Sign: answer.Sign{Show: b.sign, Every: time.Minute, Again: time.Second, First: "is at work", Lingers: func() bool { return b.busy(t.Session.Ref) }},
		}, nil
	})
}

// sign hangs a sign on a thread, or takes it down.
func (b *board) sign(_ context.Context, to thread.Ref, line string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if line != "" || b.fault != lastingSign {
		b.signs[to] = line
	}
	return nil
}

func (b *board) busy(at thread.Ref) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.signs[at] != ""
}

// surface writes notes.
type surface struct {
	thread.Forgetful
	thread.Unpaced

	board *board
}

// Capabilities implements thread.Surface.
func (surface) Capabilities() thread.Capabilities {
	return thread.Capabilities{MinEditInterval: time.Millisecond}
}

// Post implements thread.Surface.
func (s surface) Post(_ context.Context, to thread.Ref, p page) (thread.MessageID, error) {
	switch {
	case len(p.Text) > maxText:
		return "", fmt.Errorf("hang up a note: %w: it has %d characters", thread.ErrRefused, len(p.Text))
	case s.board.fault == wrongThread:
		to.Thread = ""
	case s.board.fault == postsTwice:
		s.board.pin(to, "", p, 0)
	}
	id := s.board.pin(to, "", p, 0).id
	if s.board.posting != nil {
		s.board.posting(to, id)
	}
	return id, nil
}

// Edit implements thread.Surface.
func (s surface) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, p page) error {
	if len(p.Text) > maxText {
		return fmt.Errorf("change a note: %w: it has %d characters", thread.ErrRefused, len(p.Text))
	}
	if s.board.fault == forgetsEdits {
		return nil
	}
	if !s.board.change(id, func(n *note) { n.page = p }) {
		return thread.ErrMessageGone
	}
	return nil
}

// Delete implements thread.Surface.
func (s surface) Delete(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	return s.board.Delete(ctx, to, id)
}

// maxText is the number of bytes that fit on a note.
const maxText = 2000

// renderer shows an answer as it stands in the view, on as many notes as it takes.
type renderer struct {
	stream.Paged[page]

	whole bool // it does not know the limit
}

// Render implements stream.Renderer.
func (r renderer) Render(v *stream.View) []page {
	p := page{Text: v.Text(), Done: v.Phase == stream.Done, Buttons: []thread.Action{thread.ActionStop}}
	if p.Done {
		p.Text = strings.Join(append([]string{p.Text, v.Message}, v.Notices...), "\n")
		for _, d := range v.Closest {
			p.Text += "\n" + d.Title
		}
		p.Buttons = []thread.Action{thread.ActionUp, thread.ActionDown, thread.ActionRetry, thread.ActionDeeper}
		if v.Owner != nil {
			p.Text, p.Buttons = p.Text+"\nThe page belongs to "+v.Owner.Name, append(p.Buttons, thread.ActionOwner)
		}
	}
	if v.Problem != nil {
		p.Text += "\n" + v.Problem.Message
	}
	if strings.TrimSpace(p.Text) == "" {
		return nil
	}
	var pages []page
	for !r.whole && len(p.Text) > maxText {
		end := strings.LastIndex(p.Text[:maxText], "\n") + 1
		pages = append(pages, page{Text: p.Text[:end], Done: true})
		p.Text = p.Text[end:]
	}
	return append(pages, p)
}

var _ chat.Platform = (*board)(nil)
