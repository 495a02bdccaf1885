package main

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
)

// documentJSON is an item in the output of why --for --json. Its field names are stable.
type documentJSON struct {
	Readers []access.Principal `json:"readers"`
	Through []heldJSON         `json:"through"` // empty: the person may not read it
}

type heldJSON struct {
	Principal access.Principal `json:"principal"`
	From      string           `json:"from"`
}

// document says whether a person may read the document at an address. It ignores permissions
// through channels, groups and roles, which only the chat platform knows.
func (c *whyCommand) document(ctx context.Context, env *environment, base *wire.Base) error {
	known, err := pgaccess.New(base.DB).Known(ctx, base.Tenant)
	if err != nil {
		return err
	}
	account, err := findAccount(known.Accounts, c.For)
	if err != nil {
		return usageError(err.Error())
	}
	lists, err := base.Index.Readers(ctx, base.Tenant, c.Ref)
	if err != nil {
		return err
	}
	held, err := base.Resolver().Held(ctx, access.Presence{Tenant: base.Tenant, Held: ofAccount(account, base.File().Rules().Domains), People: []access.Account{account}})
	if err != nil {
		return err
	}
	out := make([]documentJSON, len(lists))
	for i, list := range lists {
		out[i] = documentJSON{Readers: list, Through: []heldJSON{}}
		for _, h := range review.Through(list, held) {
			out[i].Through = append(out[i].Through, heldJSON(h))
		}
	}
	if c.JSON {
		return newEncoder(env.stdout).Encode(out)
	}
	return printReaders(env, c, out)
}

func ofAccount(a access.Account, domains []string) []access.Held {
	held := []access.Held{{Principal: access.Public, From: "everyone"}, {Principal: access.User(a.Platform, a.ID), From: "the account"}}
	if a.Full {
		held = append(held, access.Held{Principal: access.Members, From: "a full member of the workspace"})
	}
	if address := a.Address(domains); address != "" {
		held = append(held, access.Held{Principal: access.User("email", address), From: "the address that the workspace vouches for"})
	}
	return held
}

func printReaders(env *environment, c *whyCommand, documents []documentJSON) error {
	if len(documents) == 0 {
		_, err := fmt.Fprintf(env.out, "No document with the address %s is in the index.\n", c.Ref)
		return err
	}
	for _, d := range documents {
		if _, err := fmt.Fprintf(env.out, "Its readers: %s\n", listed(d.Readers)); err != nil {
			return err
		}
		if len(d.Through) == 0 {
			if _, err := fmt.Fprintf(env.out, "%s holds none of these, as far as is known without asking the platform for channels, groups and roles.\n", c.For); err != nil {
				return err
			}
		}
		for _, h := range d.Through {
			if _, err := fmt.Fprintf(env.out, "%s may read it by %s: %s\n", c.For, h.Principal, plain(h.From)); err != nil {
				return err
			}
		}
	}
	return nil
}

func listed(readers []access.Principal) string {
	if len(readers) == 0 {
		return "no one"
	}
	said := string(readers[0])
	for _, p := range readers[1:] {
		said += ", " + string(p)
	}
	return said
}
