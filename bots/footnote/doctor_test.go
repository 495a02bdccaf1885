package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// The doctor says how much memory the process keeps to, who said so, and whether what it remembers
// of the index leaves room for answers.
func TestDoctorTellsTheMemoryLimit(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for _, tt := range []struct {
		settings []string
		want     string
	}{
		{[]string{"GOMEMLIMIT=512MiB"}, "! memory: 512 MiB at most, as GOMEMLIMIT says; INDEX_MEMORY_BYTES takes up to 1.0 GiB of it: set it to half of the limit, or give more\n"},
		{[]string{"GOMEMLIMIT=512MiB", "INDEX_MEMORY_BYTES=268435456"}, "✓ memory: 512 MiB at most, as GOMEMLIMIT says\n"},
		{[]string{"INDEX_MEMORY_BYTES=1048576"}, " % of the "}, // of the container or of the machine that this runs on
	} {
		if r := p.with(tt.settings...).run(t, "doctor"); !strings.Contains(r.stdout, tt.want) {
			t.Errorf("with %v the doctor says:\n%s", tt.settings, r.stdout)
		}
	}
}

func TestDoctorSaysWhatDecidesWhetherToQuote(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for settings, want := range map[string]string{"EMBEDDER=words": "the program: EMBEDDER=words\n", "EMBEDDER=": ""} {
		r := p.with("INDEX_MEMORY_BYTES=1048576", settings).try(t, "", "doctor")
		if strings.Contains(r.stdout, "words alone decide") != (want != "") || !strings.Contains(r.stdout, want) {
			t.Errorf("with %s the doctor says:\n%s", settings, r.stdout)
		}
	}
	if r := p.with("EMBEDDER=", "GOMEMLIMIT=200MiB", "INDEX_MEMORY_BYTES=1048576").run(t, "doctor"); !strings.Contains(r.stdout, "the program: the memory limit is below 256 MiB\n") {
		t.Errorf("with little memory the doctor says:\n%s", r.stdout)
	}
}

// The doctor names the address where nothing listens, and the setting that holds it.
func TestDoctorNamesAddressesWhereNothingListens(t *testing.T) {
	t.Parallel()
	const address = "127.0.0.1:9"
	p := newProgram(t, "OPENAI_BASE_URL=http://"+address+"/v1", "EMBEDDING_MODEL=text-embedding-3-small",
		"EMBEDDING_BASE_URL=http://"+address+"/v1", "RERANK_URL=http://"+address)
	r := p.try(t, "", "doctor")
	for part, setting := range map[string]string{"embedder": "EMBEDDING_BASE_URL", "reranker": "RERANK_URL", "model": "OPENAI_BASE_URL"} {
		pattern := regexp.MustCompile(`(?m)^✗ ` + part + `: .*nothing listens at ` + address + `; start the \w+ there, or correct ` + setting + `$`)
		if !pattern.MatchString(r.stdout) {
			t.Errorf("the doctor says of the %s:\n%s", part, r.stdout)
		}
	}
	if strings.Contains(r.stdout, "deadline") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
}

// doctor says which schema there is and which is wanted, and changes nothing.
func TestDoctorDoesNotMigrate(t *testing.T) {
	t.Parallel()
	p := emptyProgram(t)
	for range 2 {
		if r := p.try(t, "", "doctor"); r.code != 0 || !strings.Contains(r.stdout, "! schema: There is none yet") || strings.Contains(r.stdout, "✗") {
			t.Errorf("exit code %d:\n%s%s", r.code, r.stdout, r.stderr)
		}
	}
	p.run(t, "migrate")
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ schema: version ") {
		t.Errorf("after the migration:\n%s", r.stdout)
	}
	if _, err := database(t, p).Pool.Exec(t.Context(), `delete from goose_db_version where version_id > 1`); err != nil {
		t.Fatal(err)
	}
	if r := p.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout, "✗ schema: ") || !strings.Contains(r.stdout, "it is at version 1, and ") {
		t.Errorf("of an older version, exit code %d:\n%s%s", r.code, r.stdout, r.stderr)
	}
}

func TestDoctorCallsTheServersLibraries(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"plpgsql": `update pg_proc set probin = '$libdir/nowhere' where proname = 'plpgsql_inline_handler'`,
		"vector":  `update pg_proc set probin = '$libdir/nowhere' where proname = 'l2_distance' and probin like '%vector'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			if _, err := database(t, p).Pool.Exec(t.Context(), fault); err != nil {
				t.Fatal(err)
			}
			if r := p.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout, "✗ database: ") || !strings.Contains(r.stdout, "restart the server") {
				t.Errorf("exit code %d:\n%s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// Checks that fail for the same token are one line with a mark, like every other check.
func TestDoctorPrintsALineForEachCheck(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("channels:\n  - {platform: slack, channel: C0123456789, follow: mention}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newProgram(t, "SLACK_BOT_TOKEN=xoxb-wrong", "SLACK_APP_TOKEN=xapp-wrong", "SLACK_API_URL="+slack.URL(), "FOOTNOTE_CONFIG="+file).try(t, "", "doctor")
	if r.code != 1 || !strings.Contains(r.stdout, "✗ more checks: These failed: look for the channel C0123456789 of slack: ") {
		t.Errorf("exit code %d:\n%s", r.code, r.stdout)
	}
	for line := range strings.Lines(r.stdout) {
		if !regexp.MustCompile(`^[✓!✗] [^:]+: .`).MatchString(line) {
			t.Errorf("a line without a mark or a part: %s", line)
		}
	}
}

// The doctor opens the files of projects. A file whose project was taken out of the configuration
// file is told like a source that was taken out.
func TestDoctorKnowsFilesOfProjects(t *testing.T) {
	t.Parallel()
	p := withProject(t)
	p.run(t, "ask", "When does the crew sail?", "--project", "launch")
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ projects: 3 paths can be read\n") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
	var file string
	for _, setting := range p.env {
		if path, is := strings.CutPrefix(setting, "FOOTNOTE_CONFIG="); is {
			file = path
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("projects:\n  launch: {files: [charter.md, nosuch.md, plan.zip]}\n")
	if r := p.try(t, "", "doctor"); r.code == 0 || !strings.Contains(r.stdout, "✗ projects: projects.launch, ") || !strings.Contains(r.stdout, "nosuch.md") {
		t.Errorf("with a missing file doctor says:\n%s", r.stdout)
	}
	write("agents: {}\n")
	r := p.run(t, "doctor")
	if strings.Contains(r.stdout, "stranger") || !regexp.MustCompile(`(?m)^! .*charter\.md is no longer in the configuration file, and 1 document of it can still be found\. To remove that, run: footnote sources remove \S+$`).MatchString(r.stdout) {
		t.Errorf("without the project doctor says:\n%s", r.stdout)
	}
	if list := p.run(t, "sources").stdout; strings.Contains(list, "approved") {
		t.Errorf("the list of sources says:\n%s", list)
	}
	// Nothing is read for such a row: whoever has the database's password could write one.
	for _, s := range jsonOf[[]listedSource](t, p.run(t, "sources", "--json")) {
		if r := p.try(t, "", "sources", "run", s.ID); r.code == 0 {
			t.Errorf("%s is read: %+v", s.ID, r)
		}
	}
}

// The doctor asks the identity provider for its discovery document, and compares the issuer in it.
func TestDoctorAsksTheIdentityProvider(t *testing.T) {
	t.Parallel()
	var names atomic.Value // the issuer in the document
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/openid-configuration" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"issuer":%[1]q,"authorization_endpoint":%[1]q,"token_endpoint":%[1]q,"jwks_uri":%[1]q}`, names.Load())
	}))
	t.Cleanup(provider.Close)
	p := newProgram(t, "CONSOLE_URL=http://127.0.0.1:1", "CONSOLE_OIDC_ISSUER="+provider.URL, "CONSOLE_OIDC_CLIENT_ID=client", "CONSOLE_OIDC_CLIENT_SECRET=hush")
	p.run(t, "index", handbook(t))
	for issuer, want := range map[string]string{provider.URL: "✓ sign-in to the console: ", "https://other.example": "✗ sign-in to the console: "} {
		names.Store(issuer)
		if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout, want) || (want[:3] == "✗") != strings.Contains(r.stdout, "Correct CONSOLE_OIDC_ISSUER") {
			t.Errorf("of the issuer %s doctor says:\n%s", issuer, r.stdout)
		}
	}
}
