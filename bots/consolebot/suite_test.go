package consolebot_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/bots/consolebot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConversation(t *testing.T) {
	t.Parallel()
	common.Suite(t, common.Platform{
		Cannot: cannot, Begin: begin,
	})
}

// terminal is what the person at the console sees.
type terminal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *terminal) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *terminal) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// stage is a console with Ann before it. What only other platforms have is not there.
type stage struct {
	common.Stage
	testing.TB
	ctx   context.Context
	bot   *consolebot.Bot
	model *llmtest.Model
	store *sessiontest.Memory
	out   *terminal
	last  session.TurnID // that what is pressed is about

	mu   sync.Mutex
	told []string // in reply to what was typed
}

func begin(t *testing.T, setting common.Setting) common.Stage {
	t.Helper()
	s := &stage{TB: t, model: llmtest.Native(setting.Replies...), store: sessiontest.NewMemory(), out: &terminal{}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	s.ctx = ctx
	var err error
	s.bot, err = consolebot.New(consolebot.Config{
		Store: s.store, Present: access.Presence{Tenant: access.DefaultTenant, Held: []access.Held{{Principal: access.Members}}}, Renderer: &console.Renderer{}, Surface: console.NewSurface(s.out), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	deps := answer.Deps{
		Setups: common.Models{s.model}, Library: common.NoDocuments{}, Surfaces: s.bot, Policies: common.Policies(setting.Said),
		Engine: common.Engine(s),
	}
	if setting.Listed {
		common.List(t, &deps)
	}
	if setting.Owned {
		common.Own(s.store, &deps, nil)
	}
	services := common.Serve(t, s.store, deps, answer.Config{Workspaces: []string{s.bot.Workspace()}, Grace: time.Second})
	s.bot.Bind(services)
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- services.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the service ended with %v", err)
		}
		cancel()
	})
	return s
}

// Say implements common.Stage, for the one person that there is.
func (s *stage) Say(by common.Person, _ common.Place, text string) thread.MessageID {
	s.Helper()
	if by != common.Ann {
		s.Fatal("another person types")
	}
	id, sentence, err := s.bot.Ask(s.ctx, text)
	if err != nil {
		s.Fatal(err)
	}
	s.tell(sentence)
	if id != "" {
		s.last = id
	}
	return thread.MessageID(id)
}

// Mention implements common.Stage: whatever is typed is for the bot.
func (s *stage) Mention(by common.Person, at common.Place, text string) thread.MessageID {
	s.Helper()
	return s.Say(by, at, text)
}

// Attach implements common.Stage: the chat reads files before it passes a line on.
func (s *stage) Attach(_ common.Person, _ common.Place, text, content string) thread.MessageID {
	s.Helper()
	id, sentence, err := s.bot.Ask(s.ctx, text, message.File{ID: "notes.txt", Name: "notes.txt", Media: "text/plain", Text: content, Tokens: len(content)})
	if err != nil {
		s.Fatal(err)
	}
	s.tell(sentence)
	s.last = id
	return thread.MessageID(id)
}

func (s *stage) tell(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, sentence)
}

// Press implements common.Stage: it is what the chat's lines about the last answer do.
func (s *stage) Press(_ common.Person, _ thread.MessageID, do thread.Action) {
	s.Helper()
	reply, err := s.bot.Perform(s.ctx, do, s.last, "")
	if err != nil {
		s.Fatal(err)
	}
	s.last = reply.Turn
	s.tell(reply.Sentence)
}

// Settled implements common.Stage.
func (s *stage) Settled(question thread.MessageID) bool {
	t, err := s.store.Turn(s.ctx, access.DefaultTenant, session.TurnID(question))
	return err == nil && t.State == session.Done
}

// Shown implements common.Stage: what was printed is one text.
func (s *stage) Shown(common.Place) []common.Shown {
	text := s.out.String()
	if text == "" {
		return nil
	}
	return []common.Shown{{ID: "out", Text: text, Done: s.model.Open() == 0 && strings.HasSuffix(text, "\n")}}
}

// Reads implements common.Stage.
func (s *stage) Reads(_ common.Person, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.out.String(), text) || strings.Contains(strings.Join(s.told, "\n"), text)
}

// Model implements common.Stage.
func (s *stage) Model() *llmtest.Model { return s.model }

// Store implements common.Stage.
func (s *stage) Store() *sessiontest.Memory { return s.store }

// Until implements common.Stage.
func (s *stage) Until(what string, holds func() bool) {
	s.Helper()
	common.Until(s.ctx, s, what, holds, func() any { return s.out })
}
