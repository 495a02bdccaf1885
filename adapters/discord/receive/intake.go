package receive

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	maxQueued   = 256 // messages and edits that wait or are handled; the gateway waits for room
	maxMessages = 64  // maximum number of channels whose messages are handled concurrently
	maxScans    = 16  // maximum number of channels scanned concurrently for missed messages
	maxUrgent   = 64  // interactions, reactions and deletions at once
	// patience is how long a failed look-up is retried. Discord delivers each event only once. After
	// that, a new message is found again by a scan.
	patience = 30 * time.Second
)

type arrival struct {
	shard int
	event any
}

// intake passes events to the handler. Messages and edits of one channel stay in order. Different
// channels run concurrently. Interactions, reactions and deletions do not wait for messages.
type intake struct {
	*Receiver
	handle   chat.Handler
	lookup   event.Lookup
	messages *lanes
	urgent   *lanes
	upkeep   *lanes // background work
	missing  *lanes // scans for missed messages, after all other work
	scans    scans
	retries  sync.WaitGroup // waits before failed scans are repeated
	// channels to scan, by server, once the server has listed its newest messages
	due map[string]map[string]bool
	// holds a token for each queued or running message and edit
	room chan struct{}
}

func newIntake(c *Receiver, h chat.Handler, lookup event.Lookup) *intake {
	return &intake{
		Receiver: c, handle: h, lookup: lookup, messages: newLanes(maxMessages), urgent: newLanes(maxUrgent), upkeep: newLanes(1),
		missing: newLanes(maxScans), scans: newScans(), due: make(map[string]map[string]bool), room: make(chan struct{}, maxQueued),
	}
}

// run handles events until ctx ends. It returns when all accepted events are handled.
func (in *intake) run(ctx context.Context, events <-chan arrival) {
	defer in.messages.wait()
	defer in.urgent.wait()
	defer in.missing.wait()
	defer in.upkeep.wait()
	defer in.retries.Wait()
	for {
		select {
		case event := <-events:
			in.guard(ctx, "event", func() error {
				in.directory.Learn(event.event)
				in.directory.Announce(ctx)
				in.hear(ctx, event.event)
				in.dispatch(ctx, event.shard, event.event)
				return nil
			})
		case <-ctx.Done():
			return
		}
	}
}

func (in *intake) dispatch(ctx context.Context, shard int, event any) {
	switch e := event.(type) {
	case *discordgo.Ready:
		in.ready(ctx, shard, e)
	case *discordgo.Disconnect:
		in.discord.SetConnected(shard, false)
	case *discordgo.Resumed:
		in.discord.SetConnected(shard, true)
		in.discord.Logger.InfoContext(ctx, "connected to Discord again", "shard", shard, "resumed", true)
		for id, guild := range in.recent() {
			in.catchUp(ctx, id, guild, always)
		}
	case *discordgo.GuildCreate:
		if e.Unavailable {
			return // it is reported again when it is back
		}
		in.discord.JoinedBy(shard, e.ID)
		in.urgent.do("guild", func() {
			in.guard(ctx, "guild", func() error { return in.tell(ctx, chat.Event{Workspaces: &chat.Workspaces{Joined: e.ID}}) })
		})
		in.added(ctx, e)
		var told []*discordgo.Channel
		for _, c := range append(e.Channels, e.Threads...) {
			if c.LastMessageID != "" && !holdsPosts(c) {
				told = append(told, c)
				delete(in.due[e.ID], c.ID)
			}
		}
		in.catchUpTold(ctx, e.ID, told)
		in.scanDue(ctx, e.ID)
		in.archived(ctx, e)
	case *joined:
		in.scanDue(ctx, e.guild)
		in.urgent.do("guild", func() {
			in.guard(ctx, "guild", func() error { return in.tell(ctx, chat.Event{Workspaces: &chat.Workspaces{Joined: e.guild}}) })
		})
	case *discordgo.MessageCreate:
		in.queue(ctx, e.ChannelID, "message", func() error { return in.created(ctx, e.Message, false, nil) })
	case *discordgo.InteractionCreate:
		in.urgent.do(e.ID, func() { in.guard(ctx, "interaction", func() error { return in.interaction(ctx, e.Interaction, nil) }) })
	case *discordgo.MessageUpdate:
		in.queue(ctx, e.ChannelID, "edit", func() error { return in.edited(ctx, e.Message) })
	case *discordgo.MessageReactionAdd:
		in.urgent.do(e.MessageID, func() { in.guard(ctx, "reaction", func() error { return in.reacted(ctx, e) }) })
	case *discordgo.MessageDelete:
		in.deleted(ctx, e.GuildID, e.ChannelID, e.ID)
	case *discordgo.MessageDeleteBulk:
		for _, id := range e.Messages {
			in.deleted(ctx, e.GuildID, e.ChannelID, id)
		}
	case *discordgo.ThreadDelete:
		in.deleted(ctx, e.GuildID, e.ParentID, e.ID) // the thread may have the id of its question
	}
}

// queue schedules handle to run after the earlier messages and edits of its channel. It blocks
// while the queue is full.
func (in *intake) queue(ctx context.Context, channel, what string, handle func() error) {
	select {
	case in.room <- struct{}{}:
	case <-ctx.Done():
		return // the next process finds it as a missed message
	}
	in.messages.do(channel, func() {
		defer func() { <-in.room }()
		in.scans.finish(channel)
		in.guard(ctx, what, handle)
	})
}

func (in *intake) ready(ctx context.Context, shard int, r *discordgo.Ready) {
	guilds, complete := in.discord.Welcome(shard, r)
	in.discord.Logger.InfoContext(ctx, "connected to Discord", "shard", shard, "servers", len(r.Guilds))
	in.upkeep.do("running", func() { in.guard(ctx, "running turns", func() error { return in.lookIntoRunning(ctx) }) })
	visited := in.visited()
	for _, g := range r.Guilds { // GUILD_CREATE lists their newest messages
		channels := make(map[string]bool)
		for _, list := range []map[string]string{in.recent(), visited} {
			for id, guild := range list {
				if guild == g.ID {
					channels[id] = true
				}
			}
		}
		in.due[g.ID] = channels
	}
	if !complete {
		return
	}
	in.urgent.do("guild", func() {
		in.guard(ctx, "guilds", func() error { return in.tell(ctx, chat.Event{Workspaces: &chat.Workspaces{All: guilds}}) })
	})
	in.register(ctx)
	for id, guild := range visited {
		if guild == "" {
			in.catchUp(ctx, id, "", always)
		}
	}
	in.upkeep.do("conversations", func() {
		in.guard(ctx, "conversations", func() error {
			for _, id := range in.lookup.Active(ctx, "") {
				in.catchUp(ctx, id, "", always)
			}
			return nil
		})
	})
}

func (in *intake) scanDue(ctx context.Context, guild string) {
	for id := range in.due[guild] {
		in.catchUp(ctx, id, guild, always)
	}
	delete(in.due, guild)
}

// catchUpTold queues scans for missed messages in the channels told, which Discord has listed. It
// omits channels whose newest message was already handled.
func (in *intake) catchUpTold(ctx context.Context, guild string, told []*discordgo.Channel) {
	told = slices.DeleteFunc(told, func(c *discordgo.Channel) bool { return !call.Newer(c.LastMessageID, in.baseline(c.ID, guild)) })
	news := sync.OnceValue(func() map[string]bool { return in.news(ctx, guild, told) })
	for _, c := range told {
		in.catchUp(ctx, c.ID, guild, func() bool { return news()[c.LastMessageID] })
	}
}

func (in *intake) news(ctx context.Context, guild string, told []*discordgo.Channel) map[string]bool {
	newest := make([]session.Newest, len(told))
	for i, c := range told {
		newest[i] = session.Newest{Channel: c.ID, Message: thread.MessageID(c.LastMessageID)}
		if c.IsThread() {
			newest[i].Channel = c.ParentID
		}
	}
	found := make(map[string]bool, len(newest))
	for _, n := range in.lookup.News(ctx, guild, newest) {
		found[string(n.Message)] = true
	}
	return found
}

// created handles a new message. late is set for a message that a scan found. later holds the newer
// messages from the same page of the scan.
func (in *intake) created(ctx context.Context, m *discordgo.Message, late bool, later []*discordgo.Message) error {
	m.GuildID = in.server(m.GuildID, m.ChannelID)
	if !in.handled(m.GuildID, m.ChannelID, m.ID) && late {
		return nil
	}
	err := in.pass(ctx, m, late, later)
	if err != nil && !late && !call.Lasting(err) {
		in.scanLater(ctx, m.ChannelID, m.GuildID, before(m.ID), call.FirstPause)
	}
	return err
}

// pass passes a new message to the handler.
func (in *intake) pass(ctx context.Context, m *discordgo.Message, late bool, later []*discordgo.Message) error {
	var out chat.Message
	var ok bool
	err := in.persist(ctx, func() (err error) {
		if err = in.directory.Settle(ctx); err == nil { // another replica may answer it
			out, ok, err = in.reader.Translate(ctx, m, late)
		}
		return err
	})
	if err != nil || !ok {
		return err
	}
	out.Event.Overtaken = overtaken(m, later)
	return in.tell(ctx, chat.Event{Message: &out})
}

// edited passes an edited message to the handler. It ignores updates without a new text, such as
// added previews.
func (in *intake) edited(ctx context.Context, m *discordgo.Message) error {
	if m.Content == "" || m.EditedTimestamp == nil && !in.reader.Roots.Knows(m.ID) {
		return nil
	}
	guild := in.server(m.GuildID, m.ChannelID)
	if m.Author == nil { // the event has only the changed fields
		var whole *discordgo.Message
		if err := in.persist(ctx, func() (err error) {
			whole, err = in.discord.API.Message(ctx, m.ChannelID, m.ID)
			return err
		}); err != nil {
			return err
		}
		m = whole
	}
	m.GuildID = guild
	var out chat.Message
	var ok bool
	err := in.persist(ctx, func() (err error) {
		if err = in.directory.Settle(ctx); err == nil {
			out, ok, err = in.reader.Translate(ctx, m, false)
		}
		return err
	})
	if err != nil || !ok {
		return err
	}
	out.Event.Change = policy.Edited
	return in.tell(ctx, chat.Event{Message: &out})
}

func (in *intake) interactionFromRequest(ctx context.Context, i *discordgo.Interaction, ch *discordgo.Channel, source *event.Inline) {
	if ch != nil && ch.ID == i.ChannelID && i.GuildID != "" {
		ch.GuildID = i.GuildID
		in.directory.Meet(ch)
	}
	in.urgent.do(i.ID, func() { in.guard(ctx, "interaction", func() error { return in.interaction(ctx, i, source) }) })
}

func (in *intake) deleted(ctx context.Context, guild, channel, message string) {
	guild = in.server(guild, channel)
	in.urgent.do(message, func() {
		in.guard(ctx, "deletion", func() error {
			var d *chat.Deletion
			err := in.persist(ctx, func() (err error) {
				d, err = in.deletion(ctx, guild, channel, message)
				return err
			})
			if err != nil || d == nil {
				return err
			}
			return in.tell(ctx, chat.Event{Deletion: d})
		})
	})
}

func (in *intake) tell(ctx context.Context, e chat.Event) error {
	_, err := in.handle(ctx, e)
	return err
}

// server returns the server of a channel. If guild is empty because the event does not name the
// server, it is taken from the cache.
func (in *intake) server(guild, channel string) string {
	if guild == "" {
		if p, known := in.directory.Peek(channel); known {
			return p.Guild
		}
	}
	return guild
}

func (in *intake) persist(ctx context.Context, lookup func() error) error {
	return sleep.Backoff{First: call.FirstPause, Within: patience}.Retry(ctx, lookup, call.RetryAfter)
}

// guard runs handle, and logs its error or panic. One bad event thus does not end the process.
func (in *intake) guard(ctx context.Context, what string, handle func() error) {
	defer func() {
		if p := recover(); p != nil {
			in.discord.Logger.ErrorContext(ctx, "event handler panicked", "event", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	if err := handle(); err != nil && ctx.Err() == nil {
		in.discord.Logger.WarnContext(ctx, "event not handled", "event", what, "error", err)
	}
}

// addedLately is how long after joining a server the bot still reports that it was added. The bot
// may have been disconnected when it was added.
const addedLately = 5 * time.Minute

func (in *intake) added(ctx context.Context, g *discordgo.GuildCreate) {
	if g.SystemChannelID == "" || time.Since(g.JoinedAt) > addedLately {
		return
	}
	in.urgent.do("guild", func() {
		in.guard(ctx, "guild", func() error {
			at := thread.Ref{Platform: call.Platform, Workspace: g.ID, Channel: g.SystemChannelID}
			return in.tell(ctx, chat.Event{Added: &chat.Added{Ref: at}})
		})
	})
}

const maxArchived = 50

// archived queues scans of recently used threads that are not in g because they are archived.
func (in *intake) archived(ctx context.Context, g *discordgo.GuildCreate) {
	in.upkeep.do("threads", func() {
		in.guard(ctx, "archived threads", func() error {
			looked := 0
			for _, id := range in.lookup.Active(ctx, g.ID) {
				told := func(c *discordgo.Channel) bool { return c.ID == id }
				if slices.ContainsFunc(g.Threads, told) || slices.ContainsFunc(g.Channels, told) {
					continue
				}
				if looked++; looked > maxArchived {
					return nil
				}
				c, err := in.discord.API.Channel(call.Idle(ctx, nil), id)
				switch {
				case err == nil && c.IsThread():
					in.directory.Meet(c)
					in.catchUpTold(ctx, g.ID, []*discordgo.Channel{c})
				case err != nil && !call.Lasting(err):
					return err
				}
			}
			return nil
		})
	})
}

func holdsPosts(c *discordgo.Channel) bool {
	return c.Type == discordgo.ChannelTypeGuildForum || c.Type == discordgo.ChannelTypeGuildMedia
}

// overtaken reports whether another person wrote one of the messages in later.
func overtaken(m *discordgo.Message, later []*discordgo.Message) bool {
	return slices.ContainsFunc(later, func(l *discordgo.Message) bool {
		return l.Author != nil && !l.Author.Bot && l.WebhookID == "" && l.Author.ID != m.Author.ID &&
			(l.Type == discordgo.MessageTypeDefault || l.Type == discordgo.MessageTypeReply)
	})
}
