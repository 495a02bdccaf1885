package history_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/core/access"
)

// said fills a channel with threads and messages of many days, and returns what has to be found.
func said(w *world, ann *discordtest.Person, channel string, days int) []string {
	var texts []string
	for i := range days {
		ago := time.Duration(i)*3*24*time.Hour + time.Hour
		thread := ann.Open(ann.EarlierReply(channel, numbered("root%d.", i), ago), numbered("thread %d", i))
		ann.EarlierReply(thread, numbered("reply%d.", i), ago-time.Minute)
		if i%2 == 0 {
			w.ArchivedAgo(thread, ago-time.Minute)
		}
		ann.EarlierReply(channel, numbered("alone%d.", i), ago)
		texts = append(texts, numbered("root%d.", i), numbered("reply%d.", i), numbered("alone%d.", i))
	}
	return texts
}

// Lists may be cut into small pages, threads may be put into the archive at one moment, Discord may
// ask for pauses and fail now and then: all is read, once.
func TestEverythingIsReadHoweverItIsPaged(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string][]discordtest.Fault{
		"small pages": nil,
		"limits": {{Method: "GET", Path: "/messages", RetryAfter: 50 * time.Millisecond}, {Method: "GET", Path: "/threads/archived", RetryAfter: 50 * time.Millisecond, After: 1},
			{Method: "GET", Path: "/threads/active", RetryAfter: 50 * time.Millisecond, Global: true}},
		"failures": {{Method: "GET", Path: "/messages", Status: 503, Body: "{}"}, {Method: "GET", Path: "/messages", Drop: true, After: 3},
			{Method: "GET", Path: "/threads/archived", Status: 500, Body: "{}", After: 1}, {Method: "GET", Path: "/threads/active", Drop: true},
			{Method: "GET", Path: "/channels", Status: 502, Body: "<html>"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordtest.Config{ThreadPage: 3})
			t.Cleanup(func() { w.close(t) })
			ann := w.guild.AddPerson("ann", false)
			var want []string
			for i := range 2 {
				want = append(want, said(w, ann, w.guild.AddText(numbered("room%d", i)).ID, 8)...)
			}
			forum := w.guild.AddForum("help")
			for i := range 10 {
				post := ann.PostEarlier(forum.ID, numbered("Post %d", i), numbered("post%d.", i), old+time.Duration(i)*time.Hour)
				w.ArchivedAgo(post, old) // at about one moment
			}
			for _, f := range faults {
				w.Inject(f)
			}
			w.Sync(t)
			text := w.Words(access.Members)
			for _, part := range want {
				if n := strings.Count(text, part); n != 2 {
					t.Errorf("%s is there %d times, want 2", part, n)
				}
			}
			for i := range 10 {
				if n := strings.Count(text, numbered(" post%d.", i)); n != 1 {
					t.Errorf("post %d is there %d times", i, n)
				}
			}
		})
	}
}

// Lists that lead back to where they began end, and nothing is removed because of them, nor because
// of one that is cut short or holds no list.
func TestListsThatNeverEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	room := w.guild.AddText("general")
	thread := ann.Open(ann.EarlierReply(room.ID, "a question", hour), "A question")
	ann.EarlierReply(thread, "an answer", time.Minute)
	w.Sync(t)
	page := `[` + strings.Repeat(`{"id": "`+thread+`", "channel_id": "`+room.ID+`", "content": "again", "author": {"id": "`+ann.ID+`"}},`, 99) +
		`{"id": "` + thread + `", "channel_id": "` + room.ID + `", "author": {"id": "` + ann.ID + `"}}]`
	round := `{"threads": [{"id": "` + thread + `", "type": 11, "parent_id": "` + room.ID + `", "thread_metadata": {"archive_timestamp": "2099-01-01T00:00:00Z"}}], "members": [], "has_more": true}`
	for _, f := range []discordtest.Fault{
		{Path: "/channels/" + room.ID + "/messages", Body: page},
		{Path: "/channels/" + thread + "/messages", Body: page},
		{Path: "/threads/archived/public", Body: round},
		{Path: "/threads/archived/public", Body: `{}`},
		{Path: "/threads/active", Body: `{}`},
		{Path: "/guilds/" + w.guild.ID + "/channels", Body: `[]`},
		{Path: "/guilds/" + w.guild.ID + "/channels", Body: `null`},
	} {
		before := w.Words(access.Members)
		ann.EarlierReply(thread, "another answer to "+f.Path, time.Minute)
		f.Method, f.Status, f.Times = "GET", 200, 1000
		w.Inject(f)
		run, err := w.Try(t.Context(), t)
		if err == nil && len(run.Failures) == 0 {
			t.Errorf("%s: %+v", f.Path, run)
		}
		if got := w.Words(access.Members); got != before {
			t.Errorf("%s: the index holds %s", f.Path, got)
		}
		w.Mend()
		w.Sync(t)
		transcripttest.Has(t, w.Words(access.Members), true, "another answer to "+f.Path)
	}
}

// One channel that cannot be read stops no other, and is named.
func TestARefusalIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	for i := range 3 {
		ann.EarlierReply(w.guild.AddText(numbered("room%d", i)).ID, numbered("text%d.", i), hour)
	}
	w.Inject(discordtest.Fault{Method: "GET", Path: "/threads/archived", Status: 403, Body: `{"message": "Missing Access", "code": 50001}`})
	run := w.Sync(t)
	if len(run.Failures) != 1 || !strings.HasPrefix(run.Failures[0].Name, "#room") || len(w.IDs()) != 2 {
		t.Errorf("%+v, %v", run.Failures, w.IDs())
	}
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), true, "text0.", "text1.", "text2.")
}

// A server of 500 channels, and a thread of 5,000 replies.
func TestALargeServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	var rooms []string
	for i := range 500 {
		rooms = append(rooms, w.guild.AddText(numbered("room%d", i)).ID)
	}
	thread := ann.Open(ann.EarlierReply(rooms[250], "a long story", 10*hour), "Story")
	for i := range 5000 {
		ann.EarlierReply(thread, numbered("part%d.", i), 9*hour-time.Duration(i)*time.Second)
	}
	w.options.Channels, w.options.Public = []string{"room250", "room499"}, false
	w.Sync(t)
	text := w.Words(access.Members)
	for _, i := range []int{0, 99, 100, 101, 4999} {
		if n := strings.Count(text, numbered(" part%d.", i)); n != 1 {
			t.Errorf("part %d is there %d times", i, n)
		}
	}
	if lists, replies := w.called("/guilds/"+w.guild.ID+"/channels", 0), w.called("/channels/"+thread+"/messages", 0); lists != 1 || replies != 51 {
		t.Errorf("%d calls for the channels and %d for the thread, want 1 and 51", lists, replies)
	}
	if n := len(w.IDs()); n != 1 {
		t.Errorf("%d documents", n)
	}
}

// A run that is stopped anywhere, and goes on in another process, ends with the same documents.
func TestARunThatIsStoppedGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{ThreadPage: 5})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	for i := range 2 {
		said(w, ann, w.guild.AddText(numbered("room%d", i)).ID, 12)
	}
	forum := w.guild.AddForum("help")
	for i := range 12 {
		w.ArchivedAgo(ann.PostEarlier(forum.ID, "Post", numbered("post%d.", i), old+time.Duration(i)*time.Hour), old)
	}
	whole := newWorld(t, discordtest.Config{})
	whole.close(t)
	whole.Server, whole.options = w.Server, w.options
	whole.restart(t)
	whole.Sync(t)
	pieces := 1
	for ; ; pieces++ {
		if _, err := w.Pausing(t, 25); err == nil {
			break
		}
		if pieces > 200 {
			t.Fatal("it does not come to its end")
		}
		w.restart(t)
	}
	if transcripttest.Sorted(w.Words(access.Members)) != transcripttest.Sorted(whole.Words(access.Members)) || pieces < 3 {
		t.Errorf("after %d pieces the index holds %d documents, want %d", pieces, len(w.IDs()), len(whole.IDs()))
	}
	if saved := w.Store.Saved(access.DefaultTenant, "discord-chat"); !saved.Succeeded {
		t.Errorf("it ended as %+v", saved)
	}
}
