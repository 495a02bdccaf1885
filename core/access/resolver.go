package access

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrGrants means that people's permissions in document sources are currently unknown. Their
// permissions on the chat platform are still valid.
var ErrGrants = errors.New("what is held of sources is not known at the moment")

// grantsTimeout limits a call of Grants, which normally takes milliseconds.
const grantsTimeout = 2 * time.Second

// Rules are the operator's settings for linking people and groups in document sources to a chat
// platform.
type Rules struct {
	Domains []string // domains, in lower case, whose addresses link accounts to people in sources
	// Covering are groups of sources that cover everyone. They are used if people outside
	// Presence.People may see an answer.
	Covering []Principal
}

// Resolver computes the principals that everyone present in a conversation holds. A nil Resolver
// returns only the principals that the chat platform reports. It is safe for concurrent use.
type Resolver struct {
	Grants Grants
	Rules  func() Rules // returns the current rules; may be nil
}

// Audience returns the audience of the people present. If the error wraps [ErrGrants], the audience
// is valid but lacks the principals held in document sources.
func (r *Resolver) Audience(ctx context.Context, p Presence) (Audience, error) {
	held, err := r.Held(ctx, p)
	sources := make([]Principal, 0, len(held)-len(p.Held))
	for _, h := range held[len(p.Held):] {
		sources = append(sources, h.Principal)
	}
	return AudienceOf(p.Tenant, p.Held).With(sources...), err
}

// Held returns the principals that everyone present holds. Principals on the chat platform come
// first. If the error wraps [ErrGrants], the result has no principals in document sources.
func (r *Resolver) Held(ctx context.Context, p Presence) ([]Held, error) {
	held := p.Held[:len(p.Held):len(p.Held)]
	if r == nil || r.Grants == nil {
		return held, nil
	}
	ctx, cancel := context.WithTimeout(ctx, grantsTimeout)
	defer cancel()
	of, err := r.ofSources(ctx, p)
	if err != nil {
		return held, fmt.Errorf("%w: %w", ErrGrants, err)
	}
	return append(held, of...), nil
}

// ofSources returns the principals in document sources that everyone present holds. In an open or
// large conversation, it returns only the groups that cover everyone, and none if guests are
// present. If no person is known, it returns none.
func (r *Resolver) ofSources(ctx context.Context, p Presence) ([]Held, error) {
	var rules Rules
	if r.Rules != nil {
		rules = r.Rules()
	}
	principals := make([]Principal, len(p.Held))
	for i, h := range p.Held {
		principals[i] = h.Principal
	}
	switch {
	case p.Open || len(p.People) > MostNamed:
		if p.Outsiders || len(rules.Covering) == 0 {
			return nil, nil
		}
		return r.Grants.Covers(ctx, p.Tenant, rules.Covering, principals)
	case len(p.People) == 0:
		return nil, nil
	default:
		listeners := make([]Listener, len(p.People))
		for i, account := range p.People {
			listeners[i] = Listener{Account: account, Held: principals}
		}
		return r.Grants.Common(ctx, p.Tenant, listeners, rules.Domains)
	}
}
