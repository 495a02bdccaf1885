package history_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// What is heard of is read at once, however old, with a handful of calls, and nothing else is
// looked at before its time.
func TestWhatIsHeardOfIsReadAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	w.options.Hints, w.options.Every = new(indextest.Hints), time.Hour
	ann := w.guild.AddPerson("ann", false)
	room, forum := w.guild.AddText("general"), w.guild.AddForum("help")
	root := ann.EarlierReply(room.ID, "root one", old)
	thread := ann.Open(root, "Thread")
	reply := ann.EarlierReply(thread, "reply one", old-time.Minute)
	w.ArchivedAgo(thread, old-hour)
	alone := ann.EarlierReply(room.ID, "alone one", old)
	post := ann.PostEarlier(forum.ID, "Post", "post one", old)
	w.Sync(t)
	before := len(w.Requests())
	if w.Sync(t); len(w.Requests())-before != 2 { // the server, its channels
		t.Errorf("without a hint %d calls are made", len(w.Requests())-before)
	}
	for _, s := range []struct {
		name, channel, key string
		do                 func()
		is, no             string
		most               int // beside these
	}{
		{"a reply is edited", room.ID, thread, func() { ann.Edit(reply, "reply changed") }, "reply changed", "reply one", 4}, // the thread, what was said there, its root, the day
		{"a reply is deleted", room.ID, thread, func() { ann.Delete(reply) }, "root one", "reply changed", 4},
		{"the root is edited", room.ID, root, func() { ann.Edit(root, "root changed") }, "root changed", "root one", 4},
		{"a message is edited", room.ID, alone, func() { ann.Edit(alone, "alone changed") }, "alone changed", "alone one", 2},
		{"a message is deleted", room.ID, alone, func() { ann.Delete(alone) }, "root changed", "alone changed", 2},
		{"a post is edited", forum.ID, post, func() { ann.Edit(post, "post changed") }, "post changed", "post one", 2},
		{"a post is deleted", forum.ID, post, func() { w.Destroy(post) }, "root changed", "post changed", 1},
		{"a thread is deleted", room.ID, thread, func() { w.Destroy(thread) }, "root changed", "", 2}, // its root stands alone again
	} {
		s.do()
		if err := w.options.Hints.Hear(t.Context(), "discord-chat", []string{transcript.Subject(s.channel, s.key)}); err != nil {
			t.Fatal(err)
		}
		before := len(w.Requests())
		w.Sync(t)
		transcripttest.Has(t, w.Words(access.Members), true, s.is)
		if s.no != "" {
			transcripttest.Has(t, w.Words(access.Members), false, s.no)
		}
		left, err := w.options.Hints.Heard(t.Context(), "discord-chat", 9)
		if n := len(w.Requests()) - before - 2; n > s.most || len(left) != 0 || err != nil {
			t.Errorf("%s: %d calls, want %d; %v, %v are left", s.name, n, s.most, left, err)
		}
	}
	if n := len(w.IDs()); n != 1 {
		t.Errorf("the index holds %v", w.IDs())
	}
}

// A channel that is heard to be for others now is looked at before anything else.
func TestAChannelIsHeardToBeHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	w.options.Hints, w.options.Every, w.options.Relist = new(indextest.Hints), hour, hour
	ann := w.guild.AddPerson("ann", false)
	room := w.guild.AddText("plans")
	ann.EarlierReply(room.ID, "the plan", hour)
	w.options.Channels = []string{"plans"}
	w.Sync(t)
	w.guild.Hide(room.ID, w.guild.AddRole("staff", 0))
	if err := w.options.Hints.Hear(t.Context(), "discord-chat", []string{transcript.Subject(room.ID, "")}); err != nil {
		t.Fatal(err)
	}
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), false, "the plan")
	transcripttest.Has(t, w.Words(access.Channel("discord", room.ID)), true, "the plan")
}
