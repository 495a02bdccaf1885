package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
)

var fileHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

const (
	sayNoFile  = "Discord did not hand it out. Attach it again."
	sayNotHere = "It is not kept by Discord. Attach the file itself."
)

// Fetch downloads files without the bot's token. It returns no error. If a file cannot be read, its
// File states the reason.
func (c *Reader) Fetch(ctx context.Context, list []event.Attachment) []message.File {
	return attachment.Fetch(ctx, list, attachment.RoomFor(c.discord.Config.MaxFileTokens), head, c.fetch)
}

// Attachments downloads the files of a message one by one and yields them unconverted. most is the
// size limit in bytes. A larger file is yielded without content and with a reason.
func (c *Reader) Attachments(ctx context.Context, m chat.Message, most int64) iter.Seq[chat.Attachment] {
	server := cmp.Or(m.Ref.Workspace, "@me")
	link := "https://discord.com/channels/" + server + "/" + m.At.Thread + "/" + string(m.ID)
	return func(yield func(chat.Attachment) bool) {
		for a := range attachment.Each(ctx, event.SourceOf(m.Source).Files, most, head, c.fetch) {
			if a.Link = link; !yield(a) {
				return
			}
		}
	}
}

func head(a event.Attachment) attachment.Head {
	return attachment.Head{ID: a.ID, Name: a.Name, Media: a.Media, Size: a.Size}
}

func (c *Reader) fetch(ctx context.Context, a event.Attachment, into *attachment.Buffer) (_ attachment.Head, refused string) {
	switch {
	case !c.keeps(a.URL):
		return head(a), sayNotHere
	case a.Size > into.Most():
		return head(a), attachment.SayTooLarge
	}
	err := c.download(ctx, a.URL, into)
	switch {
	case errors.Is(err, attachment.ErrTooLarge):
		return head(a), attachment.SayTooLarge
	case err != nil:
		c.discord.Logger.WarnContext(ctx, "file not read", "file", a.ID, "error", err)
		return head(a), sayNoFile
	}
	return head(a), ""
}

// keeps reports whether an address is in Discord's file storage or on the host of DISCORD_API_URL.
func (c *Reader) keeps(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil {
		return false
	}
	if c.discord.Address.String() != call.DefaultAPI && u.Host == c.discord.Address.Host && u.Scheme == c.discord.Address.Scheme {
		return true
	}
	return u.Scheme == "https" && u.Port() == "" && slices.Contains(fileHosts, strings.ToLower(u.Hostname()))
}

func (c *Reader) download(ctx context.Context, address string, into *attachment.Buffer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("fetch a file: %w", err)
	}
	res, err := c.discord.Files.Do(req)
	if err != nil {
		return fmt.Errorf("fetch a file: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // the content that was read is checked separately
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch a file: %s", res.Status)
	}
	if _, err := io.Copy(into, res.Body); err != nil {
		return fmt.Errorf("fetch a file: %w", err)
	}
	return nil
}
