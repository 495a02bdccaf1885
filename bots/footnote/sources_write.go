package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

func (a *addition) add(ctx context.Context) error {
	pairs, err := a.kind.Entry(a.given)
	if err != nil {
		return usageError(err.Error())
	}
	entry, err := config.SourceEntry(a.name, pairs)
	if err != nil {
		return usageError(err.Error())
	}
	before, err := os.ReadFile(a.file())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the configuration file: %w", err)
	}
	now, err := config.AddSource(a.file(), before, a.name, pairs)
	if err != nil {
		return err
	}
	if !a.unchecked {
		if err := a.try(ctx, now); err != nil {
			return err
		}
	}
	if a.dryRun {
		_, err := fmt.Fprint(a.env.out, "sources:\n"+entry)
		return err
	}
	if a.terminal {
		if _, err := fmt.Fprintf(a.env.errs, "\n%s", entry); err != nil {
			return err
		}
		answer, err := a.question(ctx, fmt.Sprintf("Write this into %s (yes or no; empty: yes)?", a.file()))
		if err != nil {
			return err
		}
		if answer != "" && !strings.HasPrefix(strings.ToLower(answer), "y") {
			_, err := fmt.Fprintln(a.env.errs, "Nothing is written.")
			return err
		}
	}
	if err := config.WriteFile(a.file(), before, now); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.env.errs, "%s has the source %s now. footnote index reads it; a footnote serve that runs takes it in after kill -HUP, and reads it where it has a schedule (every).\n",
		a.file(), a.name)
	return err
}

func (a *addition) try(ctx context.Context, now []byte) error {
	file, err := config.ParseFile(a.file(), now)
	if err != nil {
		return err
	}
	source, ok := file.Source(a.name)
	if !ok {
		return fmt.Errorf("%s does not hold the source %s that was put into it", a.file(), a.name)
	}
	if missing := a.missing(); len(missing) > 0 {
		if !a.terminal {
			if err := a.introduce(); err != nil {
				return err
			}
		}
		return fmt.Errorf("set %s and run this again (--unchecked writes the entry without trying it)", strings.Join(missing, " and "))
	}
	seen, err := wire.Probe(ctx, a.env.config, source)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w (--unchecked writes the entry all the same)", a.name, err)
	}
	for _, sees := range seen.Sees {
		if _, err := fmt.Fprintf(a.env.errs, "✓ can be read: %s\n", sees); err != nil {
			return err
		}
	}
	for _, remark := range slices.Concat(seen.Lacks, seen.Notes) {
		if _, err := fmt.Fprintf(a.env.errs, "! %s\n", remark); err != nil {
			return err
		}
	}
	return nil
}

func (a *addition) missing() []string {
	var missing []string
	for _, s := range a.kind.Secrets {
		if !s.Optional && !s.Set(a.env.config) {
			missing = append(missing, s.Env)
		}
	}
	return missing
}
