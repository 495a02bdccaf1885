package write

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/thread"
)

func commands() []*discordgo.ApplicationCommand {
	everywhere := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	list := []*discordgo.ApplicationCommand{
		{
			Name: event.CommandAsk, Description: "Ask a question; the answer names its sources.", Type: discordgo.ChatApplicationCommand, Contexts: &everywhere,
			Options: []*discordgo.ApplicationCommandOption{
				option(event.OptionQuestion, "What would you like to know?", discordgo.ApplicationCommandOptionString, func(o *discordgo.ApplicationCommandOption) {
					o.Required = true
				}),
				option(event.OptionPrivate, "Show the answer to you alone.", discordgo.ApplicationCommandOptionBoolean, nil),
				option(event.OptionAgent, "Who is to answer.", discordgo.ApplicationCommandOptionString, suggested),
				option(event.OptionModels, "Up to 3 models, with commas between them; each gives a separate answer.", discordgo.ApplicationCommandOptionString, nil),
				option(event.OptionFile, "A file that the question is about.", discordgo.ApplicationCommandOptionAttachment, nil),
			},
		},
		{
			Name: event.CommandStop, Description: "Stop the answer that is being written here.", Type: discordgo.ChatApplicationCommand, Contexts: &everywhere,
		},
		{
			Name: event.CommandFootnote, Description: "Status, settings, and why an answer is as it is.", Type: discordgo.ChatApplicationCommand,
			Contexts: &everywhere, Options: subcommands(),
		},
		{Name: event.CommandAbout, Type: discordgo.MessageApplicationCommand, Contexts: &everywhere},
	}
	whoModerates := int64(discordgo.PermissionManageMessages)
	for _, a := range thread.Menu() {
		entry := &discordgo.ApplicationCommand{Name: a.Label(), Type: discordgo.MessageApplicationCommand, Contexts: &everywhere}
		if moderators[a] {
			entry.DefaultMemberPermissions = &whoModerates
		}
		list = append(list, entry)
	}
	return list
}

// moderators are the menu entries that Discord shows only to members who may delete others'
// messages. In direct messages, everyone sees them.
var moderators = map[thread.Action]bool{thread.ActionCorrect: true, thread.ActionRemove: true}

func subcommands() []*discordgo.ApplicationCommandOption {
	list := []*discordgo.ApplicationCommandOption{
		option(SubSetup, "choose channels, roles and how questions are answered in this server", discordgo.ApplicationCommandOptionSubCommand, nil),
	}
	for _, c := range command.Commands() {
		list = append(list, option(c.Name, c.Help, discordgo.ApplicationCommandOptionSubCommand, func(o *discordgo.ApplicationCommandOption) {
			switch c.Name {
			case "config":
				o.Options = append(o.Options, option(event.OptionKey, "Which setting; nothing lists all.", discordgo.ApplicationCommandOptionString, suggested),
					option(event.OptionValue, "Its new value, or reset.", discordgo.ApplicationCommandOptionString, nil))
			case "follow":
				o.Options = append(o.Options, option(event.OptionValue, "Which messages are answered.", discordgo.ApplicationCommandOptionString, follows))
			case "report":
				o.Options = append(o.Options, option(event.OptionValue, "Whether it is posted.", discordgo.ApplicationCommandOptionString, func(o *discordgo.ApplicationCommandOption) {
					o.Choices = []*discordgo.ApplicationCommandOptionChoice{{Name: "on", Value: "on"}, {Name: "off", Value: "off"}}
				}))
			case "why":
				o.Options = append(o.Options, option("address", "Of a document: by what you may read it.", discordgo.ApplicationCommandOptionString, nil))
			case "token":
				o.Options = append(o.Options, option(event.OptionValue, "list, or revoke and the id of a token.", discordgo.ApplicationCommandOptionString, nil))
			case "files":
				o.Options = append(o.Options, option(event.OptionValue, "remove and the id of a file; nothing lists them.", discordgo.ApplicationCommandOptionString, nil))
			case "forget-me":
				o.Options = append(o.Options, option(c.Arguments, "Yes, delete it; this cannot be undone.", discordgo.ApplicationCommandOptionBoolean, nil))
			}
		}))
	}
	return list
}

// SubSetup is a subcommand of /footnote that exists only on Discord.
const SubSetup = "setup"

func option(
	name, description string, kind discordgo.ApplicationCommandOptionType, change func(*discordgo.ApplicationCommandOption),
) *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Name: name, Description: description, Type: kind}
	if change != nil {
		change(o)
	}
	return o
}

func suggested(o *discordgo.ApplicationCommandOption) { o.Autocomplete = true }

func follows(o *discordgo.ApplicationCommandOption) {
	for _, f := range []policy.Follow{policy.FollowMention, policy.FollowDialogue, policy.FollowAlways} {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: string(f), Value: string(f)})
	}
}

// Register updates the bot's commands in all servers, or only in the servers in Config. It writes
// them only if they changed, because Discord allows 200 writes a day.
func (c *Writer) Register(ctx context.Context) error {
	app := c.discord.AppKnown()
	if app == "" {
		var err error
		if app, err = c.discord.Application(ctx); err != nil {
			return err
		}
	}
	everywhere := commands()
	if len(c.discord.Config.CommandGuilds) > 0 {
		everywhere = nil // they would be shown twice
	}
	if err := c.register(ctx, discordgo.EndpointApplicationGlobalCommands(app), "", everywhere); err != nil {
		return err
	}
	for _, guild := range c.discord.Config.CommandGuilds {
		if err := c.register(ctx, discordgo.EndpointApplicationGuildCommands(app, guild), guild, commands()); err != nil {
			return fmt.Errorf("server %s: %w", guild, err)
		}
	}
	return nil
}

func (c *Writer) register(ctx context.Context, endpoint, guild string, wanted []*discordgo.ApplicationCommand) error {
	var present []any
	err := c.discord.API.Do(ctx, call.Request{
		Doing: "read the bot's commands", Method: http.MethodGet, URL: endpoint, Bucket: "GET commands " + guild,
	}, &present)
	if err != nil && call.Status(err) != http.StatusNotFound { // a proxy may only accept writes
		return err
	}
	body := []any{}
	for _, w := range wanted {
		raw, err := json.Marshal(w)
		if err != nil {
			return fmt.Errorf("register the bot's commands: %w", err)
		}
		var plain map[string]any
		if err := json.Unmarshal(raw, &plain); err != nil {
			return fmt.Errorf("register the bot's commands: %w", err)
		}
		if plain["type"] != float64(discordgo.ChatApplicationCommand) {
			delete(plain, "description") // menu entries have none
		}
		if guild != "" {
			delete(plain, "contexts") // Discord keeps them only for global commands
		}
		body = append(body, plain)
	}
	if essence(present) == essence(body) {
		return nil
	}
	if err := c.discord.API.Do(ctx, call.Request{
		Doing: "register the bot's commands", Method: http.MethodPut, URL: endpoint, Bucket: "PUT commands " + guild, Body: body,
	}, nil); err != nil {
		return err
	}
	c.discord.Logger.InfoContext(ctx, "commands registered", "guild", guild, "commands", len(body))
	return nil
}

// comparedFields lists the fields of commands and options that the bot sets. Discord adds other
// fields, such as ids and defaults.
var comparedFields = []string{"name", "description", "type", "options", "choices", "value", "required", "autocomplete", "contexts", "default_member_permissions"}

// essence encodes the fields that the bot sets in a list of commands. Equal lists have equal
// encodings.
func essence(list any) string {
	switch v := list.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = essence(e)
		}
		slices.Sort(parts) // Discord does not keep the order
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, key := range comparedFields {
			part := essence(v[key])
			if part != "" && part != "[]" && part != "false" && part != `""` {
				parts = append(parts, key+":"+part)
			}
		}
		return "{" + strings.Join(parts, " ") + "}"
	case nil:
		return ""
	case string:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}
