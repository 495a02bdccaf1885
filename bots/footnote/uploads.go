package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/upload"
)

type projectsFiles struct {
	Project string `arg:"" optional:"" help:"The project; without it, files of all projects are listed."`
	JSON    bool   `name:"json" help:"Print a JSON array."`
}

// keptFileJSON is an item in the output of projects files --json. Its field names are stable.
type keptFileJSON struct {
	ID      upload.ID  `json:"id"`
	Project string     `json:"project"`
	Name    string     `json:"name"`
	Readers access.ACL `json:"readers"`
	Bytes   int64      `json:"bytes"`
	KeptAt  time.Time  `json:"kept_at"`
	KeptBy  string     `json:"kept_by"`
}

// Run executes "footnote projects files".
func (c *projectsFiles) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		all, err := base.Uploads().Store.List(ctx, base.Tenant)
		if err != nil {
			return err
		}
		shown := []keptFileJSON{}
		for _, f := range all {
			if c.Project != "" && f.Project != c.Project {
				continue
			}
			by := ""
			if f.Author.ID != "" {
				by = string(access.User(f.Author.Platform, f.Author.ID))
			}
			shown = append(shown, keptFileJSON{ID: f.ID, Project: f.Project, Name: f.Name, Readers: f.Readers, Bytes: f.Size, KeptAt: f.At, KeptBy: by})
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(shown)
		}
		if len(shown) == 0 {
			_, err := fmt.Fprintln(env.errs, "No files are kept. People keep one by attaching it to a message such as: @Footnote keep this in project NAME")
			return err
		}
		table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tPROJECT\tNAME\tREADERS\tBYTES\tKEPT")
		for _, f := range shown {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\n", f.ID, plain(f.Project), plain(f.Name), listed(f.Readers), f.Bytes, ago(f.KeptAt))
		}
		return table.Flush()
	})
}

type projectsRemove struct {
	ID string `arg:"" help:"The id of the file, as footnote projects files lists it."`
}

// Run executes "footnote projects remove".
func (c *projectsRemove) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		err := base.Uploads().Drop(ctx, base.Tenant, upload.ID(c.ID), session.Actor{Platform: session.Host, ID: operator()})
		if errors.Is(err, upload.ErrGone) {
			return usageError(fmt.Sprintf("there is no kept file %q: footnote projects files lists them", c.ID))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.out, "Removed %s. It cannot be found any more.\n", plain(c.ID))
		return err
	})
}
