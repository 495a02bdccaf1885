package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/discord/history"
	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// Posts, threads and days become documents that link to each message; what the bot says and is
// asked, what is said in direct messages and in private threads does not.
func TestWhatIsReadAndWhatIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann, bob := w.guild.AddPerson("ann", false), w.guild.AddPerson("bob", false)
	robot := w.guild.AddBot("alerts")
	board := w.guild.AddRole("board", 0)
	room, forum, secret := w.guild.AddText("general"), w.guild.AddForum("help"), w.guild.AddText("board")
	w.guild.Hide(secret.ID, board)
	root := ann.EarlierReply(room.ID, "How do we rotate the keys, <@"+bob.ID+">?", old)
	thread := ann.Open(root, "Keys")
	reply := bob.EarlierReply(thread, "With make rotate and a coffee.", old-hour)
	robot.EarlierReply(thread, "rotation is due", old-2*hour)
	ann.EarlierReply(room.ID, "lunch is at noon", old)
	robot.EarlierReply(room.ID, "disk is full", old)
	post := ann.PostEarlier(forum.ID, "Printer jams", "It jams on page two.", old)
	bob.EarlierReply(post, "Open the rear door.", old-hour)
	w.Tag(post, "Hardware", "✅ Solved")
	w.ArchivedAgo(post, old-2*hour)
	ann.EarlierReply(room.ID, "much too long ago", 400*24*hour)
	ann.Mention(room.ID, "what is the answer?")
	ann.EarlierReply(secret.ID, "we buy them", hour)
	private := ann.OpenPrivate(room.ID, "hush", bob)
	ann.EarlierReply(private, "between the two of us", hour)
	ann.EarlierReply(ann.DM(), "in a direct message", hour)
	w.Sync(t)

	all := w.Words(access.Members, access.Channel("discord", room.ID), access.Channel("discord", secret.ID), access.Channel("discord", private))
	transcripttest.Has(t, all, true, "rotate the keys, @bob?", "With make rotate and a coffee.", "lunch is at noon", "rotation is due", "It jams on page two.", "Open the rear door.")
	transcripttest.Has(t, all, false, "disk is full", "what is the answer", "we buy them", "two of us", "direct message", "too long ago")
	e := w.Entry(t, "coffee")
	if e.Document.Title != "#general: Keys" || e.Document.Kind != history.Kind || e.Document.URL != "https://discord.com/channels/"+w.guild.ID+"/"+thread ||
		e.Document.Sections[0].Anchor != "https://discord.com/channels/"+w.guild.ID+"/"+room.ID+"/"+root ||
		e.Document.Link(e.Document.Sections[1].Anchor) != "https://discord.com/channels/"+w.guild.ID+"/"+thread+"/"+reply {
		t.Errorf("the thread is %+v", e.Document)
	}
	if text := e.Document.Text(); !strings.Contains(text, "bob (") || !strings.Contains(text, " UTC): With") {
		t.Errorf("nobody said %s", text)
	}
	e = w.Entry(t, "rear door")
	if e.Document.Title != "#help: Printer jams" || e.Document.Metadata["solved"] != "yes" || e.Document.Metadata["tags"] != "Hardware, ✅ Solved" {
		t.Errorf("the post is %+v", e.Document)
	}
	if e := w.Entry(t, "lunch"); e.Document.Title != "#general: lunch is at noon" {
		t.Errorf("the day is %+v", e.Document)
	}

	w.options.Channels, w.options.Open = []string{"#Board", "nowhere"}, access.Public
	run := w.Sync(t)
	transcripttest.Has(t, w.Words(access.Channel("discord", secret.ID)), true, "we buy them")
	transcripttest.Has(t, w.Words(), false, "we buy them")
	transcripttest.Has(t, w.Words(), true, "lunch")
	if len(run.Failures) != 1 || run.Failures[0].Name != "nowhere" {
		t.Errorf("a channel that is not there is told of as %+v", run.Failures)
	}
}

// Without the message-content intent there is nothing to read, and nothing is made up.
func TestWithoutMessageContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{NoContent: true})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	ann.EarlierReply(w.guild.AddText("general").ID, "lunch is at noon", hour)
	w.Sync(t)
	if text := w.Words(access.Members); text != "" {
		t.Errorf("the index holds %s", text)
	}
	if _, err := w.history.Check(t.Context(), w.options); err == nil || !strings.Contains(err.Error(), "MESSAGE CONTENT INTENT") {
		t.Errorf("the check says %v", err)
	}
}

// Replies, edits and deletions are found in recent threads and in old ones, archived or not.
func TestWhatChangesIsFound(t *testing.T) {
	t.Parallel()
	for name, age := range map[string]time.Duration{"recent": 2 * hour, "old": old} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordtest.Config{})
			t.Cleanup(func() { w.close(t) })
			ann := w.guild.AddPerson("ann", false)
			room, forum := w.guild.AddText("general"), w.guild.AddForum("help")
			w.options.RecentAge, w.options.Age = time.Nanosecond, time.Nanosecond // all is read again in every pass
			root := ann.EarlierReply(room.ID, "root one", age)
			thread := ann.Open(root, "Thread")
			first := ann.EarlierReply(thread, "first reply", age-time.Minute)
			ann.EarlierReply(thread, "second reply", age-2*time.Minute)
			alone := ann.EarlierReply(room.ID, "alone one", age)
			brief := ann.EarlierReply(room.ID, "brief one", age)
			post := ann.PostEarlier(forum.ID, "Title", "question one", age)
			w.ArchivedAgo(post, age-time.Minute)
			w.ArchivedAgo(thread, age-3*time.Minute)
			w.Sync(t)
			steps := []struct {
				name   string
				do     func()
				is, no string
			}{
				{"a reply to an archived thread", func() { ann.EarlierReply(thread, "third reply", time.Minute) }, "third reply", ""},
				{"the root is edited", func() { ann.Edit(root, "root two") }, "root two", "root one"},
				{"a reply is deleted", func() { ann.Delete(first) }, "second reply", "first reply"},
				{"a message is edited", func() { ann.Edit(alone, "alone two") }, "alone two", "alone one"},
				{"a thread is opened from it", func() { ann.EarlierReply(ann.Open(alone, "More"), "no longer alone", time.Minute) }, "no longer alone", ""},
				{"a thread is opened from a message and put into the archive", func() {
					at := ann.Open(brief, "Brief")
					ann.EarlierReply(at, "soon over", time.Minute)
					w.Archive(at)
				}, "soon over", ""},
				{"its root is deleted", func() { ann.Delete(alone) }, "no longer alone", "alone two"},
				{"a post is edited", func() { ann.Edit(post, "question two") }, "question two", "question one"},
				{"a post is deleted", func() { w.Destroy(post) }, "root two", "question two"},
			}
			for _, s := range steps {
				s.do()
				w.Sync(t)
				text := w.Words(access.Members)
				transcripttest.Has(t, text, true, s.is)
				if s.no != "" {
					transcripttest.Has(t, text, false, s.no)
				}
				if strings.Count(text, s.is) != 1 {
					t.Errorf("after %s %q is there %d times", s.name, s.is, strings.Count(text, s.is))
				}
			}
			w.Destroy(room.ID)
			w.Sync(t)
			if ids := w.IDs(); len(ids) != 0 {
				t.Errorf("after all was deleted the index holds %v", ids)
			}
		})
	}
}

// A pass without changes asks for lists alone, whatever was said in threads.
func TestAPassWithoutChangesAsksForListsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	for i := range 3 {
		room := w.guild.AddText(numbered("room%d", i))
		for range 4 {
			ann.EarlierReply(ann.Open(ann.EarlierReply(room.ID, "a question", hour), "A question"), "an answer", time.Minute)
		}
		ann.EarlierReply(room.ID, "alone", hour)
	}
	quiet := w.guild.AddText("quiet") // nothing was said there for long: its messages are not asked for
	ann.EarlierReply(quiet.ID, "long ago", old)
	w.Sync(t)
	before, puts := len(w.Requests()), w.Store.Puts()
	w.restart(t)
	run := w.Sync(t)
	// who the bot is; the server, its channels, what the bot is there; the active threads; of each
	// channel the archived threads, and messages of three
	if got := len(w.Requests()) - before; got != 1+3+1+4+3 || w.Store.Puts() != puts {
		t.Errorf("%d calls and %d documents stored: %+v", got, w.Store.Puts()-puts, run.Counts)
	}
}

// A channel that is no longer for everybody takes its documents along before anything is read, and
// back; those of one that the bot cannot read any more are removed.
func TestDocumentsFollowTheirChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann, bob := w.guild.AddPerson("ann", false), w.guild.AddPerson("bob", false)
	role := w.guild.AddRole("staff", 0)
	w.guild.Grant(ann, role)
	room, forum := w.guild.AddText("plans"), w.guild.AddForum("ideas")
	ann.EarlierReply(ann.Open(ann.EarlierReply(room.ID, "the old plan", old), "Plan"), "is good", old-hour)
	ann.EarlierReply(room.ID, "the new plan", hour)
	ann.PostEarlier(forum.ID, "Idea", "an idea", hour)
	w.options.Channels = []string{room.ID, forum.ID}
	w.Sync(t)
	read := func(ann1, bob1 bool) {
		t.Helper()
		transcripttest.Has(t, w.found(t, ann), ann1, "old plan", "is good", "new plan", "an idea")
		transcripttest.Has(t, w.found(t, bob), bob1, "old plan", "is good", "new plan", "an idea")
	}
	read(true, true)
	w.guild.Hide(room.ID, role)
	w.guild.Hide(forum.ID, role)
	w.Inject(discordtest.Fault{Method: "GET", Path: "/messages", Status: 500, Times: 100, Body: "{}"}) // nothing can be read
	w.Inject(discordtest.Fault{Method: "GET", Path: "/threads", Status: 500, Times: 100, Body: "{}"})
	if _, err := w.Try(t.Context(), t); err != nil && w.options.Public {
		t.Log(err)
	}
	read(true, false)
	w.Mend()
	puts := w.Store.Puts()
	if w.Sync(t); w.Store.Puts() != puts {
		t.Errorf("%d documents were stored again", w.Store.Puts()-puts)
	}
	w.guild.Show(room.ID)
	w.guild.Show(forum.ID)
	w.Sync(t)
	read(true, true)
	w.guild.Overwrite(room.ID, ann.ID, true, 0, discordtest.ViewChannel) // one person is shut out: it is no channel for everybody any more
	w.Sync(t)
	transcripttest.Has(t, w.found(t, ann), false, "old plan", "new plan")
	transcripttest.Has(t, w.found(t, bob), true, "old plan", "new plan")
	w.guild.Overwrite(room.ID, ann.ID, true, 0, 0)
	w.guild.Overwrite(room.ID, role, false, 0, discordtest.ReadMessageHistory) // some may look in, and read nothing of before
	run := w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members, access.Channel("discord", room.ID)), false, "old plan", "new plan")
	if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "Read Message History") {
		t.Errorf("it is told of as %+v", run.Failures)
	}
	w.guild.Show(room.ID)
	w.Deny(room.ID, discordtest.ViewChannel)
	w.Deny(forum.ID, discordtest.ReadMessageHistory)
	w.Sync(t)
	if ids := w.IDs(); len(ids) != 0 {
		t.Errorf("the index holds %v", ids)
	}
}

// A token that is not accepted, or a server that the bot is thrown out of, hides everything at
// once, and nothing is lost.
func TestARevokedCredentialHidesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	room := w.guild.AddText("general")
	ann.EarlierReply(room.ID, "lunch is at noon", hour)
	w.Sync(t)
	for _, f := range []discordtest.Fault{
		{Method: "GET", Path: "/users/@me", Status: 401, Body: `{"message": "401: Unauthorized", "code": 0}`, Times: 1},
		{Method: "GET", Path: "/guilds/" + w.guild.ID, Status: 404, Body: `{"message": "Unknown Guild", "code": 10004}`, Times: 1},
		{Method: "GET", Path: "/guilds/" + w.guild.ID, Status: 403, Body: `{"message": "Missing Access", "code": 50001}`, Times: 1},
	} {
		w.restart(t)
		w.Inject(f)
		if _, err := w.Try(t.Context(), t); !errors.Is(err, index.ErrRevoked) {
			t.Errorf("%d: %v", f.Status, err)
		}
		transcripttest.Has(t, w.Words(access.Members, access.Channel("discord", room.ID)), false, "lunch")
		if len(w.IDs()) != 1 {
			t.Errorf("the index holds %v", w.IDs())
		}
		puts := w.Store.Puts()
		w.Sync(t)
		transcripttest.Has(t, w.Words(access.Members), true, "lunch")
		if w.Store.Puts() != puts {
			t.Errorf("%d documents were stored again", w.Store.Puts()-puts)
		}
	}
}

// Where members of other servers count as members, channels are for those who can open them, unless
// the operator says otherwise.
func TestOneServerOfSeveral(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordtest.Config{})
	t.Cleanup(func() { w.close(t) })
	ann := w.guild.AddPerson("ann", false)
	room := w.guild.AddText("general")
	ann.EarlierReply(room.ID, "our own matter", hour)
	w.options.Alone = func(context.Context) (bool, error) { return false, nil }
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), false, "our own matter")
	transcripttest.Has(t, w.Words(access.Channel("discord", room.ID)), true, "our own matter")
	w.options.Open = access.Members
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), true, "our own matter")
}
