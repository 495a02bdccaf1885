package wire

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/sources"
)

// Resolver returns the resolver that computes which principals all people in a conversation share.
func (b *Base) Resolver() *access.Resolver {
	return &access.Resolver{Grants: pgaccess.New(b.DB), Rules: func() access.Rules { return b.File().Rules() }}
}

// Advice is a finding about people and groups, which the operator may want to act on.
type Advice struct {
	Part, Text string
	OK         bool // there is nothing to decide
}

const proposals = 3

// CheckPeople reports how many people of each source are matched with chat accounts. It also
// proposes e-mail domains that would match more of them, and groups that could count as everyone.
func (b *Base) CheckPeople(ctx context.Context) ([]Advice, error) {
	store, rules := pgaccess.New(b.DB), b.File().Rules()
	matches, err := store.Matches(ctx, b.Tenant, rules.Domains)
	if err != nil || len(matches) == 0 {
		return nil, err
	}
	all := matched(matches)
	domains, err := store.Proposed(ctx, b.Tenant, rules.Domains)
	if err != nil {
		return nil, err
	}
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		all = append(all, Advice{Part: "identity.domains", Text: fmt.Sprintf("%s would match %s: list it if only your organisation gives out addresses in it", domain, plural.Count(domains[domain], "person"))})
	}
	covers, err := store.CoversOf(ctx, b.Tenant, rules.Domains, rules.Covering, proposals)
	if err != nil {
		return nil, err
	}
	return append(all, covering(covers, rules.Covering)...), nil
}

func matched(matches []pgaccess.Match) []Advice {
	var order []document.SourceID
	count := make(map[document.SourceID]sources.People)
	for _, m := range matches {
		if count[m.Source] == nil {
			count[m.Source] = make(sources.People)
			order = append(order, m.Source)
		}
		count[m.Source][m.State]++
	}
	var all []Advice
	for _, s := range order {
		n := count[s]
		all = append(all, Advice{
			Part: "people of " + string(s), OK: n[sources.Conflicting] == 0,
			Text: fmt.Sprintf("%d matched, %d unmatched, %d conflicting; footnote people lists them", n[sources.Matched], n[sources.Unmatched], n[sources.Conflicting]),
		})
	}
	return all
}

// covering reports how many people are outside the listed groups. For a source without a listed
// group, it proposes some.
func covering(covers []pgaccess.Cover, listed []access.Principal) []Advice {
	var all []Advice
	known, proposed := make(map[access.Principal]bool), make(map[document.SourceID][]string)
	decided := make(map[document.SourceID]bool)
	var sources []document.SourceID
	for _, c := range covers {
		known[c.Principal] = true
		if slices.Contains(listed, c.Principal) {
			decided[c.Source] = true
			all = append(all, Advice{Part: "covering of " + string(c.Source), OK: true, Text: fmt.Sprintf("%s (%s) misses %d of %d full members, who see in public channels what is for it", c.Principal, c.Name, c.Misses, c.Of)})
			continue
		}
		if proposed[c.Source] == nil {
			sources = append(sources, c.Source)
		}
		proposed[c.Source] = append(proposed[c.Source], fmt.Sprintf("%s (%s), which misses %d of %d full members", c.Principal, c.Name, c.Misses, c.Of))
	}
	for _, s := range sources {
		if !decided[s] {
			all = append(all, Advice{Part: "covering of " + string(s), Text: "nothing of it is used in public channels and in those of more than 200 people; if all who can open these may see what is for one of these groups, list it under covering: " + strings.Join(proposed[s], "; ")})
		}
	}
	for _, p := range listed {
		if !known[p] {
			all = append(all, Advice{Part: "covering", Text: fmt.Sprintf("%s is listed, but no source has such a group: it covers no one", p)})
		}
	}
	return all
}
