package crashtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// platform is a chat platform in the test's own process, which the processes under test reach
// through a socket. What was posted to it survives their deaths, as it would in the world.
type platform struct {
	mu       sync.Mutex
	next     int
	messages map[thread.MessageID]*post
	creates  int
	doubles  int // messages that a dead process had posted and nobody remembered
}

type post struct {
	ID    thread.MessageID `json:"id"`
	Turn  session.TurnID   `json:"turn"`
	Text  string           `json:"text"`
	Final bool             `json:"final"`
}

// serve answers on a socket until the test ends.
func (p *platform) serve(t *testing.T, socket string) {
	t.Helper()
	p.messages = make(map[thread.MessageID]*post)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for path, handle := range map[string]func(post) any{"/post": p.post, "/edit": p.edit, "/delete": p.remove, "/list": p.list} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			var in post
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			_ = json.NewEncoder(w).Encode(handle(in)) // the caller may be dead
		})
	}
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(listener) }() // ends when it is closed
	t.Cleanup(func() { _ = server.Close() })
}

func (p *platform) post(in post) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	p.creates++
	in.ID = thread.MessageID(fmt.Sprint("p", p.next))
	p.messages[in.ID] = &in
	return in
}

func (p *platform) edit(in post) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.messages[in.ID]; m != nil {
		m.Text, m.Final = in.Text, in.Final
	}
	return in
}

func (p *platform) remove(in post) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doubles++
	delete(p.messages, in.ID)
	return in
}

func (p *platform) list(in post) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := []post{}
	for _, m := range p.messages {
		if m.Turn == in.Turn {
			found = append(found, *m)
		}
	}
	slices.SortFunc(found, func(a, b post) int { return len(a.ID) - len(b.ID) })
	return found
}

// client is the platform as a process under test sees it.
type client struct {
	thread.Forgetful
	thread.Unpaced

	http http.Client
}

func dial(socket string) *client {
	return &client{http: http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 32,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}}
}

var _ thread.Surface[post] = (*client)(nil)

func (c *client) Post(ctx context.Context, _ thread.Ref, page post) (thread.MessageID, error) {
	var made post
	err := c.call(ctx, "/post", page, &made)
	return made.ID, err
}

func (c *client) Edit(ctx context.Context, _ thread.Ref, id thread.MessageID, page post) error {
	page.ID = id
	return c.call(ctx, "/edit", page, new(post))
}

func (c *client) Delete(ctx context.Context, _ thread.Ref, id thread.MessageID) error {
	return c.call(ctx, "/delete", post{ID: id}, new(post))
}

func (c *client) Capabilities() thread.Capabilities { return thread.Capabilities{} }

func (c *client) call(ctx context.Context, path string, in post, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://platform"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(out)
}
