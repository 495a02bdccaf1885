package main_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A paused source is read by nobody until it is resumed, and a server that runs then reads it at
// once; resync reads what its dates do not tell.
func TestSourcesArePausedResumedAndReadFromTheBeginning(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"docs/boat.md": "# Boat\n\nThe boat is moored at the north pier.\n", "more/lamp.md": "# Lamp\n\nThe lamp is lit at dusk.\n"})
	docs, file := filepath.Join(dir, "docs"), filepath.Join(dir, "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  harbour: {path: docs, every: 6h}\n  light: {path: more}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	if r := p.try(t, "", "sources", "pause", "harbour"); r.code != 2 || !strings.Contains(r.stderr, "was never read") {
		t.Errorf("a source that was never read: exit code %d\n%s", r.code, r.stderr)
	}
	p.run(t, "index")
	if r := p.try(t, "", "sources", "pause", "harbour", "nowhere"); r.code != 2 || !strings.Contains(r.stderr, "there is no source nowhere") {
		t.Errorf("a source that is not there: exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.run(t, "sources", "pause", "harbour"); !strings.Contains(r.stdout, "what was read before is still found") {
		t.Errorf("pausing says:\n%s", r.stdout)
	}
	if err := os.WriteFile(filepath.Join(docs, "buoy.md"), []byte("# Buoy\n\nThe buoy is green.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "harbour: the source is paused") || !strings.Contains(r.stderr, "light: documents: ") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if r := p.try(t, "", "index", docs, "--acl", "group:crew", "--every", "1h"); r.code != 1 || !strings.Contains(r.stderr, "the source is paused") {
		t.Errorf("indexing it by its path: exit code %d\n%s", r.code, r.stderr)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); !slices.ContainsFunc(list, func(l listedSource) bool { return l.Every == "6h" }) {
		t.Errorf("a run that was refused changed the options of the last one: %+v", list)
	}
	if r := p.run(t, "search", "where is the boat moored?"); !strings.Contains(r.stdout, "boat.md") {
		t.Errorf("what was read is not found:\n%s", r.stdout)
	}
	s := serve(t, p)
	defer s.stop(t)
	type listed struct {
		listedSource
		PausedAt *time.Time `json:"paused_at"`
	}
	for _, l := range jsonOf[[]listed](t, p.run(t, "sources", "--json")) {
		if harbour := l.Every == "6h"; harbour != (l.PausedAt != nil) || l.NextRun != nil {
			t.Errorf("it is listed as %+v", l)
		}
	}
	if r := p.run(t, "sources", "resume", "harbour", "light"); !strings.Contains(r.stdout, "it is read again, by footnote serve at once") || !strings.Contains(r.stdout, "it was not paused") {
		t.Errorf("resuming says:\n%s", r.stdout)
	}
	sourcesUntil(t, p, s, func(list []listedSource) bool {
		return slices.ContainsFunc(list, func(l listedSource) bool { return l.Every == "6h" && l.Documents == 2 })
	})
	// What keeps its date is not seen to have changed, but for a pass from the beginning.
	buoy := filepath.Join(docs, "buoy.md")
	was, err := os.Stat(buoy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(buoy, []byte("# Buoy\n\nThe buoy is purple.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(buoy, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "index", docs); !strings.Contains(r.stderr, "0 indexed, 2 unchanged") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	if r := p.run(t, "sources", "resync", "harbour"); !strings.Contains(r.stdout, "from the beginning, by footnote serve at once") {
		t.Errorf("it says:\n%s", r.stdout)
	}
	for deadline := time.Now().Add(limit); !strings.Contains(p.run(t, "search", "which colour has the buoy?").stdout, "purple"); {
		if time.Now().After(deadline) {
			t.Fatalf("it was not read from the beginning\n%s", s.log)
		}
	}
	if r := p.run(t, "sources", "remove", "harbour"); !strings.Contains(r.stdout, "2 documents removed; harbour still stands under sources: in "+file) {
		t.Errorf("removing says:\n%s", r.stdout)
	}
	var deeds []string
	for _, d := range deedsOf(p.audit(t)) {
		if strings.HasPrefix(d, "source.") && d != "source.index" && d != "source.options" {
			deeds = append(deeds, d)
		}
	}
	if want := []string{"source.pause", "source.resume", "source.resync", "source.remove"}; !slices.Equal(deeds, want) {
		t.Errorf("the audit trail tells of %q, want %q", deeds, want)
	}
}

// A run stops soon after its source was paused, in whichever process it is, and is gone on with
// later.
func TestPausingStopsARun(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/guide/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<title>Guide</title><p>Welcome to the harbour.</p><a href="next">Next</a>`))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	p := newProgram(t, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "CRAWL_INTERVAL=2s")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	slow := p.with("CRAWL_INTERVAL=1h")
	cmd := slow.command(ctx, "index", server.URL+"/guide/")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(p.run(t, "sources", "--json").stdout, "web-127.0.0.1") {
		if ctx.Err() != nil {
			t.Fatal("it does not begin")
		}
	}
	p.run(t, "sources", "pause", server.URL+"/guide/")
	if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "the source is paused") {
		t.Errorf("it ended with %v\n%s", err, said.String())
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].FailedRuns != 0 || list[0].Error != "" {
		t.Errorf("a pause is listed as a failure: %+v", list)
	}
}

// What was said in channels is not shown on while nobody looks whether they are still public.
func TestSlackIsNotPaused(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	ann := slack.Person("ann", nil)
	general := slack.Channel("general", nil, ann)
	ann.Earlier(general, "", "The boat is moored at the north pier.", 48*time.Hour)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  chat: {slack: {channels: [general]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret, "SLACK_API_URL="+slack.URL())
	p.run(t, "index")
	if r := p.try(t, "", "sources", "pause", "chat"); r.code != 2 || !strings.Contains(r.stderr, "footnote sources remove slack-chat") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}

// An entry whose address was changed reads another source. What the old address held is reported,
// is read no more, and is removed without advice to remove the entry.
func TestChangedAddressLeavesAnOldSource(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"old/boat.md": "# Boat\n\nThe boat is moored at the north pier.\n", "new/lamp.md": "# Lamp\n\nThe lamp is lit at dusk.\n"})
	file := filepath.Join(dir, "footnote.yaml")
	entry := func(path string) {
		t.Helper()
		text := "sources:\n  harbour: {path: " + path + ", every: 6h}\ndocument_sets:\n  a: [harbour]\n  b: [harbor]\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entry("old")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	p.run(t, "index")
	old := jsonOf[[]listedSource](t, p.run(t, "sources", "--json"))[0].ID
	entry("new")
	p.run(t, "index")
	r := p.run(t, "doctor")
	if !strings.Contains(r.stdout, "! sources: harbour is no longer in the configuration file with this address ("+filepath.Join(dir, "old")+"), and 1 document of it can still be found. To remove that, run: footnote sources remove "+old+"\n") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
	if !strings.Contains(r.stdout, `document_sets.b names the source "harbor"`) || !strings.Contains(r.stdout, "The sources of the file are harbour.\n") || strings.Contains(r.stdout, "document_sets.a names") {
		t.Errorf("doctor says of the sets:\n%s", r.stdout)
	}
	s := serve(t, p)
	sourcesUntil(t, p, s, func(list []listedSource) bool {
		return slices.ContainsFunc(list, func(l listedSource) bool { return l.ID == old && l.Every == "" })
	})
	s.stop(t)
	if r := p.run(t, "sources", "remove", old); r.stdout != old+": 1 document removed.\n" {
		t.Errorf("removing says:\n%s", r.stdout)
	}
}

// An entry that is only renamed reads the same source, by the same schedule.
func TestRenamedSourceKeepsItsSchedule(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"docs/boat.md": "# Boat\n\nThe boat is moored at the north pier.\n"})
	file := filepath.Join(dir, "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	for _, name := range []string{"harbour", "port"} {
		if err := os.WriteFile(file, []byte("sources:\n  "+name+": {path: docs, every: 6h}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := serve(t, p)
		list := sourcesUntil(t, p, s, func(list []listedSource) bool { return len(list) == 1 && list[0].Documents == 1 })
		s.stop(t)
		if list[0].Every != "6h" {
			t.Errorf("as %s it is read every %q", name, list[0].Every)
		}
	}
	if r := p.run(t, "doctor"); strings.Contains(r.stdout, "no longer in the configuration file") || !strings.Contains(r.stdout, "✓ source port: 1 document; 1 document, read just now, every 6h\n") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
}
