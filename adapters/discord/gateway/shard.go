package gateway

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/sleep"
)

// plan is Discord's response to "Get Gateway Bot", which recommends how to connect.
type plan struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Limit  struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

func planOf(ctx context.Context, a *call.API) (plan, error) {
	var p plan
	ask := call.Request{Doing: "ask for the gateway", Method: http.MethodGet, URL: discordgo.EndpointGatewayBot, Bucket: "GET gateway"}
	err := a.Do(ctx, ask, &p)
	if call.Status(err) == http.StatusNotFound { // a proxy may know only the plain endpoint
		ask.URL = discordgo.EndpointGateway
		err = a.Do(ctx, ask, &p)
	}
	if err == nil && p.URL == "" {
		err = fmt.Errorf("ask for the gateway: Discord named no address")
	}
	p.Shards, p.Limit.Concurrency = max(p.Shards, 1), max(p.Limit.Concurrency, 1)
	return p, err
}

// starts limits how often the shards begin new sessions. The shards are divided into
// max_concurrency lanes, each of which begins one session at a time, followed by a pause. It is
// safe for concurrent use.
type starts struct {
	every time.Duration
	wait  func(context.Context, time.Duration) // is called in a long wait

	mu        sync.Mutex
	lanes     map[int]chan struct{} // hold a token while no shard begins
	keys      int
	total     int // limit per day; 0 if unknown
	remaining int
	resets    time.Time
}

func newStarts(every time.Duration) *starts {
	return &starts{every: every, lanes: make(map[int]chan struct{}), keys: 1, wait: func(context.Context, time.Duration) {}}
}

func (s *starts) update(p plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = p.Limit.Concurrency
	s.total = p.Limit.Total
	s.remaining, s.resets = p.Limit.Remaining, time.Now().Add(time.Duration(p.Limit.ResetAfter)*time.Millisecond)
}

// begin waits until a shard may begin a session. The caller must call end when the session has
// begun or failed to begin.
func (s *starts) begin(ctx context.Context, shard int) (end func(identified bool), err error) {
	if err := s.allowance(ctx); err != nil {
		return nil, err
	}
	lane := s.lane(shard)
	select {
	case <-lane:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var once sync.Once
	return func(identified bool) {
		once.Do(func() {
			if !identified {
				lane <- struct{}{}
				return
			}
			s.mu.Lock()
			s.remaining--
			s.mu.Unlock()
			time.AfterFunc(s.every, func() { lane <- struct{}{} })
		})
	}, nil
}

func (s *starts) allowance(ctx context.Context) error {
	s.mu.Lock()
	after := time.Until(s.resets)
	none := s.total > 0 && s.remaining <= 0 && after > 0
	s.mu.Unlock()
	if !none {
		return nil
	}
	s.wait(ctx, after)
	return sleep.For(ctx, after)
}

// plenty reports whether more than half of the day's sessions are left.
func (s *starts) plenty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remaining > s.total/2 && s.total > 0
}

func (s *starts) lane(shard int) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := shard % s.keys
	if s.lanes[key] == nil {
		s.lanes[key] = make(chan struct{}, 1)
		s.lanes[key] <- struct{}{}
	}
	return s.lanes[key]
}
