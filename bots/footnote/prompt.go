package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
)

// promptCommand manages the stored system prompt. A change takes effect on every replica with the
// next question.
type promptCommand struct {
	Show  promptShowCommand  `cmd:"" help:"Print the system prompt that is used."`
	Set   promptSetCommand   `cmd:"" help:"Store a system prompt; it is used from the next answer on."`
	Reset promptResetCommand `cmd:"" help:"Go back to the built-in system prompt."`
}

// maxPrompt is in bytes. Instructions get 15 % of a model's context window, so a longer prompt
// would be cut every time.
const maxPrompt = 64 << 10

type promptShowCommand struct {
	BuiltIn bool `name:"built-in" help:"Print the built-in prompt instead, to begin one's own with."`
}

// Run executes "footnote prompt show".
func (c *promptShowCommand) Run(ctx context.Context, env *environment) error {
	if c.BuiltIn {
		return printPrompt(env, prompt.DefaultSystem())
	}
	return withPrompts(ctx, env, func(base *wire.Base) error {
		stored, err := base.Settings().Prompt(ctx, base.Tenant)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(env.errs, describePrompt(stored)); err != nil {
			return err
		}
		if stored.Text == "" {
			stored.Text = prompt.DefaultSystem()
		}
		return printPrompt(env, stored.Text)
	})
}

type promptSetCommand struct {
	File string `arg:"" help:"File with the prompt, or - for standard input. {{now}} is the day, {{tools}} and {{citations}} are how to use tools and how to cite; tools and citations that are not placed come last. Without {{now}} providers read the prompt once, and not once a day."`
}

// Run executes "footnote prompt set".
func (c *promptSetCommand) Run(ctx context.Context, env *environment) error {
	text, err := readPrompt(c.File, env.stdin)
	if err != nil {
		return err
	}
	return changePrompt(ctx, env, text)
}

type promptResetCommand struct{}

// Run executes "footnote prompt reset".
func (c *promptResetCommand) Run(ctx context.Context, env *environment) error {
	return changePrompt(ctx, env, "")
}

func changePrompt(ctx context.Context, env *environment, text string) error {
	return withPrompts(ctx, env, func(base *wire.Base) error {
		stored, err := base.Settings().SetPrompt(ctx, base.Tenant, text, operator())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(env.errs, describePrompt(stored)+" It is used from the next answer on.")
		return err
	})
}

func withPrompts(ctx context.Context, env *environment, use func(*wire.Base) error) (err error) {
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	return use(base)
}

func printPrompt(env *environment, text string) error {
	_, err := fmt.Fprintln(env.out, strings.TrimRight(text, "\n"))
	return err
}

func describePrompt(p session.Prompt) string {
	switch {
	case p.Version == 0:
		return "This is the built-in system prompt; none was stored yet."
	case p.Text == "":
		return fmt.Sprintf("The built-in system prompt is used (version %d, by %s, %s).", p.Version, p.By, p.At.Format("2006-01-02 15:04 MST"))
	default:
		return fmt.Sprintf("A stored system prompt is used (version %d, by %s, %s).", p.Version, p.By, p.At.Format("2006-01-02 15:04 MST"))
	}
}

func readPrompt(path string, stdin io.Reader) (string, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", usageError(fmt.Sprintf("the prompt cannot be read: %v", err))
		}
		defer f.Close() // it was only read
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPrompt+1))
	text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	switch {
	case err != nil:
		return "", usageError(fmt.Sprintf("the prompt cannot be read: %v", err))
	case len(data) > maxPrompt:
		return "", usageError(fmt.Sprintf("the prompt is longer than %d bytes: no model's window has room for it", maxPrompt))
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", usageError("the prompt is not text in UTF-8: save it as such")
	case text == "":
		return "", usageError("the prompt is empty: footnote prompt reset goes back to the built-in one")
	}
	return text, checkPlaceholders(text)
}

var placeholder = regexp.MustCompile(`\{\{\s*[\w. -]*\s*\}\}`)

// checkPlaceholders refuses an unknown placeholder, because the model would see it unchanged.
func checkPlaceholders(text string) error {
	for _, p := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(prompt.Placeholders(), p) {
			return usageError(fmt.Sprintf("the prompt has %s, which is no placeholder: use one of %s", p, strings.Join(prompt.Placeholders(), ", ")))
		}
	}
	return nil
}

// operator returns the name under which changes by this process appear in the audit trail.
func operator() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "command line"
}
