package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/sources"
)

type indexCommand struct {
	Paths   []string `arg:"" optional:"" name:"path" help:"Files, folders, addresses of sites (https://…), of which all below the address is read, or of Git repositories (https://….git, #BRANCH for a branch). Each is a source: indexing it again takes in what has changed and forgets what is gone. None: the sources of the configuration file."`
	BaseURL string   `name:"base-url" placeholder:"URL" help:"Where the folder or repository is published; documents are linked there."`
	ACL     *string  `name:"acl" placeholder:"LIST" help:"Who may read: public, members, group:NAME, channel:PLATFORM:ID, user:PLATFORM:ID, separated by commas. Left out, like the other options: as the last time, else members."`
	Include []string `name:"include" placeholder:"GLOB" help:"Only files, or pages of a site, whose path matches; may be repeated. ** matches any folders."`
	Exclude []string `name:"exclude" placeholder:"GLOB" help:"Not files that match; may be repeated."`
	Commits bool     `name:"commits" help:"The commits of a Git repository are documents too: who changed what, and when."`
	Every   string   `name:"every" placeholder:"TIME" help:"How often serve reads the source again, such as 6h or 1d. Left out: as the last time, else never."`
}

// Run executes "footnote index".
func (c *indexCommand) Run(ctx context.Context, env *environment) (err error) {
	all, err := c.sources(env.config.File)
	if err != nil {
		return err
	}
	for _, source := range all { // every source is looked at before anything is started
		if _, err := wire.Connect(env.config, source); err != nil {
			return fmt.Errorf("index %s: %w", source.Name, err)
		}
	}
	starting := newProgress(env, "")
	starting.doing("Starting the database")
	base, err := wire.Open(ctx, env.config, env.logger)
	starting.end()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	base.By = operator()
	pipeline, err := base.Pipeline(ctx)
	if err != nil {
		return err
	}
	empty, failed := false, failedDocuments(0)
	for i := range all {
		connector, notice, err := base.Remembered(ctx, all[i])
		if errors.Is(err, sources.ErrPaused) && len(c.Paths) == 0 { // the other sources are read
			if _, err := fmt.Fprintf(env.errs, "%s: %v\n", all[i].Name, sources.ErrPaused); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("index %s: %w", all[i].Name, err)
		}
		if notice != "" {
			if _, err := fmt.Fprintln(env.errs, plain(notice)); err != nil {
				return err
			}
		}
		bar := newProgress(env, "Indexing "+all[i].Name)
		run, err := runToItsEnd(ctx, base, pipeline, connector, bar)
		bar.end()
		if errors.Is(err, sources.ErrPaused) && len(c.Paths) == 0 { // the other sources are read
			if _, err := fmt.Fprintf(env.errs, "%s: %v\n", all[i].Name, sources.ErrPaused); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("index %s: %w%s", all[i].Name, err, base.StillIndexed(ctx, run.Source.ID, err))
		}
		if err := printRun(env.errs, all[i].Name, run); err != nil {
			return err
		}
		empty = empty || nothingIndexed(run.Counts)
		failed += failedDocuments(run.Counts.Failed)
	}
	err = settle(ctx, env, base)
	if err == nil && empty {
		return errSilent // the documents that failed were named
	}
	if err == nil && failed > 0 {
		return failed
	}
	return err
}

func settle(ctx context.Context, env *environment, base *wire.Base) error {
	backlog, err := base.Backlog(ctx)
	if err != nil {
		return err
	}
	if backlog.Chunks > 0 {
		if _, err := fmt.Fprintf(env.errs, "Embedding %s with %s\n", backlog, backlog.Model); err != nil {
			return err
		}
	}
	bar := newProgress(env, "")
	err = base.Settle(ctx, bar.step)
	bar.end()
	if err != nil {
		return err
	}
	state, used, err := base.NoteFill(ctx)
	if err != nil || !used || state.Missing == 0 {
		return err
	}
	_, err = fmt.Fprintf(env.errs, "Searches work. Serve and chat make the sentence vectors of %s next to answering; footnote sources embed makes them now.\n",
		plural.Count(state.Missing, "chunk"))
	return err
}

// failedDocuments is an error: the number of documents that an index run left out.
type failedDocuments int

func (n failedDocuments) Error() string {
	return fmt.Sprintf("%s failed, and the others are indexed; footnote sources --failures lists them", plural.Count(int(n), "document"))
}

// runToItsEnd waits and continues if the source asks for a pause.
func runToItsEnd(ctx context.Context, base *wire.Base, pipeline *index.Pipeline, connector index.Connector, bar *progress) (index.Run, error) {
	for {
		run, err := base.Run(ctx, pipeline, connector, bar.indexing)
		var later *index.Later
		if !errors.As(err, &later) || ctx.Err() != nil {
			return run, err
		}
		bar.waiting(later)
		if err := sleep.For(ctx, max(time.Until(later.At), time.Second)); err != nil {
			return run, err
		}
	}
}

func nothingIndexed(c index.Counts) bool { return c.Failed > 0 && c.Indexed+c.Unchanged == 0 }

func (c *indexCommand) sources(file *config.File) ([]config.Source, error) {
	if len(c.Paths) == 0 {
		if c.ACL != nil || c.BaseURL != "" || c.Every != "" || c.Commits || len(c.Include)+len(c.Exclude) > 0 {
			return nil, usageError("--acl, --base-url, --include, --exclude, --commits and --every are for a path: name one, or write them under sources: in the configuration file")
		}
		if len(file.Sources) == 0 {
			return nil, usageError("there is nothing to index: name files, folders or sites, or list them under sources: in " + config.FileName)
		}
		return file.Sources, nil
	}
	var acl access.ACL
	if c.ACL != nil {
		var err error
		if acl, err = access.ParseACL(*c.ACL); err != nil {
			return nil, usageError("--acl: " + err.Error())
		}
	}
	var every time.Duration
	if c.Every != "" {
		var err error
		if every, err = sources.ParseEvery(c.Every); err != nil {
			return nil, usageError("--every " + err.Error())
		}
	}
	all := make([]config.Source, len(c.Paths))
	for i, path := range c.Paths {
		all[i] = config.Source{Name: path, Path: path, ACL: acl, BaseURL: c.BaseURL, Include: c.Include, Exclude: c.Exclude, Commits: c.Commits, Every: every}
		if c.Commits && !git.IsURL(path) {
			return nil, usageError(fmt.Sprintf("index %s: --commits is for repositories, whose address ends in .git", path))
		}
		if wire.IsURL(path) {
			all[i].Path, all[i].URL = "", path
		} else if host, name, ok := strings.Cut(path, ":"); ok && strings.HasPrefix(host, "git@") && strings.HasSuffix(name, ".git") {
			return nil, usageError(fmt.Sprintf("index %s: repositories are read over https: write https://%s/%s", path, strings.TrimPrefix(host, "git@"), name))
		} else if scheme, _, ok := strings.Cut(path, "://"); ok {
			return nil, usageError(fmt.Sprintf("index %s: sites are read by https:// and http://, not by %s://", path, scheme))
		}
	}
	return all, nil
}

func printRun(out io.Writer, path string, run index.Run) error {
	c := run.Counts
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Indexed, "indexed"}, {c.Shared, "with another access list"}, {c.Unchanged - c.Shared, "unchanged"}, {c.Removed, "removed"}, {c.Skipped, "left out"}, {c.Failed, "failed"}} {
		if p.n > 0 || p.what == "indexed" {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	elapsed := run.FinishedAt.Sub(run.StartedAt).Round(100 * time.Millisecond)
	if _, err := fmt.Fprintf(out, "%s: documents: %s; %s in %s\n", path, strings.Join(parts, ", "), plural.Count(c.Chunks, "chunk"), elapsed); err != nil {
		return err
	}
	if run.Unpaid != "" {
		if _, err := fmt.Fprintf(out, "  %s without what FAST_LLM_MODEL should have written: %s; the next run asks again\n", plural.Count(c.Plain, "document"), run.Unpaid); err != nil {
			return err
		}
	} else if c.Plain > 0 {
		if _, err := fmt.Fprintf(out, "  %s without what FAST_LLM_MODEL should have written, because it did not answer; the next run asks again\n", plural.Count(c.Plain, "document")); err != nil {
			return err
		}
	}
	for _, remark := range remarks(run.Skipped) {
		if _, err := fmt.Fprintf(out, "  %s\n", remark); err != nil {
			return err
		}
	}
	const most = 20
	for i, n := range run.Failures {
		if i == most {
			_, err := fmt.Fprintf(out, "  … and %d more; footnote sources --failures lists them\n", len(run.Failures)-most)
			return err
		}
		if _, err := fmt.Fprintf(out, "  %s: %s\n", plain(n.Name), plain(n.Sentence)); err != nil {
			return err
		}
	}
	return nil
}

// remarks names the documents that were left out or shortened because they contain keys or
// passwords, and those that state the address of another document.
func remarks(skipped []index.Notice) []string {
	const most = 20
	var out []string
	for _, sort := range []struct {
		text string
		of   func(index.Notice) bool
	}{
		{"%d with keys or passwords: %s; a page is read without the paragraph that holds them, a file of keys not at all", func(n index.Notice) bool { return n.Secret }},
		{"%d with the address of another document: %s; footnote sources --failures says which", func(n index.Notice) bool { return n.Moved }},
	} {
		var names []string
		count := 0
		for _, n := range skipped {
			if !sort.of(n) {
				continue
			}
			if count++; count <= most {
				names = append(names, plain(n.Name))
			}
		}
		if count > most {
			names = append(names, "…")
		}
		if count > 0 {
			out = append(out, fmt.Sprintf(sort.text, count, strings.Join(names, ", ")))
		}
	}
	return out
}
