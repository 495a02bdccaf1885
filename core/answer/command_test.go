package answer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// command types something after /footnote, in the channel and not in a thread.
func (s *stage) command(r *services, text string, change ...func(*command.Request)) string {
	s.Helper()
	c := command.Request{
		Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}, By: thread.Person{ID: "U1"}, Text: text,
		Alone: func(context.Context) (access.Presence, error) {
			return access.Presence{
				Tenant: tenant, Held: []access.Held{{Principal: access.Members, From: "you are a full member of this workspace"}, {Principal: "user:slack:U1", From: "it is you"}},
				People: []access.Account{{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U1", Full: true}},
			}, nil
		},
	}
	for _, f := range change {
		f(&c)
	}
	said, err := r.Command(s.Context(), c)
	if err != nil {
		s.Fatalf("/footnote %s: %v", text, err)
	}
	return said
}

// addressed is documents with their readers, by their addresses.
type addressed map[string][]access.ACL

func (s addressed) Readers(_ context.Context, _ access.TenantID, address string) ([]access.ACL, error) {
	return s[address], nil
}

func admin(c *command.Request) { c.Admin = true }

func (s *stage) says(what, got string, parts ...string) {
	s.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			s.Errorf("%s: %q does not say %q", what, got, part)
		}
	}
}

func TestCommandsForEverybody(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, rules := s.judging("agent", "helper", "follow", "always")
		for _, text := range []string{"", "help", "/footnote help", "HELP"} {
			got := s.command(r, text)
			for _, c := range command.Commands() {
				s.says("help", got, "`/footnote "+c.Name)
			}
		}
		s.says("a misspelt command", s.command(r, "statsu `x` <@U1>"), "There is no command `statsu`", "/footnote status")
		s.says("status", s.command(r, "status"), "I answer questions in this channel.", "agent `helper`", "where the documents have an answer", "Nothing is being answered", "`abc123`")
		r.Spent = func(context.Context, access.TenantID) (string, error) { return "0.42 of 5.00 USD today", nil }
		s.says("status for administrators", s.command(r, "status", admin), "Models have cost 0.42 of 5.00 USD today.")
		if got := s.command(r, "status"); strings.Contains(got, "USD") {
			s.Errorf("everybody is told what models cost: %s", got)
		}
		s.says("config", s.command(r, "config"), "`agent`: `helper` (footnote.yaml:7)", "`follow`: `always`", "At their defaults: project")
		s.says("one setting", s.command(r, "config evidence"), "`evidence` is `0.6` (default)", "Write a number from 0 to 1")
		s.says("a narrowing setting", s.command(r, "config askers"), "`askers` is not set (default)", "can only take away")
		s.says("an unknown setting", s.command(r, "config colour blue"), "There is no setting `colour`", "agent, project, document_sets")
		s.says("follow", s.command(r, "follow"), "`follow` is `always` (footnote.yaml:7)")
		for _, text := range []string{"config follow mention", "follow mention", "pause", "resume", "report off", "config follow reset"} {
			s.says(text+" by anybody", s.command(r, text), "Only administrators")
		}
		s.says("whoami", s.command(r, "whoami"), "You are `user:slack:U1`", "`members`: you are a full member", "You may ask in this channel.")
		rules.say("askers", "group:staff")
		s.says("whoami of a stranger", s.command(r, "whoami"), "You may not ask in this channel: only group:staff may.")
		s.says("whoami when nobody knows", s.command(r, "whoami", func(c *command.Request) {
			c.Alone = func(context.Context) (access.Presence, error) { return access.Presence{}, errors.New("away") }
		}), "cannot be found out at the moment")
		s.says("why", s.command(r, "why"), "nothing here yet")
		r.Documents = addressed{"https://wiki/open": {{"group:wiki:grp:1", "user:slack:U1"}}, "https://wiki/closed": {{"group:wiki:grp:1"}}, "https://wiki/public": {{access.Public}}}
		s.says("why of what may be read", s.command(r, "why <https://wiki/open>"), "I may use it for you", "`user:slack:U1`: it is you")
		s.says("why of what is public", s.command(r, "why https://wiki/public"), "`public`: everyone may read it")
		if closed, none := s.command(r, "why https://wiki/closed"), s.command(r, "why https://wiki/none"); closed != none || !strings.Contains(none, "either there is none in the index, or") {
			s.Errorf("of a document that is withheld it says %q, of one that is not there %q", closed, none)
		}
		s.says("stop", s.command(r, "stop"), "Nothing of yours")
		s.says("forget-me", s.command(r, "forget-me confirm"), "Nothing is kept of you here.")
	})
}

func TestAdministratorsChangeSettings(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, rules := s.judging("follow", "mention", "askers", "members")
		s.says("a change", s.command(r, "config follow always", admin), "`follow` is now `always` (changed by U1 on 2000-01-01)")
		if p, err := rules.Policy(s.Context(), tenant, session.PlaceOf(channelRef)); err != nil || p.Follow != policy.FollowAlways {
			s.Errorf("follow is %s, %v", p.Follow, err)
		}
		if p, err := rules.Policy(s.Context(), tenant, session.Place{Platform: "slack", Workspace: "T1", Channel: "C2"}); err != nil || p.Follow != policy.FollowMention {
			s.Errorf("follow elsewhere is %s, %v", p.Follow, err)
		}
		s.says("a value that is none", s.command(r, "config follow sometimes", admin), "`sometimes` is no value of `follow`: write mention, dialogue or always.")
		s.says("a name that does not exist", s.command(r, "config agent nobody", admin), "cannot be set: there is no agent")
		s.says("undone", s.command(r, "config follow reset", admin), "`follow` is now `mention` (footnote.yaml:7)")
		s.says("undone twice", s.command(r, "config follow reset", admin), "has no change to undo")
		s.says("narrowed", s.command(r, "config askers group:staff", admin), "`members, and of those group:staff`", "footnote.yaml:7; changed by")
		s.says("all channels", s.command(r, "config workspace bots true", admin), "`bots` is now `true`")
		if p, err := rules.Policy(s.Context(), tenant, session.Place{Platform: "slack", Workspace: "T1", Channel: "C2"}); err != nil || !p.Bots {
			s.Errorf("bots elsewhere: %v, %v", p.Bots, err)
		}
		s.says("follow", s.command(r, "follow dialogue", admin), "`follow` is now `dialogue`")

		s.says("report off", s.command(r, "report off", admin), "No weekly report", "/footnote report on")
		s.says("report", s.command(r, "report"), "`report` is `false` (changed by U1")
		if p, err := rules.Policy(s.Context(), tenant, session.PlaceOf(channelRef)); err != nil || p.Report {
			s.Errorf("the report is posted: %v, %v", p.Report, err)
		}
		s.says("report on", s.command(r, "report ON", admin), "posted to this channel again")

		s.says("pause", s.command(r, "pause", admin), "paused", "/footnote resume")
		s.says("status while paused", s.command(r, "status"), "Answering is paused")
		if j := s.hear(r, "what is alpha?", mentioned, holding(access.Members, "group:staff")); j.Reason != "paused" || !strings.Contains(j.Sentence(), "/footnote resume") {
			s.Errorf("a mention while paused: %+v", j.Decision)
		}
		s.says("resume", s.command(r, "resume", admin), "answered in this channel again")
		if j := s.hear(r, "what is alpha?", mentioned, holding(access.Members, "group:staff")); j.Action != policy.Answer {
			s.Errorf("a mention after the pause: %+v", j.Decision)
		}
	})
}

func TestWhoeverTheChannelNamesStopsOtherPeoplesAnswers(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.slow = time.Hour
		r, rules := s.judging()
		s.hear(r, "one?", mentioned, func(o *answer.Occurrence) { o.Ref.Thread = "1" })
		time.Sleep(time.Second)
		by := func(id string, held ...access.Held) func(*command.Request) {
			return func(c *command.Request) {
				c.Ref.Thread, c.By.ID = "1", id
				c.Alone = func(context.Context) (access.Presence, error) {
					return access.Presence{Tenant: tenant, Held: held}, nil
				}
			}
		}
		guard := by("U8", access.Held{Principal: "group:guards"})
		s.says("nobody is named", s.command(r, "stop", guard), "Only whoever asked")
		rules.say("stoppers", "group:guards")
		s.says("somebody else is named", s.command(r, "stop", by("U9")), "Only whoever asked")
		s.says("one who is named", s.command(r, "stop", guard), "Stopped.")
		s.settle()
	})
}

func TestStopCommandStopsWhatIsOnesOwn(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.slow = time.Hour
		r, _ := s.judging()
		thread := func(n string) func(*answer.Occurrence) { return func(o *answer.Occurrence) { o.Ref.Thread = n } }
		s.hear(r, "one?", mentioned, thread("1"))
		s.hear(r, "two?", mentioned, thread("2"))
		s.hear(r, "three?", mentioned, thread("3"), by("U2"))
		time.Sleep(time.Second)
		s.says("stop", s.command(r, "stop"), "Stopped 2 answers.")
		s.settle()
		if n, err := s.store.Waiting(s.Context(), tenant, session.PlaceOf(channelRef)); n != 1 || err != nil {
			s.Errorf("%d turns run, want that of somebody else; %v", n, err)
		}
		s.says("a stranger's stop", s.command(r, "stop", func(c *command.Request) { c.Ref.Thread, c.By.ID = "3", "U9" }), "Only whoever asked")
		s.says("an administrator's", s.command(r, "stop", admin, func(c *command.Request) { c.Ref.Thread, c.By.ID = "3", "U9" }), "Stopped.")
		s.settle()
	})
}

func TestForgetMe(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		j := s.hear(r, "what is alpha?", mentioned)
		s.hear(r, "and alpha again?", mentioned, by("U2"))
		s.settle()
		latest, err := s.store.TurnOf(s.Context(), tenant, channelRef, "q2")
		if err != nil || j.Action != policy.Answer {
			s.Fatal(err)
		}
		s.act(r, thread.ActionUp, latest.ID, "U1")
		for _, text := range []string{"forget-me", "forget-me please", "forget-me confirm it"} {
			s.says(text, s.command(r, text), "Nothing is deleted yet", "`/footnote forget-me confirm`")
		}
		if _, err := s.store.TurnOf(s.Context(), tenant, channelRef, "q1"); err != nil {
			s.Errorf("what nobody confirmed was done: %v", err)
		}
		s.says("forget-me", s.command(r, "forget-me Confirm"), "1 question with their answers", "1 vote")
		if _, err := s.store.TurnOf(s.Context(), tenant, channelRef, "q1"); !errors.Is(err, session.ErrUnknownTurn) {
			s.Errorf("the question is still there: %v", err)
		}
		if votes, err := s.store.Feedback(s.Context(), session.FeedbackQuery{Tenant: tenant}); err != nil || len(votes) != 0 {
			s.Errorf("votes left: %+v, %v", votes, err)
		}
		if _, err := s.store.TurnOf(s.Context(), tenant, channelRef, "q2"); err != nil {
			s.Errorf("somebody else's question is gone: %v", err)
		}
	})
}

func TestWhyExplains(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.hear(r, "just talking")
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		s.says("the newest", s.command(r, "why"),
			"Decision: The bot was mentioned. (mention)", "Audience: whoever sees the answer holds members, public", `Search: "what is alpha?"`,
			"\n- 1. alpha: score", "matches 70 % of the question", "Outcome: answered, written by m, cited")
		first, err := s.store.TurnOf(s.Context(), tenant, channelRef, "q2")
		if err != nil {
			s.Fatal(err)
		}
		s.act(r, thread.ActionRetry, first.ID, "U1")
		s.settle()
		s.says("one that was tried again", s.command(r, "why"), "Decision: The question was answered again", string(first.ID))
		about := func(id thread.MessageID) func(*command.Request) { return func(c *command.Request) { c.Message = id } }
		s.says("a message that was not answered", s.command(r, "why", about("q1")), "The message did not address the bot. (not_addressed)", "its text was not kept")
		s.says("a message that nobody knows", s.command(r, "why", about("q99")), "Nothing is known of this message")

		// A document that was taken away since is not named, and how many there are is not told.
		s.mu.Lock()
		s.acl["docs:alpha"] = access.ACL{"group:board"}
		s.mu.Unlock()
		if got := s.command(r, "why"); strings.Contains(got, "alpha:") {
			s.Errorf("a document is named that is not to be read any more: %q", got)
		}
	})
}

func TestWhyKeepsPrivateAnswersToTheirOwner(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		j := answer.Judgement{Decision: policy.Decision{Action: policy.Answer, Reason: "command", Private: true}}
		_, err := r.Take(s.Context(), answer.Question{Judgement: j, Mention: thread.Mention{
			Ref: channelRef, EventKey: "x", Message: "q1", Asker: thread.Person{ID: "U1"}, Text: "what is alpha?", Tenant: tenant, Listens: s.person["U1"],
		}})
		if err != nil {
			s.Fatal(err)
		}
		s.settle()
		message := func(c *command.Request) { c.Message = "q1" }
		other := func(c *command.Request) { c.By.ID = "U2" }
		s.says("the owner", s.command(r, "why"), "A command is always answered.")
		s.says("another person", s.command(r, "why", other), "nothing here yet")
		if got := s.command(r, "why", other, message); strings.Contains(got, "command") || strings.Contains(got, "alpha") {
			s.Errorf("another person about the message: %q", got)
		}
	})
}

func TestCommandsWithoutAStore(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r := s.replica()
		for _, text := range []string{"status", "config", "whoami", "why", "forget-me confirm", "stop", "help"} {
			if got := s.command(r, text, admin); got == "" {
				s.Errorf("/footnote %s says nothing", text)
			}
		}
		s.says("a change", s.command(r, "pause", admin), "footnote.yaml")
	})
}

func FuzzCommand(f *testing.F) {
	for _, text := range []string{"status", "config follow always", "config workspace", "config workspace askers group:x", "why", "\x00", "`", "config ` `", "forget-me confirm"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, privileged bool) {
		bare(t, func(s *stage) {
			r, rules := s.judging("askers", "members", "document_sets", "docs")
			said := s.command(r, text, func(c *command.Request) { c.Admin = privileged })
			if said == "" || len(said) > 6000 {
				t.Errorf("%q: %d bytes are said", text, len(said))
			}
			p, err := rules.Policy(t.Context(), tenant, session.PlaceOf(channelRef))
			if err != nil || p.MayAsk(access.NewAudience(tenant, "user:slack:U7")) {
				t.Errorf("%q lets a stranger ask", text)
			}
		})
	})
}

func TestWhyTellsNothingOfThePrivateSearch(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, _ := s.judging()
		s.publish("alpha", access.Members)
		s.channel = access.NewAudience(tenant)
		q := s.ask(r, "alpha?")
		s.settle()
		private := s.act(r, thread.ActionPrivate, q.ID, "U1").Turn
		s.settle()
		s.says("its owner", s.command(r, "why"), "Search:")
		s.channel = access.NewAudience(tenant, access.Members)
		if got := s.act(r, thread.ActionShare, private, "U1"); got.Refused {
			s.Fatalf("sharing is answered with %+v", got)
		}
		s.settle()
		got := s.command(r, "why", func(c *command.Request) { c.By.ID = "U2" })
		s.says("whoever was shown the copy", got, "Its owner shared a private answer.")
		if strings.Contains(got, "Search:") {
			s.Errorf("whoever was shown the copy is told how it was found: %q", got)
		}
	})
}

func TestPrivateAnswersAreNotTriedAgainWhereThereAreNone(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, rules := s.judging()
		s.publish("alpha", access.Members)
		q := s.ask(r, "alpha?")
		s.settle()
		private := s.act(r, thread.ActionPrivate, q.ID, "U1").Turn
		s.settle()
		rules.say("private", "off")
		if got := s.act(r, thread.ActionRetry, private, "U1"); !got.Refused || !strings.HasSuffix(got.Sentence, ".") {
			s.Errorf("another try of the private answer is answered with %+v", got)
		}
		if got := s.act(r, thread.ActionRetry, q.ID, "U1"); got.Refused {
			s.Errorf("another try of the channel's answer is answered with %+v", got)
		}
	})
}
