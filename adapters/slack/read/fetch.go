package read

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	api "github.com/slack-go/slack"
)

// Fetch reads the files of a message. It never fails: for an unreadable file, it returns a sentence
// with the reason. It sends the bot's token only to Slack's own hosts.
func (c *Reader) Fetch(ctx context.Context, list []event.File) []message.File {
	return attachment.Fetch(ctx, list, attachment.RoomFor(c.slack.Config.MaxFileTokens), head, c.fetch)
}

// Attachments downloads the files of a message one by one and yields their raw data. most is the
// size limit in bytes. A larger file is yielded without data and with a reason.
func (c *Reader) Attachments(ctx context.Context, m chat.Message, most int64) iter.Seq[chat.Attachment] {
	source := event.SourceOf(m.Source)
	if source.FilesUnknown {
		source.Files = c.Attached(ctx, m)
	}
	link := c.slack.Identity().URL + "archives/" + m.Ref.Channel + "/p" + strings.ReplaceAll(string(m.ID), ".", "")
	return func(yield func(chat.Attachment) bool) {
		for a := range attachment.Each(ctx, source.Files, most, head, c.fetch) {
			if a.Link = link; !yield(a) {
				return
			}
		}
	}
}

func head(f event.File) attachment.Head {
	return attachment.Head{ID: f.ID, Name: f.Name, Media: f.Media, Size: f.Size}
}

func (c *Reader) fetch(ctx context.Context, f event.File, into *attachment.Buffer) (_ attachment.Head, refused string) {
	if f.Ask {
		found, _, _, err := c.slack.API.GetFileInfoContext(ctx, f.ID, 1, 1)
		if err != nil {
			return head(f), c.unread(ctx, "files.info", err)
		}
		f = event.Stated(event.FileData{
			ID: found.ID, Name: found.Name, Title: found.Title, Media: found.Mimetype, Mode: found.Mode, Size: int64(found.Size),
			External: found.IsExternal, URL: cmp.Or(found.URLPrivate, "-"),
		})
	}
	if f.Refused != "" && (f.Refused != attachment.SayTooLarge || f.Size > into.Most()) {
		return head(f), f.Refused
	}
	err := c.slack.API.GetFileContext(call.WithLimit(ctx, into.Most()), f.URL, into)
	switch {
	case errors.Is(err, attachment.ErrTooLarge), errors.Is(err, call.ErrTooLarge):
		return head(f), attachment.SayTooLarge
	case err != nil:
		return head(f), c.unread(ctx, "download a file", err)
	case strings.HasPrefix(f.Media, "image/") && strings.HasPrefix(http.DetectContentType(into.Bytes()), "text/"):
		return head(f), event.SayNoFile // a sign-in page
	}
	return head(f), ""
}

func (c *Reader) unread(ctx context.Context, what string, err error) string {
	c.slack.Logger.WarnContext(ctx, "file not read", "method", what, "error", call.Explain(what, err))
	if call.Code(err) == "missing_scope" {
		return event.SayNoScope
	}
	var status api.StatusCodeError
	if errors.As(err, &status) && (status.Code == 401 || status.Code == 403) {
		return event.SayNoScope
	}
	return event.SayNoFile
}
