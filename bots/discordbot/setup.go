package discordbot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	sayServersOnly = "This is for servers. Use it in a channel of the server that you want to set up."
	sayManagers    = "Only whoever may manage the server can set it up. Ask one of them to run `/footnote setup`."
)

// maxLacking limits the channels with missing permissions that a message names.
const maxLacking = 15

const maxLogged = 5

func (b *Bot) setup(ctx context.Context, at thread.Ref, admin, direct bool) write.Reply {
	switch {
	case direct || at.Workspace == "":
		return write.Reply{Markdown: sayServersOnly}
	case !admin:
		return write.Reply{Markdown: sayManagers}
	}
	return b.setupReply(ctx, at, "")
}

func (b *Bot) setupReply(ctx context.Context, at thread.Ref, done string) write.Reply {
	var s strings.Builder
	if done != "" {
		s.WriteString(done + "\n\n")
	}
	fmt.Fprintf(&s, "**How questions are answered in %s.** What you choose counts at once.\n", render.EscapeText(b.client.GuildName(at.Workspace)))
	s.WriteString("\n1. **Channels** in which I answer. Choose none, and I answer in all that I can see.")
	s.WriteString("\n2. **Roles** that may ask. Choose none, and everybody may.")
	s.WriteString("\n3. **Mode**: whether I answer without being mentioned. Before you choose, I answer mentions, `/ask` and direct messages, " +
		"and follow the threads that those opened.\n")
	if b.binding.allows(at.Workspace) {
		fmt.Fprintf(&s, "\nMembers of this server may read what is for members of `%s`.", b.tenant(at))
		if !b.config.Members {
			s.WriteString(" In channels only public documents and those of the channel are used, because the bot does not ask who is in a channel (`DISCORD_MEMBERS`).")
		}
	} else {
		fmt.Fprintf(&s, "\nThis server gets answers from public documents only. Whoever runs me can change that: `footnote discord allow %s`.", at.Workspace)
	}
	s.WriteString("\n\n" + b.lacking(ctx, at.Workspace))
	holds := b.workspacePolicy(ctx, at)
	return write.Reply{Markdown: s.String(), Rows: write.SetupRows(write.Setup{
		Modes: []write.Choice{
			{Value: string(policy.FollowMention), Label: "Mentions only", Help: "in threads too"},
			{Value: string(policy.FollowDialogue), Label: "Dialogue", Help: "follow threads while one person talks with me"},
			{Value: string(policy.FollowAlways), Label: "Always", Help: "answer questions to others too, if the documents have an answer"},
		},
		Mode: string(holds.Follow), Channels: b.chosenChannels(ctx, at), Roles: chosenRoles(holds),
	})}
}

func (b *Bot) lacking(ctx context.Context, guild string) string {
	list, err := b.client.Lacking(ctx, guild, nil)
	switch {
	case err != nil:
		b.deps.Logger.WarnContext(ctx, "what the bot may do is not known", "guild", guild, "error", err)
		return "What I may do in the channels cannot be found out at the moment."
	case len(list) == 0:
		return "I have all permissions that I need in the channels that I can see."
	}
	var s strings.Builder
	s.WriteString("Permissions that I lack:\n")
	for _, l := range list[:min(len(list), maxLacking)] {
		fmt.Fprintf(&s, "\n- `#%s`: %s", strings.ReplaceAll(l.Name, "`", "'"), permissions(l))
	}
	if more := len(list) - maxLacking; more > 0 {
		s.WriteString("\n- and " + plural.Count(more, "more channel"))
	}
	return s.String()
}

func permissions(l directory.Lacking) string {
	names := make([]string, len(l.Permissions))
	for i, p := range l.Permissions {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

func (b *Bot) tellLacking(ctx context.Context, guild string) {
	list, err := b.client.Lacking(ctx, guild, nil)
	if err != nil {
		return // reported when the permissions are needed
	}
	for _, l := range list[:min(len(list), maxLogged)] {
		b.deps.Logger.WarnContext(ctx, "the bot lacks permissions in a channel; footnote doctor and /footnote setup list all", "guild", guild,
			"channel", l.Channel, "name", l.Name, "permissions", permissions(l))
	}
}

// workspacePolicy returns a server's settings without those of single channels. If they cannot be
// read, it returns the defaults.
func (b *Bot) workspacePolicy(ctx context.Context, at thread.Ref) policy.Policy {
	if b.deps.Policies == nil {
		return policy.DefaultPolicy()
	}
	e, err := b.deps.Policies.Policy(ctx, b.tenant(at), session.Place{Platform: discord.Platform, Workspace: at.Workspace})
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what holds in a server is not known", "guild", at.Workspace, "error", err)
		return policy.DefaultPolicy()
	}
	return e.Policy
}

func (b *Bot) chosenChannels(ctx context.Context, at thread.Ref) []string {
	if b.workspacePolicy(ctx, at).Enabled || b.deps.Policies == nil {
		return nil
	}
	var chosen []string
	for _, id := range b.client.TextChannels(at.Workspace) {
		e, err := b.deps.Policies.Policy(ctx, b.tenant(at), session.Place{Platform: discord.Platform, Workspace: at.Workspace, Channel: id})
		if err == nil && e.Enabled {
			chosen = append(chosen, id)
		}
	}
	return chosen
}

func chosenRoles(p policy.Policy) []string {
	var roles []string
	for _, acl := range p.Askers {
		for _, held := range acl {
			if id, ok := strings.CutPrefix(string(held), string(RoleGroup(""))); ok && !slices.Contains(roles, id) {
				roles = append(roles, id)
			}
		}
	}
	return roles
}

func (b *Bot) choose(ctx context.Context, p chat.Press, what string) write.Reply {
	if !p.Admin {
		return write.Reply{Markdown: sayManagers}
	}
	at := p.Ref
	at.Thread = ""
	var done []string
	config := func(channel, text string) {
		where := at
		where.Channel = channel
		said := b.configure(ctx, where, p.By, true, false, "config "+text)
		if !strings.Contains(said, command.SayUnchanged) {
			done = append(done, said)
		}
	}
	switch {
	case what == write.SetupMode && len(p.Values) == 1:
		config(at.Channel, "workspace follow "+p.Values[0])
	case what == write.SetupRoles && len(p.Values) == 0:
		config(at.Channel, "workspace askers reset")
	case what == write.SetupRoles:
		var groups []string
		for _, id := range p.Values {
			groups = append(groups, string(RoleGroup(id)))
		}
		config(at.Channel, "workspace askers reset") // the new choice replaces the earlier one
		done = nil
		config(at.Channel, "workspace askers "+strings.Join(groups, ","))
	case what == write.SetupChannels:
		earlier := b.chosenChannels(ctx, at)
		if len(p.Values) == 0 {
			config(at.Channel, "workspace enabled reset")
		} else {
			config(at.Channel, "workspace enabled false")
		}
		for _, id := range earlier {
			if !slices.Contains(p.Values, id) {
				config(id, "enabled reset")
			}
		}
		for _, id := range p.Values {
			config(id, "enabled true")
		}
		done = []string{saidChannels(p.Values)}
		if said := b.lackingIn(ctx, at.Workspace, p.Values); said != "" {
			done = append(done, said)
		}
	}
	reply := b.setupReply(ctx, at, strings.Join(done, "\n"))
	reply.Update = true
	return reply
}

func saidChannels(ids []string) string {
	switch len(ids) {
	case 0:
		return "I answer in all channels that I can see."
	case 1:
		return "I answer in the channel that you chose, and in no other."
	default:
		return fmt.Sprintf("I answer in the %d channels that you chose, and in no other.", len(ids))
	}
}

// lackingIn also covers channels that the bot cannot see. It returns "" if nothing is missing.
func (b *Bot) lackingIn(ctx context.Context, guild string, channels []string) string {
	if len(channels) == 0 {
		return ""
	}
	list, err := b.client.Lacking(ctx, guild, channels)
	if err != nil || len(list) == 0 {
		return ""
	}
	var parts []string
	for _, l := range list {
		parts = append(parts, fmt.Sprintf("`#%s` (%s)", strings.ReplaceAll(l.Name, "`", "'"), permissions(l)))
	}
	return "Before I can answer everywhere there, give my role what it lacks in " + strings.Join(parts, ", ") + "."
}
