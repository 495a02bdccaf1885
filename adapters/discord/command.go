package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Names of the commands and their options.
const (
	CommandAsk     = "ask"
	CommandStop    = "stop"
	optionQuestion = "question"
	optionPrivate  = "private"
)

// Command is the use of a slash command. It has to be answered within three seconds, by Defer or Respond.
type Command struct {
	Name     string
	Ref      thread.Ref // in a channel the command has a thread of its own; there is no such channel
	EventKey string
	Asker    thread.Person
	By       session.Stopper
	Question string
	Private  bool // the answer is for the asker alone
	Direct   bool
	Own      bool // nothing was said in the thread before
	At       time.Time

	ticket ticket
}

// Token is what a turn keeps to answer the command with, encrypted.
func (c *Client) Token(cmd Command) (*session.ReplyToken, error) {
	sealed, err := c.sealer.seal(cmd.ticket)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.acks[cmd.ticket.ID] = make(chan struct{})
	c.mu.Unlock()
	return &session.ReplyToken{Sealed: sealed, Expires: cmd.At.Add(c.config.TokenLife)}, nil
}

// acknowledged waits until this process has acknowledged a command, before which Discord does not know its token. The turn may begin
// earlier, since a command is acknowledged only once it is stored.
func (c *Client) acknowledged(ctx context.Context, interaction string) {
	c.mu.Lock()
	ack := c.acks[interaction]
	c.mu.Unlock()
	if ack == nil {
		return
	}
	timer := time.NewTimer(ackLimit)
	defer timer.Stop()
	select {
	case <-ack:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// ackLimit is how long after a command Discord waits for its first response.
const ackLimit = 3 * time.Second

// interaction hands a command to the handler.
func (in *intake) interaction(ctx context.Context, i *discordgo.Interaction) error {
	switch i.Type {
	case discordgo.InteractionApplicationCommand:
	case discordgo.InteractionMessageComponent:
		return in.press(ctx, i)
	default:
		return nil
	}
	data := i.ApplicationCommandData()
	cmd := Command{Name: data.Name, EventKey: "interaction:" + i.ID, At: time.Now(), Direct: i.GuildID == ""}
	user, by := who(i)
	if user == nil {
		return fmt.Errorf("read the command %q: it has no user", data.Name)
	}
	cmd.By = by
	cmd.Asker = thread.Person{ID: user.ID, Name: displayName(user, i.Member)}
	for _, o := range data.Options {
		switch {
		case o.Name == optionQuestion && o.Type == discordgo.ApplicationCommandOptionString:
			cmd.Question = o.StringValue()
		case o.Name == optionPrivate && o.Type == discordgo.ApplicationCommandOptionBoolean:
			cmd.Private = o.BoolValue()
		}
	}
	ref, err := in.home(ctx, i.GuildID, i.ChannelID)
	if err != nil { // commands work where the bot cannot look; there is no time to look again
		in.logger.WarnContext(ctx, "command used in an unknown channel", "channel", i.ChannelID, "error", err)
	}
	if ref.Thread == "" {
		ref.Thread, cmd.Own = i.ID, true
	}
	cmd.Ref = ref
	cmd.ticket = ticket{App: i.AppID, Token: i.Token, ID: i.ID, Channel: i.ChannelID, Ephemeral: cmd.Private && !cmd.Direct}
	in.handler.Command(ctx, cmd)
	return nil
}

// moderator are the permissions of which one lets somebody stop the answers of others: whoever may delete them may stop them.
const moderator = discordgo.PermissionAdministrator | discordgo.PermissionManageMessages | discordgo.PermissionManageGuild

// who returns who used an interaction, nil where it does not say.
func who(i *discordgo.Interaction) (*discordgo.User, session.Stopper) {
	switch {
	case i.Member != nil && i.Member.User != nil:
		return i.Member.User, session.Stopper{ID: i.Member.User.ID, Privileged: i.Member.Permissions&moderator != 0}
	case i.User != nil:
		return i.User, session.Stopper{ID: i.User.ID}
	default:
		return nil, session.Stopper{}
	}
}

// press handles a button.
func (in *intake) press(ctx context.Context, i *discordgo.Interaction) error {
	user, by := who(i)
	if i.MessageComponentData().CustomID != stopButton || user == nil || i.Message == nil {
		return nil
	}
	ref, err := in.home(ctx, i.GuildID, i.ChannelID)
	if err != nil {
		return err
	}
	in.handler.Stop(ctx, Stop{Ref: ref, Message: thread.MessageID(i.Message.ID), By: by})
	return in.callback(ctx, Command{ticket: ticket{App: i.AppID, Token: i.Token, ID: i.ID}}, discordgo.InteractionResponseDeferredMessageUpdate, nil)
}

// Defer acknowledges a command: its user sees that the bot thinks.
func (c *Client) Defer(ctx context.Context, cmd Command) error {
	flags := 0
	if cmd.ticket.Ephemeral {
		flags = int(discordgo.MessageFlagsEphemeral)
	}
	return c.callback(ctx, cmd, discordgo.InteractionResponseDeferredChannelMessageWithSource, map[string]any{"flags": flags})
}

// Respond answers a command with a sentence that its user alone sees.
func (c *Client) Respond(ctx context.Context, cmd Command, text string) error {
	return c.callback(ctx, cmd, discordgo.InteractionResponseChannelMessageWithSource, map[string]any{
		"content": text, "flags": int(discordgo.MessageFlagsEphemeral), "allowed_mentions": mentionNobody,
	})
}

func (c *Client) callback(ctx context.Context, cmd Command, kind discordgo.InteractionResponseType, data map[string]any) error {
	defer c.acknowledge(cmd.ticket.ID)
	err := c.api.do(ctx, request{
		doing: "answer a command", method: http.MethodPost, url: discordgo.EndpointInteractionResponse(cmd.ticket.ID, cmd.ticket.Token),
		bucket: replyBucket(cmd.ticket.Token), body: map[string]any{"type": kind, "data": data},
	}, nil)
	if code(err) == codeAcknowledged {
		return nil // by an earlier delivery of the same event
	}
	return err
}

// acknowledge lets whoever waits for it use a command's token. It is done after a failure too: then there is nothing to wait for.
func (c *Client) acknowledge(interaction string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ack := c.acks[interaction]; ack != nil {
		close(ack)
		delete(c.acks, interaction)
	}
}

// commands are what people can type.
func commands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		{
			Name: CommandAsk, Description: "Ask a question; the answer names its sources.", Type: discordgo.ChatApplicationCommand,
			Options: []*discordgo.ApplicationCommandOption{
				{Name: optionQuestion, Description: "What would you like to know?", Type: discordgo.ApplicationCommandOptionString, Required: true},
				{Name: optionPrivate, Description: "Show the answer to you alone.", Type: discordgo.ApplicationCommandOptionBoolean},
			},
		},
		{Name: CommandStop, Description: "Stop the answer that is being written here.", Type: discordgo.ChatApplicationCommand},
	}
}

// Register brings the bot's commands up to date. They are written only when they differ, since a day has 200 writes.
func (c *Client) Register(ctx context.Context) error {
	c.mu.Lock()
	app := c.app
	c.mu.Unlock()
	if app == "" {
		var err error
		if app, err = c.Application(ctx); err != nil {
			return err
		}
	}
	endpoint := discordgo.EndpointApplicationGlobalCommands(app)
	var present []*discordgo.ApplicationCommand
	get := request{doing: "read the bot's commands", method: http.MethodGet, url: endpoint, bucket: "GET commands"}
	if err := c.api.do(ctx, get, &present); err != nil {
		return err
	}
	if reflect.DeepEqual(essence(present), essence(commands())) {
		return nil
	}
	put := request{doing: "register the bot's commands", method: http.MethodPut, url: endpoint, bucket: "PUT commands", body: commands()}
	if err := c.api.do(ctx, put, nil); err != nil {
		return err
	}
	c.logger.InfoContext(ctx, "commands registered", "commands", len(commands()))
	return nil
}

// essence is what of commands is ours: the platform adds ids and defaults.
func essence(list []*discordgo.ApplicationCommand) map[string]string {
	type option struct {
		Name, Description string
		Type              discordgo.ApplicationCommandOptionType
		Required          bool
	}
	found := make(map[string]string)
	for _, c := range list {
		var options []option
		for _, o := range c.Options {
			options = append(options, option{o.Name, o.Description, o.Type, o.Required})
		}
		text, err := json.Marshal([]any{c.Description, max(c.Type, discordgo.ChatApplicationCommand), options})
		if err != nil {
			continue // of such types nothing can fail
		}
		found[c.Name] = string(text)
	}
	return found
}
