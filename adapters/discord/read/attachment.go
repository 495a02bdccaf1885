package read

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/core/message"
)

var fileHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

const (
	sayNoFile  = "Discord did not hand it out. Attach it again."
	sayNotHere = "It is not kept by Discord. Attach the file itself."
)

// Fetch reads files. It never fails: of a file that cannot be read it says why. The bot's token is not sent.
func (c *Reader) Fetch(ctx context.Context, list []event.Attachment) []message.File {
	return attachment.Fetch(ctx, list, func(a event.Attachment) attachment.Head {
		return attachment.Head{ID: a.ID, Name: a.Name, Media: a.Media}
	}, c.fetch)
}

// unread is a file that could not be read, under its clean name.
func unread(a event.Attachment, sentence string) message.File {
	return attachment.Unread(a.Name, a.Media, sentence)
}

func (c *Reader) fetch(ctx context.Context, a event.Attachment) message.File {
	switch {
	case !c.keeps(a.URL):
		return unread(a, sayNotHere)
	case a.Size > attachment.Limit(a.Media):
		return unread(a, attachment.SayTooLarge)
	}
	data, err := c.download(ctx, a.URL, attachment.Limit(a.Media))
	switch {
	case err != nil:
		c.discord.Logger.WarnContext(ctx, "file not read", "file", a.ID, "error", err)
		return unread(a, sayNoFile)
	case data == nil:
		return unread(a, attachment.SayTooLarge)
	}
	return attachment.Read(ctx, a.Name, a.Media, data)
}

// keeps reports whether an address is one at which Discord keeps files. Behind another DISCORD_API_URL its host counts too.
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

// download reads a file, nil when it is larger than it may be.
func (c *Reader) download(ctx context.Context, address string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	res, err := c.discord.Files.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // what was read is judged by itself
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch a file: %s", res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", err)
	}
	if int64(len(data)) > most {
		return nil, nil
	}
	return data, nil
}
