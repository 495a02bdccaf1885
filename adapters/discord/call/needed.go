package call

import (
	"github.com/bwmarrin/discordgo"
)

// Permission is a permission that the bot needs in a server, and the reason for it.
type Permission struct {
	Name   string // Discord's display name
	Bit    int64
	Reason string
}

// Permissions lists the permissions that the invite link requests.
func Permissions() []Permission {
	return []Permission{
		{"View Channels", discordgo.PermissionViewChannel, "sees where it is asked"},
		{"Send Messages", discordgo.PermissionSendMessages, "answers where a thread cannot be opened"},
		{"Create Public Threads", discordgo.PermissionCreatePublicThreads, "opens a thread for each answer, so that channels stay readable"},
		{"Send Messages in Threads", discordgo.PermissionSendMessagesInThreads, "answers there"},
		{"Read Message History", discordgo.PermissionReadMessageHistory, "finds questions that arrived while it was away"},
		{"Embed Links", discordgo.PermissionEmbedLinks, "links its sources"},
		{"Attach Files", discordgo.PermissionAttachFiles, "attaches an answer that is too long for messages"},
		{"Add Reactions", discordgo.PermissionAddReactions, "offers 👍 and 👎 under an answer"},
	}
}

// These flags of a Discord application report which privileged intents are enabled. The Limited
// flags are for small bots, and the others for large ones.
const (
	FlagMembers        = 1 << 14
	FlagMembersLimited = 1 << 15
	FlagContent        = 1 << 18
	FlagContentLimited = 1 << 19
)

// Manager is a set of permissions. A member with any of them may change the bot's settings for a
// server.
const Manager = discordgo.PermissionAdministrator | discordgo.PermissionManageGuild

// Moderator is a set of permissions. Any one of them allows a member to stop, correct and remove
// answers to other people.
const Moderator = Manager | discordgo.PermissionManageMessages
