package conversation_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

func TestConversation(t *testing.T) {
	t.Parallel()
	common.Suite(t, common.Platform{Begin: begin})
}

// Whoever asks while the process stops is told nothing of it, and the platform that it failed: the
// next process finds the question. What takes too long is told.
func TestAStoppingProcessTellsNobody(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{}).(*stage)
	n := s.heard(*s.pin(s.channel(common.Place{}), "ann", page{Text: "@bot when?"}, 0))
	stopping, stop := context.WithCancel(s.ctx)
	stop()
	if err := s.talk.Message(stopping, n); !errors.Is(err, context.Canceled) {
		t.Errorf("while the process stops the platform is told %v", err)
	}
	late, end := context.WithTimeout(s.ctx, 0)
	defer end()
	if err := s.talk.Message(late, n); err != nil {
		t.Errorf("after its time the platform is told %v", err)
	}
	s.talk.Wait()
	s.board.mu.Lock()
	defer s.board.mu.Unlock()
	if said := s.board.alone["ann"]; len(said) != 1 {
		t.Errorf("ann is told %q, want one sentence", said)
	}
}

// While the store is full and does not answer, who asks is refused, and who does not ask is not.
func TestAQuestionIsRefusedWhileTheStoreIsFull(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{}).(*stage)
	s.full.Store(true)
	for _, text := range []string{"@bot when?", "who knows?"} {
		n := s.heard(*s.pin(s.channel(common.Place{}), "ann", page{Text: text}, 0))
		if err := s.talk.Message(s.ctx, n); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		late := n
		late.Late, late.ID = true, n.ID+"-late"
		if err := s.talk.Message(s.ctx, late); n.Mentioned && !errors.Is(err, policy.Full) {
			t.Errorf("a late question is given up: %v", err)
		}
	}
	s.talk.Wait()
	s.board.mu.Lock()
	defer s.board.mu.Unlock()
	if said := s.board.alone["ann"]; len(said) != 1 || said[0] != policy.Full.Sentence {
		t.Errorf("ann is told %q", said)
	}
}

// Platforms show what is left of a deleted question as a message, which is read after an outage.
func TestDeletedMessageThatIsReadLateIsNoQuestion(t *testing.T) {
	t.Parallel()
	s, _ := begin(t, common.Setting{}).(*stage)
	for change, asked := range map[policy.Change]bool{policy.Created: true, policy.Deleted: false} {
		m := s.heard(*s.pin(s.channel(common.Place{Direct: true}), "ann", page{Text: "when?"}, 0))
		m.Late, m.Change = true, change
		s.hear(m)
		_, err := s.store.TurnOf(s.ctx, access.DefaultTenant, m.Ref, m.ID)
		if asked != (err == nil) || !asked && !errors.Is(err, session.ErrUnknownTurn) {
			t.Errorf("change %d: %v, want a turn: %t", change, err, asked)
		}
	}
}

// A stop may arrive before the message that it is for. Where events do not say who is a moderator,
// that is looked up then too.
func TestAdministratorStopsAMessageThatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	for by, stops := range map[common.Person]bool{common.Chief: true, common.Bob: false} {
		s, _ := begin(t, common.Setting{Replies: []llmtest.Reply{{llmtest.Text("An answer.")}}}).(*stage)
		s.board.lookUp.Store(true)
		at := s.channel(common.Place{})
		question := s.pin(at, people[common.Ann], page{Text: "@bot when?"}, 0)
		if err := s.talk.Reacted(s.ctx, chat.Reaction{Ref: at, Message: question.id, By: session.Stopper{ID: people[by]}}); err != nil {
			t.Fatal(err)
		}
		s.talk.Wait()
		s.hear(s.heard(*question))
		s.Until("the question is done with", func() bool {
			asked, err := s.store.TurnOf(s.ctx, access.DefaultTenant, question.at, question.id)
			return err == nil && asked.State == session.Done
		})
		asked, err := s.store.TurnOf(s.ctx, access.DefaultTenant, question.at, question.id)
		if err != nil || (asked.Outcome == session.Stopped) != stops {
			t.Errorf("after a stop by %s the question ended as %s (%v)", people[by], asked.Outcome, err)
		}
	}
}

// stage is a board with people before it.
type stage struct {
	*testing.T
	*board
	ctx     context.Context
	said    []policy.SettingValue
	listed  bool // documents are listed, and nothing is written
	owned   bool // nothing is found, and the nearest page is Bob's
	model   *llmtest.Model
	store   *sessiontest.Memory
	answers *answer.Service
	form    *action.Form // that was opened last
	key     int
	earlier []thread.MessageID
	full    atomic.Bool                    // the store
	away    atomic.Int32                   // number of further reads of the channel's rules that fail
	fails   func(session.StopRequest) bool // whether the store fails; may be nil
	end     func()
}

var people = map[common.Person]string{common.Ann: "ann", common.Bob: "bob", common.Chief: "chief"}

func begin(t *testing.T, setting common.Setting) common.Stage {
	patience := time.Minute
	if os.Getenv(faultName) != "" {
		patience = 2 * time.Second // what does not come about then does not
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s := &stage{T: t, ctx: ctx, said: setting.Said, listed: setting.Listed, owned: setting.Owned, model: llmtest.Native(setting.Replies...), store: sessiontest.NewMemory()}
	s.board = &board{alone: make(map[string][]string), signs: make(map[thread.Ref]string), fault: fault(os.Getenv(faultName))}
	for _, e := range setting.Earlier {
		text := e.Text
		if e.Mentions {
			text = "@bot " + text
		}
		s.earlier = append(s.earlier, s.pin(s.channel(common.Place{}), people[e.By], page{Text: text}, e.Ago).id)
	}
	s.start()
	t.Cleanup(func() { s.end(); cancel() })
	return s
}

// start starts a bot, which first looks at what hangs there.
func (s *stage) start() {
	s.Helper()
	deps := answer.Deps{
		Store: failing{s.store, s}, Setups: common.Models{s.model}, Library: common.NoDocuments{}, Surfaces: s.board, Policies: shaky{common.Policies(s.said), s},
		Engine: common.Engine(s), Full: func(error) bool { return s.full.Load() },
	}
	if s.listed {
		common.List(s, &deps)
	}
	if s.owned {
		common.Own(s.store, &deps, func() string { return people[common.Bob] })
	}
	services := common.Serve(s, s.store, deps, answer.Config{Grace: time.Second, StopPoll: time.Hour})
	var err error
	s.talk, err = conversation.New(conversation.Deps{
		Platform: s.board, Store: s.store,
	})
	if err != nil {
		s.Fatal(err)
	}
	s.talk.Bind(services)
	s.answers = services.Service
	running, stop := context.WithCancel(s.ctx)
	ended := make(chan error, 2)
	go func() { ended <- services.Run(running) }()
	talk := s.talk
	go func() { talk.Run(running); talk.Wait(); ended <- nil }()
	s.end = func() {
		stop()
		for range 2 {
			if err := <-ended; err != nil {
				s.Errorf("the bot ended with %v", err)
			}
		}
	}
	found := s.hanging(func(n *note) bool { return n.by != "" })
	for i, n := range found {
		m := s.heard(n)
		m.Late = true
		m.Overtaken = slices.ContainsFunc(found[i+1:], func(later note) bool { return later.at == n.at && later.by != n.by })
		s.hear(m)
	}
}

func (s *stage) hear(m chat.Message) {
	s.Helper()
	if err := s.talk.Message(s.ctx, m); err != nil {
		s.Fatal(err)
	}
}

func (*stage) channel(at common.Place) thread.Ref {
	ref := thread.Ref{Platform: boardName, Workspace: "w", Channel: "general", Thread: string(at.Thread)}
	if at.Direct {
		ref.Channel, ref.Thread = "direct-ann", "direct-ann"
	}
	return ref
}

func (s *stage) Say(by common.Person, at common.Place, text string) thread.MessageID {
	s.Helper()
	n := s.pin(s.channel(at), people[by], page{Text: text}, 0)
	if !s.closed {
		s.hear(s.heard(*n))
	}
	return n.id
}

func (s *stage) Mention(by common.Person, at common.Place, text string) thread.MessageID {
	s.Helper()
	return s.Say(by, at, "@bot "+text)
}

func (s *stage) Attach(by common.Person, at common.Place, text, content string) thread.MessageID {
	s.Helper()
	n := s.pin(s.channel(at), people[by], page{Text: "@bot " + text}, 0)
	s.change(n.id, func(n *note) { n.file = content })
	s.hear(s.heard(s.note(n.id)))
	return n.id
}

func (s *stage) Busy(at common.Place) bool { return s.busy(s.channel(at)) }

func (s *stage) Edit(by common.Person, id thread.MessageID, text string) {
	s.Helper()
	if by == common.Ann {
		text = "@bot " + text
	}
	s.change(id, func(n *note) { n.Text = text })
	m := s.heard(s.note(id))
	m.Change = policy.Edited
	s.hear(m)
}

func (s *stage) note(id thread.MessageID) note {
	s.Helper()
	found := s.hanging(func(n *note) bool { return n.id == id })
	if len(found) == 0 {
		s.Fatalf("there is no note %s", id)
	}
	return found[0]
}

func (s *stage) Delete(_ common.Person, id thread.MessageID) {
	s.Helper()
	n := s.note(id)
	s.change(id, func(n *note) { n.gone = true })
	if s.fault == ignoresDeletes {
		return
	}
	if err := s.talk.Deleted(s.ctx, chat.Deletion{Ref: n.at, Message: id, Of: chat.OfUnknown}); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) React(by common.Person, id thread.MessageID) {
	s.Helper()
	n := s.note(id)
	if s.fault == dropsReactions {
		return
	}
	n.at.Thread = ""
	stopper := session.Stopper{ID: people[by], Privileged: by == common.Chief}
	if err := s.talk.Reacted(s.ctx, chat.Reaction{Ref: n.at, Message: id, By: stopper}); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) Press(by common.Person, on thread.MessageID, do thread.Action) {
	s.Helper()
	s.Until("the button is there", func() bool { return slices.Contains(s.note(on).Buttons, do) })
	s.Choose(by, on, do)
}

func (s *stage) Choose(by common.Person, on thread.MessageID, do thread.Action) {
	s.Helper()
	s.press(by, action.Request{Do: do, Ref: s.note(on).at, Message: on})
}

func (s *stage) press(by common.Person, a action.Request) {
	s.Helper()
	s.key++
	if s.fault == wrongPresser {
		by = common.Ann
	}
	a.Key, a.By, a.Moderator = string(rune('a'+s.key)), thread.Person{ID: people[by]}, by == common.Chief
	reply, err := s.talk.Press(s.ctx, conversation.Press{Request: a})
	if err != nil {
		s.Fatal(err)
	}
	if s.form = reply.Form; s.form == nil {
		s.tell(by, reply.Sentence)
	}
}

func (s *stage) tell(by common.Person, sentence string) {
	s.board.Say(s.ctx, chat.Message{Author: thread.Person{ID: people[by]}}, sentence, false)
}

func (s *stage) Submit(by common.Person, text string) {
	s.Helper()
	if s.form == nil {
		s.Fatal("no form is open")
	}
	s.press(by, action.Request{Do: s.form.Do, Ref: s.channel(common.Place{}), Turn: s.form.Turn, Text: text, Submitted: true})
}

func (s *stage) Still(by common.Person, on thread.MessageID) {
	s.Helper()
	offer := s.hanging(func(n *note) bool { return n.by == "" && n.about == string(on) })
	if len(offer) != 1 {
		s.Fatalf("it is asked about %d times", len(offer))
	}
	sentence, err := s.talk.Still(s.ctx, conversation.Wanted{
		At: offer[0].at, Question: on, Notice: offer[0].id, Key: "still " + people[by], By: thread.Person{ID: people[by]},
	}, func() {})
	if err != nil {
		s.Fatal(err)
	}
	s.tell(by, sentence)
}

func (s *stage) Ask(by common.Person, question string) {
	s.Helper()
	s.ask(by, question, nil)
}

func (s *stage) ask(by common.Person, question string, about *chat.Target) {
	s.Helper()
	at := s.channel(common.Place{})
	s.key++
	key := string(rune('a' + s.key))
	asked, err := s.talk.Ask(s.ctx, conversation.Ask{
		Ref: at, EventKey: key, By: thread.Person{ID: people[by]}, About: about,
		Place: func(context.Context, conversation.Admitted) (conversation.Placed, error) {
			at.Thread = string(s.pin(at, people[by], page{Text: question}, 0).id)
			return conversation.Placed{Mention: thread.Mention{Ref: at, Text: question, Listens: access.NewAudience(access.DefaultTenant)}}, nil
		},
	})
	if err != nil {
		s.Fatal(err)
	}
	s.tell(by, asked.Refusal)
}

func (s *stage) Footnote(by common.Person, name, value string) {
	s.Helper()
	said, err := s.talk.Command(s.ctx, command.Request{
		Ref: s.channel(common.Place{}), By: thread.Person{ID: people[by]}, Admin: by == common.Chief, Text: strings.TrimSpace(name + " " + value),
	})
	if err != nil {
		s.Fatal(err)
	}
	s.tell(by, said)
}

func (s *stage) AskAbout(by common.Person, on thread.MessageID) {
	s.Helper()
	n := s.note(on)
	s.ask(by, n.Text, &chat.Target{Text: n.Text, Author: n.by, Own: n.by == ""})
}

func (s *stage) Shown(at common.Place) (shown []common.Shown) {
	ref := s.channel(at)
	for _, n := range s.hanging(func(n *note) bool {
		return n.by == "" && n.at.Channel == ref.Channel && (n.at.Thread == ref.Thread || ref.Thread == "" && n.at.Thread == string(n.id))
	}) {
		shown = append(shown, common.Shown{ID: n.id, Text: n.Text, Done: n.Done})
	}
	return shown
}

func (s *stage) Reads(p common.Person, text string) bool {
	s.mu.Lock()
	told := slices.Clone(s.alone[people[p]])
	s.mu.Unlock()
	return slices.ContainsFunc(told, func(sentence string) bool { return strings.Contains(sentence, text) }) ||
		len(s.hanging(func(n *note) bool { return n.by == "" && strings.Contains(n.Text, text) })) > 0
}

func (s *stage) Settled(question thread.MessageID) bool {
	ref := s.note(question).at
	t, err := s.store.TurnOf(s.ctx, access.DefaultTenant, ref, question)
	return err == nil && t.State == session.Done
}

func (s *stage) Restart(between func()) {
	s.Helper()
	s.end()
	s.closed = true
	between()
	s.closed = false
	s.start()
}

func (s *stage) Earlier() []thread.MessageID { return s.earlier }
func (s *stage) Model() *llmtest.Model       { return s.model }
func (s *stage) Store() *sessiontest.Memory  { return s.store }

func (s *stage) Until(what string, holds func() bool) {
	s.Helper()
	common.Until(s.ctx, s, what, holds, func() any { return s.hanging(func(*note) bool { return true }) })
}

func TestFloodOfMessagesIsToldAFewTimes(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{}).(*stage)
	late, end := context.WithTimeout(s.ctx, 0)
	defer end()
	for range 600 {
		n := s.heard(*s.pin(s.channel(common.Place{}), "ann", page{Text: "@bot when?"}, 0))
		if err := s.talk.Message(late, n); err != nil {
			t.Fatal(err)
		}
	}
	n := s.heard(*s.pin(s.channel(common.Place{}), "bob", page{Text: "@bot when?"}, 0))
	if err := s.talk.Message(late, n); err != nil {
		t.Fatal(err)
	}
	s.talk.Wait()
	s.board.mu.Lock()
	defer s.board.mu.Unlock()
	if said := s.board.alone["ann"]; len(said) == 0 || len(said) > policy.DefaultQuiet.Most {
		t.Errorf("ann is told %d sentences", len(said))
	}
	if said := s.board.alone["bob"]; len(said) != 1 {
		t.Errorf("bob is told %d sentences", len(said))
	}
}
