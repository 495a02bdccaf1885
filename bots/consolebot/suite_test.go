package consolebot_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/bots/consolebot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConversation(t *testing.T) {
	t.Parallel()
	common.Suite(t, common.Platform{
		Lacks: []common.Ability{common.Channels, common.Editing, common.Reactions, common.Buttons, common.Menus, common.Commands, common.Absences},
		Begin: begin,
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
}

func begin(t *testing.T, setting common.Setting) common.Stage {
	t.Helper()
	s := &stage{TB: t, model: llmtest.Native(setting.Replies...), store: sessiontest.NewMemory(), out: &terminal{}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	s.ctx = ctx
	s.bot = consolebot.New(consolebot.Config{
		Audience: access.NewAudience(access.DefaultTenant, access.Members), Renderer: &console.Renderer{}, Surface: console.NewSurface(s.out), Logger: slog.New(slog.DiscardHandler),
	})
	words, signal := budgettest.NewWords(), &session.LocalSignal{}
	tools, err := tool.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	services := common.Serve(t, s.store, answer.Deps{
		Signal: signal, Setups: setups{s.model}, Library: library{}, Surfaces: s.bot,
		Engine: turn.NewRunner(tools, words, signal, turn.Config{Policy: llm.Policy{Attempts: 1}}, slog.New(slog.DiscardHandler)),
	}, answer.Config{Workspaces: []string{s.bot.Workspace()}, Grace: time.Second})
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

// Say implements common.Stage: "stop" is what the console's key for it does.
func (s *stage) Say(_ common.Person, _ common.Place, text string) thread.MessageID {
	s.Helper()
	if policy.IsStop(text) {
		if err := s.bot.Stop(s.ctx); err != nil {
			s.Fatal(err)
		}
		return ""
	}
	id, err := s.bot.Ask(s.ctx, text)
	if err != nil {
		var rejected policy.Rejection
		if !errors.As(err, &rejected) {
			s.Fatal(err)
		}
		return ""
	}
	return thread.MessageID(id)
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
	return strings.Contains(s.out.String(), text)
}

// Model implements common.Stage.
func (s *stage) Model() *llmtest.Model { return s.model }

// Store implements common.Stage.
func (s *stage) Store() *sessiontest.Memory { return s.store }

// Until implements common.Stage.
func (s *stage) Until(what string, holds func() bool) {
	s.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			s.Fatalf("it did not come about that %s; the console shows\n%s", what, s.out)
		}
	}
}

type setups struct{ model llm.Model }

// Setup implements answer.Setups.
func (s setups) Setup(context.Context, session.Turn) (answer.Setup, error) {
	return answer.Setup{Models: []llm.Model{s.model}}, nil
}

// library has nothing.
type library struct{}

// Readable implements answer.Library.
func (library) Readable(context.Context, access.Audience, []document.ID) (map[document.ID]bool, error) {
	return nil, nil
}

// Beyond implements answer.Library.
func (library) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return false, nil
}
