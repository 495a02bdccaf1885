package main_test

import (
	"bytes"
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// server is footnote serve in a process of its own.
type server struct {
	cmd   *exec.Cmd
	addr  string // of health checks
	log   *lockedBuffer
	ended chan error
}

// lockedBuffer does not embed its buffer: os/exec would find ReadFrom and write past the lock.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func serve(t testing.TB, p *program, args ...string) *server {
	t.Helper()
	addr := footnotetest.FreeAddress(t)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	t.Cleanup(cancel)
	s := &server{addr: addr, cmd: p.with("ADMIN_ADDR="+addr).command(ctx, append([]string{"serve"}, args...)...), log: &lockedBuffer{}, ended: make(chan error, 1)}
	s.cmd.Stderr = s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	return s
}

// socketSettings connect a program to a Slack by sockets.
func socketSettings(slack *slacktest.Server, more ...string) []string {
	return append([]string{"SLACK_BOT_TOKEN=" + slacktest.BotToken, "SLACK_APP_TOKEN=" + slacktest.AppToken, "SLACK_API_URL=" + slack.URL()}, more...)
}

// inSlack waits until Slack can reach the server over a socket.
func (s *server) inSlack(ctx context.Context, t testing.TB, slack *slacktest.Server) {
	t.Helper()
	if err := slack.Wait(ctx, "a socket", func() bool { n, _ := slack.Sockets(); return n > 0 }); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
}

// begun waits until the process answers requests: before that, it may not heed signals yet.
func (s *server) begun(ctx context.Context, t testing.TB) {
	t.Helper()
	for tick := time.Tick(10 * time.Millisecond); ; {
		if _, status := s.ready(ctx, t); status != 0 {
			return
		}
		select {
		case <-tick:
		case <-ctx.Done():
			t.Fatalf("it did not begin\n%s", s.log)
		}
	}
}

// stop ends the process as an operator does.
func (s *server) stop(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("%v\n%s", err, s.log)
		return
	}
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("it ended with %v\n%s", err, s.log)
		}
	case <-time.After(limit):
		t.Errorf("it did not end\n%s", s.log)
	}
}

// One process answers in Slack and in Discord at once: a mention, a follow-up without one, and a
// stop by reaction.
func TestServeAnswersInSlackAndDiscord(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	p := newProgram(t, socketSettings(slack, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL())...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	guild := discord.AddGuild("Guild")
	general, bob := guild.AddText("general"), guild.AddPerson("bob", false)
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()

	s.inSlack(ctx, t, slack)
	root := alice.Say(room, "", slacktest.Mention()+" How many vacation days does an employee have?")
	answered := func(text string) func() bool {
		return func() bool {
			for _, m := range slack.Answers(room, root) {
				if strings.Contains(m.Shown(), text) && strings.Contains(m.Shown(), "https://docs.example/vacation.md") && !m.Streaming {
					return true
				}
			}
			return false
		}
	}
	if err := slack.Wait(ctx, "the answer in Slack", answered("thirty vacation days")); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, slack.Thread(room, root), s.log)
	}
	alice.Say(room, root, "and when do they expire?")
	if err := slack.Wait(ctx, "the follow-up in Slack", answered("end of March")); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, slack.Thread(room, root), s.log)
	}

	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	bob.Mention(general.ID, "How do I roll back a failed deployment?")
	if err := discord.Until(ctx, func() bool {
		for _, thread := range discord.Threads(general.ID) {
			for _, m := range discord.Answers(thread.ID) {
				if strings.Contains(m.Content, "make rollback") && strings.Contains(m.Content, "https://docs.example/deploy/rollback.md") {
					return true
				}
			}
		}
		return false
	}); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, discord.Versions(), s.log)
	}
	if slack.Limited() > 0 || discord.Count(429) > 0 {
		t.Errorf("rate limits were met: %d in Slack, %d in Discord", slack.Limited(), discord.Count(429))
	}
}

// What footnote.yaml says of a channel holds there.
func TestConfiguredChannelIsNotAnswered(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", nil)
	closed, open := slack.Channel("closed", nil, alice), slack.Channel("open", nil, alice)
	file := filepath.Join(folder(t, map[string]string{"footnote.yaml": "channels:\n  - {platform: slack, channel: " + closed.ID + ", enabled: false}\n"}), "footnote.yaml")
	p := newProgram(t, socketSettings(slack, "FOOTNOTE_CONFIG="+file)...)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	refused := alice.Say(closed, "", slacktest.Mention()+" is this answered?")
	answered := alice.Say(open, "", slacktest.Mention()+" is this answered?")
	if err := slack.Wait(ctx, "the answer in the open channel, and the word about the closed one", func() bool {
		return len(slack.Answers(open, answered)) > 0 && len(slack.Ephemeral(alice)) > 0
	}); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	if got := slack.Answers(closed, refused); len(got) != 0 {
		t.Errorf("the closed channel shows %+v", got)
	}
}

// A reaction closes the request to the model and keeps what was written.
func TestStopReactionClosesTheRequestToTheModel(t *testing.T) {
	t.Parallel()
	stopByReaction(t, newProgram(t))
}

// stopByReaction serves a workspace in which somebody stops an answer while it is written.
func stopByReaction(t *testing.T, p *program, args ...string) {
	t.Helper()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	gate := make(chan struct{})
	model := openaitest.New(t, openaitest.Reply{Text: "This answer has a beginning. It never comes to an end.", Gate: gate, GateAfter: 8})
	p = p.with(socketSettings(slack, "OPENAI_BASE_URL="+model.URL())...)
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	s := serve(t, p, args...)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	root := alice.Say(room, "", slacktest.Mention()+" tell me a story")
	if err := slack.Wait(ctx, "the beginning", func() bool {
		return len(slack.Answers(room, root)) > 0 && strings.Contains(slack.Answers(room, root)[0].Shown(), "a beginning")
	}); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, slack.Thread(room, root), s.log)
	}
	alice.React(room, root, "octagonal_sign")
	if err := slack.Wait(ctx, "the mark of the stop", func() bool {
		last := slack.Answers(room, root)[0]
		return !last.Streaming && strings.Contains(last.Shown(), "a beginning") && strings.Contains(strings.ToLower(last.Shown()), "stopped")
	}); err != nil {
		t.Fatalf("%v\n%+v\n%s", err, slack.Thread(room, root), s.log)
	}
	if model.ChatRequests()[0].ClosedByClient.IsZero() {
		t.Error("the request to the model is still open")
	}
}

func TestServeWithWrongTokensSaysWhatToDo(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{NoContent: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	tests := []struct {
		name string
		env  []string
		code int
		want string
	}{
		{"kinds mixed up", []string{"SLACK_BOT_TOKEN=xapp-1", "SLACK_APP_TOKEN=xoxb-1"}, 2, "SLACK_APP_TOKEN"},
		{"app token missing", []string{"SLACK_BOT_TOKEN=xoxb-1"}, 2, "SLACK_SIGNING_SECRET"},
		{"Slack refuses", []string{"SLACK_BOT_TOKEN=xoxb-wrong", "SLACK_APP_TOKEN=xapp-wrong", "SLACK_API_URL=" + slack.URL()}, 1, "SLACK_BOT_TOKEN"},
		{"Discord refuses", []string{"DISCORD_BOT_TOKEN=wrong", "DISCORD_API_URL=" + discord.URL()}, 1, "DISCORD_BOT_TOKEN"},
		{"intent missing", []string{"DISCORD_BOT_TOKEN=" + discord.Token(), "DISCORD_API_URL=" + discord.URL()}, 1, "MESSAGE"},
	}
	p := newProgram(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := p.with(append(tt.env, "ADMIN_ADDR=127.0.0.1:0")...).try(t, "", "serve")
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("exit code %d, want %d, with %q in:\n%s", r.code, tt.code, tt.want, r.stderr)
			}
			for _, secret := range []string{"xoxb-wrong", "xapp-wrong"} {
				if strings.Contains(r.stderr, secret) {
					t.Errorf("a token is shown:\n%s", r.stderr)
				}
			}
		})
	}
}

// A platform that cannot be served is refused before anything is started for it.
func TestServeRefusesPlatforms(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, only, want string }{
		{"one that there is not", "slack,teams", `--only must be one of "slack","discord"`},
		{"one without a token", "discord", "discord was asked for, but DISCORD_BOT_TOKEN is not set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &program{env: []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none", "SLACK_BOT_TOKEN=xoxb-1", "SLACK_APP_TOKEN=xapp-1"}} // which is not looked for
			if r := p.try(t, "", "serve", "--only", tt.only); r.code != 2 || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("exit code %d:\n%s", r.code, r.stderr)
			}
		})
	}
}

// An address that is taken is found out before anybody can ask.
func TestServeNeedsItsAddressBeforeItConnects(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	p := newProgram(t, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET=secret", "SLACK_API_URL="+slack.URL(),
		"ADMIN_ADDR=127.0.0.1:0", "HTTP_ADDR="+taken.Addr().String())
	if r := p.try(t, "", "serve"); r.code != 1 || !strings.Contains(r.stderr, "set HTTP_ADDR to a free address") {
		t.Errorf("exit code %d:\n%s", r.code, r.stderr)
	}
	if calls := slack.Calls("auth.test"); len(calls) > 0 {
		t.Errorf("Slack was called %d times", len(calls))
	}
}

func TestManifestAndInviteArePrinted(t *testing.T) {
	t.Parallel()
	p := &program{}
	if r := p.run(t, "slack", "manifest"); !strings.Contains(r.stdout, "socket_mode_enabled: true") || !strings.Contains(r.stdout, "app_mentions:read") {
		t.Errorf("the manifest is:\n%s", r.stdout)
	}
	r := p.run(t, "slack", "manifest", "--mcp", "https://footnote.example/mcp")
	if !strings.Contains(r.stdout, "- mcp:connect") || !strings.Contains(r.stdout, "mcp_servers:\n  footnote:\n    url: https://footnote.example/mcp\n    auth_type: slack_identity_auth") {
		t.Errorf("the manifest with --mcp is:\n%s", r.stdout)
	}
	if r := p.try(t, "", "slack", "manifest", "--mcp", "http://footnote.example/mcp"); r.code != 2 || !strings.Contains(r.stderr, "--mcp") {
		t.Errorf("an address without TLS: %+v", r)
	}
	if r := p.run(t, "discord", "invite", "4242"); !strings.Contains(r.stdout, "client_id=4242") || !strings.Contains(r.stdout, "applications.commands") {
		t.Errorf("the invitation is:\n%s", r.stdout)
	}
	if r := p.try(t, "", "discord", "invite"); r.code != 2 || !strings.Contains(r.stderr, "DISCORD_BOT_TOKEN") {
		t.Errorf("without an id: exit code %d\n%s", r.code, r.stderr)
	}
}
