package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/message"
	api "github.com/slack-go/slack"
)

// Fetch reads the files of a message. It never fails: of a file that cannot be read it says why. The bot's token is sent to Slack's own
// hosts and to no other.
func (c *Reader) Fetch(ctx context.Context, list []event.File) []message.File {
	return attachment.Fetch(ctx, list, func(f event.File) attachment.Head { return attachment.Head{ID: f.ID, Name: f.Name, Media: f.Media} }, c.fetch)
}

func (c *Reader) fetch(ctx context.Context, f event.File) message.File {
	failed := func(sentence string) message.File { return attachment.Unread(f.Name, f.Media, sentence) }
	if f.Ask {
		found, _, _, err := c.slack.API.GetFileInfoContext(ctx, f.ID, 1, 1)
		if err != nil {
			return failed(c.unread(ctx, "files.info", err))
		}
		f = event.Stated(event.FileData{
			ID: found.ID, Name: found.Name, Title: found.Title, Media: found.Mimetype, Mode: found.Mode, Size: int64(found.Size),
			External: found.IsExternal, URL: cmp.Or(found.URLPrivate, "-"),
		})
	}
	if f.Refused != "" {
		return failed(f.Refused)
	}
	into := &bounded{most: attachment.Limit(f.Media)}
	err := c.slack.API.GetFileContext(call.WithLimit(ctx, into.most), f.URL, into)
	switch {
	case into.full || errors.Is(err, call.ErrTooLarge):
		return failed(attachment.SayTooLarge)
	case err != nil:
		return failed(c.unread(ctx, "download a file", err))
	}
	read := attachment.Read(ctx, f.Name, f.Media, into.data.Bytes())
	if strings.HasPrefix(f.Media, "image/") && read.Image == nil && read.Text != "" {
		return failed(event.SayNoFile) // a sign-in page
	}
	return read
}

// unread is the sentence for a file that was not handed out.
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

// bounded takes so many bytes and no more.
type bounded struct {
	data bytes.Buffer
	most int64
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.data.Len()+len(p)) > b.most {
		b.full = true
		return 0, call.ErrTooLarge
	}
	return b.data.Write(p)
}
