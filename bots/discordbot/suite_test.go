package discordbot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/access"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

func TestConversation(t *testing.T) {
	t.Parallel()
	common.Suite(t, common.Platform{Begin: beginTalk, Cannot: map[string]string{
		"nothing says that the bot is at work once it has answered": "Discord's typing ends by itself",
	}})
}

// talkStage is a server in which the platforms' common scenarios are played.
type talkStage struct {
	*world
	people  map[common.Person]*discordtest.Person
	used    map[common.Person][]*discordtest.Interaction
	earlier []thread.MessageID
}

func beginTalk(t *testing.T, given common.Setting) common.Stage {
	s := &talkStage{people: make(map[common.Person]*discordtest.Person), used: make(map[common.Person][]*discordtest.Interaction)}
	s.world = begin(t, llmtest.Native(given.Replies...), func(o *setting) {
		o.listed = given.Listed
		if given.Owned {
			o.owned = func() string { return s.people[common.Bob].ID }
		}
		if given.Said != nil {
			o.policies = common.Policies(given.Said)
		}
		o.before = func(w *world) {
			s.people[common.Ann], s.people[common.Bob], s.people[common.Chief] = w.ada, w.guild.AddPerson("Bob", false), w.guild.AddPerson("Chief", true)
			for _, e := range given.Earlier {
				if e.Mentions {
					s.earlier = append(s.earlier, thread.MessageID(s.people[e.By].Earlier(w.general, e.Text, e.Ago)))
				} else {
					s.earlier = append(s.earlier, "")
				}
			}
		}
	})
	return s
}

// channel is where a place is on Discord: a thread has the id of the message that it hangs on.
func (s *talkStage) channel(at common.Place) string {
	switch {
	case at.Direct:
		return s.ada.DM()
	case at.Thread != "":
		return string(at.Thread)
	default:
		return s.general
	}
}

// open opens a thread that is not there yet, as people can.
func (s *talkStage) open(at common.Place) {
	if at.Direct || at.Thread == "" || slices.ContainsFunc(s.discord.Threads(s.general), func(t discordtest.Thread) bool { return t.ID == string(at.Thread) }) {
		return
	}
	s.people[common.Bob].Open(string(at.Thread), "A thread")
}

func (s *talkStage) Say(by common.Person, at common.Place, text string) thread.MessageID {
	s.open(at)
	return thread.MessageID(s.people[by].Say(s.channel(at), text))
}

func (s *talkStage) Mention(by common.Person, at common.Place, text string) thread.MessageID {
	s.open(at)
	return thread.MessageID(s.people[by].Mention(s.channel(at), text))
}

func (s *talkStage) Attach(by common.Person, at common.Place, text, content string) thread.MessageID {
	s.open(at)
	mention := "<@" + s.discord.Bot().ID + "> "
	return thread.MessageID(s.people[by].Attach(s.channel(at), mention+text, discordtest.Upload{Name: "notes.txt", Media: "text/plain", Content: content}))
}

// Busy implements common.Stage.
func (s *talkStage) Busy(common.Place) bool { return false }

func (s *talkStage) Edit(by common.Person, id thread.MessageID, text string) {
	if by == common.Ann {
		text = "<@" + s.discord.Bot().ID + "> " + text
	}
	s.people[by].Edit(string(id), text)
}

func (s *talkStage) Delete(by common.Person, id thread.MessageID) { s.people[by].Delete(string(id)) }
func (s *talkStage) React(by common.Person, id thread.MessageID) {
	s.people[by].React(string(id), "🛑")
}

func (s *talkStage) use(by common.Person, i *discordtest.Interaction) {
	s.used[by] = append(s.used[by], i)
}

func (s *talkStage) Press(by common.Person, on thread.MessageID, do thread.Action) {
	s.Helper()
	id := ""
	s.until("the button "+string(do)+" is shown", func() bool {
		log := s.discord.Log(string(on))
		for _, have := range log[len(log)-1].Buttons {
			if strings.HasPrefix(have, thread.ButtonID(do, "")) {
				id = have
			}
		}
		return id != ""
	})
	s.use(by, s.people[by].Press(string(on), id))
}

func (s *talkStage) Choose(by common.Person, on thread.MessageID, do thread.Action) {
	s.use(by, s.people[by].Menu(string(on), do.Label()))
}

func (s *talkStage) Submit(by common.Person, text string) {
	s.Helper()
	var form *discordtest.Interaction
	s.until("a form is opened", func() bool {
		form = s.used[by][len(s.used[by])-1]
		return form.State().Kind == 9
	})
	s.use(by, s.people[by].Submit(form, text))
}

func (s *talkStage) Still(by common.Person, on thread.MessageID) {
	s.Helper()
	var offer discordtest.Version
	s.until("it is asked about", func() (ok bool) { offer, ok = s.asksAbout(s.general, string(on)); return ok })
	s.use(by, s.people[by].Press(offer.Message, offer.Buttons[0]))
}

func (s *talkStage) Ask(by common.Person, question string) {
	s.use(by, s.people[by].Ask(s.general, question))
}

func (s *talkStage) Footnote(by common.Person, name, value string) {
	options := map[string]any{}
	if value != "" {
		options["value"] = value
	}
	s.use(by, s.people[by].Command(s.general, "footnote", map[string]any{name: discordtest.Sub(options)}))
}

func (s *talkStage) AskAbout(by common.Person, on thread.MessageID) {
	s.use(by, s.people[by].Menu(string(on), event.CommandAbout))
}

func (s *talkStage) Shown(at common.Place) []common.Shown {
	var shown []common.Shown
	for _, v := range s.discord.Answers(s.channel(at)) {
		shown = append(shown, common.Shown{ID: thread.MessageID(v.Message), Text: unquoted(v.Content), Done: v.Content != "" && !strings.Contains(v.Content, "▌")})
	}
	return shown
}

func (s *talkStage) Reads(p common.Person, text string) bool {
	places := []string{s.general, s.people[p].DM()}
	for _, t := range s.discord.Threads(s.general) {
		places = append(places, t.ID)
	}
	for _, place := range places {
		if slices.ContainsFunc(s.discord.Answers(place), func(v discordtest.Version) bool { return strings.Contains(v.Content, text) }) {
			return true
		}
	}
	return slices.ContainsFunc(s.used[p], func(i *discordtest.Interaction) bool { return strings.Contains(i.State().Content, text) })
}

func (s *talkStage) Settled(question thread.MessageID) bool {
	for _, t := range s.asked() {
		if t.Message != question {
			continue
		}
		now, err := s.store.Turn(s.ctx, access.DefaultTenant, t.ID)
		return err == nil && now.State == session.Done
	}
	return false
}

func (s *talkStage) Earlier() []thread.MessageID { return s.earlier }

func (s *talkStage) Restart(between func()) {
	s.stop()
	between()
	before, _ := s.discord.Logins()
	s.stop = s.start()
	s.until("the next process listens", func() bool { now, _ := s.discord.Logins(); return now > before && s.discord.Connected() })
}

func (s *talkStage) Model() *llmtest.Model      { return s.model }
func (s *talkStage) Store() *sessiontest.Memory { return s.store }

func (s *talkStage) Until(what string, holds func() bool) {
	s.Helper()
	s.until(what, holds)
}
