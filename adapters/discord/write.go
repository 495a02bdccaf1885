package discord

import (
	"encoding/json"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// mentionNobody is sent with every create and every edit: an edit without it parses mentions anew, with the platform's defaults.
var mentionNobody = json.RawMessage(`{"parse":[],"replied_user":false}`)

// outgoing is the body of every write. What the SDK's types cannot say is why it is our own: nonce, and flags in edits of replies.
type outgoing struct {
	Content         string                       `json:"content"`
	Flags           int                          `json:"flags"`
	AllowedMentions json.RawMessage              `json:"allowed_mentions"`
	Components      []discordgo.MessageComponent `json:"components"` // never omitted, so that an edit takes buttons away
	Nonce           string                       `json:"nonce,omitempty"`
	EnforceNonce    bool                         `json:"enforce_nonce,omitempty"`
	Reference       *reference                   `json:"message_reference,omitempty"`
	Attachments     []attachment                 `json:"attachments,omitempty"`

	file string // content of the attachment
}

// reference makes a message a reply.
type reference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

// attachment names the only file that a message is to have; the id is that of the part in the same request.
type attachment struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// sentence is a text that nothing has to be laid out of.
func sentence(text string) outgoing {
	return outgoing{
		Content: text, Flags: int(discordgo.MessageFlagsSuppressEmbeds), AllowedMentions: mentionNobody, Components: []discordgo.MessageComponent{},
	}
}

// outgoingOf is a page as it is sent.
func outgoingOf(p Page) outgoing {
	o := sentence(p.Content)
	o.Components = shownButtons(p.Buttons)
	if p.Attachment != "" {
		o.file, o.Attachments = p.Attachment, []attachment{{Name: AttachmentName}}
	}
	return o
}

// stopButton is the custom id of the button that stops an answer: which one is said by the message that it stands under.
const stopButton = "footnote:stop"

// shownButtons are those that do something: what is not handled is not shown.
func shownButtons(wanted []Button) []discordgo.MessageComponent {
	var row discordgo.ActionsRow
	for _, b := range wanted {
		if b.Action == ActionStop {
			row.Components = append(row.Components, discordgo.Button{Label: b.Label, Style: discordgo.SecondaryButton, CustomID: stopButton})
		}
	}
	if len(row.Components) == 0 {
		return []discordgo.MessageComponent{}
	}
	return []discordgo.MessageComponent{row}
}

// encode returns a body and its type. A file makes it a form of several parts.
func encode(body any) (data []byte, contentType string, err error) {
	if o, ok := body.(outgoing); ok && o.file != "" {
		contentType, data, err = discordgo.MultipartBodyWithJSON(o, []*discordgo.File{{
			Name: AttachmentName, ContentType: "text/markdown", Reader: strings.NewReader(o.file),
		}})
		return data, contentType, err
	}
	if body != nil {
		data, err = json.Marshal(body)
	}
	return data, "application/json", err
}
