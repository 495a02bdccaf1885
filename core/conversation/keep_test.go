package conversation_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
	"github.com/footnotehq/footnote/core/upload/uploadtest"
)

// filing is a board to whose notes files can be attached, and which knows who its people are.
type filing struct {
	*board

	talk    *conversation.Conversation
	store   *sessiontest.Memory
	shelf   uploadtest.Shelf
	given   []chat.Attachment
	guests  []string
	groups  []access.Held         // what people hold in addition
	unknown error                 // what the board fails with when it is asked who listens
	fetch   func(context.Context) // called before a file is fetched; nil: nothing
}

func (f *filing) Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error) {
	there, err := f.board.Alone(ctx, at, person)
	there.People[0].Full = !slices.Contains(f.guests, person)
	if there.People[0].Full {
		there.Held = append(there.Held, access.Held{Principal: access.Members})
	}
	there.Held = append(there.Held, f.groups...)
	return there, err
}

func (f *filing) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	held := []access.Held{{Principal: access.Channel(string(boardName), t.Session.Ref.Channel)}, {Principal: access.Members}}
	return access.Presence{Tenant: access.DefaultTenant, Held: held, Open: true}, f.unknown
}

func (f *filing) Post(ctx context.Context, at thread.Ref, n chat.Notice) (thread.MessageID, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return f.board.Post(ctx, at, n)
}

func (f *filing) Attachments(ctx context.Context, _ chat.Message, most int64) iter.Seq[chat.Attachment] {
	return func(yield func(chat.Attachment) bool) {
		for i := range f.given {
			if f.fetch != nil {
				f.fetch(ctx)
			}
			a := f.given[i]
			if int64(len(a.Data)) > most || !yield(a) {
				return
			}
		}
	}
}

func newFiling(t *testing.T) *filing {
	t.Helper()
	f := &filing{store: sessiontest.NewMemory(), given: []chat.Attachment{{Name: "plan.md", Data: []byte("The plan.")}}}
	f.board = &board{alone: make(map[string][]string)}
	services := common.Serve(t, f.store, answer.Deps{
		Setups: common.Models{llmtest.Native()}, Library: common.NoDocuments{}, Surfaces: f.board, Policies: common.Policies(nil), Engine: common.Engine(t),
	}, answer.Config{Grace: time.Second})
	services.Uploads = f.shelf.Service(upload.Project{Name: "launch", Readers: access.ACL{access.Members}}, upload.Project{Name: "board", Readers: access.ACL{"group:board"}})
	var err error
	if f.talk, err = conversation.New(conversation.Deps{Platform: f, Store: f.store}); err != nil {
		t.Fatal(err)
	}
	f.talk.Bind(services)
	return f
}

// say pins a note with files, and returns it as the bot hears it once it has done what it asks for.
func (f *filing) say(t *testing.T, channel, by, text string, change func(*chat.Message)) chat.Message {
	t.Helper()
	m := f.write(channel, by, text, change)
	if err := f.talk.Message(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	f.talk.Wait()
	return m
}

// write pins a note with files, and returns it as the bot hears it.
func (f *filing) write(channel, by, text string, change func(*chat.Message)) chat.Message {
	n := f.pin(thread.Ref{Platform: boardName, Workspace: "w", Channel: channel}, by, page{Text: "@bot " + text}, 0)
	m := f.heard(*n)
	m.Attached = true
	if change != nil {
		change(&m)
	}
	return m
}

// replies returns what everyone sees and what one person is told.
func (f *filing) replies(person string) (shown []string, alone []string) {
	for _, n := range f.hanging(func(n *note) bool { return n.by == "" }) {
		shown = append(shown, n.Text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return shown, slices.Clone(f.alone[person])
}

// A message that asks for it has its files kept once, under its channel, however often it is heard;
// its deletion removes them.
func TestFilesOfAMessageAreKept(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	m := f.say(t, "general", "ann", "keep this in project launch", nil)
	late := m
	late.Late = true
	for _, again := range []chat.Message{m, late} {
		if err := f.talk.Message(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		f.talk.Wait()
	}
	all := f.shelf.Files()
	if len(all) != 1 || all[0].Name != "plan.md" || all[0].Project != "launch" || all[0].Message != m.ID || all[0].Author.ID != "ann" ||
		!slices.Equal(all[0].Readers, access.ACL{access.Channel(string(boardName), "general")}) {
		t.Fatalf("kept are %+v", all)
	}
	if shown, alone := f.replies("ann"); len(shown) != 1 || len(alone) != 0 || !strings.Contains(shown[0], "`plan.md`") {
		t.Errorf("shown are %q and %q", shown, alone)
	}
	if _, err := f.store.TurnOf(t.Context(), access.DefaultTenant, m.Ref, m.ID); !errors.Is(err, session.ErrUnknownTurn) {
		t.Errorf("it is taken for a question: %v", err)
	}
	if err := f.talk.Deleted(t.Context(), chat.Deletion{Ref: m.Ref, Message: m.ID, Of: chat.OfUnknown}); err != nil || len(f.shelf.Files()) != 0 {
		t.Errorf("after the deletion: %+v, %v", f.shelf.Files(), err)
	}
}

// A process that died before it replied leaves the message to the next one.
func TestFilesAreKeptByTheNextProcess(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	m := f.say(t, "general", "ann", "keep this in project launch", func(m *chat.Message) { m.Late = true })
	if all := f.shelf.Files(); len(all) != 1 || all[0].Message != m.ID {
		t.Errorf("kept are %+v", all)
	}
}

func TestFilesOfFewReadersAreForTheirAuthor(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	f.say(t, "direct-ann", "ann", "keep this in project launch", nil)
	f.given[0].Name = "other.md"
	f.say(t, "general", "ann", "keep this in project launch", func(m *chat.Message) { m.Enclosed = true })
	all := f.shelf.Files()
	if len(all) != 2 {
		t.Fatalf("kept are %+v", all)
	}
	for _, one := range all {
		if !slices.Equal(one.Readers, access.ACL{access.User(string(boardName), "ann")}) {
			t.Errorf("%s is for %v", one.Name, one.Readers)
		}
	}
}

func TestRefusedFilesAreToldToTheirAuthorAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		setup func(*filing)
		want  string
	}{
		"a guest":                {"keep this in project launch", func(f *filing) { f.guests = []string{"ann"} }, upload.SayMembersOnly},
		"a hidden project":       {"keep this in project board", nil, "There is no project `board`"},
		"no project":             {"keep this", nil, "The projects are `launch`."},
		"no file":                {"keep this in project launch", func(f *filing) { f.given = nil }, upload.SayNothing},
		"listeners are unknown":  {"keep this in project launch", func(f *filing) { f.unknown = errors.New("the platform is away") }, upload.SayUnknownReaders},
		"the store fails":        {"keep this in project launch", func(f *filing) { f.shelf.Fails = errors.New("connection refused") }, "Nothing has changed"},
		"a file that is missing": {"keep this in project launch", func(f *filing) { f.given[0] = chat.Attachment{Name: "a.md", Failed: "It was not handed out."} }, "it was not handed out"},
	} {
		f := newFiling(t)
		if tt.setup != nil {
			tt.setup(f)
		}
		f.say(t, "general", "ann", tt.text, nil)
		shown, alone := f.replies("ann")
		if len(shown) != 0 || len(alone) != 1 || !strings.Contains(alone[0], tt.want) || len(f.shelf.Files()) != 0 {
			t.Errorf("%s: shown are %q and %q, kept %+v", name, shown, alone, f.shelf.Files())
		}
	}
}

func TestQuestionsAboutKeepingAreQuestions(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	m := f.say(t, "general", "ann", "should we keep this in project launch?", nil)
	if _, err := f.store.TurnOf(t.Context(), access.DefaultTenant, m.Ref, m.ID); err != nil || len(f.shelf.Files()) != 0 {
		t.Errorf("%v, kept are %+v", err, f.shelf.Files())
	}
}

// Fetching files takes longer than other things that no event waits for, and the reply comes even
// if it took too long.
func TestSlowFilesAreKeptAndReported(t *testing.T) {
	t.Parallel()
	for name, takes := range map[string]time.Duration{"slow": time.Minute, "too slow": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			f := newFiling(t)
			f.fetch = func(ctx context.Context) {
				select {
				case <-ctx.Done():
					f.given[0] = chat.Attachment{Name: "plan.md", Failed: "It was not handed out."}
				case <-time.After(takes):
				}
			}
			m := f.write("general", "ann", "keep this in project launch", nil)
			if err := f.talk.Message(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Minute) // of the test's clock
			f.talk.Wait()
			shown, alone := f.replies("ann")
			if kept := takes == time.Minute; len(shown)+len(alone) != 1 || (len(shown) == 1) != kept || (len(f.shelf.Files()) == 1) != kept {
				t.Errorf("%s: shown are %q and %q, kept %+v", name, shown, alone, f.shelf.Files())
			}
		})
	}
}

// A process that stops leaves what it has not kept to the next one, and says nothing about it.
func TestAProcessThatStopsLeavesSlowFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFiling(t)
		f.fetch = func(ctx context.Context) { <-ctx.Done() }
		begun := time.Now()
		f.say(t, "general", "ann", "keep this in project launch", nil) // waits as a process that stops
		shown, alone := f.replies("ann")
		if took := time.Since(begun); took > time.Minute || len(shown)+len(alone) != 0 {
			t.Errorf("after %v, shown are %q and %q", took, shown, alone)
		}
	})
}

func TestTooManyFilesAreTurnedAway(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	hold, held := make(chan struct{}), 16
	f.fetch = func(context.Context) { <-hold }
	for range held + 1 {
		if err := f.talk.Message(t.Context(), f.write("general", "ann", "keep this in project launch", nil)); err != nil {
			t.Fatal(err)
		}
	}
	close(hold)
	f.talk.Wait()
	if shown, alone := f.replies("ann"); len(shown) != held || len(alone) != 1 || alone[0] != upload.SayBusy {
		t.Errorf("shown are %d and %q", len(shown), alone)
	}
}

// A reply may be read by all of the channel, so a project of few is not named even in a thread of
// few.
func TestProjectsOfFewAreNotNamedInThreads(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	f.groups = []access.Held{{Principal: "group:board"}}
	f.say(t, "general", "ann", "keep this in project board", func(m *chat.Message) { m.Enclosed = true })
	if _, alone := f.replies("ann"); len(f.shelf.Files()) != 0 || len(alone) != 1 || !strings.Contains(alone[0], "There is no project `board`") {
		t.Errorf("told is %q, kept %+v", alone, f.shelf.Files())
	}
	f.say(t, "direct-ann", "ann", "keep this in project board", nil)
	if len(f.shelf.Files()) != 1 {
		t.Error("it is not kept in a direct message")
	}
}

func TestAMessageDeletedMeanwhileLeavesNoFile(t *testing.T) {
	t.Parallel()
	f := newFiling(t)
	m := f.write("general", "ann", "keep this in project launch", nil)
	f.fetch = func(context.Context) { f.change(m.ID, func(n *note) { n.gone = true }) }
	if err := f.talk.Message(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	f.talk.Wait()
	if shown, alone := f.replies("ann"); len(f.shelf.Files()) != 0 || len(shown)+len(alone) != 0 {
		t.Errorf("shown are %q and %q, kept %+v", shown, alone, f.shelf.Files())
	}
}
