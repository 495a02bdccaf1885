package upload_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
	"github.com/footnotehq/footnote/core/upload/uploadtest"
	"pgregory.net/rapid"
)

const tenant = access.DefaultTenant

func service(store *uploadtest.Shelf) *upload.Service {
	return store.Service(upload.Project{Name: "handbook", Readers: access.ACL{access.Members}}, upload.Project{Name: "board", Readers: access.ACL{"group:board"}})
}

func ann() access.Account {
	return access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U1", Full: true}
}

func request(project string) upload.Request {
	channel := access.Channel("slack", "C1")
	return upload.Request{
		Tenant: tenant, Project: project, Author: ann(), Listens: access.NewAudience(tenant, access.Members, channel), Readers: access.ACL{channel},
		From: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}, Message: "1.2",
	}
}

func TestOnlyFullMembersKeepFiles(t *testing.T) {
	t.Parallel()
	for _, person := range []access.Account{
		{}, {ID: "U1"}, {ID: "U1", Full: true, Gone: true}, {ID: "U1", Full: true, Bot: true},
	} {
		r := request("handbook")
		r.Author = person
		if _, refused := service(new(uploadtest.Shelf)).Open(r); refused != upload.SayMembersOnly {
			t.Errorf("%+v: %q", person, refused)
		}
	}
}

// A project that one of the listeners may not know of is answered like one that does not exist.
func TestRefusalsNameNoProjectOfOthers(t *testing.T) {
	t.Parallel()
	s := service(new(uploadtest.Shelf))
	_, hidden := s.Open(request("board"))
	_, absent := s.Open(request("bored"))
	if strings.ReplaceAll(hidden, "board", "NAME") != strings.ReplaceAll(absent, "bored", "NAME") || hidden == "" {
		t.Errorf("a hidden project is answered with %q and an absent one with %q", hidden, absent)
	}
	if _, refused := s.Open(request("")); strings.Contains(refused, "board") || !strings.Contains(refused, "`handbook`") {
		t.Errorf("without a project the answer is %q", refused)
	}
	if p, refused := s.Open(request("Handbook")); p.Name != "handbook" || refused != "" {
		t.Errorf("the project is %+v, %q", p, refused)
	}
	r := request("handbook")
	r.Readers = access.ACL{access.Channel("slack", "C2")}
	if _, refused := s.Open(r); refused != upload.SayUnknownReaders {
		t.Errorf("readers that the listeners are not among: %q", refused)
	}
}

func TestFilesAreReplacedByName(t *testing.T) {
	t.Parallel()
	store := new(uploadtest.Shelf)
	s, r := service(store), request("handbook")
	p, _ := s.Open(r)
	first := s.Keep(t.Context(), r, p, upload.Given{Name: "plan.md", Content: []byte("one")})
	same := s.Keep(t.Context(), r, p, upload.Given{Name: "plan.md", Content: []byte("one")})
	second := s.Keep(t.Context(), r, p, upload.Given{Name: "plan.md", Content: []byte("two")})
	other := r
	other.Readers = access.ACL{access.User("slack", "U1")}
	third := s.Keep(t.Context(), other, p, upload.Given{Name: "plan.md", Content: []byte("three")})
	if first.Became != upload.Added || same.Became != upload.Unchanged || second.Became != upload.Replaced || second.ID != first.ID {
		t.Errorf("they became %v, %v and %v, with the ids %s and %s", first.Became, same.Became, second.Became, first.ID, second.ID)
	}
	if third.Became != upload.Added || third.ID == first.ID || len(store.Files()) != 2 {
		t.Errorf("a file of other readers was replaced: %+v", third)
	}
	r.Author.ID = "U2"
	if o := s.Keep(t.Context(), r, p, upload.Given{Name: "plan.md", Content: []byte("theirs")}); !strings.Contains(o.Refused, "Someone else kept a file") {
		t.Errorf("another person's file became %+v", o)
	}
	if changes := store.Changes(); changes != 3 {
		t.Errorf("the index was told of %d changes, want 3", changes)
	}
}

// TestKeptFilesDoNotDelayQuestions reads a file in the lane of the index.
func TestKeptFilesDoNotDelayQuestions(t *testing.T) {
	t.Parallel()
	s, r := service(new(uploadtest.Shelf)), request("handbook")
	p, _ := s.Open(r)
	read := s.Read
	s.Read = func(ctx context.Context, name string, content []byte) (document.Document, error) {
		if lane := footprint.LaneOf(ctx); lane != footprint.Sources {
			t.Errorf("the lane is %d", lane)
		}
		return read(ctx, name, content)
	}
	if o := s.Keep(t.Context(), r, p, upload.Given{Name: "plan.md", Content: []byte("one")}); o.Refused != "" {
		t.Error(o.Refused)
	}
}

// TestInterruptedFilesSayWhy interrupts the reading of a file that may have waited for others.
func TestInterruptedFilesSayWhy(t *testing.T) {
	t.Parallel()
	s, r := service(new(uploadtest.Shelf)), request("handbook")
	p, _ := s.Open(r)
	ctx, cancel := context.WithCancel(t.Context())
	fails := fmt.Errorf("%w: %w", footprint.ErrWaiting, context.DeadlineExceeded)
	s.Read = func(context.Context, string, []byte) (document.Document, error) { return document.Document{}, fails }
	given := upload.Given{Name: "a.pdf", Content: []byte("x")}
	if o := s.Keep(ctx, r, p, given); !strings.Contains(o.Refused, "Too many files are being read") {
		t.Errorf("a file that was not begun: %q", o.Refused)
	}
	cancel() // the time of its message
	if o := s.Keep(ctx, r, p, given); !strings.Contains(o.Refused, "other files took so long") {
		t.Errorf("a file whose message has no time left: %q", o.Refused)
	}
}

// TestFileThatTakesTooLong reads until the time of the file ends.
func TestFileThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := service(new(uploadtest.Shelf)), request("handbook")
		p, _ := s.Open(r)
		s.Read = func(ctx context.Context, _ string, _ []byte) (document.Document, error) {
			<-ctx.Done()
			return document.Document{}, ctx.Err()
		}
		if o := s.Keep(t.Context(), r, p, upload.Given{Name: "a.pdf", Content: []byte("x")}); !strings.Contains(o.Refused, "too long to read") {
			t.Errorf("%q", o.Refused)
		}
	})
}

func TestRefusedFilesSayWhy(t *testing.T) {
	t.Parallel()
	store := new(uploadtest.Shelf)
	s, r := service(store), request("handbook")
	p, _ := s.Open(r)
	for want, g := range map[string]upload.Given{
		"larger than 20 MB":   {Name: "a.txt", Content: make([]byte, upload.MaxBytes+1)},
		"empty":               {Name: "a.txt"},
		"no text":             {Name: "a.exe", Content: []byte("MZ")},
		"No text":             {Name: "a.txt", Content: []byte(" \n")},
		"no letter or digit":  {Name: "\u202e../..", Content: []byte("x")},
		"could not be stored": {Name: "a.fault", Content: []byte("x")},
		"not handed out":      {Name: "a.txt", Failed: "It was not handed out."},
	} {
		if o := s.Keep(t.Context(), r, p, g); !strings.Contains(o.Refused, want) || !strings.HasSuffix(o.Refused, ".") || strings.Contains(o.Refused, "left out") {
			t.Errorf("%q is refused with %q, want %q", g.Name, o.Refused, want)
		}
	}
	for want, err := range map[string]error{"no room": uploadtest.ErrDisk, "Nothing has changed": errors.New("connection refused"), "has 100 files": upload.ErrFull} {
		store.Fails = err
		if o := s.Keep(t.Context(), r, p, upload.Given{Name: "a.txt", Content: []byte("x")}); !strings.Contains(o.Refused, want) {
			t.Errorf("%v is told as %q", err, o.Refused)
		}
	}
	if len(store.Files()) != 0 {
		t.Errorf("there are %d files", len(store.Files()))
	}
}

func TestRemovalNeedsTheRightToRead(t *testing.T) {
	t.Parallel()
	channel, other := access.Channel("slack", "C1"), access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U2", Full: true}
	for _, tt := range []struct {
		name   string
		person access.Account
		admin  bool
		holds  access.Audience
		said   string
		gone   bool
	}{
		{"its author", ann(), false, access.NewAudience(tenant, channel), "Removed", true},
		{"its author, who left the channel", ann(), false, access.NewAudience(tenant, access.Members), "There is no such file", false},
		{"another member", other, false, access.NewAudience(tenant, channel), "Only the person who kept it", false},
		{"an administrator in the channel", other, true, access.NewAudience(tenant, channel), "Removed", true},
		{"an administrator outside", other, true, access.NewAudience(tenant, access.Members), "There is no such file", false},
	} {
		store := new(uploadtest.Shelf)
		store.Put(upload.File{ID: "a1", Name: "plan.md", Project: "handbook", Readers: access.ACL{channel}, Author: ann()})
		said, gone, err := service(store).Remove(t.Context(), tenant, "a1", tt.person, tt.admin, tt.holds)
		if err != nil || !strings.HasPrefix(said, tt.said) || gone != tt.gone || (len(store.Files()) == 0) != tt.gone {
			t.Errorf("%s: %q, %v, %v", tt.name, said, gone, err)
		}
	}
}

func TestNamesHaveNoPathAndNoDirection(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"plan.md": "plan.md", "../../etc/passwd": "passwd", `C:\Users\ann\plan.md`: "plan.md", "a\x00b\nc.txt": "ab c.txt",
		"invoice\u202efdp.exe": "invoicefdp.exe", "..": "", "\u200b": "", "a`b\"c.md": "a'b'c.md", "A\x00\u0300.md": "À.md", "Übersicht.md": "Übersicht.md",
		strings.Repeat("x", 200) + ".md": strings.Repeat("x", 116) + "….md",
	} {
		if got := upload.CleanName(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := upload.CleanName(rapid.String().Draw(t, "name"))
		if strings.ContainsAny(name, "/\\`\n\r\x00") || strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) ||
			len([]rune(name)) > upload.MaxName || strings.HasPrefix(name, ".") || upload.CleanName(name) != name {
			t.Fatalf("the name %q is kept", name)
		}
	})
}

func TestMessagesThatKeepFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"keep this in project handbook": "handbook", "Please keep these files in the project `on call`.": "on call",
		"save it to project Board, please": "Board", "keep this": "", "Keep the files!": "", "store the document in project x": "x",
	} {
		if got, ok := upload.Wanted(text); !ok || got != want {
			t.Errorf("%q asks for %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "keep", "keep this in mind", "should we keep this in project handbook?", "keep this in project a\nand answer", "what do we keep in project x", "keep this in handbook",
	} {
		if got, ok := upload.Wanted(text); ok {
			t.Errorf("%q is taken for a request to keep files in %q", text, got)
		}
	}
}

func TestReadersAreThoseOfTheChannel(t *testing.T) {
	t.Parallel()
	at := thread.Ref{Platform: "discord", Channel: "7", Thread: "8"}
	alone := access.ACL{access.User("discord", "5")}
	for _, tt := range []struct {
		direct, enclosed bool
		want             access.ACL
	}{{false, false, access.ACL{access.Channel("discord", "7")}}, {true, false, alone}, {false, true, alone}} {
		if got := upload.ReadersOf(at, "5", tt.direct, tt.enclosed); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestRepliesNameFilesAsCode(t *testing.T) {
	t.Parallel()
	r := request("handbook")
	said := upload.SayOutcomes(upload.Project{Name: "handbook"}, r.Readers, []upload.Outcome{
		{File: upload.File{ID: "a1", Name: "<!channel> plan.md"}}, {File: upload.File{ID: "a2", Name: "b.md"}, Became: upload.Replaced},
		{File: upload.File{Name: "c.exe"}, Refused: "It is a program."},
	}, true)
	for _, want := range []string{"`<!channel> plan.md` (id `a1`)", "`b.md` (id `a2`, in place of the version before)", "`c.exe` was not kept: it is a program.", "Whoever is in this channel"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
}

func TestRepliesAboutManyFilesFitAMessage(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{"", "It takes too long to read. Keep the part that matters."} {
		all := make([]upload.Outcome, 30)
		for i := range all {
			all[i] = upload.Outcome{File: upload.File{ID: upload.NewID(), Name: strings.Repeat("x", upload.MaxName)}, Became: upload.Replaced, Refused: refused}
		}
		said := upload.SayOutcomes(upload.Project{Name: strings.Repeat("p", upload.MaxName)}, request("handbook").Readers, all, true)
		if n := len([]rune(said)); n > 1800 || !strings.Contains(said, " more: `/footnote files`") {
			t.Errorf("%d characters: %s", n, said)
		}
	}
}

// Whatever is kept where, and whoever asks: an audience is shown a file exactly if each of its
// people is in the place of the file, by a model of people and places that knows no access lists.
func TestNoAudienceIsShownAFileOfAnotherPlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		people, channels := []string{"U1", "U2", "U3"}, []string{"C1", "C2", "C3"}
		in := make(map[string]bool) // person and channel
		for _, p := range people {
			for _, c := range channels {
				in[p+c] = rapid.Bool().Draw(t, p+" is in "+c)
			}
		}
		type origin struct{ person, channel string } // without a channel: a direct message
		from := make(map[upload.ID]origin)
		var all []upload.File
		for range rapid.IntRange(1, 6).Draw(t, "files") {
			o := origin{rapid.SampledFrom(people).Draw(t, "by"), rapid.SampledFrom(append(channels, "")).Draw(t, "in")}
			f := upload.File{ID: upload.NewID(), Readers: upload.ReadersOf(thread.Ref{Platform: "slack", Channel: o.channel}, o.person, o.channel == "", false)}
			from[f.ID], all = o, append(all, f)
		}
		holds := func(person string) access.Audience {
			held := []access.Principal{access.Members, access.User("slack", person)}
			for _, c := range channels {
				if in[person+c] {
					held = append(held, access.Channel("slack", c))
				}
			}
			return access.NewAudience(tenant, held...)
		}
		asks, where := rapid.SampledFrom(people).Draw(t, "asks"), rapid.SampledFrom(append(channels, "")).Draw(t, "where")
		audience := holds(asks)
		if where != "" {
			audience = access.NewAudience(tenant, access.Members, access.Channel("slack", where))
		}
		shown := upload.Readable(all, audience)
		for _, f := range all {
			o, want := from[f.ID], false
			switch {
			case where != "":
				want = o.channel == where
			case o.channel == "":
				want = o.person == asks
			default:
				want = in[asks+o.channel]
			}
			if got := slices.ContainsFunc(shown, func(s upload.File) bool { return s.ID == f.ID }); got != want {
				t.Fatalf("a file of %+v is shown to %s in %q: %v", o, asks, where, got)
			}
		}
	})
}
