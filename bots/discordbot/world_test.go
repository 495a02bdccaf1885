package discordbot_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/bots/discordbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// limit bounds a test: conditions that do not come true by then fail it.
const limit = 3 * time.Minute

// world is a Discord with a guild, a channel and a person, and the bot that is tested.
type world struct {
	testing.TB
	ctx     context.Context
	discord *discordtest.Server
	guild   *discordtest.Guild
	general string
	ada     *discordtest.Person
	store   *sessiontest.Memory
	model   *llmtest.Model
	library library
	log     *logs
	setting setting
	stop    func() // ends the first bot

	newest *discordbot.Bot
	chosen string // the server to which commands are registered; empty: all
	asking sync.Mutex
	turns  []session.Turn
}

// setting changes what a world is made of before it begins.
type setting struct {
	server discordtest.Config
	bot    discordbot.Config
	before func(*world)              // happens before the bot starts
	grace  time.Duration             // for running answers at the end: 5 s
	wrap   func(llm.Model) llm.Model // put around the model
	beside []llm.Model               // answer beside the model
	inbox  answer.Store              // instead of the store
	maxAge time.Duration             // of questions that are still answered: 15 min

	key    bool          // interactions may come as signed requests
	listed bool          // documents are listed, and nothing is written
	owned  func() string // whose the nearest page is, where nothing is found; nil: there is something
	deaf   bool          // the bot connects to no gateway

	policies command.Policies // what holds where; nil: the defaults
	bindings access.Bindings
}

// begin starts everything and waits until the bot is connected.
func begin(t testing.TB, model *llmtest.Model, change ...func(*setting)) *world {
	t.Helper()
	w := prepare(t, model, change...)
	w.until("the bot is connected", func() bool {
		_, puts := w.discord.Commands()
		return (w.setting.deaf || w.discord.Connected()) && puts == 1
	})
	return w
}

// prepare starts everything.
func prepare(t testing.TB, model *llmtest.Model, change ...func(*setting)) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	s := setting{
		server: discordtest.Config{
			BucketWindow: 100 * time.Millisecond, IdentifyEvery: 50 * time.Millisecond,
			AckLimit: time.Minute, // what is to be acknowledged at once is, before whatever it could wait for; how long that takes is the machine's
		},
		bot: discordbot.Config{Discord: discord.Config{Interval: 30 * time.Millisecond, Gateway: call.GatewayConfig{Retry: 10 * time.Millisecond, Identify: 150 * time.Millisecond}}},
	}
	for _, c := range change {
		c(&s)
	}
	server, err := discordtest.New(s.server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("close Discord: %v", err)
		}
	})
	w := &world{TB: t, ctx: ctx, discord: server, store: sessiontest.NewMemory(), model: model, log: &logs{wake: server.Wake}}
	w.guild = server.AddGuild("Team")
	w.general = w.guild.AddText("general").ID
	w.ada = w.guild.AddPerson("Ada", false)
	if s.before != nil {
		s.before(w)
	}
	w.setting = s
	w.stop = w.start()
	return w
}

// start starts a bot with its service. What it returns ends them; so does the end of the test.
func (w *world) start() (stop func()) {
	w.Helper()
	bot, run := w.bot(w.setting)
	ctx, cancel := context.WithCancel(w.ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if err := run(ctx); err != nil {
			w.Errorf("run the service: %v", err)
		}
	})
	running.Go(func() {
		if err := bot.Run(ctx); err != nil {
			w.Errorf("run the bot: %v", err)
		}
	})
	stop = func() {
		cancel()
		running.Wait()
		bot.Close()
	}
	w.Cleanup(func() {
		stop()
		if w.Failed() {
			w.Logf("the log:\n%s", w.log.String())
		}
	})
	return stop
}

// bot returns a bot and its service.
func (w *world) bot(s setting) (*discordbot.Bot, func(context.Context) error) {
	w.Helper()
	s.bot.MaxAge = s.maxAge
	s.bot.Token, s.bot.APIURL = cmp.Or(s.bot.Token, w.discord.Token()), w.discord.URL()
	if s.key {
		s.bot.Discord.PublicKey = w.discord.PublicKey()
	}
	if w.chosen != "" {
		s.bot.Discord.CommandGuilds = []string{w.chosen}
	}
	logger := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	bot, err := discordbot.New(s.bot, discordbot.Deps{
		Store: w.store, Policies: s.policies, Bindings: s.bindings, Renderer: &render.Renderer{}, Logger: logger,
	})
	if err != nil {
		w.Fatal(err)
	}
	var model llm.Model = w.model
	if s.wrap != nil {
		model = s.wrap(model)
	}
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(&w.library, nil, words, search.Config{}))
	if err != nil {
		w.Fatal(err)
	}
	signal := new(session.LocalSignal)
	var inner answer.Store = w.store
	if s.inbox != nil {
		inner = s.inbox
	}
	deps := answer.Deps{
		Store:  waking{inner, w.discord.Wake},
		Signal: signal, Engine: turn.NewRunner(tools, words, turn.Config{Policy: llm.Policy{Attempts: 1}}, logger),
		Setups: setups{common.Models(append([]llm.Model{model}, s.beside...)), w}, Library: everything{}, Surfaces: bot, Policies: s.policies, Retriever: &w.library, Logger: logger,
	}
	if s.listed {
		common.List(w, &deps)
	}
	if s.owned != nil {
		common.Own(w.store, &deps, s.owned)
	}
	services := common.Serve(w, w.store, deps, answer.Config{Grace: cmp.Or(s.grace, 5*time.Second), MaxAge: s.maxAge})
	bot.Bind(services)
	w.newest = bot
	return bot, services.Run
}

// until waits for a condition.
func (w *world) until(what string, cond func() bool) {
	w.Helper()
	for w.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(w.ctx, 50*time.Millisecond) // some conditions change without the server's knowledge
		err := w.discord.Until(ctx, cond)
		cancel()
		if err == nil {
			return
		}
	}
	var shown strings.Builder
	for _, v := range w.discord.Versions() {
		fmt.Fprintf(&shown, "%s %s in %s by %s: %q\n", v.Op, v.Message, v.Channel, v.Author, v.Content)
	}
	w.Fatalf("it never came about that %s\nthe messages:\n%s", what, shown.String())
}

// answers waits until the bot shows so many finished messages in a place, notices aside, and
// returns their texts without what is said about them.
func (w *world) answers(channel string, n int) []string {
	w.Helper()
	var texts []string
	w.until(fmt.Sprintf("%d answers are finished", n), func() bool {
		texts = nil
		for _, v := range w.discord.Answers(channel) {
			if strings.Contains(v.Content, "▌") || v.Content == "" {
				return false
			}
			if policy.IsNotice(v.Content) {
				continue
			}
			text, _, _ := strings.Cut(v.Content, "\n\n-# This answer is not based on any document.")
			texts = append(texts, unquoted(text))
		}
		return len(texts) >= n && w.model.Open() == 0
	})
	if len(texts) != n {
		w.Fatalf("the bot shows %d messages, want %d:\n%s", len(texts), n, strings.Join(texts, "\n---\n"))
	}
	return texts
}

// waking is a queue that has conditions asked again once a turn is saved, and once it is delivered.
type waking struct {
	answer.Store
	wake func()
}

// Finish implements session.Store.
func (q waking) Finish(ctx context.Context, f session.Fence, s session.Saved) error {
	defer q.wake()
	return q.Store.Finish(ctx, f, s)
}

// Delivered implements session.Store.
func (q waking) Delivered(ctx context.Context, f session.Fence, undelivered string) error {
	defer q.wake()
	return q.Store.Delivered(ctx, f, undelivered)
}

// note remembers a turn that is answered.
func (w *world) note(t session.Turn) {
	w.asking.Lock()
	defer w.asking.Unlock()
	if !slices.ContainsFunc(w.turns, func(known session.Turn) bool { return known.ID == t.ID }) {
		w.turns = append(w.turns, t)
	}
}

// asked returns the turns that were answered, in the order in which that began.
func (w *world) asked() []session.Turn {
	w.asking.Lock()
	defer w.asking.Unlock()
	return slices.Clone(w.turns)
}

// button waits for a button of an action under the bot's newest message in a place, and returns its
// id.
func (w *world) button(channel, action string) (id string) {
	w.Helper()
	w.until("the button "+action+" is shown", func() bool {
		shown := w.discord.Answers(channel)
		for _, b := range shown[max(0, len(shown)-1):] {
			for _, have := range b.Buttons {
				if strings.HasPrefix(have, "footnote:"+action+":") {
					id = have
				}
			}
		}
		return id != ""
	})
	return id
}

// library is a retriever with fixed documents.
type library struct {
	acl  access.ACL // of all documents; nil: public
	host string     // where they lie: https://docs.example

	mu        sync.Mutex
	audiences []access.Audience
}

// Search implements retrieve.Retriever.
func (l *library) Search(_ context.Context, s retrieve.Search) (retrieve.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.audiences = append(l.audiences, s.Audience)
	acl := l.acl
	if acl == nil {
		acl = access.ACL{access.Public}
	}
	if !s.Audience.MayRead(acl) {
		return retrieve.Result{}, nil
	}
	hit := func(name, text string) retrieve.Hit {
		ref := document.Ref{ID: document.ID("docs:" + name), Kind: "file", Title: strings.ToUpper(name), URL: cmp.Or(l.host, "https://docs.example") + "/" + name}
		return retrieve.Hit{
			Document: ref, Chunk: document.ChunkID(len(name)*1000 + int(name[0])), Anchor: "top", Link: ref.Link("top"), Text: text,
			ACL: acl, Scores: retrieve.Scores{Score: 0.5, Coverage: 0.9},
		}
	}
	return retrieve.Result{Evidence: true, Hits: []retrieve.Hit{
		hit("replication", "Set wal_level to replica and create a replication slot."), hit("backup", "Use pg_basebackup."),
	}}, nil
}

// heard returns the audiences that were searched for.
func (l *library) heard() []access.Audience {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.audiences)
}

type setups struct {
	common.Models
	w *world
}

// Setup implements answer.Setups.
func (s setups) Setup(ctx context.Context, t session.Turn) (answer.Setup, error) {
	s.w.note(t)
	return s.Models.Setup(ctx, t)
}

// everything is a library in which everybody may read everything.
type everything struct{}

// Readable implements answer.Library.
func (everything) Readable(_ context.Context, _ access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	readable := make(map[document.ID]bool)
	for _, id := range ids {
		readable[id] = true
	}
	return readable, nil
}

// Titles implements answer.Titles.
func (everything) Titles(context.Context, access.Audience, int) ([]string, error) {
	return []string{"Backup plan"}, nil
}

func (everything) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return true, nil
}

// logs keeps what was logged.
type logs struct {
	wake func() // told of each line

	mu sync.Mutex
	b  strings.Builder
}

// Write implements io.Writer.
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.b.Write(p)
	go l.wake() // ends at once
	return n, err
}

func (l *logs) has(text string) bool { return strings.Contains(l.String(), text) }

// String returns everything that was logged.
func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// searched is a reply that looks documents up; said is one that answers in pieces, with a wait
// between them.
func searched() llmtest.Reply {
	return llmtest.Reply{llmtest.Call(0, "c1", "internal_search", `{"queries":["streaming replication setup"]}`)}
}

func said(wait time.Duration, pieces ...string) llmtest.Reply {
	var r llmtest.Reply
	for _, p := range pieces {
		r = append(r, llmtest.Text(p), llmtest.Sleep(wait))
	}
	return r
}
