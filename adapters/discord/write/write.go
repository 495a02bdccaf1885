package write

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/thread"
)

// mentionNobody is an allowed_mentions value that disallows all mentions. Without such a value, an
// edit applies Discord's defaults.
var mentionNobody = json.RawMessage(`{"parse":[],"replied_user":false}`)

// outgoing is the JSON body of a call that creates or edits a message. It has fields that the SDK's
// types lack.
type outgoing struct {
	Content         string          `json:"content"`
	Flags           int             `json:"flags"`
	AllowedMentions json.RawMessage `json:"allowed_mentions"`
	// never omitted, so that an edit removes buttons
	Components   []discordgo.MessageComponent `json:"components"`
	Nonce        string                       `json:"nonce,omitempty"`
	EnforceNonce bool                         `json:"enforce_nonce,omitempty"`
	Reference    *reference                   `json:"message_reference,omitempty"`
	// never omitted; an empty list in an edit removes the file
	Attachments []uploaded `json:"attachments"`

	attached string // content of the attachment
}

type reference struct {
	MessageID       string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

// uploaded describes the only file of a message. ID is the number of the file's part in the
// request.
type uploaded struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// sentence returns the body for a text, with mentions and previews disabled.
func sentence(text string) outgoing {
	return outgoing{
		Content: text, Flags: int(discordgo.MessageFlagsSuppressEmbeds), AllowedMentions: mentionNobody, Components: []discordgo.MessageComponent{},
		Attachments: []uploaded{},
	}
}

// plain is like sentence, but first removes control and invisible characters from the text.
func plain(text string) outgoing { return sentence(answer.Visible(text)) }

func (s *Surface) outgoing(p render.Page) outgoing {
	o := sentence(p.Content)
	o.Components = s.rows(p)
	if p.Attachment != "" {
		o.attached, o.Attachments = p.Attachment, []uploaded{{Name: render.AttachmentName}}
	}
	return o
}

// post creates a message. If the bot may not reply because it cannot read earlier messages, post
// creates a message that is not a reply.
func (c *Writer) post(ctx context.Context, r call.Request, body outgoing, out *call.Posted) error {
	r.Body = body
	err := c.discord.API.Do(ctx, r, out)
	if body.Reference == nil || call.Code(err) != call.CodeNoReply {
		return err
	}
	body.Reference, r.Paid = nil, false
	r.Body = body
	return c.discord.API.Do(ctx, r, out)
}

// rows returns the buttons below a page: first the actions on the answer, then the sources.
func (s *Surface) rows(p render.Page) []discordgo.MessageComponent {
	rows := buttonRow(p.Buttons, string(s.turn.ID))
	if p.Done && s.client.discord.Config.Gateway.NoMessageContent && s.turn.Session.Ref.Workspace != "" && len(rows) > 0 {
		// The bot cannot read messages here unless they mention it, but it can read a form.
		first := rows[0].(discordgo.ActionsRow)
		ask := discordgo.Button{Label: "Ask a follow-up", Style: discordgo.SecondaryButton, CustomID: event.ButtonFollowUp + s.turn.Session.Ref.Thread}
		if len(first.Components) < maxRow {
			first.Components = append(first.Components, ask)
			rows[0] = first
		} else {
			rows = append(rows, discordgo.ActionsRow{Components: []discordgo.MessageComponent{ask}})
		}
	}
	var links discordgo.ActionsRow
	for _, l := range p.Links {
		links.Components = append(links.Components, discordgo.Button{Label: l.Label, Style: discordgo.LinkButton, URL: l.URL})
	}
	if len(links.Components) > 0 {
		rows = append(rows, links)
	}
	return rows
}

const maxRow = 5

func buttonRow(list []thread.Button, turn string) []discordgo.MessageComponent {
	rows := []discordgo.MessageComponent{}
	var row discordgo.ActionsRow
	for _, b := range list[:min(len(list), maxRow)] {
		style := discordgo.SecondaryButton
		if b.Primary {
			style = discordgo.PrimaryButton
		}
		row.Components = append(row.Components, discordgo.Button{Label: answer.Line(b.Label), Style: style, CustomID: thread.ButtonID(b.Action, turn)})
	}
	if len(row.Components) > 0 {
		rows = append(rows, row)
	}
	return rows
}

// File returns the attached file, or nil.
func (o outgoing) File() *discordgo.File {
	if o.attached == "" {
		return nil
	}
	return &discordgo.File{Name: render.AttachmentName, ContentType: "text/markdown", Reader: strings.NewReader(o.attached)}
}
