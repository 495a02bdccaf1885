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

// Viewer returns what a person of the console may see at this moment. platforms identify people.
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

// Present returns the presence of one person, as the platform reports it now. It fails if this
// server does not serve the person's workspace.
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

// Member reports whether a person is a full member of a workspace that this server serves, as the
// platform says at this moment. Guests, apps and deactivated accounts are not.
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

// Trying answers questions of the console's page Try it. It builds its parts at the first question.
// It is safe for concurrent use.
type Trying struct {
	base      *Base
	platforms Listeners
	service   chan *mcp.Service // holds the service; nil before the first question
}

// Trying returns the service that answers questions of the console. platforms identify people.
func (b *Base) Trying(platforms Listeners) *Trying {
	t := &Trying{base: b, platforms: platforms, service: make(chan *mcp.Service, 1)}
	t.service <- nil
	return t
}

// tryChannel is the channel name whose settings apply to questions of the console. No platform uses
// it as an id.
const tryChannel = "console"

// Ask answers a question for a person of the console, from documents that the person may read. It
// fails with a review.InputError that says why there is no answer.
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

// Gaps returns the reader that finds questions that the documents do not answer.
func (b *Base) Gaps() gaps.Reader {
	return gaps.Reader{
		Tenant: b.Tenant, Store: b.Sessions(), Library: library{b.checked()}, Graph: checkedGraph{b.Knowledge(), b.checked().Readable},
		Embedder: b.Embedder, Group: b.grouped.group, Now: time.Now,
	}
}

// grouped caches the clusters of sets of questions. Clustering 2,000 questions takes 100 ms.
// Callers pass only the questions that a viewer may see.
type grouped struct {
	one   chan struct{} // holds a value while a set is clustered: one at a time
	mu    sync.Mutex
	known map[[sha256.Size]byte][][]int
}

// maxGrouped is how many sets are cached before the cache is emptied.
const maxGrouped = 16

func newGrouped() *grouped { return &grouped{one: make(chan struct{}, 1)} }

// group is gaps.Group with a cache. If another caller clusters the same set, group waits until that
// is done or ctx ends.
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
