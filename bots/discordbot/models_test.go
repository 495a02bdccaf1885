package discordbot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// beside has another model answer beside the first one, which is called "scripted".
func beside(name string, replies ...llmtest.Reply) (*llmtest.Model, func(*setting)) {
	m := llmtest.New(llm.Info{Name: name, NativeTools: true}, replies...)
	return m, func(s *setting) { s.beside = append(s.beside, m) }
}

// of is what a model's reply shows, of those in a place.
func (w *world) of(texts []string, model string) string {
	w.Helper()
	i := slices.IndexFunc(texts, func(s string) bool { return strings.HasPrefix(s, "**`"+model+"`**") })
	if i < 0 {
		w.Fatalf("no reply is labelled %s: %q", model, texts)
	}
	return texts[i]
}

func TestEachOfSeveralModelsHasItsReply(t *testing.T) {
	t.Parallel()
	cited := make(chan struct{})
	_, with := beside("other", searched(), llmtest.Reply{llmtest.Wait(cited), llmtest.Text("First replicate [1], then back up [2].")})
	w := begin(t, llmtest.Native(searched(), said(0, "Back it up [2].")), with)
	question := w.ada.Mention(w.general, "How do I set up replication?")
	w.until("the first model's reply is complete while the other one waits", func() bool {
		for _, v := range w.discord.Answers(question) {
			if strings.Contains(v.Content, "Back it up") && !strings.Contains(v.Content, "▌") {
				return true
			}
		}
		return false
	})
	close(cited)
	texts := w.answers(question, 2)
	first, second := w.of(texts, "scripted"), w.of(texts, "other")
	if !strings.Contains(first, "Back it up") || !strings.Contains(second, "First replicate") {
		t.Errorf("the replies are %q and %q", first, second)
	}
	// One numbering: what the first reply cites as 1 is 1 in the other one as well.
	for _, want := range []string{"[[1]](<https://docs.example/backup", "[[2]](<https://docs.example/replication"} {
		if !strings.Contains(second, want) {
			t.Errorf("%q is not in %q", want, second)
		}
	}
	w.harmless()
	// A vote says which is preferred.
	for _, v := range w.discord.Answers(question) {
		i := slices.IndexFunc(v.Buttons, func(id string) bool { return strings.HasPrefix(id, "footnote:up:") })
		w.ada.Press(v.Message, v.Buttons[i])
		want := "other"
		if strings.HasPrefix(v.Content, "**`scripted`**") {
			want = "scripted"
		}
		w.until("the vote is for "+want, func() bool {
			list, err := w.store.Feedback(w.ctx, session.FeedbackQuery{Tenant: access.DefaultTenant})
			return err == nil && len(list) == 1 && list[0].Up && list[0].Model == want
		})
	}
}

func TestCommandIsAnsweredByEachOfSeveralModels(t *testing.T) {
	t.Parallel()
	_, with := beside("other", said(0, "The other answer."))
	w := begin(t, llmtest.Native(said(0, "The one answer.")), with)
	w.ada.Ask(w.general, "Which?")
	texts := w.answers(w.general, 2)
	if got := w.of(texts, "scripted"); !strings.Contains(got, "The one answer.") {
		t.Errorf("the first reply: %q", got)
	}
	if got := w.of(texts, "other"); !strings.Contains(got, "The other answer.") {
		t.Errorf("the second reply: %q", got)
	}
}

func TestOneStopEndsAllReplies(t *testing.T) {
	t.Parallel()
	endless := func(text string) llmtest.Reply { return llmtest.Reply{llmtest.Text(text), llmtest.Hang()} }
	other, with := beside("other", endless("The other one was written so far. "))
	w := begin(t, llmtest.Native(endless("The one was written so far. ")), with)
	question := w.ada.Mention(w.general, "Tell me everything")
	w.until("both have written", func() bool { return len(w.discord.Answers(question)) == 2 })
	newest := w.discord.Answers(question)[1]
	w.ada.Press(newest.Message, newest.Buttons[0])
	for _, text := range w.answers(question, 2) {
		if !strings.Contains(text, "was written so far.") || !strings.Contains(text, "Stopped") {
			t.Errorf("a reply shows %q", text)
		}
	}
	if other.Open() != 0 {
		t.Error("a model is still being read")
	}
}

func TestCommandNamesItsModels(t *testing.T) {
	t.Parallel()
	_, with := beside("other", said(0, "The other answer."))
	_, third := beside("third", said(0, "The third answer."))
	w := begin(t, llmtest.Native(said(0, "The one answer.")), with, third, func(s *setting) {
		s.bot.Models = func() []string { return []string{"other", "scripted", "third", "fourth"} }
	})
	ask := func(models string) *discordtest.Interaction {
		return w.ada.Command(w.general, "ask", map[string]any{"question": "Which?", "models": models})
	}
	w.told(ask("other, nonesuch"), "There is no model `nonesuch`. Choose among other, scripted, third, fourth.")
	w.told(ask("other,scripted,third,fourth"), "At most 3 models answer at once.")
	ask(" third, scripted")
	texts := w.answers(w.general, 2)
	if !strings.Contains(w.of(texts, "third"), "The third answer.") || !strings.Contains(w.of(texts, "scripted"), "The one answer.") {
		t.Errorf("the replies are %q", texts)
	}
}
