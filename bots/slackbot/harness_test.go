package slackbot_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool/search"
)

// patience is how long a test waits for what must come, on the slowest machine.
const patience = 2 * time.Minute

// stage is a workspace with a running bot.
type stage struct {
	*slacktest.Server
	t       testing.TB
	ctx     context.Context
	model   *llmtest.Model
	store   *sessiontest.Memory
	bot     *slackbot.Bot
	general *slacktest.Channel
	ann     *slacktest.Person
	bob     *slacktest.Person
	running []func() // end the bots
	crowd   *crowd
}

// crowd are replicas of which so many are alive.
type crowd struct {
	session.Replicas
	alive int
	asked atomic.Int32
}

func (c *crowd) Live(context.Context) (int, error) {
	c.asked.Add(1)
	return c.alive, nil
}

// options shape a stage.
type options struct {
	slack  slacktest.Config
	bot    func(*slackbot.Config)
	before func(*slacktest.Server) // the bot is there
	early  func(*stage)            // likewise, when everybody is
	grace  time.Duration           // for running answers at the end: 1 s
	maxAge time.Duration           // of questions that are still answered: 15 min
	crowd  int                     // processes that are said to be alive; 0: nobody counts them
	fault  *slacktest.Fault
	policy []policy.SettingValue // what the file says
	lifted *atomic.Bool          // it says so no longer
	secret access.ACL            // of a second document; empty: there is one that everybody may read
	wrap   func(llm.Model) llm.Model
	listed bool          // documents are listed, and nothing is written
	owned  func() string // whose the nearest page is, where nothing is found; nil: there is something
	beside []llm.Model   // answer beside the first model
	inbox  answer.Store  // instead of the store
	// patience replaces the constant; for measurements
	patience time.Duration
}

// play starts a workspace with Ann and Bob in #general, and a bot whose model gives the replies.
func play(t testing.TB, o options, replies ...llmtest.Reply) *stage {
	t.Helper()
	if o.slack.Redeliver == nil {
		o.slack.Redeliver = []time.Duration{0, 500 * time.Millisecond, time.Second}
	}
	s := &stage{Server: slacktest.Start(o.slack), t: t, model: llmtest.Native(replies...), store: sessiontest.NewMemory()}
	t.Cleanup(s.Close)
	s.ann, s.bob = s.Person("ann", nil), s.Person("bob", nil)
	s.general = s.Channel("general", nil, s.ann, s.bob)
	if o.fault != nil {
		s.Fail(*o.fault)
	}
	if o.before != nil {
		o.before(s.Server)
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(context.Background(), max(o.patience, patience))
	t.Cleanup(cancel)
	if o.early != nil {
		o.early(s)
	}
	s.start(o)
	return s
}

// start runs a bot against the workspace.
func (s *stage) start(o options) {
	s.t.Helper()
	config := slackbot.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: s.URL()}
	config.Slack.Domains = func() []string { return []string{"example.com"} }
	config.Slack.Reconnect = 50 * time.Millisecond
	if o.bot != nil {
		o.bot(&config)
	}
	deps := slackbot.Deps{Store: s.store}
	if o.crowd > 0 {
		s.crowd = &crowd{Replicas: s.store, alive: o.crowd}
		deps.Replicas = s.crowd
	}
	bot, err := slackbot.New(config, deps)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := bot.Connect(s.ctx); err != nil {
		s.t.Fatal(err)
	}
	model := llm.Model(s.model)
	if o.wrap != nil {
		model = o.wrap(model)
	}
	signal := &session.LocalSignal{}
	inbox := answer.Store(s.store)
	if o.inbox != nil {
		inbox = o.inbox
	}
	answering := answer.Deps{
		Store:    inbox,
		Policies: policies{o.policy, o.lifted}, Retriever: library{o.secret},
		Signal: signal, Setups: common.Models(append([]llm.Model{model}, o.beside...)), Library: library{o.secret}, Surfaces: bot,
		Engine: common.Engine(s.t, search.New(library{o.secret}, nil, budgettest.NewWords(), search.Config{})),
	}
	if o.listed {
		common.List(s.t, &answering)
	}
	if o.owned != nil {
		common.Own(s.store, &answering, o.owned)
	}
	services := common.Serve(s.t, s.store, answering, answer.Config{Workspaces: bot.Workspaces(), Grace: cmp.Or(o.grace, time.Second), MaxAge: o.maxAge})
	bot.Bind(services)
	s.bot = bot
	running, stop := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- services.Run(running) }()
	go func() { ended <- bot.Run(running) }()
	s.running = append(s.running, func() {
		stop()
		for range 2 {
			if err := <-ended; err != nil {
				s.t.Errorf("the bot ended with %v", err)
			}
		}
	})
	s.t.Cleanup(s.halt)
	if config.AppToken != "" {
		s.wait("a socket is open", func() bool { return bot.Connected() > 0 })
	}
}

// halt ends all bots and waits for them.
func (s *stage) halt() {
	for _, stop := range s.running {
		stop()
	}
	s.running = nil
}

func (s *stage) wait(what string, holds func() bool) {
	s.t.Helper()
	for !holds() {
		ctx, cancel := context.WithTimeout(s.ctx, 20*time.Millisecond) // some conditions change without the server's knowledge
		_ = s.Wait(ctx, what, holds)
		cancel()
		if s.ctx.Err() != nil {
			s.t.Fatalf("it did not come about that %s\ncalls: %s", what, s.trace())
		}
	}
}

func (s *stage) trace() string {
	var b strings.Builder
	for _, c := range s.Calls("") {
		b.WriteString("\n" + c.At.Format("05.000") + " " + c.Method + " " + c.Error + " " + c.Form.Get("text") + c.Form.Get("chunks"))
	}
	return b.String()
}

// answered waits until the thread has so many finished answers, and returns what each message of
// the bot shows.
func (s *stage) answered(c *slacktest.Channel, root string, n int) []string {
	s.t.Helper()
	done := func() []string {
		var shown []string
		for _, m := range s.Answers(c, root) {
			if m.Streaming || !finished(m) {
				return nil
			}
			shown = append(shown, m.Shown())
		}
		return shown
	}
	s.wait("the thread is answered", func() bool { return len(done()) >= n })
	return done()
}

// quiet waits until every event has been acknowledged and every turn is done.
func (s *stage) quiet(events int) {
	s.t.Helper()
	s.wait("everything is acknowledged", func() bool { return len(s.Deliveries()) >= events })
}

// idle waits until every event has been taken in and every question of #general has its answer.
func (s *stage) idle() {
	s.t.Helper()
	at := session.PlaceOf(thread.Ref{Platform: slack.Platform, Workspace: slacktest.TeamID, Channel: s.general.ID})
	s.wait("nothing is under way", func() bool {
		if len(s.Undelivered()) > 0 {
			return false
		}
		n, err := s.store.Waiting(s.ctx, access.DefaultTenant, at)
		return n == 0 && err == nil
	})
}

// looked waits until a started bot has read what was said while it was away: it finds nothing of
// what is said from then on but by events.
func (s *stage) looked() {
	s.t.Helper()
	s.wait("the start has read what it reads", func() bool { return len(s.Calls("conversations.history")) > 0 })
}

// policies are what the file says until that is lifted.
type policies struct {
	said   []policy.SettingValue
	lifted *atomic.Bool // nil: it never is
}

func (p policies) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	if p.lifted != nil && p.lifted.Load() {
		return policy.Resolve(), nil
	}
	return policy.Resolve(p.said...), nil
}
func (policies) Accept(context.Context, access.TenantID, session.Place, string, string) error {
	return nil
}
func (policies) Hash(context.Context) (string, error) { return "h", nil }

// said is a setting of the file.
func said(key, value string) []policy.SettingValue {
	return []policy.SettingValue{{Key: key, Value: value}}
}

// nothing is a service that is never asked anything.
func nothing() *answer.Service { return &answer.Service{} }

// library has a document that everybody may read, and one for those who secret names.
type library struct{ secret access.ACL }

func (l library) acl(id document.ID) access.ACL {
	if id == "docs:secret" {
		return l.secret
	}
	return access.ACL{access.Public}
}

func (l library) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	out := make(map[document.ID]bool)
	for _, id := range ids {
		out[id] = audience.MayRead(l.acl(id))
	}
	return out, nil
}

// Titles names both documents to whoever may read them.
func (l library) Titles(_ context.Context, audience access.Audience, _ int) ([]string, error) {
	var titles []string
	for id, title := range map[document.ID]string{"docs:vpn": "VPN set-up", "docs:secret": "VPN passwords"} {
		if audience.MayRead(l.acl(id)) {
			titles = append(titles, title)
		}
	}
	return titles, nil
}

func (library) Beyond(context.Context, access.Audience, access.Audience) (bool, error) {
	return true, nil
}

func (l library) Search(_ context.Context, q retrieve.Search) (retrieve.Result, error) {
	result := retrieve.Result{}
	for i, ref := range []document.Ref{
		{ID: "docs:vpn", Kind: "file", Title: "VPN set-up", URL: "https://docs.example/vpn"},
		{ID: "docs:secret", Kind: "file", Title: "VPN passwords", URL: "https://docs.example/secret"},
	} {
		acl := l.acl(ref.ID)
		if !q.Audience.MayRead(acl) || len(q.Documents) > 0 && !slices.Contains(q.Documents, ref.ID) {
			continue
		}
		result.Evidence = true
		result.Hits = append(result.Hits, retrieve.Hit{
			Document: ref, ACL: acl, Chunk: document.ChunkID(i + 1), Link: ref.Link(""), Text: ref.Title + ": install the client, then sign in with your company account.",
			Scores: retrieve.Scores{Score: 0.9},
		})
	}
	return result, nil
}

// look is a reply that searches.
func look() llmtest.Reply {
	return llmtest.Reply{llmtest.Call(0, "c1", "internal_search", `{"queries":["vpn"]}`)}
}

// finished reports whether a message of the bot shows what it will show for good: it neither grows
// nor offers to be stopped.
func finished(m slacktest.Message) bool {
	return m.Shown() != "" && !m.Streaming && !strings.Contains(string(m.Blocks), thread.ButtonID(thread.ActionStop, ""))
}
