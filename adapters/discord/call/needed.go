package call

import (
	"github.com/bwmarrin/discordgo"
)

// Permission is what the bot needs of a server, and why.
type Permission struct {
	Name   string // as Discord shows it
	Bit    int64
	Reason string
}

// Permissions lists what the invite link asks for.
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

// Flags of an application that say which privileged intents are enabled, for a large bot and for a
// small one.
const (
	FlagMembers        = 1 << 14
	FlagMembersLimited = 1 << 15
	FlagContent        = 1 << 18
	FlagContentLimited = 1 << 19
)

// Manager are the permissions of which one lets someone change what holds in a server.
const Manager = discordgo.PermissionAdministrator | discordgo.PermissionManageGuild

// Moderator are the permissions of which one lets someone stop, correct and remove the answers of
// others: whoever may delete them.
const Moderator = Manager | discordgo.PermissionManageMessages
