package receive

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/read"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/chat"
)

// place is a channel, a person who writes there, and an intake that is told about it by hand.
type place struct {
	*intake
	say            func(text string) *discordgo.Message
	channel, guild string
}

func newPlace(t *testing.T, handle func(p *place, m *chat.Message) error) *place {
	t.Helper()
	server, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	guild := server.AddGuild("Team")
	ada, channel := guild.AddPerson("Ada", false), guild.AddText("general")
	b, err := call.NewBot(call.Config{Token: server.Token(), APIURL: server.URL(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	d := directory.NewDirectory(b)
	w, err := write.NewWriter(b, d)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{channel: channel.ID, guild: guild.ID}
	p.intake = newIntake(NewReceiver(b, d, read.NewReader(b, d), w), func(_ context.Context, e chat.Event) (chat.Reply, error) {
		return chat.Reply{}, handle(p, e.Message)
	}, event.Lookup{})
	p.say = func(text string) *discordgo.Message {
		id := ada.Say(channel.ID, text)
		m, err := b.API.Message(t.Context(), channel.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		m.GuildID = guild.ID
		return m
	}
	return p
}

var errDown = errors.New("the store is down")

// A scan is queued while a live message is handled, and begins after the message has failed.
func TestScanThatWaitedFindsTheMessageThatFailedMeanwhile(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var late []string
	p := newPlace(t, func(p *place, m *chat.Message) error {
		if m.Late {
			late = append(late, m.Text)
			return nil
		}
		p.catchUp(ctx, p.channel, p.guild, always) // as after a reconnect
		return errDown
	})
	busy := make(chan struct{})
	p.missing.do(p.channel, func() { <-busy })
	if err := p.created(ctx, p.say("And second?"), false, nil); !errors.Is(err, errDown) {
		t.Fatal(err)
	}
	close(busy)
	p.missing.wait()
	if want := []string{"And second?"}; !slices.Equal(late, want) {
		t.Errorf("the scan found %q, want %q", late, want)
	}
	if p.isBehind(p.channel) {
		t.Error("the channel still counts as behind")
	}
	cancel()
	p.retries.Wait()
}

// A scan of what follows a live message succeeds after the message has failed.
func TestScanForgetsNoMessageThatFailedSinceItBegan(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	m := p.say("And second?").ID
	p.handled(p.guild, p.channel, m)
	if after := p.begin(p.channel, p.guild); after != m {
		t.Errorf("the first scan begins after %s, want %s", after, m)
	}
	if !p.fallBehind(p.channel, before(m)) {
		t.Error("no scan will be repeated")
	}
	p.caughtUp(p.channel)
	if !p.resume(p.channel) {
		t.Error("nothing is left to scan")
	}
	if after := p.begin(p.channel, p.guild); after != before(m) {
		t.Errorf("the second scan begins after %s, want %s", after, before(m))
	}
	p.caughtUp(p.channel)
	if p.isBehind(p.channel) {
		t.Error("the channel still counts as behind")
	}
}

// A message that fails in every scan is ignored in the end, and the later messages are read. While
// scans are still repeated at shorter pauses, as in an outage of the store, it is not.
func TestScanGoesPastAMessageThatAlwaysFails(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var late []string
	p := newPlace(t, func(_ *place, m *chat.Message) error {
		late = append(late, m.Text)
		if m.Text == "bad" {
			return errDown
		}
		return nil
	})
	p.fallBehind(p.channel, before(p.say("fine").ID)) // no pause ends in this test
	p.say("bad")
	p.say("last")
	for range 2 * maxFailures {
		p.scan(ctx, p.channel, p.guild, always, maxScanPause/2)
		p.missing.wait()
	}
	if slices.Contains(late, "last") {
		t.Error("a message is ignored early")
	}
	late = nil
	for range maxFailures {
		p.scan(ctx, p.channel, p.guild, always, maxScanPause)
		p.missing.wait()
	}
	if want := []string{"bad", "bad", "bad", "last"}; !slices.Equal(late, want) {
		t.Errorf("the scans passed on %q, want %q", late, want)
	}
	if p.isBehind(p.channel) {
		t.Error("the channel still counts as behind")
	}
}

// A scan hangs in a message. The next live message interrupts it, and the scan is repeated.
func TestLiveMessageInterruptsAScanThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun, over := make(chan struct{}), make(chan struct{})
	p := newPlace(t, nil)
	p.handle = func(ctx context.Context, _ chat.Event) (chat.Reply, error) {
		close(begun)
		<-ctx.Done()
		return chat.Reply{}, ctx.Err()
	}
	m := p.say("And second?").ID
	p.fallBehind(p.channel, before(m))
	p.scan(ctx, p.channel, p.guild, always, maxScanPause)
	go func() {
		defer close(over)
		<-begun
		p.scans.finish(p.channel)
	}()
	<-over
	if !p.isBehind(p.channel) || p.begin(p.channel, p.guild) != before(m) {
		t.Error("the message is not looked for again")
	}
}
