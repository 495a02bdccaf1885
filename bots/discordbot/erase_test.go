package discordbot_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// What a moderator deletes in the channel is not kept in the store either, and is not posted again.
func TestDeletedAnswerIsErased(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")))
	question := w.ada.Mention(w.general, "What is it?")
	w.answers(question, 1)
	find := func() (session.Turn, session.Saved) {
		t.Helper()
		turn, err := w.store.Turn(w.ctx, access.DefaultTenant, w.asked()[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		saved, err := w.store.Saved(w.ctx, turn)
		if err != nil {
			t.Fatal(err)
		}
		return turn, saved
	}
	w.until("the answer has landed", func() bool { turn, _ := find(); return turn.State == session.Done })
	if _, saved := find(); len(saved.Runs) != 1 {
		t.Fatalf("the store keeps %+v", saved)
	}
	w.guild.AddPerson("Mod", true).Delete(w.discord.Answers(question)[0].Message)
	w.until("the answer is erased", func() bool {
		_, saved := find()
		return len(saved.Runs) == 0 && saved.Removed != nil
	})
	if got := w.discord.Answers(question); len(got) != 0 {
		t.Errorf("the thread shows %+v", got)
	}
}
