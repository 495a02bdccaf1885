package discordbot_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// told waits until an interaction's user is told something.
func (w *world) told(i *discordtest.Interaction, text string) discordtest.State {
	w.Helper()
	w.until("somebody is told "+text, func() bool { return strings.Contains(i.State().Content, text) })
	if s := i.State(); !s.Private {
		w.Errorf("others see %q", s.Content)
	}
	return i.State()
}

func TestFollowUpByAForm(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")), func(s *setting) {
		s.server.NoContent, s.bot.NoMessageContent = true, true
	})
	thread := w.ada.Mention(w.general, "What is first?")
	w.answers(thread, 1)
	shown := w.discord.Answers(thread)[0]
	i := slices.IndexFunc(shown.Buttons, func(id string) bool { return strings.HasPrefix(id, "footnote-ask:") })
	if i < 0 {
		t.Fatalf("there is no button for a follow-up: %q", shown.Buttons)
	}
	form := w.ada.Press(shown.Message, shown.Buttons[i])
	w.until("a form is shown", func() bool { return form.State().Kind == 9 })
	if got := w.finished(w.ada.Submit(form, "And second?")); !strings.HasPrefix(got.Content, "The second answer.") {
		t.Errorf("the follow-up shows %+v", got)
	}
	requests := w.model.Requests()
	if last := requests[len(requests)-1]; len(last.Messages) < 4 {
		t.Errorf("the follow-up's prompt has %d messages, want the history in it", len(last.Messages))
	}
	w.ada.Reply(shown.Message, "And by a reply?") // which mentions whom it answers
	w.until("the reply is answered", func() bool {
		return slices.ContainsFunc(w.discord.Answers(thread), func(v discordtest.Version) bool { return strings.HasPrefix(v.Content, "The third answer.") })
	})
}

func TestFootnoteCommands(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) { s.bot.BindFirst = true })
	mod := w.guild.AddPerson("Boss", false)
	w.guild.Own(mod)
	w.answers(w.ada.Mention(w.general, "What is it?"), 1)
	use := func(p *discordtest.Person, name string, options map[string]any) *discordtest.Interaction {
		return p.Command(w.general, "footnote", map[string]any{name: discordtest.Sub(options)})
	}
	w.told(use(w.ada, "status", nil), "I answer questions in this channel.")
	w.told(use(w.ada, "whoami", nil), "you are a member of the server Team")
	w.told(use(w.ada, "follow", map[string]any{"value": "mention"}), "Only administrators")
	w.told(use(w.ada, "why", nil), "mentioned")
	w.told(use(w.ada, "help", nil), "/footnote status")
	w.told(use(w.ada, "setup", nil), "Only whoever may manage the server")
	w.told(use(w.ada, "forget-me", nil), "Nothing is deleted yet")
	w.told(use(w.ada, "forget-me", map[string]any{"confirm": false}), "Nothing is deleted yet")
	w.told(use(w.ada, "forget-me", map[string]any{"confirm": true}), "1 question")
}

// In a server that the bot was thrown out of nobody is anything: that is known, and no reason to
// try again later.
func TestWhoamiOnceTheServerIsGone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, refusal string }{
		{"it is unknown", ""}, {"there is no access", `{"message": "Missing Access", "code": 50001}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(), func(s *setting) { s.bot.BindFirst = true })
			whoami := func() *discordtest.Interaction {
				return w.ada.Command(w.ada.DM(), "footnote", map[string]any{"whoami": discordtest.Sub(nil)})
			}
			w.told(whoami(), "you are a member of the server Team")
			if tt.refusal != "" {
				w.discord.Inject(discordtest.Fault{Path: "/members/", Times: 1000, Status: 403, Body: tt.refusal})
			}
			w.guild.Leave()
			w.until("the server is forgotten", func() bool {
				i := whoami()
				w.until("it is answered", func() bool { return i.State().Content != "" })
				return !strings.Contains(i.State().Content, "member of the server")
			})
			if s := w.told(whoami(), "your Discord account"); strings.Contains(s.Content, "cannot be found out") || strings.Contains(s.Content, "discord:") && strings.Contains(s.Content, "role") {
				t.Errorf("whoami says %q", s.Content)
			}
		})
	}
}

func TestAgentsAreOfferedAndChosen(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "By the book.")), func(s *setting) {
		s.bot.Agents = func() []string { return []string{"legal", "support", "release-notes"} }
	})
	typed := w.ada.Type(w.general, "ask", "agent", "LE")
	w.until("values are offered", func() bool { return typed.State().Kind == 8 })
	if got := typed.State().Choices; !slices.Equal(got, []string{"legal", "release-notes"}) {
		t.Errorf("choices = %q", got)
	}
	w.finished(w.ada.Command(w.general, "ask", map[string]any{"question": "May we?", "agent": "legal"}))
	if got := w.asked(); len(got) != 1 || got[0].Agent != "legal" {
		t.Errorf("asked = %+v", got)
	}
	w.told(w.ada.Command(w.general, "ask", map[string]any{"question": "May we?", "agent": "nobody"}), "no agent of that name")
}

func TestPrivateOffer(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "Nothing for everybody."), said(0, "Between us."), said(0, "In time.")), func(s *setting) {
		s.bot.BindFirst = true
		s.before = func(w *world) { w.library.acl = access.ACL{access.Members} }
	})
	thread := w.ada.Mention(w.general, "What is it?")
	w.answers(thread, 1)
	w.until("an answer for Ada alone is offered", func() bool { return len(w.discord.Answers(w.ada.DM())) == 1 })
	offer := w.discord.Answers(w.ada.DM())[0]
	if len(offer.Buttons) != 1 {
		t.Fatalf("the offer has the buttons %q", offer.Buttons)
	}
	i := w.ada.Press(offer.Message, offer.Buttons[0])
	w.until("the private answer is there", func() bool { return strings.HasPrefix(i.State().Content, "Between us.") })
	if got := w.discord.Answers(thread); len(got) != 1 {
		t.Errorf("others see %+v", got)
	}
	w.harmless()
}

func TestSetup(t *testing.T) {
	t.Parallel()
	var w *world
	w = begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) { s.policies = inChat(func() *world { return w }) })
	boss := w.guild.AddPerson("Boss", false)
	w.guild.Own(boss)
	other := w.guild.AddText("off-topic").ID
	role := w.guild.AddRole("staff", 0)
	w.discord.Deny(other, discordtest.CreatePublicThreads)
	i := boss.Command(w.general, "footnote", map[string]any{"setup": discordtest.Sub{}})
	state := w.told(i, "How questions are answered in Team")
	if !strings.Contains(state.Content, "`#off-topic`: Create Public Threads") || !strings.Contains(state.Content, "footnote discord allow "+w.guild.ID) {
		t.Errorf("/footnote setup says %q", state.Content)
	}
	w.told(boss.Choose(i.State().Original, "footnote-setup:channels", 8, w.general), "in the channel that you chose")
	w.told(boss.Choose(i.State().Original, "footnote-setup:roles", 6, role), "askers")
	w.told(boss.Choose(i.State().Original, "footnote-setup:mode", 3, "mention"), "follow")
	settings, err := w.store.AllSettings(t.Context(), access.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range settings {
		got = append(got, s.Channel+" "+s.Key+" "+s.Value)
	}
	want := []string{" askers group:discord:" + role, " enabled false", " follow mention", w.general + " enabled true"}
	if !slices.Equal(got, want) {
		t.Errorf("settings = %q, want %q", got, want)
	}
	w.told(w.ada.Ask(w.general, "May I?"), "cannot ask")
	w.ada.Mention(other, "And here?")
	w.until("Ada is told alone", func() bool { return len(w.discord.Answers(w.ada.DM())) == 1 && len(w.discord.Answers(other)) == 0 })
}

// inChat is what was changed in chat, and the defaults elsewhere.
type inChat func() *world

// Policy implements command.Policies.
func (c inChat) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	settings, err := c().store.Settings(ctx, tenant, at)
	var said []policy.SettingValue
	for _, s := range settings {
		said = append(said, policy.ChangedValue(s))
	}
	return policy.Resolve(said...), err
}

// Accept implements command.Policies.
func (c inChat) Accept(context.Context, access.TenantID, session.Place, string, string) error {
	return nil
}

// Hash implements command.Policies.
func (c inChat) Hash(context.Context) (string, error) { return "test", nil }
