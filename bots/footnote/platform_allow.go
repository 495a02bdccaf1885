package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
)

// discordAllow lets a Discord server read a tenant's documents. The operator must decide this,
// because anyone can add a public bot to a server.
type discordAllow struct {
	Guild  string `arg:"" name:"server-id" help:"The server's id, as footnote doctor and the log tell it."`
	Tenant string `name:"tenant" placeholder:"TENANT" help:"Whose documents the server is answered from (default: the default tenant)."`
}

// Run executes "footnote discord allow".
func (c *discordAllow) Run(ctx context.Context, env *environment) (err error) {
	if err := checkServer(c.Guild); err != nil {
		return err
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	tenant := base.Tenant
	if c.Tenant != "" {
		tenant = access.TenantID(c.Tenant)
	}
	created, err := admin.NewWorkspaces(base.DB, discord.Platform).Bind(ctx, c.Guild, tenant, operator())
	if err != nil {
		return err
	}
	said := fmt.Sprintf("The server %s now belongs to the tenant %s: its members may read what is for members. It counts within a minute, without a restart.\n", c.Guild, tenant)
	if created {
		said += fmt.Sprintf("There was no tenant %s before, so it has no documents yet.\n", tenant)
	}
	_, err = fmt.Fprint(env.out, said)
	return err
}

// discordDisallow undoes discordAllow. It also undoes the permission that the first server got
// automatically.
type discordDisallow struct {
	Guild string `arg:"" name:"server-id" help:"The server's id, as footnote doctor and the log tell it."`
}

// Run executes "footnote discord disallow".
func (c *discordDisallow) Run(ctx context.Context, env *environment) (err error) {
	if err := checkServer(c.Guild); err != nil {
		return err
	}
	if slices.Contains(env.config.DiscordGuilds, c.Guild) {
		return usageError("the server " + c.Guild + " is listed in DISCORD_GUILDS; take it out there and restart footnote serve")
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	was, err := admin.NewWorkspaces(base.DB, discord.Platform).Unbind(ctx, c.Guild, operator())
	if err != nil {
		return err
	}
	said := "The server %s gets answers from public documents only from now on. It counts within a minute, without a restart.\n"
	if !was {
		said = "The server %s belonged to no tenant; it gets answers from public documents only.\n"
	}
	_, err = fmt.Fprintf(env.out, said, c.Guild)
	return err
}

func checkServer(id string) error {
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return usageError("a server's id is a number, such as 81384788765712384; footnote doctor lists those that the bot belongs to")
	}
	return nil
}
