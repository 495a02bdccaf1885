package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/webconsole"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
	"golang.org/x/sync/errgroup"
)

type consoleCommand struct {
	Link    consoleLink    `cmd:"" help:"Print a link that signs a person in once, within ten minutes."`
	List    consoleList    `cmd:"" help:"List who may sign in, with their roles, sessions and connected accounts."`
	SignOut consoleSignOut `cmd:"" name:"sign-out" help:"End the sessions of a person and disconnect accounts of identity providers. The person keeps the role."`
	Remove  consoleRemove  `cmd:"" help:"Take a person's role away, which ends sessions and links at once."`
}

type consoleLink struct {
	For string `name:"for" placeholder:"ACCOUNT" help:"Who signs in: slack:ID, slack:ADDRESS or discord:ID. Pages show what this person may read. Default: your account on this machine, with what the terminal may read."`
	As  string `name:"as" placeholder:"ROLE" enum:",admin,moderator,gaps" default:"" help:"Give the person this role: admin (all pages), moderator (questions and gaps) or gaps. Needed once; without --for it is admin."`
}

// consoleAccount returns the operating-system account of this process if text is empty.
func consoleAccount(ctx context.Context, base *wire.Base, text string) (access.Account, error) {
	if text == "" {
		return base.TerminalViewer(operator()).Person, nil
	}
	if id, ok := strings.CutPrefix(text, review.Terminal+":"); ok {
		return base.TerminalViewer(id).Person, nil
	}
	known, err := pgaccess.New(base.DB).Known(ctx, base.Tenant)
	if err != nil {
		return access.Account{}, err
	}
	found, err := findAccount(known.Accounts, text)
	if err != nil {
		return access.Account{}, usageError(err.Error())
	}
	return access.Account{Workspace: found.Workspace, ID: found.ID}, nil
}

// Run executes "footnote console link".
func (c *consoleLink) Run(ctx context.Context, env *environment) error {
	if env.config.ConsoleURL == "" {
		return usageError("CONSOLE_URL is not set, so there is no console: set it for this command and for footnote serve (deploy/docs/console.md)")
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		person, err := consoleAccount(ctx, base, c.For)
		if err != nil {
			return err
		}
		store := admin.NewConsole(base.DB)
		granted, err := store.Granted(ctx, base.Tenant)
		if err != nil {
			return err
		}
		role := review.Role(c.As)
		if at := slices.IndexFunc(granted, func(g admin.Granted) bool { return g.Person == person }); at >= 0 && role == "" {
			role = granted[at].Role
		}
		if role == "" && c.For == "" {
			role = review.Admin
		}
		if role == "" {
			return usageError(fmt.Sprintf("%s has no role yet: add --as admin, --as moderator or --as gaps", c.For))
		}
		if err := store.Grant(ctx, base.Tenant, person, role, operator()); err != nil {
			return err
		}
		secret := review.NewSecret()
		if err := store.NewLink(ctx, base.Tenant, person, review.HashOf(secret), review.LinkLifetime, operator()); err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.out, "%s/sign-in?link=%s\n", env.config.ConsoleURL, secret)
		if err == nil {
			_, err = fmt.Fprintf(env.errs, "The link signs %s in as %s, once, within %s. Whoever has it can use it.\n", personName(person), role, plural.Count(int(review.LinkLifetime.Minutes()), "minute"))
		}
		return err
	})
}

// personName returns a name such as "slack:U0123", as flags accept it.
func personName(p access.Account) string { return p.Platform + ":" + p.ID }

type consoleList struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// consolePersonJSON is an item in the output of console list --json. Its field names are stable.
type consolePersonJSON struct {
	Person   string      `json:"person"`
	Role     review.Role `json:"role"`
	By       string      `json:"granted_by"`
	At       time.Time   `json:"granted_at"`
	Sessions int         `json:"sessions"`
	Used     *time.Time  `json:"used_at,omitempty"`
	// Connected lists the issuers of connected accounts.
	Connected []string `json:"connected"`
}

// Run executes "footnote console list".
func (c *consoleList) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		granted, err := admin.NewConsole(base.DB).Granted(ctx, base.Tenant)
		if err != nil {
			return err
		}
		if c.JSON {
			out := make([]consolePersonJSON, len(granted))
			for i, g := range granted {
				out[i] = consolePersonJSON{Person: personName(g.Person), Role: g.Role, By: g.By, At: g.At, Sessions: g.Sessions, Connected: append([]string{}, g.Connected...)}
				if !g.Used.IsZero() {
					out[i].Used = &g.Used
				}
			}
			return newEncoder(env.stdout).Encode(out)
		}
		if len(granted) == 0 {
			_, err := fmt.Fprintln(env.errs, "No one may sign in. To let a person in, run: footnote console link --for slack:ADDRESS --as moderator")
			return err
		}
		table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "PERSON\tROLE\tGRANTED BY\tSESSIONS\tLAST USED\tSIGNS IN WITH")
		for _, g := range granted {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", plain(personName(g.Person)), g.Role, plain(g.By), g.Sessions, ago(g.Used), cmp.Or(plain(strings.Join(g.Connected, ", ")), "links"))
		}
		return table.Flush()
	})
}

type consolePerson struct {
	Account string `arg:"" help:"The person: slack:ID, slack:ADDRESS, discord:ID or console:ACCOUNT, as the list has it."`
}

type consoleRemove struct {
	consolePerson `embed:""`
}

// Run executes "footnote console remove".
func (c *consoleRemove) Run(ctx context.Context, env *environment) error {
	return c.end(ctx, env, (*admin.Console).Remove, "may not sign in any more; sessions and links are ended", "had no role")
}

type consoleSignOut struct {
	consolePerson `embed:""`
}

// Run executes "footnote console sign-out".
func (c *consoleSignOut) Run(ctx context.Context, env *environment) error {
	return c.end(ctx, env, (*admin.Console).SignOutAll, "is signed out", "was not signed in")
}

func (c *consolePerson) end(
	ctx context.Context, env *environment, do func(*admin.Console, context.Context, access.TenantID, access.Account, string) (bool, error), done, not string,
) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		person, err := consoleAccount(ctx, base, c.Account)
		if err != nil {
			return err
		}
		was, err := do(admin.NewConsole(base.DB), ctx, base.Tenant, person, operator())
		if err != nil {
			return err
		}
		if !was {
			done = not
		}
		if _, err := fmt.Fprintf(env.out, "%s %s.\n", plain(personName(person)), done); err != nil || was {
			return err
		}
		return errSilent
	})
}

// console returns nil for both if CONSOLE_URL is not set.
func (env *environment) console(ctx context.Context, state *health) (http.Handler, net.Listener, error) {
	if env.config.ConsoleURL == "" {
		return nil, nil, nil
	}
	address, err := url.Parse(env.config.ConsoleURL)
	if err != nil {
		return nil, nil, fmt.Errorf("CONSOLE_URL: %w", err)
	}
	at, err := listen(ctx, env.config.ConsoleAddr, "CONSOLE_ADDR")
	if err != nil {
		return nil, nil, err
	}
	base := state.base
	var provider *webconsole.OIDC
	if env.config.OIDCIssuer != "" {
		provider = &webconsole.OIDC{
			Issuer: env.config.OIDCIssuer, ClientID: env.config.OIDCClientID, ClientSecret: env.config.OIDCClientSecret.Reveal(),
			CallbackURL: env.config.ConsoleURL + webconsole.CallbackPath, HTTP: base.HTTP("oidc"),
		}
	}
	var slack *webconsole.Slack
	if id := env.config.SlackClientID; id != "" {
		issuer := webconsole.SlackIssuer
		if env.config.SlackAPIURL != "" { // GovSlack signs with its own address
			issuer = strings.TrimSuffix(strings.TrimSuffix(env.config.SlackAPIURL, "/"), "/api")
		}
		slack = webconsole.NewSlack(issuer, id, env.config.SlackClientSecret.Reveal(), env.config.ConsoleURL+webconsole.SlackCallbackPath, base.HTTP("slack"),
			func(ctx context.Context, person access.Account) (bool, error) {
				return base.Member(ctx, state.set, person)
			})
	}
	return webconsole.Handler(webconsole.Config{
		Tenant: base.Tenant, Host: address.Host, Sessions: admin.NewConsole(base.DB), Reader: base.Review(), Logger: env.logger,
		Viewer: func(ctx context.Context, person access.Account) (review.Viewer, error) {
			return base.Viewer(ctx, state.set, person)
		},
		Counts: func(ctx context.Context, s review.Scope, since time.Time) (review.Counts, error) {
			return base.Sessions().QuestionCounts(ctx, base.Tenant, s, since, time.Time{})
		},
		Today: state.today, OIDC: provider, Slack: slack,
		Sources: func(ctx context.Context) ([]review.Source, error) { return currentSources(ctx, base) },
		Gaps:    base.Gaps().Report,
		Act:     state.act,
		ChangeSource: func(ctx context.Context, by access.Account, do sources.Act, id document.SourceID) (string, error) {
			return changeSource(ctx, base, by, do, id)
		},
		MayRead: state.mayRead,
		Ask:     base.Trying(state.set).Ask,
		Reveal:  state.reveal,
		Revealed: func(ctx context.Context, person access.Account) ([]session.TurnID, error) {
			return admin.NewConsole(base.DB).Revealed(ctx, base.Tenant, person)
		},
		Files: &webconsole.Files{Service: base.Uploads(), Author: func(ctx context.Context, person access.Account) (access.Account, error) {
			return base.Author(ctx, state.set, person)
		}},
		Setup: func(ctx context.Context) (review.Setup, error) { return setup(ctx, base) },
		Settings: review.Editing{
			Tenant: base.Tenant, Room: state.set.Room, Platforms: state.set.Platforms(), Names: func(key string) []string { return base.File().Names(key) },
			Editor: command.Editor{Settings: base.Settings(), Policies: base.Policies(), Logger: base.Logger, FileSays: func(at session.Place, key string) (policy.Origin, bool) {
				return base.File().Sets(at, key)
			}},
			Places: func(ctx context.Context) ([]session.Place, error) {
				changed, err := base.Settings().AllSettings(ctx, base.Tenant)
				return base.File().Places(changed), err
			},
		},
	}), at, nil
}

// checkIssuers asks the configured identity providers for their discovery documents.
func (e *examination) checkIssuers(ctx context.Context, base *wire.Base) {
	for _, p := range []struct{ part, setting, issuer, service string }{
		{"sign-in to the console", "CONSOLE_OIDC_ISSUER", base.Config.OIDCIssuer, "oidc"}, {"sign-in of assistants", "MCP_OAUTH_ISSUER", base.Config.MCPIssuer, "oauth"},
	} {
		if p.issuer == "" {
			continue
		}
		err := webconsole.CheckIssuer(ctx, p.issuer, base.HTTP(p.service))
		if err != nil {
			err = fmt.Errorf("%s does not serve its discovery document: %w. Correct %s, which the provider calls its issuer", p.issuer, err, p.setting)
		}
		e.tell(p.part, p.issuer+" answers, and names itself as the issuer", err)
	}
}

// reveal lets a moderator see another person's question, and records the reason. It first tells the
// asker; if that fails, it returns an error.
func (h *health) reveal(ctx context.Context, v review.Viewer, ref, reason string) (session.TurnID, error) {
	found, err := explain(ctx, h.base, ref)
	if err != nil && !errors.Is(err, errUnexplained) {
		return "", err
	}
	at := slices.IndexFunc(found, func(e command.Explanation) bool { return e.Turn != nil })
	if at < 0 {
		return "", &review.InputError{Sentence: "There is no such question. Name the turn, the reference that the answer shows, or a link to the message."}
	}
	r, notice, err := review.NewReveal(v, *found[at].Turn, reason)
	if err != nil {
		return "", err
	}
	if err := h.set.Whisper(ctx, r.Turn, chat.Note{Sentence: notice}); err != nil {
		h.base.Logger.WarnContext(ctx, "a question is not revealed, because its asker could not be told", "turn", r.Turn.ID, "error", err)
		return "", &review.InputError{Sentence: "The person who asked could not be told, so the question is not shown."}
	}
	return r.Turn.ID, admin.NewConsole(h.base.DB).Reveal(ctx, h.base.Tenant, v.Person, r)
}

// act returns review.ErrAway if this process does not serve the platform of the answer.
func (h *health) act(ctx context.Context, r action.Request) (action.Reply, error) {
	answering := h.answering.Load()
	if answering == nil || !slices.Contains(h.set.Platforms(), r.Ref.Platform) {
		return action.Reply{}, review.ErrAway
	}
	return answering.Actions.Perform(ctx, r)
}

func (env *environment) takeConsole(ctx context.Context, parts *errgroup.Group, at net.Listener, pages http.Handler) {
	if at == nil {
		return
	}
	env.logger.Info("serving the console", "console_addr", at.Addr().String(), "console_url", env.config.ConsoleURL)
	parts.Go(func() error { return env.serveHTTP(ctx, at, pages) })
}

const daysBack = 14

func (h *health) today(ctx context.Context, operation bool) (review.Today, error) {
	var t review.Today
	var err error
	since := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-daysBack)
	if t.Days, err = h.base.Sessions().QuestionDays(ctx, h.base.Tenant, since); err != nil {
		return t, err
	}
	if t.Waiting, err = h.base.Sessions().Depth(ctx); err != nil || !operation {
		return t, err
	}
	for _, p := range h.parts(ctx) {
		if !p.Up {
			t.Findings = append(t.Findings, review.Finding{Part: p.Name, Text: p.State, Broken: !p.Optional})
		}
	}
	mistakes, err := silentMistakes(ctx, h.base, h.set, false)
	if err != nil {
		t.Findings = append(t.Findings, review.Finding{Part: "more checks", Text: "These failed: " + advised(err), Broken: true})
	}
	for _, m := range mistakes {
		t.Findings = append(t.Findings, review.Finding{Part: m.Part, Text: m.Text})
	}
	sources, err := currentSources(ctx, h.base)
	if err != nil {
		return t, err
	}
	for _, s := range sources {
		for _, fault := range s.Faults {
			t.Findings = append(t.Findings, review.Finding{Part: "source " + s.Name, Text: fault, Broken: true})
		}
	}
	rows, err := h.base.Books().Report(ctx, since)
	if err != nil {
		return t, err
	}
	for _, r := range rows {
		if r.Tenant != h.base.Tenant || r.Currency == "" {
			continue
		}
		at := slices.IndexFunc(t.Costs, func(c review.Cost) bool { return c.Day.Equal(r.Day) && c.Currency == r.Currency })
		if at < 0 {
			at, t.Costs = len(t.Costs), append(t.Costs, review.Cost{Day: r.Day, Currency: r.Currency})
		}
		t.Costs[at].Amount += r.Amount
	}
	slices.SortStableFunc(t.Costs, func(a, b review.Cost) int { return cmp.Or(b.Day.Compare(a.Day), cmp.Compare(a.Currency, b.Currency)) })
	return t, nil
}

// currentSources omits notices that name documents, because not every viewer may read them.
func currentSources(ctx context.Context, base *wire.Base) ([]review.Source, error) {
	indexed, err := base.Index.Sources(ctx, base.Tenant)
	if err != nil {
		return nil, err
	}
	stored, err := base.StoredSources(ctx)
	if err != nil {
		return nil, err
	}
	readers, err := base.Access(ctx)
	if err != nil {
		return nil, err
	}
	schedules := make(map[document.SourceID]wire.StoredSource, len(stored))
	for _, s := range stored {
		schedules[s.ID] = s
	}
	all := make([]review.Source, len(indexed))
	for i, s := range indexed {
		all[i] = currentSource(s, schedules[s.Source.ID], readers[s.Source.ID])
	}
	return all, nil
}

func currentSource(s pgindex.SourceState, stored wire.StoredSource, readers sources.Access) review.Source {
	kind := wire.KindOf(stored.Source)
	out := review.Source{
		ID: s.Source.ID, Name: cmp.Or(s.Source.Name, string(s.Source.ID)), Kind: string(s.Source.Kind), Documents: s.Documents,
		LastSuccess: s.LastSuccess, LastRun: s.StartedAt, Running: s.State().Running(), Every: stored.Every, NextRun: stored.Schedule().NextRun(time.Now()),
		Failed: s.Counts.Failed, Skipped: s.Counts.Skipped, FailedRuns: s.Failing, People: readers.People.Known(),
		Matched: readers.People[sources.Matched], Unmatched: readers.People[sources.Unmatched], Conflicting: readers.People[sources.Conflicting],
		Late: kind.Looks.Late(stored.Every), Deleted: kind.Looks.Deleted(stored.Every), Bound: kind.Bound,
	}
	for name, state := range map[string]*sources.Loop{"groups": readers.Groups, kind.Unit: readers.Nodes} {
		if state != nil {
			out.Loops = append(out.Loops, review.Loop{Name: name, ReadAt: state.SucceededAt, CountsTill: state.Until, FailedRuns: state.Failing})
		}
	}
	slices.SortFunc(out.Loops, func(a, b review.Loop) int { return cmp.Compare(a.Name, b.Name) })
	if s.Source.ID != upload.Source { // people change kept files one by one
		out.Offers = wire.SourceOffers(stored)
	}
	if stored.Refused != "" {
		out.Faults = append(out.Faults, stored.Refused)
	}
	if s.PausedAt.IsZero() {
		out.Faults = append(out.Faults, readers.Faults(time.Now())...)
	}
	if fault := readers.People.Fault(); fault != "" {
		out.Faults = append(out.Faults, fault)
	}
	if s.Failing > 0 {
		out.Faults = append(out.Faults, fmt.Sprintf("Runs that failed in a row: %d. footnote sources names the error.", s.Failing))
	}
	return out
}

func changeSource(ctx context.Context, base *wire.Base, by access.Account, do sources.Act, id document.SourceID) (string, error) {
	stored, err := base.StoredSources(ctx)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(stored, func(s wire.StoredSource) bool { return s.ID == id })
	if at < 0 {
		return "", &review.InputError{Sentence: "There is no such source."}
	}
	done, err := base.As(review.ActorOf(by)).ChangeSource(ctx, do, stored[at])
	return fmt.Sprintf("%s: %s.", id, done), err
}

// mayRead says whether an account may read the document at an address, and why. If this process
// serves the account's platform, permissions through channels, groups and roles are included.
func (h *health) mayRead(ctx context.Context, who, address string) (review.Answer, error) {
	var out review.Answer
	known, err := pgaccess.New(h.base.DB).Known(ctx, h.base.Tenant)
	if err != nil {
		return out, err
	}
	account, err := findAccount(known.Accounts, who)
	if err != nil {
		return out, &review.InputError{Sentence: err.Error()}
	}
	there := access.Presence{Tenant: h.base.Tenant, Held: ofAccount(account, h.base.File().Rules().Domains), People: []access.Account{account}}
	if out.Unasked = !slices.Contains(h.set.Platforms(), thread.Platform(account.Platform)); !out.Unasked {
		if there, err = h.base.Present(ctx, h.set, account); err != nil {
			return out, err
		}
	}
	held, err := h.base.Resolver().Held(ctx, there)
	if err != nil {
		return out, err
	}
	lists, err := h.base.Index.Readers(ctx, h.base.Tenant, address)
	if err != nil {
		return out, err
	}
	for _, list := range lists {
		out.Documents = append(out.Documents, review.Readers{Readers: list, Through: review.Through(list, held)})
	}
	return out, nil
}
