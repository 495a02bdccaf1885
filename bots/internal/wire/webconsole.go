package wire

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/review"
)

// Viewer returns what a user of the web console may see now. It returns review.ErrGone if the
// platform says that the account is deactivated.
func (b *Base) Viewer(ctx context.Context, platforms Listeners, person access.Account) (review.Viewer, error) {
	if person.Platform == review.Terminal {
		return b.TerminalViewer(person.ID), nil
	}
	there, err := b.Present(ctx, platforms, person)
	if err != nil {
		return review.Viewer{}, err
	}
	if there.People[0].Gone {
		return review.Viewer{}, review.ErrGone
	}
	audience, err := b.Resolver().Audience(ctx, there)
	if errors.Is(err, access.ErrGrants) { // the audience then has no principals of sources
		b.Logger.WarnContext(ctx, "a person of the console is held to what the platform says", "error", err)
		err = nil
	}
	return review.Viewer{Person: person, Name: there.People[0].Name, Audience: audience}, err
}

// Present asks the platform about one person. It fails if this server does not serve the person's
// workspace.
func (b *Base) Present(ctx context.Context, platforms Listeners, person access.Account) (access.Presence, error) {
	there, err := direct{b.Tenant, platforms}.Alone(ctx, person)
	if err != nil {
		return access.Presence{}, fmt.Errorf("ask the platform about a person: %w", err)
	}
	if there.Tenant != b.Tenant || len(there.People) != 1 || there.People[0].Workspace != person.Workspace || there.People[0].ID != person.ID || there.Open {
		return access.Presence{}, errors.New("this server is not connected to the workspace of the person")
	}
	return there, nil
}

// Member asks the platform whether a person is a full member of a workspace that this server
// serves. Guests, apps and deactivated accounts are not.
func (b *Base) Member(ctx context.Context, platforms Listeners, person access.Account) (bool, error) {
	there, err := direct{b.Tenant, platforms}.Alone(ctx, person)
	// The workspace is known with an error, too.
	if len(there.People) == 1 && there.People[0].Workspace != person.Workspace {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask the platform about a person: %w", err)
	}
	if there.Tenant != b.Tenant || len(there.People) != 1 || there.People[0].ID != person.ID {
		return false, nil
	}
	found := there.People[0]
	return found.Full && !found.Gone && !found.Bot, nil
}

// Trying answers questions from the page "Try it" of the web console. It is safe for concurrent
// use.
type Trying struct {
	base      *Base
	platforms Listeners
	service   chan *mcp.Service // holds the service; nil before the first question
}

// Trying returns the service behind the page "Try it" of the web console.
func (b *Base) Trying(platforms Listeners) *Trying {
	t := &Trying{base: b, platforms: platforms, service: make(chan *mcp.Service, 1)}
	t.service <- nil
	return t
}

// tryChannel is the channel whose settings apply to questions from the web console. It is not a
// valid channel id on any platform.
const tryChannel = "console"

// Ask answers a question of a web-console user from documents that the user may read. The error is
// a review.InputError if it says why there is no answer. progress gets short descriptions of each
// step.
func (t *Trying) Ask(ctx context.Context, person access.Account, question string, progress func(string)) (mcp.Asked, error) {
	service, err := t.made(ctx)
	if err != nil {
		return mcp.Asked{}, err
	}
	caller := service.For(person, mcp.Page)
	if person.Platform == review.Terminal {
		caller = t.base.AtConsole(person.ID)
		caller.Door = mcp.Page
	}
	caller.At.Channel = tryChannel
	caller.Progress = func(_ context.Context, doing string) { progress(doing) }
	asked, err := service.Ask(ctx, caller, question)
	var refusal mcp.Refusal
	if errors.As(err, &refusal) {
		return asked, &review.InputError{Sentence: string(refusal)}
	}
	return asked, err
}

func (t *Trying) made(ctx context.Context) (*mcp.Service, error) {
	var service *mcp.Service
	select {
	case service = <-t.service:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { t.service <- service }()
	var err error
	if service == nil {
		service, err = t.base.MCP(context.WithoutCancel(ctx), t.platforms)
	}
	return service, err
}

// Gaps returns the reader that lists questions that the documents do not answer.
func (b *Base) Gaps() gaps.Reader {
	return gaps.Reader{
		Tenant: b.Tenant, Store: b.Sessions(), Library: library{b.checked()}, Graph: checkedGraph{b.Knowledge(), b.checked().Readable},
		Embedder: b.Embedder, Group: b.grouped.group, Now: time.Now,
	}
}

// grouped caches clusters of similar questions, because clustering 2,000 questions takes 100 ms.
// The key is the exact set of questions, so a viewer never gets other people's questions.
type grouped struct {
	one   chan struct{} // holds a value while a set is clustered: one at a time
	mu    sync.Mutex
	known map[[sha256.Size]byte][][]int
}

// maxGrouped is the number of cached sets above which the cache is emptied.
const maxGrouped = 16

func newGrouped() *grouped { return &grouped{one: make(chan struct{}, 1)} }

// group is a cached gaps.Group. While another caller clusters questions, it waits until that is
// done or ctx ends.
func (g *grouped) group(ctx context.Context, asked []gaps.Asked) ([][]int, error) {
	digest := sha256.New()
	for _, q := range asked {
		fmt.Fprintf(digest, "%s %q\n", q.Turn, q.Text) // the text determines its vector
	}
	key := [sha256.Size]byte(digest.Sum(nil))
	if clusters, ok := g.find(key); ok {
		return clusters, nil
	}
	select {
	case g.one <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-g.one }()
	if clusters, ok := g.find(key); ok {
		return clusters, nil
	}
	clusters, err := gaps.Group(ctx, asked)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.known) >= maxGrouped || g.known == nil {
		g.known = make(map[[sha256.Size]byte][][]int)
	}
	g.known[key] = clusters
	return clusters, nil
}

func (g *grouped) find(key [sha256.Size]byte) ([][]int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	clusters, ok := g.known[key]
	return clusters, ok
}
