package discordbot

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

// binding knows which servers' members are the tenant's. Anyone can invite a public bot to a server of his own, so a server is bound by
// the operator; only one that is alone is bound without being listed. It is safe for concurrent use.
type binding struct {
	first  bool // bind the only server
	name   func(guild string) string
	logger *slog.Logger

	mu    sync.Mutex
	bound []string
	known map[string]bool // servers that the bot belongs to
	told  map[string]bool // servers that were said to be unbound
}

func newBinding(guilds []string, first bool, name func(string) string, logger *slog.Logger) *binding {
	return &binding{
		first: first && len(guilds) == 0, name: name, logger: logger, bound: slices.Clone(guilds), known: make(map[string]bool),
		told: make(map[string]bool),
	}
}

// belongs notes to which servers the bot belongs. It comes before joined.
func (b *binding) belongs(ctx context.Context, ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.known)
	for _, id := range ids {
		b.known[id] = true
	}
	b.bind(ctx)
}

// joined notes one more server.
func (b *binding) joined(ctx context.Context, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[id] = true
	b.bind(ctx)
	if b.told[id] || slices.Contains(b.bound, id) {
		return
	}
	b.told[id] = true
	b.logger.WarnContext(ctx, "this server gets answers from public documents only; list it in DISCORD_GUILDS if its members may read what is for members",
		"guild", id, "name", b.name(id))
}

// bind binds a server that is alone.
func (b *binding) bind(ctx context.Context) {
	if !b.first || len(b.bound) > 0 || len(b.known) != 1 {
		return
	}
	for id := range b.known {
		b.bound = append(b.bound, id)
		b.logger.InfoContext(ctx, "the bot's only server is bound: its members may read what is for members; list it in DISCORD_GUILDS to keep it so when the bot joins others",
			"guild", id, "name", b.name(id))
	}
}

// allows reports whether a server's members are the tenant's.
func (b *binding) allows(guild string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.bound, guild)
}

// guilds lists the bound servers.
func (b *binding) guilds() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.bound)
}
