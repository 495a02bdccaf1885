package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	api "github.com/slack-go/slack"
)

// mostText is the maximum size in bytes of a file whose text is read. Of larger files, only the
// name is indexed.
const mostText = 256 << 10

// files returns the names of all files, and the text of snippets and other plain-text files.
func (w *Workspace) files(ctx context.Context, list []api.File) (string, error) {
	var lines []string
	for _, f := range list {
		stated := event.Stated(event.FileData{
			ID: f.ID, Name: f.Name, Title: f.Title, Media: f.Mimetype, Mode: f.Mode, Access: f.FileAccess, Size: int64(f.Size), External: f.IsExternal, URL: f.URLPrivate, Download: f.URLPrivateDownload,
		})
		if f.Mode == "tombstone" {
			continue // it was deleted
		}
		lines = append(lines, "(file: "+strings.Join(strings.Fields(cmp.Or(stated.Name, "without a name")), " ")+")")
		if stated.Refused != "" || stated.Ask || stated.Size > mostText || f.Mode != "snippet" && !strings.HasPrefix(stated.Media, "text/") {
			continue
		}
		text, err := w.fileText(ctx, stated)
		if err != nil {
			return "", err
		}
		if text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// fileText reads a plain-text file. It returns "" if a retry would not help, for example without
// the scope files:read.
func (w *Workspace) fileText(ctx context.Context, f event.File) (string, error) {
	data, err := paced(ctx, w, w.slack.Histories, "download a file", func(ctx context.Context) ([]byte, error) {
		into := &bounded{}
		err := w.slack.API.GetFileContext(call.WithLimit(ctx, mostText), f.URL, into)
		if errors.Is(err, call.ErrTooLarge) {
			return nil, nil
		}
		return into.data.Bytes(), err
	})
	var status api.StatusCodeError
	switch {
	case err != nil && strings.Contains(err.Error(), "sign-in page"):
		// the library has no type for this error, only a text
		return "", nil
	case errors.As(err, &status) && status.Code < http.StatusInternalServerError && status.Code != http.StatusTooManyRequests, call.Code(err) != "":
		return "", nil
	case err != nil:
		return "", err
	}
	if strings.HasPrefix(http.DetectContentType(data), "text/html") {
		return "", nil // a sign-in page; Slack redirects there if the bot may not have the file
	}
	return attachment.Read(ctx, f.Name, f.Media, data, &attachment.Room{Text: mostText}).Text, nil
}

type bounded struct{ data bytes.Buffer }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.data.Len()+len(p) > mostText {
		return 0, call.ErrTooLarge
	}
	return b.data.Write(p)
}
