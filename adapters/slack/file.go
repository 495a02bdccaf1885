package slack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/core/message"
	api "github.com/slack-go/slack"
	"golang.org/x/sync/errgroup"
)

// File is a file on a message, as Slack tells of it. Fetch reads it.
type File struct {
	ID, Name, Media string
	Size            int64
	url             string
	refused         string // why it cannot be read, as a sentence; empty when it can
	ask             bool   // Slack tells what it is only when asked
}

// The sentences of files that Slack does not hand out.
const (
	sayElsewhere = "It is kept outside of Slack. Attach the file itself."
	sayGone      = "It was deleted."
	sayHidden    = "Slack hides it, because the workspace has reached the limit of its plan."
	sayNoScope   = "The bot may not read files in Slack. Whoever runs it can add the scope files:read."
	sayNoFile    = "Slack did not hand it out. Attach it again."
)

// filesLimit bounds the fetching of all files of a message.
const filesLimit = 8 * time.Second

// files states what Slack says about a message's files.
func (c *Client) files(list []file) []File {
	var out []File
	for _, f := range list {
		out = append(out, stated(f))
	}
	return out
}

func stated(f file) File {
	out := File{ID: f.ID, Name: cmp.Or(f.Name, f.Title, f.ID), Media: f.Media, Size: f.Size, url: cmp.Or(f.URL, f.Download)}
	switch {
	case f.Mode == "tombstone" || f.Access == "file_not_found":
		out.refused = sayGone
	case f.Mode == "hidden_by_limit":
		out.refused = sayHidden
	case f.Access == "access_denied":
		out.refused = sayNoFile
	case f.Access == "check_file_info" || out.url == "":
		out.ask = true
	case f.External || f.Mode == "external":
		out.refused = sayElsewhere
	case f.Size > attachment.Limit(f.Media):
		out.refused = attachment.SayTooLarge
	}
	return out
}

// Fetch reads the files of a message. It never fails: of a file that cannot be read it says why. The bot's token is sent to Slack's own
// hosts and to no other.
func (c *Client) Fetch(ctx context.Context, list []File) []message.File {
	if len(list) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, filesLimit)
	defer cancel()
	out := make([]message.File, len(list))
	var group errgroup.Group
	group.SetLimit(4)
	for i, f := range list {
		if i >= attachment.MaxFiles {
			out[i] = attachment.Unread(f.Name, f.Media, attachment.SayTooMany)
			continue
		}
		group.Go(func() error {
			out[i] = c.fetch(ctx, f)
			return nil
		})
	}
	_ = group.Wait() // nothing of it fails
	for i, f := range list {
		out[i].ID = message.FileID(f.ID)
	}
	return out
}

func (c *Client) fetch(ctx context.Context, f File) message.File {
	failed := func(sentence string) message.File { return attachment.Unread(f.Name, f.Media, sentence) }
	if f.ask {
		found, _, _, err := c.api.GetFileInfoContext(ctx, f.ID, 1, 1)
		if err != nil {
			return failed(c.unread(ctx, "files.info", err))
		}
		f = stated(file{
			ID: found.ID, Name: found.Name, Title: found.Title, Media: found.Mimetype, Mode: found.Mode, Size: int64(found.Size),
			External: found.IsExternal, URL: cmp.Or(found.URLPrivate, "-"),
		})
	}
	if f.refused != "" {
		return failed(f.refused)
	}
	into := &bounded{most: attachment.Limit(f.Media)}
	err := c.api.GetFileContext(context.WithValue(ctx, mostKey{}, into.most), f.url, into)
	switch {
	case into.full || errors.Is(err, errFull):
		return failed(attachment.SayTooLarge)
	case err != nil:
		return failed(c.unread(ctx, "download a file", err))
	}
	read := attachment.Read(ctx, f.Name, f.Media, into.data.Bytes())
	if strings.HasPrefix(f.Media, "image/") && read.Image == nil && read.Text != "" {
		return failed(sayNoFile) // a sign-in page
	}
	return read
}

// unread is the sentence for a file that was not handed out.
func (c *Client) unread(ctx context.Context, what string, err error) string {
	c.logger.WarnContext(ctx, "file not read", "method", what, "error", explain(what, err))
	if code(err) == "missing_scope" {
		return sayNoScope
	}
	var status api.StatusCodeError
	if errors.As(err, &status) && (status.Code == 401 || status.Code == 403) {
		return sayNoScope
	}
	return sayNoFile
}

// bounded takes so many bytes and no more.
type bounded struct {
	data bytes.Buffer
	most int64
	full bool
}

var errFull = errors.New("the file is larger than Slack said")

// mostKey is the key of a context under which a download finds how many bytes are worth fetching.
type mostKey struct{}

// measured fetches no file that says itself that it is too large.
type measured struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (m *measured) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := m.next.RoundTrip(r)
	if most, ok := r.Context().Value(mostKey{}).(int64); err == nil && ok && res.ContentLength > most {
		_ = res.Body.Close() // of a file that is not wanted
		return nil, errFull
	}
	return res, err
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.data.Len()+len(p)) > b.most {
		b.full = true
		return 0, errFull
	}
	return b.data.Write(p)
}

// twins lets the two events of one message know of each other: app_mention does not tell of files, and the message event does.
type twins struct {
	absent atomic.Bool // the last mention had none in time, and no message event has come since

	mu   sync.Mutex
	seen map[string]*twin
}

type twin struct {
	files []File
	told  chan struct{} // closed when the message event has come
	at    time.Time
}

// twinAge is how long a twin is waited for or remembered.
const (
	twinAge  = time.Minute
	twinWait = 250 * time.Millisecond // a sign that the question was seen is due within 300 ms
	maxTwins = 4096
)

// of returns the twin of a message, a new one if need be.
func (t *twins) of(channel, ts string) *twin {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = make(map[string]*twin)
	}
	key := channel + " " + ts
	if found := t.seen[key]; found != nil {
		return found
	}
	if now := time.Now(); len(t.seen) >= maxTwins {
		for key, old := range t.seen {
			if now.Sub(old.at) > twinAge {
				delete(t.seen, key)
			}
		}
	}
	found := &twin{told: make(chan struct{}), at: time.Now()}
	t.seen[key] = found
	return found
}

// tell notes the files of a message event.
func (t *twins) tell(channel, ts string, files []File) {
	t.absent.Store(false)
	found := t.of(channel, ts)
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-found.told:
	default:
		found.files = files
		close(found.told)
	}
}

// Attached returns the files of a message whose event does not tell of them: those of its other event, which is waited for a moment, and
// else what Slack says when it is asked. Without the right to read the channel, and when much is being read already, it is none: a
// question is not held up for the files that it may have.
func (c *Client) Attached(ctx context.Context, m Message) []File {
	if !c.mayRead(m.Ref.Channel) {
		return nil
	}
	found := c.twins.of(m.Ref.Channel, string(m.ID))
	wait := twinWait
	if c.twins.absent.Load() {
		wait = 0 // the app hears of mentions alone, it seems
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-found.told:
		return found.files
	default:
	}
	select {
	case <-found.told:
		return found.files
	case <-ctx.Done():
		return nil
	case <-timer.C:
		c.twins.absent.Store(true)
	}
	if !c.reads.Allow() {
		return nil
	}
	read, err := c.one(ctx, m.Ref, m.ID)
	if err != nil {
		c.logger.WarnContext(ctx, "whether a message has files is not known", "error", err)
		return nil
	}
	return read.Files
}
