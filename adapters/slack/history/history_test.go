package history_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
)

const old = 60 * 24 * time.Hour

// Threads and days become documents that link to each message; what the bot says and is asked, what
// Slack says, and what is said in direct messages does not.
func TestWhatIsReadAndWhatIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	robot := w.Person("alerts", func(p *slacktest.Person) { p.Bot = true })
	room := w.Channel("general", nil, ann)
	secret := w.Channel("board", func(c *slacktest.Channel) { c.Private = true }, ann)
	several := w.Channel("mpdm-ann-bob", func(c *slacktest.Channel) { c.Private, c.Several = true, true }, ann)
	root := ann.Earlier(room, "", "How do we rotate <https://keys.example|the keys>, <@"+ann.ID+">?", old)
	reply := ann.Earlier(room, root, "With *make rotate* &amp; a coffee.", old-time.Minute)
	w.Mark(room, ann.Earlier(room, root, "sent to the channel too", old-2*time.Minute), "thread_broadcast")
	ann.Earlier(room, "", "lunch is at noon", old)
	robot.Earlier(room, "", "disk is full", old)
	w.Mark(room, ann.Earlier(room, "", "has joined the channel", old), "channel_join")
	incident := robot.Earlier(room, "", "the site is down", old)
	ann.Earlier(room, incident, "it was the cache", old-time.Minute)
	ann.Earlier(room, "", "much too long ago", 400*24*time.Hour)
	asked := ann.Say(room, "", slacktest.Mention()+" what is the answer?")
	w.Answer(room, asked, "The answer is forty-two.")
	ann.Say(secret, "", "we buy them")
	ann.Say(several, "", "between us three")
	ann.DM("", "between us two")
	w.Sync(t)

	all := w.Words(everybody(room, secret, several)...)
	transcripttest.Has(t, all, true, "the keys (https://keys.example), @ann?", "With *make rotate* & a coffee.", "sent to the channel too", "lunch is at noon", "it was the cache", "the site is down")
	transcripttest.Has(t, all, false, "disk is full", "has joined", "forty-two", "what is the answer", "we buy them", "between us", "too long ago")
	if n := strings.Count(all, "sent to the channel too"); n != 1 {
		t.Errorf("what was sent to the channel, too, is there %d times", n)
	}
	e := w.Entry(t, "coffee")
	link := "https://test.slack.com/archives/" + room.ID + "/p" + strings.ReplaceAll(reply, ".", "") + "?thread_ts=" + root + "&cid=" + room.ID
	if e.Document.Title != "#general: How do we rotate the keys (https://keys.example), @ann?" || e.Document.Kind != history.Kind ||
		e.Document.URL != "https://test.slack.com/archives/"+room.ID+"/p"+strings.ReplaceAll(root, ".", "") ||
		e.Document.Link(e.Document.Sections[1].Anchor) != link {
		t.Errorf("the thread is %+v", e.Document)
	}
	if text := e.Document.Text(); !strings.Contains(text, "ann (") || !strings.Contains(text, " UTC): With") {
		t.Errorf("nobody said %s", text)
	}

	w.options.Channels, w.options.Open = []string{"#Board", "nowhere"}, access.Public // what is said there now is read where it is named
	run := w.Sync(t)
	transcripttest.Has(t, w.Words(access.Channel("slack", secret.ID)), true, "we buy them")
	transcripttest.Has(t, w.Words(), false, "we buy them")
	transcripttest.Has(t, w.Words(), true, "lunch")
	if len(run.Failures) != 1 || run.Failures[0].Name != "nowhere" {
		t.Errorf("a channel that is not there is told of as %+v", run.Failures)
	}
}

// Replies, edits and deletions are found in recent threads and in old ones, and reading without
// changes asks for the lists alone.
func TestWhatChangesIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	room := w.Channel("general", nil, ann)
	for _, age := range []time.Duration{time.Hour, old} {
		root := ann.Earlier(room, "", "root one", age)
		first := ann.Earlier(room, root, "first reply", age-time.Minute)
		ann.Earlier(room, root, "second reply", age-2*time.Minute)
		alone := ann.Earlier(room, "", "alone one", age)
		w.options.Age = time.Nanosecond // all that is old is read again in every pass
		if age == time.Hour {
			w.options.Age = 0
		}
		w.Sync(t)
		steps := []struct {
			name   string
			do     func()
			is, no string
		}{
			{"a reply", func() { ann.Earlier(room, root, "third reply", age-3*time.Minute) }, "third reply", ""},
			{"the root is edited", func() { ann.Edit(room, root, "root two") }, "root two", "root one"},
			{"a reply is deleted", func() { ann.Delete(room, first) }, "second reply", "first reply"},
			{"a message is edited", func() { ann.Edit(room, alone, "alone two") }, "alone two", "alone one"},
			{"it is replied to", func() { ann.Earlier(room, alone, "no longer alone", age-4*time.Minute) }, "no longer alone", ""},
			{"its root is deleted", func() { ann.Delete(room, alone) }, "no longer alone", "alone two"},
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
		for _, m := range w.Standing(room) {
			ann.Delete(room, m.TS)
		}
		w.Sync(t)
		if ids := w.IDs(); len(ids) != 0 {
			t.Errorf("after all was deleted the index holds %v", ids)
		}
	}
}

// A pass without changes makes one call for the channels and one for each channel, whatever their
// threads.
func TestAPassWithoutChangesAsksForListsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	for i := range 5 {
		room := w.Channel(numbered("room%d", i), nil, ann)
		for range 5 {
			ann.Earlier(room, ann.Earlier(room, "", "a question", time.Hour), "an answer", time.Minute)
		}
		ann.Earlier(room, ann.Earlier(room, "", "a question", old), "an answer", old-time.Minute)
		ann.Earlier(room, "", "alone", time.Hour)
	}
	w.Sync(t)
	before, puts := len(w.Calls("")), w.Store.Puts()
	w.restart(t)
	run := w.Sync(t)
	if got := len(w.Calls("")) - before; got != 1+1+5 || w.Store.Puts() != puts { // auth.test, the channels, each channel
		t.Errorf("%d calls and %d documents stored: %+v", got, w.Store.Puts()-puts, run.Counts)
	}
	w.options.RecentAge = time.Nanosecond // an edit of a reply does not show in lists
	ann.Edit(w.ChannelNamed("room0"), w.Standing(w.ChannelNamed("room0"))[3].TS, "another answer")
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), true, "another answer")
}

// A channel that becomes private takes its documents along before anything is read, back when it is
// public again, and the documents of one that the bot is removed from are removed; an archived one
// stays.
func TestDocumentsFollowTheirChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann, bob := w.Person("ann", nil), w.Person("bob", nil)
	guest := w.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	w.Channel("empty", nil, ann)
	room := w.Channel("plans", nil, ann, guest)
	ann.Earlier(room, ann.Earlier(room, "", "the old plan", old), "is good", old-time.Hour)
	ann.Earlier(room, ann.Earlier(room, "", "the new plan", time.Hour), "is better", time.Minute)
	w.options.Channels = []string{room.ID}
	w.Sync(t)
	read := func(ann1, bob1, guest1 bool) {
		t.Helper()
		transcripttest.Has(t, w.found(t, ann), ann1, "old plan", "new plan")
		transcripttest.Has(t, w.found(t, bob), bob1, "old plan", "new plan")
		transcripttest.Has(t, w.found(t, guest), guest1, "old plan", "new plan")
	}
	read(true, true, true)
	w.Convert(room, true)
	w.Fail(slacktest.Fault{Method: "conversations.history", Error: "internal_error", Times: 100}) // nothing can be read
	w.Sync(t)
	read(true, false, true)
	w.Mend()
	puts := w.Store.Puts()
	if w.Sync(t); w.Store.Puts() != puts {
		t.Errorf("%d documents were stored again", w.Store.Puts()-puts)
	}
	w.Convert(room, false)
	w.Change(func() { room.Archived = true })
	w.Sync(t)
	transcripttest.Has(t, w.found(t, bob), true, "old plan")
	w.Kick(room)
	w.Sync(t)
	if ids := w.IDs(); len(ids) != 0 {
		t.Errorf("the index holds %v", ids)
	}
}

// Where a workspace is one of several of an organisation, whose members all count as members,
// public channels are for those who are in them, unless the operator says otherwise.
func TestAPublicChannelOfOneWorkspaceOfSeveral(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{Enterprise: "E1"})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	room := w.Channel("general", nil, ann)
	ann.Say(room, "", "our own matter")
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), false, "our own matter")
	transcripttest.Has(t, w.Words(access.Channel("slack", room.ID)), true, "our own matter")
	w.options.Open = access.Members
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), true, "our own matter")
}

// A channel that becomes private, and one that the bot is removed from, while a long run reads it:
// what the run stored before follows, and so does what it stores afterwards.
func TestAChannelChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	for _, age := range []time.Duration{time.Hour, old} {
		w := newWorld(t, slacktest.Config{})
		t.Cleanup(w.Close)
		ann := w.Person("ann", nil)
		rooms := []*slacktest.Channel{w.Channel("private", nil, ann), w.Channel("lost", nil, ann), w.Channel("same", nil, ann)}
		w.options.Channels, w.options.Relist = []string{"private"}, time.Nanosecond
		for _, room := range rooms {
			for i := range 20 {
				ann.Earlier(room, ann.Earlier(room, "", numbered("said in "+room.Name+" %d.", i), age), "a reply", time.Minute)
			}
		}
		w.Report = func() {
			if len(w.IDs()) > 30 { // in the second channel
				w.Report = nil
				w.Convert(rooms[0], true)
				w.Kick(rooms[1])
			}
		}
		w.Sync(t)
		text := w.Words(access.Members)
		transcripttest.Has(t, text, false, "said in private", "said in lost")
		transcripttest.Has(t, text, true, "said in same 0.", "said in same 19.")
		transcripttest.Has(t, w.Words(access.Channel("slack", rooms[0].ID)), true, "said in private 0.", "said in private 19.")
		if n := len(w.IDs()); n != 40 || w.Report != nil {
			t.Errorf("%d documents", n)
		}
	}
}
