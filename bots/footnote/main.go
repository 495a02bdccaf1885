// Command footnote answers questions in Slack and Discord threads from an organisation's own
// documents. Each verb has its own file.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // for people's time zones: an image may have none

	"github.com/alecthomas/kong"
	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/memory"
	"github.com/footnotehq/footnote/core/span"
)

// version is set by the build.
var version = "unknown"

// Exit codes. Invalid settings count as a usage error.
const (
	exitOK    = 0
	exitFail  = 1
	exitUsage = 2
	exitSome  = 3 // index: some documents failed
)

type commands struct {
	Chat        chatCommand       `cmd:"" group:"try" help:"Ask in the terminal, with follow-ups. From a pipe: one question per line."`
	Ask         askCommand        `cmd:"" group:"try" help:"Ask one question and print the answer."`
	Index       indexCommand      `cmd:"" group:"try" help:"Index files, folders and sites."`
	Doctor      doctorCommand     `cmd:"" group:"try" help:"Check everything that footnote needs and say what to do."`
	Serve       serveCommand      `cmd:"" group:"serve" help:"Answer in Slack and Discord, by which tokens are set, until stopped."`
	MCP         mcpCommand        `cmd:"" group:"serve" name:"mcp" help:"Answer an assistant of yours over the standard streams (Model Context Protocol), with what the terminal may read."`
	Console     consoleCommand    `cmd:"" group:"serve" help:"Let people sign in to the console, the pages at CONSOLE_URL, and end that."`
	Tokens      tokensCommand     `cmd:"" group:"serve" help:"Give out and revoke personal tokens, with which assistants search for a person."`
	Service     serviceCommand    `cmd:"" group:"serve" help:"Run footnote as a service of this machine (systemd)."`
	Prompt      promptCommand     `cmd:"" group:"serve" help:"Show or change the system prompt."`
	Slack       slackCommand      `cmd:"" group:"serve" help:"What Slack needs: the app's manifest."`
	Discord     discordCommand    `cmd:"" group:"serve" help:"What Discord needs: the link that adds the bot."`
	Settings    configCommand     `cmd:"" group:"serve" name:"config" help:"Show the settings of channels, and what people changed in chat and in the console."`
	Agents      agentsCommand     `cmd:"" group:"serve" help:"Show the agents of the configuration file."`
	Projects    projectsCommand   `cmd:"" group:"serve" help:"Show the projects of the configuration file."`
	Sets        setsCommand       `cmd:"" group:"serve" help:"List the document sets of the configuration file."`
	Sources     sourcesCommand    `cmd:"" group:"sources" help:"List or remove what is indexed."`
	People      peopleCommand     `cmd:"" group:"sources" help:"Show whose accounts the people of sources are, and say so."`
	Search      searchCommand     `cmd:"" group:"look" help:"Search the index and print the passages with their scores."`
	Knowledge   knowledgeCommand  `cmd:"" group:"look" help:"Show what documents state of people, teams, projects and one another, and say which of them are one."`
	Questions   questionsCommand  `cmd:"" group:"look" help:"List the questions that were asked, or show one with its answer and how it was found."`
	Gaps        gapsCommand       `cmd:"" group:"look" help:"Cluster the questions that were answered badly or not at all: what the documents lack."`
	Report      reportCommand     `cmd:"" group:"look" help:"Show the weekly reports to channels: what would be posted, where and when."`
	Feedback    feedbackCommand   `cmd:"" group:"look" help:"List what people think of the answers."`
	Eval        evalCommand       `cmd:"" group:"look" help:"Measure retrieval on a labelled collection, apart from the index."`
	Usage       usageCommand      `cmd:"" group:"look" help:"Show what models were used for, and what that cost."`
	Why         whyCommand        `cmd:"" group:"look" help:"Explain why a message was answered as it was, or not at all."`
	Audit       auditCommand      `cmd:"" group:"look" help:"Print the audit trail: who asked where, which documents were shown, and who changed what."`
	Migrate     migrateCommand    `cmd:"" group:"operate" help:"Bring the database schema up to date."`
	Database    databaseCommand   `cmd:"" group:"operate" help:"Run a program of PostgreSQL's own, such as pg_dump, with the database's address in DATABASE_URL."`
	Engine      engineCommand     `cmd:"" group:"operate" help:"Move searches to a search engine (INDEX_URL) and back, and say how far it is."`
	Prune       pruneCommand      `cmd:"" group:"operate" help:"Remove what SESSION_RETENTION and AUDIT_RETENTION do not keep any longer."`
	Completion  completionCommand `cmd:"" group:"operate" help:"Print what makes a shell complete commands: bash, zsh or fish."`
	Environment settingsCommand   `cmd:"" group:"operate" name:"settings" help:"List the settings, which are read from the environment."`
	Release     versionCommand    `cmd:"" group:"operate" name:"version" help:"Print the version."`
	Config      string            `name:"config" placeholder:"FILE" help:"Configuration file (default: $$FOOTNOTE_CONFIG, else footnote.yaml, if it is there)."`
	Version     kong.VersionFlag  `help:"Print the version."`
}

var groups = []kong.Group{
	{Key: "try", Title: "Try it:"}, {Key: "serve", Title: "Serve:"}, {Key: "sources", Title: "Sources:"},
	{Key: "look", Title: "Look into what happened:"}, {Key: "operate", Title: "Operate:"},
}

// environment holds the files, settings and logger of a process, so that tests can replace them.
type environment struct {
	stdin *os.File
	// stdout is not sanitized, for code that handles terminals itself. Write plain text to out, and
	// JSON through newEncoder.
	stdout *os.File
	stderr io.Writer
	// out and errs are stdout and stderr with sanitized text, so that it cannot drive a terminal or
	// hide from its reader.
	out    io.Writer
	errs   io.Writer
	getenv func(string) string
	logger *slog.Logger
	config *config.Config
	memory memory.Limit
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], &environment{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv})
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, env *environment) int {
	env.out, env.errs = console.Plain(env.stdout), console.Plain(env.stderr)
	env.memory = memory.Set(os.DirFS("/"), env.getenv)
	var verbs commands
	exited := -1
	parser, err := kong.New(&verbs,
		kong.Name("footnote"),
		kong.Description("Answers questions from your own documents, with a numbered link for every claim."),
		kong.Vars{"version": version},
		kong.Writers(env.out, env.errs),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ExplicitGroups(groups),
		kong.Help(helpAndMore),
		kong.UsageOnError(),
	)
	if err != nil {
		return env.fail(fmt.Errorf("set up the command line: %w", err), exitFail)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(args[1:], "--help")
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help or --version has printed what was asked for
		return exited
	}
	if err != nil {
		// "" is internal
		fault := strings.Replace(err.Error(), `must be one of "",`, "must be one of ", 1)
		return env.fail(fmt.Errorf("%s; see %s --help", fault, commandOf(err)), exitUsage)
	}
	switch parsed.Command() {
	case "version", "settings", "completion <shell>": // these work whatever the settings are
		parsed.Bind(parser.Model)
		if err := parsed.Run(env); err != nil {
			return env.fail(err, exitFail)
		}
		return exitOK
	}
	env.config, err = config.Load(env.getenv)
	if err != nil {
		return env.fail(err, exitUsage)
	}
	if verbs.Config != "" {
		env.config.FilePath = verbs.Config
	}
	env.config.File, err = config.ReadFile(env.config.FilePath)
	// the command creates the file
	if err != nil && !(errors.Is(err, config.ErrNoFile) && strings.HasPrefix(parsed.Command(), "sources add")) {
		return env.fail(err, exitUsage)
	}
	if err := env.config.CheckFile(env.config.File); err != nil {
		return env.fail(err, exitUsage)
	}
	if verb := parsed.Command(); verb != "serve" && !strings.HasPrefix(verb, "service ") {
		if note := serviceNote(env.config); note != "" {
			fmt.Fprintln(env.errs, note)
		}
	}
	env.logger = newLogger(env.stderr, env.config, parsed.Command() == "serve")
	// at a terminal, Ctrl-C stops the answer, not the chat
	if parsed.Command() != "chat" || !isTerminal(env.stdin) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(env); err != nil {
		var usage usageError
		if errors.As(err, &usage) {
			return env.fail(err, exitUsage)
		}
		var some failedDocuments
		if errors.As(err, &some) {
			return env.fail(err, exitSome)
		}
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return env.fail(errors.New("interrupted"), 128+int(syscall.SIGINT))
		}
		return env.fail(err, exitFail)
	}
	return exitOK
}

func commandOf(err error) string {
	var fault *kong.ParseError
	if !errors.As(err, &fault) || fault.Context.Selected() == nil {
		return "footnote"
	}
	return fault.Context.Selected().FullPath()
}

// usageError is a wrong command line that the parser cannot detect.
type usageError string

func (e usageError) Error() string { return string(e) }

// fail returns code. It prints the error unless that is errSilent.
func (env *environment) fail(err error, code int) int {
	if !errors.Is(err, errSilent) {
		fmt.Fprintf(env.errs, "footnote: %v\n", advised(err))
	}
	return code
}

// advised adds what to do to database errors that do not say so themselves.
func advised(err error) string {
	text := err.Error()
	if advice := postgres.Advice(err); advice != "" && !strings.Contains(text, advice) {
		text += ": " + advice
	}
	return text
}

// errSilent makes a command fail without printing an error, because it has already printed one.
var errSilent = errors.New("already told")

// newLogger logs from level info in a server and from level warn in a command, unless LOG_LEVEL is
// set.
func newLogger(to io.Writer, c *config.Config, serving bool) *slog.Logger {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError, "": slog.LevelWarn}
	level := levels[c.LogLevel]
	if c.LogLevel == "" && serving {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(advised(err))
		}
		return a
	}}
	var lines slog.Handler = slog.NewTextHandler(to, options)
	if c.LogFormat == "json" {
		lines = slog.NewJSONHandler(console.JSON(to), options)
	}
	return slog.New(span.NewHandler(lines)) // each line says which turn it is about
}

func helpAndMore(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || ctx.Selected() != nil {
		return err //nolint:wrapcheck // it is about the output
	}
	_, err := fmt.Fprintln(ctx.Stdout, "\nTo list the settings, run \"footnote settings\".")
	return err //nolint:wrapcheck // it is about the output
}

type settingsCommand struct{}

// Run executes "footnote settings".
func (c *settingsCommand) Run(env *environment) error {
	var b strings.Builder
	b.WriteString("Settings, from the environment:\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(&b, "  %s (%s)\n      %s\n", s.Env, cmp.Or(s.Default, "unset"), s.Help)
	}
	_, err := fmt.Fprint(env.out, b.String())
	return err //nolint:wrapcheck // it is about the output
}

type versionCommand struct{}

// Run executes "footnote version".
func (c *versionCommand) Run(env *environment) error {
	_, err := fmt.Fprintln(env.out, version)
	return err //nolint:wrapcheck // it is about the output
}
