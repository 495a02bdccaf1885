package answer_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/footnotehq/footnote/core/tool/readfile"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
	"pgregory.net/rapid"
)

// shelf is an index, the files of a project, and who may read what at this moment. Every document
// holds a word of its own, and so does its title. It is safe for concurrent use.
type shelf struct {
	mu        sync.Mutex
	acl       map[document.ID]access.ACL
	listeners func(session.Turn) (access.Audience, error)
	now       access.Audience // of the turn that runs
	leaks     []string
	prompts   int
	asked     int
	open      map[string]bool // words of private conversations that may be in the present prompt
}

const documents = 6 // the last two are also files of the project

func word(i int) string            { return fmt.Sprintf("canary%dx", i) }
func documentID(i int) document.ID { return document.ID(fmt.Sprint("docs:", i)) }
func refOf(i int) document.Ref {
	return document.Ref{ID: documentID(i), Kind: "file", Title: fmt.Sprintf("title%dx", i), URL: fmt.Sprintf("https://docs.example/%dx", i)}
}

func (s *shelf) may(a access.Audience, i int) bool { return a.MayRead(s.acl[documentID(i)]) }

func (s *shelf) Search(_ context.Context, q retrieve.Search) (retrieve.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var result retrieve.Result
	for i := range documents - 2 {
		if s.may(q.Audience, i) {
			ref := refOf(i)
			result.Hits = append(result.Hits, retrieve.Hit{
				Document: ref, Chunk: document.ChunkID(i + 1), Link: ref.URL, Text: word(i), Scores: retrieve.Scores{Score: 0.9}, ACL: s.acl[ref.ID],
			})
		}
	}
	result.Evidence = len(result.Hits) > 1
	return result, nil
}

func (s *shelf) Chunks(_ context.Context, a access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []retrieve.Passage
	for _, id := range ids {
		if i := int(id) - 1; i >= 0 && i < documents && s.may(a, i) {
			out = append(out, retrieve.Passage{Document: refOf(i), ACL: s.acl[documentID(i)], ID: id, Chunk: document.Chunk{Text: word(i)}})
		}
	}
	return out, nil
}

func (s *shelf) Excerpts(ctx context.Context, a access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error) {
	var ids []document.ChunkID
	for i := range documents {
		if slices.ContainsFunc(spans, func(span retrieve.Span) bool { return span.Document == documentID(i) }) {
			ids = append(ids, document.ChunkID(i+1))
		}
	}
	return s.Chunks(ctx, a, ids)
}

func (s *shelf) Addressed(_ context.Context, a access.Audience, _ []document.SourceID, addresses []string) (map[string]document.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := make(map[string]document.ID)
	for i := range documents {
		if url := refOf(i).URL; slices.Contains(addresses, url) && s.may(a, i) {
			found[url] = documentID(i)
		}
	}
	return found, nil
}

func (s *shelf) Withheld(context.Context, access.Audience, string) (bool, error) {
	return false, nil // nothing is fetched
}

func (s *shelf) Readable(_ context.Context, a access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[document.ID]bool)
	for _, id := range ids {
		out[id] = a.MayRead(s.acl[id])
	}
	return out, nil
}

func (*shelf) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return true, nil
}

// project is the files of the project, as far as the turn's audience may read them.
func (s *shelf) project(t session.Turn) []message.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []message.File
	for i := documents - 2; i < documents; i++ {
		if s.may(t.Audience, i) {
			ref := refOf(i)
			files = append(files, message.File{ID: message.FileID(ref.ID), Name: ref.Title, Text: word(i), Tokens: 1, Document: ref})
		}
	}
	return files
}

var canaries = regexp.MustCompile(`(?:canary|title|secret)\d+x`)

// read is what every model of the test does with its prompt: it looks for what must not be there.
func (s *shelf) read(who string, req llm.Request) (words []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompts++
	for _, m := range req.Messages {
		text := m.Text
		for _, c := range m.ToolCalls {
			text += " " + c.Arguments
		}
		words = append(words, canaries.FindAllString(text, -1)...)
		for i := range documents {
			if !s.may(s.now, i) && (strings.Contains(text, word(i)) || strings.Contains(text, refOf(i).Title)) {
				s.leaks = append(s.leaks, fmt.Sprintf("%s is shown document %d: %s", who, i, text))
			}
		}
		for _, secret := range regexp.MustCompile(`secret\d+x`).FindAllString(text, -1) {
			if !s.open[secret] {
				s.leaks = append(s.leaks, fmt.Sprintf("%s is shown %s of another conversation", who, secret))
			}
		}
	}
	return words
}

// parrot searches, opens and reads what it can guess, and then repeats all that it was shown, with
// every number.
type parrot struct{ shelf *shelf }

// turn is the number of the question that is being answered.
func (s *shelf) turn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (parrot) Info() llm.Info {
	return llm.Info{Name: "parrot", Window: 32_000, Reply: 1_000, NativeTools: true}
}

func (p parrot) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	words := p.shelf.read("the model", req)
	id := fmt.Sprint("now", p.shelf.turn()) // of this turn: those of earlier ones are in the history
	return func(yield func(llm.Delta, error) bool) {
		if len(req.Tools) > 0 && !slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.ToolCallID == id }) {
			urls := `{"urls":["https://docs.example/0x","https://docs.example/1x","https://docs.example/2x"]}`
			for i, call := range []llm.CallDelta{
				{ID: id, Name: "internal_search", Arguments: `{"queries":["all"]}`}, {Name: "open_url", Arguments: urls},
				{Name: "read_file", Arguments: `{"name":"le5x"}`},
			} {
				call.Index = i
				if !yield(llm.Delta{Call: &call}, nil) {
					return
				}
			}
			yield(llm.Delta{Finish: llm.FinishToolCalls}, nil)
			return
		}
		text := strings.Join(words, " ")
		for n := range 12 {
			text += fmt.Sprintf(" [%d]", n)
		}
		_ = yield(llm.Delta{Text: text}, nil) && yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

// fast is the model that expands queries: it is shown the history as well.
type fast struct{ parrot }

func (f fast) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	words := f.shelf.read("the fast model", req)
	return func(yield func(llm.Delta, error) bool) {
		_ = yield(llm.Delta{Text: "all about " + strings.Join(words, " ")}, nil) && yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}

// board is a thread in which nobody looks at the answers but the test.
type board struct {
	chat.Unsupported

	shelf *shelf
}

func (b board) Open(context.Context, session.Turn, chat.Permit) (chat.Delivery, error) {
	return b, nil
}
func (b board) Accept(p packet.Packet) {
	if c, ok := p.Payload.(packet.CitationInfo); ok {
		b.shelf.mu.Lock()
		defer b.shelf.mu.Unlock()
		if !b.shelf.now.MayRead(b.shelf.acl[c.Document]) {
			b.shelf.leaks = append(b.shelf.leaks, fmt.Sprintf("a packet cites %s", c.Document))
		}
	}
}
func (b board) Finish(context.Context, chat.Result) error { return nil }

func (b board) Close(context.Context) {}
func (b board) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	present, err := b.shelf.listeners(t)
	return accesstest.Present(present), err
}

type nothing struct{}

func (nothing) Fetch(context.Context, string, openurl.Permit) (openurl.Page, error) {
	return openurl.Page{}, errors.New("there is no web here")
}

type setup struct{ shelf *shelf }

func (s setup) Setup(_ context.Context, t session.Turn) (answer.Setup, error) {
	return answer.Setup{Models: []llm.Model{parrot(s)}, Project: s.shelf.project(t)}, nil
}

// question is one turn of the test.
type question struct {
	owner           string // of the private conversation that it belongs to
	known           bool   // the platform says who listens
	intake, present access.Audience
	acl             map[document.ID]access.ACL
}

// No prompt ever holds what the present audience may not read: not in its history, nor in sources
// of earlier turns that come back, in files of the project, in what tools read, in what the fast
// model is asked; however access lists and audiences change from turn to turn and while questions
// wait, in a thread and in the private conversations beside it.
func TestNoPromptHoldsWhatThePresentAudienceMayNotRead(t *testing.T) {
	t.Parallel()
	principals := []access.Principal{access.Public, access.Members, access.Group("board"), access.User("slack", "U1")}
	held := rapid.Custom(func(t *rapid.T) access.Audience {
		return access.NewAudience(tenant, rapid.SliceOfN(rapid.SampledFrom(principals), 0, 2).Draw(t, "held")...)
	})
	plan := rapid.Custom(func(t *rapid.T) question {
		q := question{
			owner: rapid.SampledFrom([]string{"", "", "U1", "U2"}).Draw(t, "private to"), known: rapid.Bool().Draw(t, "the platform answers"),
			intake: held.Draw(t, "audience at the intake"), present: held.Draw(t, "audience at the start"), acl: make(map[document.ID]access.ACL),
		}
		for i := range documents {
			q.acl[documentID(i)] = access.ACL{rapid.SampledFrom(principals).Draw(t, "acl")}
		}
		return q
	})
	rapid.Check(t, func(rt *rapid.T) {
		questions := rapid.SliceOfN(plan, 2, 6).Draw(rt, "questions")
		synctest.Test(t, func(t *testing.T) {
			for _, leak := range converse(t, questions) {
				rt.Error(leak)
			}
		})
	})
}

// converse asks the questions one after the other and returns what was shown to somebody who may
// not read it.
func converse(t *testing.T, questions []question) []string {
	s := &shelf{open: make(map[string]bool)}
	words, signal, store := budgettest.NewWords(), new(session.LocalSignal), sessiontest.NewMemory()
	tools, err := tool.NewSet(search.New(s, s, words, search.Config{Fast: fast{parrot{s}}}), readfile.New(words), openurl.New(nothing{}, s, words, openurl.Allow{}))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	service, err := answer.New(answer.Deps{
		Store: store, Prompts: store,
		Signal: signal, Engine: turn.NewRunner(tools, words, turn.Config{}, log), Setups: setup{s}, Library: s, Surfaces: board{shelf: s},
	}, answer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	told := map[string]map[string]bool{"": {}, "U1": {}, "U2": {}} // words that people wrote, by whose conversation it is
	for n, q := range questions {
		secret := fmt.Sprintf("secret%dx", n)
		told[q.owner][secret] = true
		open := maps.Clone(told[q.owner])
		maps.Copy(open, told[""]) // a private conversation may know what was said in the thread, and never the other way round
		s.prepare(q, open)
		asker := cmp.Or(q.owner, "U1")
		mention := thread.Mention{
			Ref: thread.Ref{Platform: "slack", Workspace: "T", Channel: "C", Thread: "1"}, EventKey: fmt.Sprint(n), Asker: thread.Person{ID: asker},
			Text: "tell me more about it, " + secret, Tenant: tenant, Listens: q.intake, At: time.Now(),
			Files: []message.File{{ID: message.FileID(secret), Name: secret + ".txt", Text: secret, Tokens: 1}},
		}
		question := answer.Question{Mention: mention}
		if q.owner != "" {
			question = privately(mention)
		}
		if _, err := service.Take(ctx, question); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s.prompts < 2*len(questions) {
		t.Errorf("%d prompts for %d questions: nothing was tested", s.prompts, len(questions))
	}
	return s.leaks
}

// prepare brings about what holds from the next question on.
func (s *shelf) prepare(q question, open map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.acl, s.open, s.now = q.acl, open, q.present
	if !q.known {
		s.now = access.Common(q.intake, access.NewAudience(tenant))
	}
	s.listeners = func(session.Turn) (access.Audience, error) {
		if !q.known {
			return access.Audience{}, errors.New("the platform is away")
		}
		return q.present, nil
	}
}
