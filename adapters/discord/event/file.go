package event

import (
	"github.com/bwmarrin/discordgo"
)

// Attachment is a file that came with a message or a command, as Discord tells of it. Fetch reads
// it.
type Attachment struct {
	ID, Name, Media string
	Size            int64
	URL             string
}

// AttachmentOf states what Discord says about a file.
func AttachmentOf(a *discordgo.MessageAttachment) Attachment {
	return Attachment{ID: a.ID, Name: a.Filename, Media: a.ContentType, Size: int64(a.Size), URL: a.URL}
}
