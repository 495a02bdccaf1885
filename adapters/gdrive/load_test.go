package gdrive_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// paragraph is a paragraph of a tab, as the API of Docs tells it.
func paragraph(style, heading, text string) any {
	return map[string]any{"paragraph": map[string]any{
		"elements":       []any{map[string]any{"textRun": map[string]any{"content": text + "\n"}}},
		"paragraphStyle": map[string]any{"namedStyleType": style, "headingId": heading},
	}}
}

func tabOf(id, title string, content ...any) any {
	return map[string]any{"tabProperties": map[string]any{"tabId": id, "title": title}, "documentTab": map[string]any{"body": map[string]any{"content": content}}}
}

// Docs are led to by tab and heading, Sheets and Slides are read as Excel and PowerPoint, uploaded
// files by their endings, and where they have none, by their types.
func TestFormats(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	add := func(name, kind string, f gdrivetest.File) *gdrivetest.File {
		f.Name, f.Type, f.Drive = name, kind, d
		f.Size = int64(len(f.Data))
		return p.Add(&f)
	}
	doc := add("Handbook", gdrivetest.Doc, gdrivetest.File{Tabs: []any{
		tabOf("t.0", "Rules", paragraph("HEADING_1", "h.aa", "Why"), paragraph("NORMAL_TEXT", "", "Because.")),
		tabOf("t.1", "More", paragraph("NORMAL_TEXT", "", "More of it.")),
	}})
	sheet := add("Numbers", gdrivetest.Sheet, gdrivetest.File{Data: []byte("cells")})
	slides := add("Talk", gdrivetest.Slides, gdrivetest.File{Data: []byte("slides")})
	pdf := add("scan", "application/pdf", gdrivetest.File{Data: []byte("pages")})
	word := add("letter.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", gdrivetest.File{Data: []byte("words")})
	locked := add("locked.txt", gdrivetest.Text, gdrivetest.File{Data: []byte("x"), NoDownload: true})
	empty := add("empty.txt", gdrivetest.Text, gdrivetest.File{})
	large := add("large.txt", gdrivetest.Text, gdrivetest.File{Data: []byte("x")})
	p.Do(func() { large.Size = 1 << 30 })
	add("form", "application/vnd.google-apps.form", gdrivetest.File{})
	add("film.mp4", "video/mp4", gdrivetest.File{Data: []byte("x")})
	run := p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{doc: "Because.", sheet: ".xlsx: cells", slides: ".pptx: slides", pdf: ".pdf: pages", word: ".docx: words"})
	if run.Counts.Skipped != 2 {
		t.Errorf("left out are %v, want %s and %s", run.Skipped, locked.Name, empty.Name)
	}
	all := p.Documents()
	sections := all[doc.ID].Sections
	if got, want := sections[0].Anchor, "https://docs.google.com/document/d/"+doc.ID+"/edit?tab=t.0#heading=h.aa"; got != want || strings.Join(sections[0].Heading, "/") != "Rules/Why" {
		t.Errorf("the first section is %+v, want it at %s", sections[0], want)
	}
	if got, want := all[doc.ID].Link(sections[1].Anchor), "https://docs.google.com/document/d/"+doc.ID+"/edit?tab=t.1"; got != want {
		t.Errorf("the second tab is at %s, want %s", got, want)
	}
	if all[sheet.ID].URL != "https://docs.google.com/spreadsheets/d/"+sheet.ID+"/edit" {
		t.Errorf("the spreadsheet is at %s", all[sheet.ID].URL)
	}
}

// What is larger than Google exports is read in another form, or left out with a sentence; without
// the API of Docs a Doc is read as it is exported.
func TestExportLimits(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	html := p.Add(&gdrivetest.File{Name: "plain", Type: gdrivetest.Doc, Drive: d, HTML: `<html><body><h1 id="h.x1"><span>Why</span></h1><p>Because.</p></body></html>`})
	huge := p.Add(&gdrivetest.File{Name: "huge", Type: gdrivetest.Doc, Drive: d, Huge: true, Data: []byte("\uFEFFall of it")})
	slides := p.Add(&gdrivetest.File{Name: "talk", Type: gdrivetest.Slides, Drive: d, Huge: true, Data: []byte("the words alone")})
	p.Add(&gdrivetest.File{Name: "numbers", Type: gdrivetest.Sheet, Drive: d, Huge: true, Data: []byte("x")})
	p.Switch(func(s *gdrivetest.Switches) { s.NoDocs = true })
	run := p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{html: "Because.", huge: "all of it", slides: "the words alone"})
	if len(run.Skipped) != 1 || !strings.Contains(run.Skipped[0].Sentence, "10 MB") {
		t.Errorf("left out are %v", run.Skipped)
	}
	if got, want := p.Documents()[html.ID].Link(p.Documents()[html.ID].Sections[0].Anchor), "https://docs.google.com/document/d/"+html.ID+"/edit#heading=h.x1"; got != want {
		t.Errorf("the heading is at %s, want %s", got, want)
	}
}

// A spreadsheet's sections lead to their sheets, a presentation's to their slides, as far as Google
// tells how; where its API is not enabled it is asked once an hour.
func TestSheetsAndSlidesAreLedTo(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	sheet := p.Add(&gdrivetest.File{Name: "n", Type: gdrivetest.Sheet, Drive: d, Data: []byte("First\na|Second one\nb|no heading"), Parts: []string{"First", "Second  one"}})
	talk := p.Add(&gdrivetest.File{Name: "t", Type: gdrivetest.Slides, Drive: d, Data: []byte("Slide 1: Why\na|Slide 2\nb|Slide 9\nc"), Parts: []string{"p", "g1a2"}})
	p.MustSync()
	for f, want := range map[*gdrivetest.File][]string{sheet: {"gid=0", "gid=100", ""}, talk: {"slide=id.p", "slide=id.g1a2", ""}} {
		for i, s := range p.Documents()[f.ID].Sections {
			if s.Anchor != want[i] {
				t.Errorf("section %d of %s leads to %q, want %q", i, f.Name, s.Anchor, want[i])
			}
		}
	}
	p.Switch(func(s *gdrivetest.Switches) { s.NoDocs = true })
	mark := p.Mark()
	for i := range 3 {
		p.Change(sheet, func() { sheet.Name, sheet.Data = fmt.Sprint("n", i), []byte("First\nc") })
		p.MustSync()
	}
	if n := p.Counts(mark, "/v4/"); n != 1 {
		t.Errorf("an API that is not enabled was asked %d times", n)
	}
}

// A file that fails for now is a failure of its own, and is read by the next run.
func TestAFileThatFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	a, b := p.File(d, "a.txt", "one"), p.File(d, "b.txt", "two")
	p.Faults.Add(gdrivetest.Fault{Path: "files/" + a.ID + "?alt=media", Answer: gdrivetest.Refuse(http.StatusBadGateway, "backendError")}, 0, 5)
	run, err := p.Sync(t.Context())
	if err != nil || run.Counts.Failed != 1 {
		t.Fatalf("%v %+v", err, run.Counts)
	}
	p.mustHold(map[*gdrivetest.File]string{b: "two"})
	p.Again()
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{a: "one", b: "two"})
	mark := p.Mark()
	p.MustSync()
	if n := p.Counts(mark, a.ID); n > 0 {
		t.Errorf("what was read in the end is asked for %d times more", n)
	}
}

// A file that never can be read is read a few times more, whether its text fails or all that is
// known of it; then it waits until everything is looked at. Only some of many are read again.
func TestWhatFailsIsReadAgainAFewTimes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	f := p.File(d, "a.txt", "one")
	for n := range 250 {
		p.File(d, fmt.Sprintf("%d.txt", n), "x")
	}
	p.Faults.Add(gdrivetest.Fault{Path: "alt=media", Answer: gdrivetest.Refuse(http.StatusForbidden, "downloadQuotaExceeded")}, 0, 100_000)
	p.Faults.Add(gdrivetest.Fault{Path: "files/" + f.ID + "?", Answer: gdrivetest.Refuse(http.StatusBadGateway, "backendError")}, 0, 100_000)
	asked := 0
	for runs := 0; ; runs++ {
		mark := p.Mark()
		if _, err := p.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := p.Counts(mark, "alt=media")
		if runs > 0 && n > 200 {
			t.Fatalf("%d files were read again", n)
		}
		if asked += n; n == 0 {
			break
		}
		if runs > 10 {
			t.Fatal("it does not end")
		}
	}
	p.Faults.Mend()
	p.MustSync()
	if got := len(p.Documents()); got != 0 {
		t.Errorf("%d documents are in the index", got)
	}
	p.Pass(2 * gdrive.SweepEvery)
	p.MustSync()
	if got := len(p.Documents()); got != 251 {
		t.Errorf("%d documents are in the index, of 251; %d texts were asked for", got, asked)
	}
}

// What something on the way answers in the place of a file is not taken for it.
func TestWhatIsNotTheFileIsNotRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	a := p.File(d, "a.txt", "one")
	p.Faults.Add(gdrivetest.Fault{Path: "files/" + a.ID + "?alt=media", Answer: func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<html>log in</html>")) }}, 0, 1)
	run, err := p.Sync(t.Context())
	if err != nil || run.Counts.Failed != 1 || !strings.Contains(run.Failures[0].Sentence, "not the file that Drive listed") {
		t.Fatalf("%v %+v", err, run)
	}
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{a: "one"})
}

// What Google does not give out for a while stays as it was read; what it does not give out at all
// goes, and it is said why.
func TestAFileThatIsNotGivenOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	a, b := p.File(d, "a.txt", "one"), p.File(d, "b.txt", "two")
	p.MustSync()
	p.Edit(a, "three")
	p.Edit(b, "four")
	p.Faults.Add(gdrivetest.Fault{Path: "files/" + a.ID + "?alt=media", Answer: gdrivetest.Refuse(http.StatusForbidden, "downloadQuotaExceeded")}, 0, 1)
	p.Faults.Add(gdrivetest.Fault{Path: "files/" + b.ID + "?alt=media", Answer: gdrivetest.Refuse(http.StatusForbidden, "cannotDownloadAbusiveFile")}, 0, 1)
	run, err := p.Sync(t.Context())
	if err != nil || run.Counts.Failed != 1 || !strings.Contains(run.Failures[0].Sentence, "too often") {
		t.Errorf("%v %+v", err, run.Failures)
	}
	if len(run.Skipped) != 1 || !strings.Contains(run.Skipped[0].Sentence, "cannotDownloadAbusiveFile") {
		t.Errorf("left out are %+v", run.Skipped)
	}
	p.mustHold(map[*gdrivetest.File]string{a: "one"})
	p.Pass(2 * gdrive.SweepEvery)
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{a: "three", b: "four"})
}

func TestMayRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada, bob := p.User("ada"), p.User("bob")
	d := p.Drive("Team", reader(ada), reader(bob))
	open, limited := p.Folder(d, "open"), p.Folder(d, "limited", reader(ada))
	p.Do(func() { limited.Limited = true })
	files := []*gdrivetest.File{p.File(open, "open.txt", "x"), p.File(limited, "limited.txt", "x"), p.File(ada, "mine.txt", "x")}
	var points []index.Point // all name the drive, as files do that were restricted since the last pass
	for _, f := range files {
		points = append(points, index.Point{Document: document.ID(string(p.Connector.Source().ID) + ":" + f.ID), Node: d.ID + "/" + d.ID})
	}
	yes, no := index.Allowed, index.Denied
	for u, want := range map[*gdrivetest.User][]index.Permission{ada: {yes, yes, yes}, bob: {yes, no, no}} {
		got := p.Connector.MayRead(t.Context(), u.ID, append(points, index.Point{Document: "another:file"}))
		for i, want := range want {
			if got[points[i]] != want {
				t.Errorf("%s and %s: %v, want %v", u.Name, files[i].Name, got[points[i]], want)
			}
		}
		if len(got) != len(points) {
			t.Errorf("%s: %v", u.Name, got)
		}
	}
	p.Faults.Add(gdrivetest.Fault{Path: files[0].ID, Answer: gdrivetest.Refuse(http.StatusServiceUnavailable, "backendError")}, 0, 9)
	if got := p.Connector.MayRead(t.Context(), ada.ID, points[:1]); len(got) != 0 {
		t.Errorf("a failed check gives %v", got)
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	what, err := p.Connector.Check(t.Context())
	if err != nil || what != "1 shared drive, 2 people in the directory, the own drives of 2" {
		t.Errorf("%q %v", what, err)
	}
	p.Do(func() { d.Members = []gdrivetest.Grant{reader(p.Bot)} })
	p.options.Drives, p.options.MyDrives = []string{d.ID, "0Aother"}, false
	p.Again()
	what, err = p.Connector.Check(t.Context())
	if what != "1 shared drive, 2 people in the directory" || err == nil || !strings.Contains(err.Error(), "not a member of the shared drive 0Aother") || !strings.Contains(err.Error(), "a Manager of the drive") {
		t.Errorf("%q %v", what, err)
	}
	p.Do(func() { d.Members = nil })
	if _, err = p.Connector.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing to be read") {
		t.Errorf("%v", err)
	}
	p.options.Admin = ada.Email
	p.Again()
	if _, err = p.Connector.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "administrator") {
		t.Errorf("%v", err)
	}
	// A service account that is an administrator itself belongs to no organisation, which has to be
	// named.
	p.Do(func() { d.Members = []gdrivetest.Grant{{To: p.Bot, Role: "organizer"}} })
	p.Switch(func(s *gdrivetest.Switches) { s.NoDelegate = true })
	p.options.Admin, p.options.Drives = "", nil
	p.Again()
	if _, err = p.Connector.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "customer") {
		t.Errorf("%v", err)
	}
	p.options.Customer = gdrivetest.Customer
	p.Again()
	if what, err = p.Connector.Check(t.Context()); err != nil {
		t.Errorf("%q %v", what, err)
	}
	for name, key := range map[string]string{"none": "", "no key": "{}", "another": `{"type":"authorized_user"}`} {
		if _, err := gdrive.New(gdrive.Config{Key: []byte(key)}); err == nil || !strings.Contains(err.Error(), "GOOGLE_KEY_FILE") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []gdrive.Options{{}, {Name: "a", Admin: "ada"}, {Name: "a", Drives: []string{"a b"}}, {Name: "a", Users: []string{"a@b.example"}}, {Name: "a", Anonymous: "group:x"}} {
		if _, err := gdrive.NewConnector(p.client, bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
