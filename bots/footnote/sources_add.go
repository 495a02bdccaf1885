package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

// sourcesAdd parses its own flags, because they depend on the kind of source (wire.Kinds).
type sourcesAdd struct {
	Args []string `arg:"" optional:"" passthrough:"partial" name:"kind" help:"Kind of source, and its own flags, which footnote sources add KIND --help lists. At a terminal it asks for what is missing; without a kind it lists the kinds."`
}

// Run executes "footnote sources add".
func (c *sourcesAdd) Run(ctx context.Context, env *environment) error {
	a := &addition{env: env, given: make(map[string]string), terminal: isTerminal(env.stdin)}
	if err := a.choose(ctx, c.Args); err != nil {
		return err
	}
	err := a.parse(c.Args[min(1, len(c.Args)):])
	if errors.Is(err, flag.ErrHelp) {
		return a.help(env.out)
	}
	if err == nil {
		err = a.ask(ctx)
	}
	if err != nil {
		return err
	}
	return a.add(ctx)
}

type addition struct {
	env      *environment
	kind     wire.Kind
	terminal bool
	lines    <-chan line // typed lines; nil before the first question

	given     map[string]string // by the path of the key
	name      string
	dryRun    bool
	unchecked bool
}

func (a *addition) choose(ctx context.Context, args []string) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	var names []string
	for _, k := range wire.Kinds() {
		names = append(names, k.Name)
	}
	if name == "" {
		table := tabwriter.NewWriter(a.env.errs, 0, 4, 2, ' ', 0)
		for _, k := range wire.Kinds() {
			fmt.Fprintf(table, "%s\t%s\n", k.Name, k.Title)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		if !a.terminal {
			return usageError("say which kind of source: footnote sources add " + strings.Join(names, " | "))
		}
		var err error
		if name, err = a.question(ctx, "Which kind?"); err != nil {
			return err
		}
	}
	kind, ok := wire.FindKind(name)
	if !ok {
		return usageError("there is no kind of source " + name + "; there are: " + strings.Join(names, ", "))
	}
	a.kind = kind
	return nil
}

func (a *addition) parse(args []string) error {
	flags := flag.NewFlagSet(a.kind.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&a.name, "name", "", "")
	flags.BoolVar(&a.dryRun, "dry-run", false, "")
	flags.BoolVar(&a.unchecked, "unchecked", false, "")
	flags.Func("config", "", a.useFile)
	for _, k := range a.kind.Keys {
		take := func(text string) error {
			if (k.Sort == wire.List || k.Sort == wire.Lists) && a.given[k.Path] != "" {
				text = a.given[k.Path] + "," + text
			}
			a.given[k.Path] = text
			return nil
		}
		if k.Sort == wire.Yes {
			flags.BoolFunc(k.Flag(), "", take)
			continue
		}
		flags.Func(k.Flag(), "", take)
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return usageError(fmt.Sprintf("%v; footnote sources add %s --help lists the flags", err, a.kind.Name))
	case flags.NArg() > 0:
		return usageError(fmt.Sprintf("%s belongs to no flag; footnote sources add %s --help lists them", flags.Arg(0), a.kind.Name))
	}
	return nil
}

func (a *addition) useFile(path string) error {
	file, err := config.ReadFile(path)
	if err != nil && !errors.Is(err, config.ErrNoFile) {
		return err
	}
	a.env.config.FilePath, a.env.config.File = path, file
	return nil
}

// ask asks for missing values if the input is a terminal. Otherwise a missing required value is an
// error.
func (a *addition) ask(ctx context.Context) error {
	if a.terminal {
		if err := a.introduce(); err != nil {
			return err
		}
	}
	for _, k := range a.kind.Keys {
		for a.terminal && k.Ask != "" && a.given[k.Path] == "" {
			text, err := a.question(ctx, k.Ask)
			if err != nil {
				return err
			}
			if a.given[k.Path] = text; text != "" || !k.Needed {
				break
			}
		}
		if k.Needed && a.given[k.Path] == "" {
			return usageError(fmt.Sprintf("--%s is missing (%s); footnote sources add %s --help lists the flags", k.Flag(), k.Help().Help, a.kind.Name))
		}
	}
	if a.kind.Lacks != nil {
		if lacks := a.kind.Lacks(a.given); lacks != "" {
			return usageError(lacks)
		}
	}
	calls := a.kind.Called(a.given)
	if a.terminal && a.name == "" {
		var err error
		if a.name, err = a.question(ctx, fmt.Sprintf("What is the source called (empty: %s)?", calls)); err != nil {
			return err
		}
	}
	a.name = cmp.Or(a.name, calls)
	return a.locate()
}

func (a *addition) question(ctx context.Context, text string) (string, error) {
	if a.lines == nil {
		a.lines = readLines(ctx, pipedLines(a.env.stdin))
	}
	if _, err := fmt.Fprintf(a.env.errs, "%s ", text); err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case l, open := <-a.lines:
		if !open || errors.Is(l.err, io.EOF) {
			return "", errors.New("the input ended before everything was answered: nothing is written")
		}
		return strings.TrimSpace(l.text), l.err
	}
}

// locate makes paths relative to the folder of the configuration file if they are below it, and
// absolute otherwise.
func (a *addition) locate() error {
	file, err := filepath.Abs(a.file())
	if err != nil {
		return err
	}
	for _, k := range a.kind.Keys {
		path := a.given[k.Path]
		if k.Sort != wire.Folder || path == "" {
			continue
		}
		if below, ok := strings.CutPrefix(path, "~/"); ok { // no shell has read what was typed here
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("find the folder %s: %w", path, err)
			}
			path = filepath.Join(home, below)
		}
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
		if below, err := filepath.Rel(filepath.Dir(file), path); err == nil && filepath.IsLocal(below) {
			path = below
		}
		a.given[k.Path] = path
	}
	return nil
}

func (a *addition) file() string { return cmp.Or(a.env.config.FilePath, config.FileName) }

func (a *addition) introduce() error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", a.kind.Name, a.kind.Title)
	for i, step := range a.kind.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	if len(a.kind.Rights) > 0 {
		b.WriteString("It needs:\n")
	}
	for _, r := range a.kind.Rights {
		fmt.Fprintf(&b, "   %-20s %s\n", r.Name, r.Reason)
	}
	for _, s := range a.kind.Secrets {
		set := "is set"
		switch {
		case s.Set(a.env.config):
		case s.Optional:
			set = "is not set, which may be right"
		default:
			set = "is not set"
		}
		fmt.Fprintf(&b, "%s %s: %s. It comes from the environment, never from %s.\n", s.Env, set, s.What, config.FileName)
	}
	fmt.Fprintf(&b, "Who may read: %s\n\n", a.kind.Bound)
	_, err := io.WriteString(a.env.errs, b.String())
	return err
}

func (a *addition) help(to io.Writer) error {
	if _, err := fmt.Fprintf(to, "Usage: footnote sources add %s [flags]\n\n%s\n\n", a.kind.Name, a.kind.Title); err != nil {
		return err
	}
	table := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	for _, k := range a.kind.Keys {
		help := k.Help()
		values := "=" + strings.ToUpper(k.Flag())
		if k.Sort == wire.Yes {
			values = ""
		}
		text := help.Help
		if help.Default != "" {
			text += " (default: " + help.Default + ")"
		}
		fmt.Fprintf(table, "  --%s%s\t%s\n", k.Flag(), values, text)
	}
	fmt.Fprintf(table, "  --name=NAME\twhat the source is called in %s\n", config.FileName)
	fmt.Fprintf(table, "  --dry-run\tprint the entry, and write nothing\n")
	fmt.Fprintf(table, "  --unchecked\twrite the entry without trying the source\n")
	return table.Flush()
}
