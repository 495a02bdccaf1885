// Package platforms holds the chat platforms that a process serves: those whose tokens are set. To
// add a platform, describe it in a file and list it in kinds.
package platforms

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/hook"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/checkup"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/sync/errgroup"
)

func kinds() []kind { return []kind{slackKind, discordKind} }

type kind struct {
	name    thread.Platform
	setting string // setting of the token; the platform is enabled if it has a value
	token   func(*config.Config) config.Secret
	// build creates the platform. set holds the platforms that were built before.
	build func(base *wire.Base, set *Set) (platform, error)
}

type platform struct {
	name    thread.Platform
	chat    chat.Platform
	connect func(context.Context) error // signs in; its error says what to do
	// sets the services that answer; called once, before run
	bind  func(conversation.Services)
	use   func(thread.Tiers)                  // shares rate tiers between processes
	run   func(context.Context) error         // receives events; its error is a sentence
	part  func() Part                         // state of the connection that receives events
	check func(ctx context.Context) []Finding // checks everything that can be wrong
	knows func(ctx context.Context, channel string) (bool, error)
	// sockets returns the platform's count of connections with its token; nil: not counted.
	sockets func(ctx context.Context) (int, error)
	// counted returns the platform's count when this process connected.
	counted func() (sockets int, at time.Time)
	// lacking returns the rights that the token lacks, once connected; nil: unknown.
	lacking func() []Finding
	// workspaces returns the workspaces whose turns the platform takes, once connected; nil: all.
	workspaces func() []string
	pattern    string       // route of handler
	handler    http.Handler // receives signed requests; nil: none are received
}

// Set is the chat platforms that a process serves. As a chat.Platform, it passes each call to the
// platform of the thread. It is safe for concurrent use.
type Set struct {
	chat.Unsupported

	platforms []platform
}

var _ chat.Platform = (*Set)(nil)

// Lacking returns an error that names the missing setting if a platform in only has no token.
func Lacking(c *config.Config, only []string) error {
	for _, k := range kinds() {
		if slices.Contains(only, string(k.name)) && k.token(c) == "" {
			return fmt.Errorf("%s was asked for, but %s is not set", k.name, k.setting)
		}
	}
	return nil
}

// New builds the platforms whose tokens are set. If only is not empty, New builds only the
// platforms that only names.
func New(base *wire.Base, only []string) (*Set, error) {
	s := &Set{}
	for _, k := range kinds() {
		if len(only) > 0 && !slices.Contains(only, string(k.name)) || k.token(base.Config) == "" {
			continue
		}
		p, err := k.build(base, s)
		if err != nil {
			return nil, err
		}
		p.name = k.name
		s.platforms = append(s.platforms, p)
	}
	return s, nil
}

// Empty reports whether no platform has a token.
func (s *Set) Empty() bool { return len(s.platforms) == 0 }

// Platforms returns the names of the platforms.
func (s *Set) Platforms() []thread.Platform {
	var names []thread.Platform
	for _, p := range s.platforms {
		names = append(names, p.name)
	}
	return names
}

func (s *Set) serves(name thread.Platform) bool { return slices.Contains(s.Platforms(), name) }

// Connect signs in to the platforms that need it before they can receive questions. The error is a
// sentence that says what to do.
func (s *Set) Connect(ctx context.Context) error {
	for _, p := range s.platforms {
		if err := p.connect(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Place returns the platforms and workspaces whose questions the process answers.
func (s *Set) Place() wire.Place {
	place := wire.Place{Surfaces: s, Platforms: s.Platforms()}
	for _, p := range s.platforms {
		if p.workspaces == nil {
			place.Workspaces = nil
			break
		}
		place.Workspaces = append(place.Workspaces, p.workspaces()...)
	}
	return place
}

// Bind sets the services that answer questions. Call it once, before Run.
func (s *Set) Bind(services conversation.Services) {
	for _, p := range s.platforms {
		p.bind(services)
	}
}

// Use shares rate limits with other processes through tiers. If tiers is nil, each process limits
// only itself. Call it once, before Run.
func (s *Set) Use(tiers thread.Tiers) {
	if tiers == nil {
		return
	}
	for _, p := range s.platforms {
		p.use(tiers)
	}
}

// Run receives events until ctx ends, or until a platform cannot be reached with these settings.
// The error is a sentence.
func (s *Set) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range s.platforms {
		group.Go(func() error { return p.run(ctx) })
	}
	return group.Wait()
}

// platformOf returns notServed if this process does not serve the thread's platform.
func (s *Set) platformOf(at thread.Ref) (chat.Platform, error) {
	if i := slices.IndexFunc(s.platforms, func(p platform) bool { return p.name == at.Platform }); i >= 0 {
		return s.platforms[i].chat, nil
	}
	return nil, notServed(at.Platform)
}

type notServed thread.Platform

// Error implements error.
func (p notServed) Error() string {
	return fmt.Sprintf("this process does not serve %s: run footnote doctor to see which settings are missing", string(p))
}

// Unwrap returns errors.ErrUnsupported.
func (notServed) Unwrap() error { return errors.ErrUnsupported }

// platformOrNone returns chat.Unsupported if this process does not serve the thread's platform. It
// is for calls that then need no effect.
func (s *Set) platformOrNone(at thread.Ref) chat.Platform {
	if p, err := s.platformOf(at); err == nil {
		return p
	}
	return chat.Unsupported{}
}

// Features implements chat.Platform.
func (s *Set) Features(at thread.Ref) chat.Features { return s.platformOrNone(at).Features(at) }

// Open implements chat.Platform.
func (s *Set) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	p, err := s.platformOf(t.Session.Ref)
	if err != nil {
		return nil, fmt.Errorf("open a thread: %w", err)
	}
	return p.Open(ctx, t, permit)
}

// Listeners implements chat.Platform.
func (s *Set) Listeners(ctx context.Context, t session.Turn) (access.Presence, error) {
	p, err := s.platformOf(t.Session.Ref)
	if err != nil {
		return access.Presence{}, fmt.Errorf("ask who listens: %w", err)
	}
	return p.Listeners(ctx, t)
}

// Complete implements chat.Platform.
func (s *Set) Complete(ctx context.Context, t session.Turn) session.Completion {
	return s.platformOrNone(t.Session.Ref).Complete(ctx, t)
}

// Zone implements chat.Platform.
func (s *Set) Zone(ctx context.Context, t session.Turn) *time.Location {
	return s.platformOrNone(t.Session.Ref).Zone(ctx, t)
}

// Written implements chat.Platform.
func (s *Set) Written(ctx context.Context, t session.Turn, page session.Page, permit chat.Permit) (string, bool, error) {
	return s.platformOrNone(t.Session.Ref).Written(ctx, t, page, permit)
}

// Room implements chat.Platform.
func (s *Set) Room(ctx context.Context, at thread.Ref) (chat.Room, error) {
	p, err := s.platformOf(at)
	if err != nil {
		return chat.Room{}, fmt.Errorf("look up a channel: %w", err)
	}
	return p.Room(ctx, at)
}

// Post implements chat.Platform.
func (s *Set) Post(ctx context.Context, at thread.Ref, n chat.Notice) (thread.MessageID, error) {
	p, err := s.platformOf(at)
	if err != nil {
		return "", fmt.Errorf("post a message: %w", err)
	}
	return p.Post(ctx, at, n)
}

// Posted implements chat.Platform.
func (s *Set) Posted(ctx context.Context, at thread.Ref, n chat.Notice) ([]thread.MessageID, error) {
	return s.platformOrNone(at).Posted(ctx, at, n)
}

// Delete implements chat.Platform.
func (s *Set) Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	return s.platformOrNone(at).Delete(ctx, at, id)
}

// Whisper implements chat.Platform.
func (s *Set) Whisper(ctx context.Context, t session.Turn, note chat.Note) error {
	p, err := s.platformOf(t.Session.Ref)
	if err != nil {
		return fmt.Errorf("send a private message: %w", err)
	}
	return p.Whisper(ctx, t, note)
}

const (
	// maxRequest is the largest signed request, in bytes.
	maxRequest = 1 << 20
	// requestsAtOnce limits the requests of a platform that are in memory at a time.
	requestsAtOnce = 64
)

// Handler returns the handler for signed HTTP requests from the platforms, or nil if all events
// come over WebSockets.
func (s *Set) Handler() http.Handler {
	var mux *http.ServeMux
	for _, p := range s.platforms {
		if p.handler == nil {
			continue
		}
		if mux == nil {
			mux = http.NewServeMux()
		}
		mux.Handle(p.pattern, hook.Bounded(maxRequest, requestsAtOnce, p.handler))
	}
	if mux == nil {
		return nil
	}
	return mux
}

// Part is the state of an external system that the process needs, such as Slack.
type Part struct {
	Name  string
	State string // a sentence or a few words
	Up    bool
	// Optional reports that the process takes and answers questions without the part.
	Optional bool
}

// Parts returns the state of each platform's connection.
func (s *Set) Parts() []Part {
	var parts []Part
	for _, p := range s.platforms {
		parts = append(parts, p.part())
	}
	return parts
}

// Finding is one result of `footnote doctor`.
type Finding struct {
	Part, Text string
	OK         bool
	Optional   bool // the bot works without it
}

// Counted returns how many connections Slack counted for this process's token when it last
// connected, and when that was. The number is 0 if it is unknown.
func (s *Set) Counted() (sockets int, at time.Time) {
	for _, p := range s.platforms {
		if p.counted != nil {
			return p.counted()
		}
	}
	return 0, time.Time{}
}

// Inspect adds to state the platforms, and the configured channels that a platform does not know.
// If connect is set, it also opens a connection to Slack to learn how many there are. The error
// joins all failed look-ups.
func (s *Set) Inspect(ctx context.Context, state *checkup.State, connect bool) error {
	var faults []error
	for _, p := range s.platforms {
		name := string(p.name)
		state.Platforms = append(state.Platforms, name)
		for _, channel := range state.Named(name) {
			known, err := p.knows(ctx, channel)
			switch {
			case err != nil:
				faults = append(faults, fmt.Errorf("look for the channel %s of %s: %w", channel, name, err))
			case !known:
				state.Missing = append(state.Missing, checkup.Channel{Platform: name, ID: channel})
			}
		}
		if p.sockets == nil || !connect {
			continue
		}
		var err error
		if state.Sockets, err = p.sockets(ctx); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// Counts reports whether a platform says how many connections use its token.
func (s *Set) Counts() bool {
	return slices.ContainsFunc(s.platforms, func(p platform) bool { return p.counted != nil })
}

// Lacking returns the permissions that the bot's tokens lack. It must be called after Connect.
func (s *Set) Lacking() []Finding {
	var all []Finding
	for _, p := range s.platforms {
		if p.lacking != nil {
			all = append(all, p.lacking()...)
		}
	}
	return all
}

// Check returns findings on the tokens, their permissions and the platforms' limits.
func (s *Set) Check(ctx context.Context) []Finding {
	var all []Finding
	for _, p := range s.platforms {
		all = append(all, p.check(ctx)...)
	}
	return all
}
