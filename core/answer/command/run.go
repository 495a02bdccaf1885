package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Request is a command that a person typed after /footnote or chose in a menu. The adapter must
// have verified By and Admin.
type Request struct {
	Tenant access.TenantID
	// Ref is where the command was used. Thread is empty outside threads. The settings of Channel
	// apply.
	Ref thread.Ref
	By  thread.Person
	// Admin says that the person may change the channel's settings. Administrators of the workspace
	// and people who may manage the server have this permission.
	Admin  bool
	Direct bool   // in a direct message
	Text   string // "config follow always"; empty means help
	// Message is the message that the command why explains. If it is empty, why explains the newest
	// answer of the thread or channel.
	Message thread.MessageID
	// Alone returns the presence of this one person. After an error the result is partial. Alone is
	// nil if the platform cannot be asked.
	Alone func(ctx context.Context) (access.Presence, error)
}

// held returns the person's principals in a private conversation with the bot. After an error they
// are incomplete.
func (s *Service) held(ctx context.Context, c Request) (alone access.Presence, held []access.Held, err error) {
	if c.Alone == nil {
		return access.Presence{Tenant: c.Tenant}, nil, errors.New("the platform cannot be asked")
	}
	alone, err = c.Alone(ctx)
	return alone, s.Answerer.Held(ctx, alone), err
}

func (s *Service) audience(c Request) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) {
		_, held, err := s.held(ctx, c)
		return access.AudienceOf(c.Tenant, held), err
	}
}

// Help describes one command of /footnote.
type Help struct {
	Name, Arguments, Help string
	Admin                 bool // changes settings for others
}

const wordConfirm = "confirm"

// Commands lists the commands of /footnote, for help texts and command menus.
func Commands() []Help {
	return []Help{
		{Name: "status", Help: "what holds in this channel, and what is being answered"},
		{Name: "config", Arguments: "[key [value | reset]]", Help: "the settings of this channel", Admin: true},
		{Name: "follow", Arguments: "[mention | dialogue | always]", Help: "which messages are answered that do not mention me", Admin: true},
		{Name: "why", Arguments: "[address]", Help: "why the newest answer here came about, or did not; of an address, by what you may read it"},
		{Name: "whoami", Help: "what you may read, and why"},
		{Name: "pause", Help: "answer nothing in this channel for now", Admin: true},
		{Name: "resume", Help: "end the pause", Admin: true},
		{Name: "report", Arguments: "[on | off]", Help: "whether the weekly report is posted to this channel", Admin: true},
		{Name: "stop", Help: "stop what is being answered for you here"},
		{Name: "token", Arguments: "[list | revoke ID]", Help: "a token with which an assistant such as Claude reads what you may read"},
		{Name: "ask-me", Arguments: "[on | off]", Help: "whether people may have you asked about pages that you own"},
		{Name: "files", Arguments: "[remove ID]", Help: "files kept in projects that you may read, and how to keep one"},
		{Name: "forget-me", Arguments: wordConfirm, Help: "delete your questions with their answers, and your feedback, for good"},
		{Name: "help", Help: "this list"},
	}
}

const (
	sentenceAdminsOnly = "Only administrators can change what holds here. Ask one of them to do it."
	sentenceNoSettings = "Settings cannot be changed in chat here. Whoever runs this bot changes them in footnote.yaml."
	sentenceIdle       = "Nothing of yours is being answered here."
	sentenceStoppedOne = "Stopped."
	sentenceForget     = "This deletes everything that you asked me, wherever you asked it, with the answers, the files that came with it, your votes, and your tokens for assistants. " +
		"Files that you kept in projects for yourself alone are deleted; others stay there without your name. " +
		"Who you are in sources such as GitHub is forgotten, too, so that nothing is answered any more from what you alone may read there; so is what is noted of you, by your address of mail, next to pages that name you. " +
		"It cannot be undone, and what was posted in channels stays there. Nothing is deleted yet: write `/footnote forget-me " + wordConfirm + "` if you mean it."
)

// Command executes a command and returns the reply. Only the person who used the command may see
// the reply. It is Markdown with paragraphs, lists and code only. Refusals and mistakes are also
// replies. An error means that the store failed.
func (s *Service) Command(ctx context.Context, c Request) (said string, err error) {
	defer s.recovered(ctx, "command", &err)
	words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(c.Text), "/footnote"))
	if len(words) == 0 {
		words = []string{"help"}
	}
	run, known := map[string]func(context.Context, Request, []string) (string, error){
		"status": s.statusCommand, "config": s.configCommand, "follow": s.followCommand, "why": s.whyCommand, "whoami": s.whoamiCommand,
		"pause": s.pauseCommand, "resume": s.resumeCommand, "stop": s.stopCommand, "forget-me": s.forgetCommand,
		"token": s.tokenCommand, "ask-me": s.askMeCommand, "report": s.reportCommand, "files": s.filesCommand,
		"help": func(_ context.Context, c Request, _ []string) (string, error) { return helpFor(c.Admin), nil },
	}[strings.ToLower(words[0])]
	if !known {
		return fmt.Sprintf("There is no command %s.\n\n%s", asCode(words[0]), helpFor(c.Admin)), nil
	}
	said, err = run(ctx, c, words[1:])
	if err != nil {
		return "", fmt.Errorf("carry out the command %s: %w", words[0], err)
	}
	return said, nil
}

func helpFor(admin bool) string {
	var b strings.Builder
	b.WriteString("Mention me with a question, write to me directly, or use `/ask`. A 🛑 reaction stops an answer.\n")
	for _, c := range Commands() {
		line := strings.TrimSpace("/footnote " + c.Name + " " + c.Arguments)
		fmt.Fprintf(&b, "\n- `%s`: %s", line, c.Help)
		if c.Admin && !admin {
			b.WriteString(" (administrators)")
		}
	}
	return b.String()
}

// asCode shows at most 60 characters of a person's input as code.
func asCode(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "'")), " ")
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return "`" + text + "`"
}

func (s *Service) stopCommand(ctx context.Context, c Request, _ []string) (string, error) {
	r := session.StopRequest{Tenant: c.Tenant, Ref: c.Ref, By: session.Stopper{ID: c.By.ID, Privileged: c.Admin && c.Ref.Thread != ""}}
	result, err := s.Answerer.StopAs(ctx, r, s.audience(c))
	switch n := len(result.Turns); {
	case err != nil:
		return "", err
	case n > 1:
		return "Stopped " + plural.Count(n, "answer") + ".", nil
	case n == 1:
		return sentenceStoppedOne, nil
	case result.Denied:
		return policy.SayDenied(), nil
	default:
		return sentenceIdle, nil
	}
}

const maxHeld = 100

func (s *Service) whoamiCommand(ctx context.Context, c Request, _ []string) (string, error) {
	_, held, err := s.held(ctx, c)
	rules, policyErr := s.policy(ctx, c.Tenant, session.PlaceOf(c.Ref))
	if policyErr != nil {
		return "", policyErr
	}
	var b strings.Builder
	fmt.Fprintf(&b, "You are `%s`.", access.User(string(c.Ref.Platform), c.By.ID))
	if err != nil {
		s.Logger.WarnContext(ctx, "a person's groups are unknown", "error", err)
		b.WriteString(" What you may read cannot be found out at the moment, so only public documents are used for you. Try again in a minute.")
		return b.String(), nil
	}
	b.WriteString(" In a direct message or a private answer you may read documents whose access list names one of these:\n")
	for i, h := range held {
		if i == maxHeld {
			fmt.Fprintf(&b, "\n- and %d more", len(held)-i)
			break
		}
		fmt.Fprintf(&b, "\n- `%s`: %s", h.Principal, h.From)
	}
	b.WriteString("\n\nIn a channel only documents are used that everybody there may read.")
	switch {
	case c.Direct:
	case !rules.MayAsk(access.AudienceOf(c.Tenant, held)):
		fmt.Fprintf(&b, " You may not ask in this channel: only %s may.", settingOf("askers").Show(rules.Policy))
	case c.Admin:
		b.WriteString(" You may ask in this channel, and change its settings.")
	default:
		b.WriteString(" You may ask in this channel.")
	}
	return b.String(), nil
}

func (s *Service) forgetCommand(ctx context.Context, c Request, words []string) (string, error) {
	if len(words) != 1 || !strings.EqualFold(words[0], wordConfirm) {
		return sentenceForget, nil
	}
	votes, err := s.Store.ForgetVotes(ctx, c.Tenant, c.Ref.Platform, c.By.ID)
	if err != nil {
		return "", err
	}
	gone, err := s.Store.Forget(ctx, c.Tenant, c.Ref.Platform, c.By.ID)
	if err != nil {
		return "", err
	}
	s.Logger.InfoContext(ctx, "a person was forgotten", "platform", c.Ref.Platform, "turns", gone.Turns, "sessions", gone.Sessions)
	for _, id := range gone.Running {
		if err := s.Signal.Raise(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "stop signal not sent", "turn", id, "error", err)
		}
	}
	was, err := s.forgetAccount(ctx, c)
	if err != nil {
		return "", err
	}
	if gone.Turns == 0 && votes == 0 && gone.Tokens == 0 && gone.Files == 0 && !was {
		return "Nothing is kept of you here.", nil
	}
	more := ""
	if gone.Tokens > 0 {
		more = ", and " + plural.Count(gone.Tokens, "token") + " for assistants"
	}
	if gone.Files > 0 {
		more += ", and " + plural.Count(gone.Files, "kept file")
	}
	return fmt.Sprintf("Deleted: %s with their answers, and %s%s. What was posted in channels stays there until it is deleted in them.",
		plural.Count(gone.Turns, "question"), plural.Count(votes, "vote"), more), nil
}

// forgetAccount deletes the links between the person's accounts and people in document sources, and
// prevents new ones. was reports whether there were any links.
func (s *Service) forgetAccount(ctx context.Context, c Request) (was bool, err error) {
	if s.People == nil || c.Alone == nil {
		return false, nil
	}
	alone, err := c.Alone(ctx)
	for _, account := range alone.People { // People is also set after an error
		known, err := s.People.Forget(ctx, c.Tenant, account)
		if err != nil {
			return false, err
		}
		was = was || known
	}
	if len(alone.People) == 0 && err != nil {
		return false, err
	}
	return was, nil
}
