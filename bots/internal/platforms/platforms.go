// Package platforms holds the chat platforms that a process serves: those whose tokens are set. To
// switch on a new one, describe it in a file and name it in kinds.
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

// kinds are the platforms that there are, in the order in which they are built.
func kinds() []kind { return []kind{slackKind, discordKind} }

// kind is a platform that a process can serve.
type kind struct {
	name    thread.Platform
	setting string // of its token, whose being set switches the platform on
	token   func(*config.Config) config.Secret
	// set has the platforms that were built before
	build func(base *wire.Base, set *Set) (platform, error)
}

// platform is one that the process serves.
type platform struct {
	name    thread.Platform
	chat    chat.Platform
	connect func(context.Context) error         // signs in; its error says what to do
	bind    func(conversation.Services)         // once, before run: which services answer
	use     func(thread.Tiers)                  // shares rate tiers between processes
	run     func(context.Context) error         // receives events; its error is a sentence
	part    func() Part                         // whether its events arrive
	check   func(ctx context.Context) []Finding // what can be wrong with it
	knows   func(ctx context.Context, channel string) (bool, error)
	// with its token, as it counts them; nil: it does not
	sockets func(ctx context.Context) (int, error)
	// what it said of them when this process connected
	counted func() int
	// once connected, rights that it lacks; nil: unknown
	lacking func() []Finding
	// whose turns it takes, once it is connected; nil: of all workspaces
	workspaces func() []string
	pattern    string       // where handler is mounted
	handler    http.Handler // of signed requests; nil where there are none
}

// Set is the platforms of a process. As a chat.Platform it hands each turn to the turn's platform;
// each conversation has its own platform. It is safe for concurrent use once New has returned.
type Set struct {
	chat.Unsupported

	platforms []platform
}

var _ chat.Platform = (*Set)(nil)

// Lacking fails when one of the platforms in only has no token. It says which setting that is.
func Lacking(c *config.Config, only []string) error {
	for _, k := range kinds() {
		if slices.Contains(only, string(k.name)) && k.token(c) == "" {
			return fmt.Errorf("%s was asked for, but %s is not set", k.name, k.setting)
		}
	}
	return nil
}

// New builds the platforms whose tokens are set; only, where not empty, names the ones to take.
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

// Empty reports whether no platform is configured.
func (s *Set) Empty() bool { return len(s.platforms) == 0 }

// Platforms are those that are configured.
func (s *Set) Platforms() []thread.Platform {
	var names []thread.Platform
	for _, p := range s.platforms {
		names = append(names, p.name)
	}
	return names
}

func (s *Set) serves(name thread.Platform) bool { return slices.Contains(s.Platforms(), name) }

// Connect signs in where that is needed before questions are taken. Its error is a sentence that
// says what to do.
func (s *Set) Connect(ctx context.Context) error {
	for _, p := range s.platforms {
		if err := p.connect(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Place says whose turns the process takes.
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

// Bind says which services answer. It is called once, before Run.
func (s *Set) Bind(services conversation.Services) {
	for _, p := range s.platforms {
		p.bind(services)
	}
}

// Use has the platforms' rate tiers shared with other processes; nil leaves each process its part.
// It is called once, before Run.
func (s *Set) Use(tiers thread.Tiers) {
	if tiers == nil {
		return
	}
	for _, p := range s.platforms {
		p.use(tiers)
	}
}

// Run receives events until ctx ends, or one platform cannot be reached with these settings at all;
// that error is a sentence.
func (s *Set) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range s.platforms {
		group.Go(func() error { return p.run(ctx) })
	}
	return group.Wait()
}

// of returns the platform that a thread is on.
func (s *Set) of(at thread.Ref) (chat.Platform, error) {
	if i := slices.IndexFunc(s.platforms, func(p platform) bool { return p.name == at.Platform }); i >= 0 {
		return s.platforms[i].chat, nil
	}
	return nil, fmt.Errorf("this process does not serve %s: %w", at.Platform, errors.ErrUnsupported)
}

// here is of, for what this process has nothing to say about on platforms of other processes.
func (s *Set) here(at thread.Ref) chat.Platform {
	if p, err := s.of(at); err == nil {
		return p
	}
	return chat.Unsupported{}
}

// Features implements chat.Platform.
func (s *Set) Features() chat.Features { return chat.Features{Whispers: true} }

// Open implements chat.Platform.
func (s *Set) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	p, err := s.of(t.Session.Ref)
	if err != nil {
		return nil, fmt.Errorf("open a thread: %w", err)
	}
	return p.Open(ctx, t, permit)
}

// Listeners implements chat.Platform.
func (s *Set) Listeners(ctx context.Context, t session.Turn) (access.Presence, error) {
	p, err := s.of(t.Session.Ref)
	if err != nil {
		return access.Presence{}, fmt.Errorf("ask who listens: %w", err)
	}
	return p.Listeners(ctx, t)
}

// Complete implements chat.Platform.
func (s *Set) Complete(ctx context.Context, t session.Turn) session.Completion {
	return s.here(t.Session.Ref).Complete(ctx, t)
}

// Zone implements chat.Platform.
func (s *Set) Zone(ctx context.Context, t session.Turn) *time.Location {
	return s.here(t.Session.Ref).Zone(ctx, t)
}

// Unfinished implements chat.Platform.
func (s *Set) Unfinished(ctx context.Context, t session.Turn, page session.Page, permit chat.Permit) (bool, error) {
	return s.here(t.Session.Ref).Unfinished(ctx, t, page, permit)
}

// Room implements chat.Platform.
func (s *Set) Room(ctx context.Context, at thread.Ref) (chat.Room, error) {
	p, err := s.of(at)
	if err != nil {
		return chat.Room{}, fmt.Errorf("look up a channel: %w", err)
	}
	return p.Room(ctx, at)
}

// Post implements chat.Platform.
func (s *Set) Post(ctx context.Context, at thread.Ref, n chat.Notice) (thread.MessageID, error) {
	p, err := s.of(at)
	if err != nil {
		return "", fmt.Errorf("post a message: %w", err)
	}
	return p.Post(ctx, at, n)
}

// Posted implements chat.Platform.
func (s *Set) Posted(ctx context.Context, at thread.Ref, n chat.Notice) ([]thread.MessageID, error) {
	return s.here(at).Posted(ctx, at, n)
}

// Delete implements chat.Platform.
func (s *Set) Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	return s.here(at).Delete(ctx, at, id)
}

// Whisper implements chat.Platform.
func (s *Set) Whisper(ctx context.Context, t session.Turn, note chat.Note) error {
	p, err := s.of(t.Session.Ref)
	if err != nil {
		return fmt.Errorf("send a private message: %w", err)
	}
	return p.Whisper(ctx, t, note)
}

const (
	// maxRequest is how many bytes a signed request may have.
	maxRequest = 1 << 20
	// requestsAtOnce is how many of a platform's are held at a time.
	requestsAtOnce = 64
)

// Handler takes the platforms' signed requests; nil where events come over sockets alone.
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

// Part is something outside that the process works with.
type Part struct {
	Name  string
	State string // in words
	Up    bool
	// Optional says that questions are taken in and answered without it.
	Optional bool
}

// Parts tells of each platform whether its events arrive.
func (s *Set) Parts() []Part {
	var parts []Part
	for _, p := range s.platforms {
		parts = append(parts, p.part())
	}
	return parts
}

// Finding is one thing that the doctor looked at.
type Finding struct {
	Part, Text string
	OK         bool
	Optional   bool // the bot works without it
}

// Counted is how many connections with this process's token Slack counted last; 0 where it did not.
func (s *Set) Counted() int {
	for _, p := range s.platforms {
		if p.counted != nil {
			return p.counted()
		}
	}
	return 0
}

// Inspect fills in what the platforms know of an installation. The error joins what could not be
// found out. Where connect is set, Slack is asked for its count of connections by way of another.
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

// Counts reports whether a platform says how many connections use a token.
func (s *Set) Counts() bool {
	return slices.ContainsFunc(s.platforms, func(p platform) bool { return p.counted != nil })
}

// Lacking lists rights that the platforms did not grant, once they are connected.
func (s *Set) Lacking() []Finding {
	var all []Finding
	for _, p := range s.platforms {
		if p.lacking != nil {
			all = append(all, p.lacking()...)
		}
	}
	return all
}

// Check looks at everything that can be wrong with the tokens, their rights, and what the platforms
// allow.
func (s *Set) Check(ctx context.Context) []Finding {
	var all []Finding
	for _, p := range s.platforms {
		all = append(all, p.check(ctx)...)
	}
	return all
}
