package main_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

const startQuestion = "How do I roll back a failed deployment?"

// busyServer is a Discord with many channels, and the program that serves it.
type busyServer struct {
	*discordtest.Server
	ann      *discordtest.Person
	channels []*discordtest.Channel
	fresh    *discordtest.Channel // in which a question is asked right after each start
	replica  *footnotetest.Replica
	db       *postgres.DB
}

// newBusyServer indexes the handbook and starts the program, on a Discord with its real limits: 50
// calls a second, and those of each route. The newest message of each channel is half an hour old.
func newBusyServer(ctx context.Context, tb testing.TB, channels int) *busyServer {
	tb.Helper()
	discord, err := discordtest.New(discordtest.Config{IdentifyEvery: time.Millisecond})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = discord.Close() })
	guild := discord.AddGuild("Guild")
	s := &busyServer{Server: discord, ann: guild.AddPerson("ann", false), fresh: guild.AddText("fresh")}
	for i := range channels {
		c := guild.AddText(fmt.Sprintf("room%d", i))
		s.ann.EarlierReply(c.ID, "Lunch is at noon.", 30*time.Minute)
		s.channels = append(s.channels, c)
	}
	p := newProgram(tb, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL())
	p.run(tb, "index", handbook(tb), "--base-url", "https://docs.example", "--acl", "public")
	s.db = database(tb, p)
	s.replica = footnotetest.Serve(tb, footnotetest.Plain(tb), footnotetest.Environment(p.env...))
	s.connected(ctx, tb)
	return s
}

func (s *busyServer) connected(ctx context.Context, tb testing.TB) {
	tb.Helper()
	if err := s.Until(ctx, s.Connected); err != nil {
		tb.Fatalf("%v\n%s", err, s.replica.Log())
	}
}

// restart ends the program, has questions asked while it is gone, and starts it.
func (s *busyServer) restart(ctx context.Context, tb testing.TB, missed int) (asked []string) {
	tb.Helper()
	s.replica.End(syscall.SIGTERM)
	for _, c := range s.channels[:missed] {
		asked = append(asked, s.ann.Earlier(c.ID, startQuestion, time.Second))
	}
	s.replica.Start()
	s.connected(ctx, tb)
	return asked
}

// shows waits until the threads of questions show an answer.
func (s *busyServer) shows(ctx context.Context, tb testing.TB, questions ...string) {
	tb.Helper()
	answered := func(id string) bool {
		return slices.ContainsFunc(s.Answers(id), func(v discordtest.Version) bool { return strings.Contains(v.Content, "make rollback") })
	}
	if err := s.Until(ctx, func() bool {
		return !slices.ContainsFunc(questions, func(id string) bool { return !answered(id) })
	}); err != nil {
		tb.Fatalf("%v\n%s", err, s.replica.Log())
	}
}

// scanned counts the calls so far that read the messages of a channel from the given one on.
func (s *busyServer) scanned(from int) (n int) {
	for _, r := range s.Requests() {
		if r.Method == http.MethodGet && slices.ContainsFunc(s.channels[from:], func(c *discordtest.Channel) bool {
			return strings.HasSuffix(r.Path, "/"+c.ID+"/messages")
		}) {
			n++
		}
	}
	return n
}

// scan waits until every channel was scanned once, and what was decided is stored.
func (s *busyServer) scan(ctx context.Context, tb testing.TB) {
	tb.Helper()
	for again := time.NewTicker(50 * time.Millisecond); ; <-again.C {
		var decided int
		if err := s.db.Pool.QueryRow(ctx, `select count(distinct channel) from verdict`).Scan(&decided); err != nil {
			tb.Fatalf("%v\n%s", err, s.replica.Log())
		}
		if decided > len(s.channels) { // and the one in which a question is asked
			return
		}
	}
}

// After a restart only the channels are read that hold something new, and before the first scan is
// over a new question is answered.
func TestDiscordStartReadsOnlyChannelsWithNews(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	const channels, missed = 60, 3
	s := newBusyServer(ctx, t, channels)
	s.shows(ctx, t, s.ann.Mention(s.fresh.ID, startQuestion))
	if n := s.scanned(0); n >= channels {
		t.Errorf("the first words came after all %d channels were read", n)
	}
	s.scan(ctx, t)
	before, quiet := s.scanned(0), s.scanned(missed)
	s.shows(ctx, t, s.restart(ctx, t, missed)...)
	s.shows(ctx, t, s.ann.Mention(s.fresh.ID, startQuestion))
	if n := s.scanned(missed) - quiet; n > 0 {
		t.Errorf("%d channels without news were read after the restart", n)
	}
	if n := s.scanned(0) - before; n < missed {
		t.Errorf("%d channels were read, and %d hold a missed question", n, missed)
	}
}

// BenchmarkDiscordStart measures the first start with a server of 300 channels, and a restart after
// which three of them hold a question that was missed.
func BenchmarkDiscordStart(b *testing.B) {
	const channels = 300
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	defer cancel()
	for b.Loop() {
		s := newBusyServer(ctx, b, channels)
		begun := time.Now()
		s.shows(ctx, b, s.ann.Mention(s.fresh.ID, startQuestion))
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "first-words-ms")
		b.ReportMetric(float64(s.scanned(0)), "scanned-before")
		s.scan(ctx, b)
		b.ReportMetric(time.Since(begun).Seconds(), "first-scan-s")
		calls := len(s.Requests())
		missed := s.restart(ctx, b, 3)
		begun = time.Now()
		s.shows(ctx, b, s.ann.Mention(s.fresh.ID, startQuestion))
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "again-words-ms")
		s.shows(ctx, b, missed...)
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "missed-words-ms")
		pause(ctx, 25*time.Second) // in which a scan of all channels would end
		b.ReportMetric(float64(len(s.Requests())-calls), "again-calls")
		b.ReportMetric(float64(s.Count(http.StatusTooManyRequests)), "refused")
		s.replica.End(syscall.SIGTERM)
	}
}
