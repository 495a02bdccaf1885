package event

import (
	"github.com/bwmarrin/discordgo"
)

// Attachment describes a file of a message or command. It does not hold the content.
type Attachment struct {
	ID, Name, Media string
	Size            int64
	URL             string
}

// AttachmentOf converts Discord's description of a file to an [Attachment].
func AttachmentOf(a *discordgo.MessageAttachment) Attachment {
	return Attachment{ID: a.ID, Name: a.Filename, Media: a.ContentType, Size: int64(a.Size), URL: a.URL}
}
