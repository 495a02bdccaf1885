package discordbot

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/plural"
)

const bindingAge = 5 * time.Second

// binding maps Discord servers to tenants. Anyone can add a public bot to a server, so the operator
// binds servers. Only the first one is bound automatically. It is safe for concurrent use.
type binding struct {
	tenantID access.TenantID // tenant of unbound servers and of those in Config
	first    bool            // bind a server if it is the bot's only one
	stored   access.Bindings
	name     func(guild string) string
	logger   *slog.Logger

	mu       sync.Mutex
	bound    map[string]access.TenantID
	fixed    []string        // servers bound by the configuration
	known    map[string]bool // servers that the bot belongs to
	reported map[string]bool // unbound servers that were logged
}

func newBinding(c Config, stored access.Bindings, name func(string) string, logger *slog.Logger) *binding {
	b := &binding{
		tenantID: c.Tenant, first: c.BindFirst && len(c.Guilds) == 0, stored: stored, name: name, logger: logger, fixed: slices.Clone(c.Guilds),
		bound: make(map[string]access.TenantID), known: make(map[string]bool), reported: make(map[string]bool),
	}
	for _, g := range b.fixed {
		b.bound[g] = c.Tenant
	}
	return b
}

// belongs replaces the list of servers that the bot belongs to. Call it before joined.
func (b *binding) belongs(ctx context.Context, ids []string) {
	b.mu.Lock()
	clear(b.known)
	for _, id := range ids {
		b.known[id] = true
	}
	b.mu.Unlock()
	b.bindFirst(ctx)
}

func (b *binding) joined(ctx context.Context, id string) {
	b.mu.Lock()
	b.known[id] = true
	b.mu.Unlock()
	b.bindFirst(ctx)
	b.refresh(ctx)
	b.mu.Lock()
	_, bound := b.bound[id]
	tell := !bound && !b.reported[id]
	b.reported[id] = b.reported[id] || tell
	b.mu.Unlock()
	if tell {
		b.logger.WarnContext(ctx, "this server gets answers from public documents only; run footnote discord allow "+id+
			" if its members may read what is for members", "guild", id, "name", b.name(id))
	}
}

// bindFirst does nothing unless the bot belongs to exactly one server and none is bound.
func (b *binding) bindFirst(ctx context.Context) {
	b.refresh(ctx)
	b.mu.Lock()
	only := ""
	if b.first && len(b.bound) == 0 && len(b.known) == 1 {
		for only = range b.known {
		}
	}
	b.mu.Unlock()
	if only == "" {
		return
	}
	if b.stored != nil {
		done, err := b.stored.BindFirst(ctx, only, b.tenantID)
		if err != nil {
			b.logger.WarnContext(ctx, "the first server is not bound; it gets answers from public documents only", "guild", only, "error", err)
		}
		if err != nil || !done {
			return
		}
	}
	b.mu.Lock()
	b.bound[only] = b.tenantID
	b.mu.Unlock()
	b.logger.InfoContext(ctx, "the bot's first server is bound: its members may read what is for members; others need footnote discord allow",
		"guild", only, "name", b.name(only), "tenant", b.tenantID)
}

func (b *binding) refresh(ctx context.Context) {
	if b.stored == nil {
		return
	}
	found, err := b.stored.Bound(ctx)
	if err != nil {
		if ctx.Err() == nil {
			b.logger.WarnContext(ctx, "cannot reload the tenants of servers", "error", err)
		}
		return
	}
	for _, g := range b.fixed {
		found[g] = b.tenantID
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bound = found
}

func (b *binding) watch(ctx context.Context) {
	tick := time.NewTicker(bindingAge)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.refresh(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// current returns a copy, which may be a few seconds old.
func (b *binding) current() map[string]access.TenantID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.bound)
}

// tenant returns the default tenant for an unbound server and for a direct conversation. An unbound
// server gets only its public documents.
func (b *binding) tenant(guild string) access.TenantID {
	if t, bound := b.current()[guild]; bound {
		return t
	}
	return b.tenantID
}

// allows reports whether the members of a server count as members of its tenant.
func (b *binding) allows(guild string) bool {
	_, bound := b.current()[guild]
	return bound
}

func (b *binding) tenants() []access.TenantID {
	list := []access.TenantID{b.tenantID}
	for _, t := range b.current() {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

func (b *binding) guilds(tenant access.TenantID) []string {
	var list []string
	for g, t := range b.current() {
		if t == tenant {
			list = append(list, g)
		}
	}
	slices.Sort(list)
	return list
}

const maxChecked = 20

func (b *Bot) checkServers(ctx context.Context) []discord.Finding {
	guilds, err := b.client.BelongsTo(ctx)
	if err != nil {
		return nil // another check reports that Discord cannot be reached
	}
	b.binding.refresh(ctx)
	bound := b.binding.current()
	var list []discord.Finding
	for _, g := range guilds[:min(len(guilds), maxChecked)] {
		if tenant, ok := bound[g.ID]; ok {
			list = append(list, discord.Finding{OK: true, Sentence: fmt.Sprintf("The server %q (%s) belongs to the tenant %s.", g.Name, g.ID, tenant)})
		} else {
			list = append(list, discord.Finding{Optional: true, Sentence: fmt.Sprintf(
				"The server %q (%s) gets answers from public documents only: run footnote discord allow %s if its members may read what is for members.",
				g.Name, g.ID, g.ID)})
		}
		if err := b.client.Survey(ctx, g.ID); err != nil {
			list = append(list, discord.Finding{Optional: true, Sentence: fmt.Sprintf("What the bot may do in the server %q cannot be found out: %v.", g.Name, err)})
			continue
		}
		lacking, err := b.client.Lacking(ctx, g.ID, nil)
		if err != nil {
			continue
		}
		for _, l := range lacking[:min(len(lacking), maxLacking)] {
			list = append(list, discord.Finding{Optional: true, Sentence: fmt.Sprintf("In #%s of the server %q the bot's role lacks: %s.", l.Name, g.Name, permissions(l))})
		}
	}
	if more := len(guilds) - maxChecked; more > 0 {
		list = append(list, discord.Finding{Optional: true, Sentence: "Not looked at: " + plural.Count(more, "more server") + "."})
	}
	return list
}
