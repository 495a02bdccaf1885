package discordbot_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
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

// Whoever deletes an answer while it is written does not want it.
func TestAnswerThatIsDeletedWhileItIsWrittenStaysAway(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()}))
	question := w.ada.Mention(w.general, "What is it?")
	w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
	written := w.discord.Answers(question)[0]
	w.until("the message is known as the answer's", func() bool {
		_, err := w.store.TurnOf(w.ctx, access.DefaultTenant, w.asked()[0].Session.Ref, thread.MessageID(written.Message))
		return err == nil
	})
	w.guild.AddPerson("Mod", true).Delete(written.Message)
	w.until("the turn is done", func() bool {
		turn, err := w.store.Turn(w.ctx, access.DefaultTenant, w.asked()[0].ID)
		return err == nil && turn.State == session.Done
	})
	if got := w.discord.Answers(question); len(got) != 0 {
		t.Errorf("the thread shows %+v", got)
	}
}
