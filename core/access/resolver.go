package access

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrGrants says that a person's grants of sources are not known. Whatever is known else holds
// without it.
var ErrGrants = errors.New("what is held of sources is not known at the moment")

// grantsLimit bounds the question to Grants, which answers within milliseconds: no one waits longer
// for documents of sources.
const grantsLimit = 2 * time.Second

// Rules are what the operator says about people and sources.
type Rules struct {
	Domains []string // whose addresses link accounts to people of sources, in small letters
	// groups of sources that stand for everybody, where others than named people may see an answer
	Covering []Principal
}

// Resolver turns who is present into what all of them hold: the one place where that is decided,
// for questions, private answers, sharing and commands alike. The nil Resolver adds nothing to what
// platforms say. It is safe for concurrent use.
type Resolver struct {
	Grants Grants
	Rules  func() Rules // as they are at the moment; nil: none
}

// Audience is the audience of whoever is present. It is usable with an error, too, which is
// ErrGrants: nothing of sources is among it then.
func (r *Resolver) Audience(ctx context.Context, p Presence) (Audience, error) {
	held, err := r.Held(ctx, p)
	sources := make([]Principal, 0, len(held)-len(p.Held))
	for _, h := range held[len(p.Held):] {
		sources = append(sources, h.Principal)
	}
	return AudienceOf(p.Tenant, p.Held).With(sources...), err
}

// Held returns what everybody who is present holds, what the platform says first. With ErrGrants
// that is all.
func (r *Resolver) Held(ctx context.Context, p Presence) ([]Held, error) {
	held := p.Held[:len(p.Held):len(p.Held)]
	if r == nil || r.Grants == nil {
		return held, nil
	}
	ctx, cancel := context.WithTimeout(ctx, grantsLimit)
	defer cancel()
	of, err := r.ofSources(ctx, p)
	if err != nil {
		return held, fmt.Errorf("%w: %w", ErrGrants, err)
	}
	return append(held, of...), nil
}

// ofSources is what everybody who is present holds of sources. One person holds what the person
// holds, and few people what every one of them does. Where others may come in, it is what the
// operator says that everybody has, and nothing while outsiders take part. Where no person is
// known, such as at a console, it is nothing.
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
