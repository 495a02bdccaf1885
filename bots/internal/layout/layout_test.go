package layout_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const prefix = "github.com/footnotehq/footnote/"

// benches measures the product, and holds adapters against other servers.
const benches = "bots/bench"

// coreOrder is the order of core packages: each imports only earlier ones. The rooms of a package
// have their own places in it.
var coreOrder = []string{
	"sleep", "span", "plural", "footprint", "checkup", "access", "document", "message", "budget", "packet", "llm", "localmodel", "thread", "cite", "filter", "knowledge", "extract", "retrieve", "suggest", "spend", "tool", "session", "prompt", "stream",
	"index", "sources", "crawl", "pointcheck", "upload", "turn", "deepsearch", "answer/policy", "chat", "owner", "mcp", "answer", "answer/command", "answer/action", "review", "gaps", "report", "recur", "conversation", "evaluate",
}

// coreModules are the modules that core may import, beside the standard library.
var coreModules = []string{"golang.org/x/sync", "golang.org/x/text", "github.com/blevesearch/snowballstem"}

// house is an adapter that has grown rooms, in the order in which they stand in the contributing
// page. A room without a name is the adapter itself.
type house struct {
	dir   string
	rooms []room
}

// room is a package of a house, and those of the same house that it imports.
type room struct {
	name    string
	imports []string
}

var houses = []house{
	{"adapters/postgres", []room{
		{"", nil},
		{"audit", []string{""}},
		{"pgaccess", []string{""}},
		{"pgknowledge", []string{"", "pgaccess"}},
		{"pgindex", []string{"", "audit", "pgaccess", "pgknowledge"}},
		{"pgsession", []string{"", "audit"}},
		{"admin", []string{"", "audit"}},
		{"pgupload", []string{"", "audit"}},
		{"jobs", []string{""}},
		{"local", nil},
	}},
	{"adapters/slack", []room{
		{"call", nil},
		{"event", []string{"call"}},
		{"directory", []string{"call", "event"}},
		{"render", nil},
		{"read", []string{"call", "event"}},
		{"write", []string{"call", "event", "render"}},
		{"history", []string{"call", "event"}},
		{"receive", []string{"call", "event", "directory", "render", "read", "write"}},
		{"", []string{"call", "event", "directory", "read", "write", "receive"}},
	}},
	{"adapters/discord", []room{
		{"call", nil},
		{"event", []string{"call"}},
		{"directory", []string{"call"}},
		{"render", nil},
		{"gateway", []string{"call"}},
		{"read", []string{"call", "event", "directory", "render"}},
		{"write", []string{"call", "event", "directory", "render"}},
		{"history", []string{"call", "event", "directory"}},
		{"receive", []string{"call", "event", "directory", "gateway", "read", "write"}},
		{"", []string{"call", "directory", "read", "write", "receive"}},
	}},
}

// owners says below which folder each third-party module is imported. An empty folder means tests
// alone; "*" means anywhere.
var owners = map[string]string{
	"github.com/slack-go/slack":           "adapters/slack",
	"github.com/bwmarrin/discordgo":       "adapters/discord",
	"github.com/gorilla/websocket":        "adapters",
	"github.com/redis/go-redis":           "adapters/redis",
	"github.com/jackc/pgx":                "adapters/postgres",
	"github.com/pgvector/pgvector-go":     "adapters/postgres",
	"github.com/pressly/goose":            "adapters/postgres",
	"github.com/riverqueue/river":         "adapters/postgres",
	"github.com/sashabaranov/go-openai":   "adapters/openai",
	"github.com/tiktoken-go/tokenizer":    "adapters/tiktoken",
	"github.com/yuin/goldmark":            "adapters/internal/markdown",
	"github.com/go-git/go-git":            "adapters/internal/gitmirror",
	"github.com/klippa-app/go-pdfium":     "adapters/internal/pdf",
	"github.com/tetratelabs/wazero":       "adapters/internal/pdf",
	"github.com/prometheus/client_golang": "adapters/telemetry",
	"github.com/prometheus/client_model":  "adapters/telemetry",
	"go.opentelemetry.io/otel":            "adapters/telemetry",
	"go.opentelemetry.io/proto/otlp":      "",
	"google.golang.org/protobuf":          "",
	"github.com/goccy/go-yaml":            "*",
	"github.com/alecthomas/kong":          "bots",
	"golang.org/x/term":                   "bots",
	"golang.org/x/net":                    "adapters",
	"golang.org/x/oauth2":                 "adapters",
	"github.com/coreos/go-oidc":           "adapters",
	"golang.org/x/sys":                    "adapters",
	"golang.org/x/time":                   "adapters",
	"golang.org/x/sync":                   "*",
	"golang.org/x/text":                   "*",
	"github.com/blevesearch/snowballstem": "core/retrieve/analyse",
	"github.com/google/uuid":              "adapters/postgres",
	"github.com/google/go-cmp":            "",
	"pgregory.net/rapid":                  "",
	"go.uber.org/goleak":                  "",

	"github.com/modelcontextprotocol/go-sdk": "adapters/mcp",
}

// file is one Go source file and what it imports.
type file struct {
	name    string // relative to the repository, with slashes
	dir     string
	test    bool // _test.go, or in a package that exists for tests
	imports []string
	lines   int
}

func TestDependencyRule(t *testing.T) {
	t.Parallel()
	for _, f := range repository(t) {
		for _, imported := range f.imports {
			if fault := fault(f, imported); fault != "" {
				t.Errorf("%s imports %s: %s", f.name, imported, fault)
			}
		}
	}
}

// fault says what is wrong with an import, or nothing.
func fault(f file, imported string) string {
	if local, ok := strings.CutPrefix(imported, prefix); ok {
		return localFault(f, local)
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") { // standard library
		if below(f.dir, "core") && !f.test && slices.Contains([]string{"net/http", "database/sql"}, imported) {
			return "core knows no outside system; define a port and implement it in adapters"
		}
		return ""
	}
	for mod, owner := range owners {
		if imported != mod && !strings.HasPrefix(imported, mod+"/") {
			continue
		}
		switch {
		case owner == "" && !f.test:
			return "it is for tests"
		case owner == "" || owner == "*" && !below(f.dir, "core"):
			return ""
		case below(f.dir, "core") && !f.test && !slices.Contains(coreModules, mod):
			return "core imports no such module"
		case owner != "*" && !below(f.dir, owner):
			return "only " + owner + " imports it"
		}
		return ""
	}
	return "the module is not in the list of this test; add it with the folder that owns it"
}

func localFault(f file, imported string) string {
	switch {
	case below(imported, "bots"):
		if !below(f.dir, "bots") {
			return "nobody imports bots"
		}
	case below(f.dir, "core"):
		if !below(imported, "core") {
			return "core imports only core"
		}
		from, to := corePackage(f.dir), corePackage(imported)
		if f.test && strings.Split(from, "/")[0] == strings.Split(to, "/")[0] {
			return "" // the rooms of a package are tested together
		}
		if from != to && slices.Index(coreOrder, to) > slices.Index(coreOrder, from) {
			return "core/" + to + " comes after core/" + from
		}
	case below(f.dir, "adapters"):
		if below(imported, "adapters") && !below(imported, "adapters/internal") && adapter(f.dir) != adapter(imported) &&
			(!f.test || !strings.HasSuffix(imported, "test")) { // a server for tests may serve another adapter's
			return "an adapter imports no other adapter"
		}
		return roomFault(f, imported)
	}
	return ""
}

// roomFault says what is wrong with an import from one room of a house to another. Tests may look
// into every room, and a package for tests is none.
func roomFault(f file, imported string) string {
	for _, h := range houses {
		if f.test || !below(f.dir, h.dir) || !below(imported, h.dir) || f.dir == imported {
			continue
		}
		name := func(dir string) string { return strings.TrimPrefix(strings.TrimPrefix(dir, h.dir), "/") }
		at := slices.IndexFunc(h.rooms, func(r room) bool { return r.name == name(f.dir) })
		if at < 0 || !slices.Contains(h.rooms[at].imports, name(imported)) {
			return "room " + f.dir + " does not import it: houses says which do"
		}
	}
	return ""
}

func TestCorePackagesHaveAnOrder(t *testing.T) {
	t.Parallel()
	for _, f := range repository(t) {
		if below(f.dir, "core") && !slices.Contains(coreOrder, corePackage(f.dir)) {
			t.Errorf("%s: core/%s has no place in the order of core packages", f.name, corePackage(f.dir))
		}
	}
}

// changesTurns finds SQL that makes, changes or deletes turns.
var changesTurns = regexp.MustCompile(`(?i)\b(?:insert into|update|delete from|merge into)\s+(?:only\s+)?turn\b`)

// What may happen to a turn is written down in one place (session.Life), and so are the statements
// that do it.
func TestTurnsAreChangedInOnePlace(t *testing.T) {
	t.Parallel()
	top, in := root(t), 0
	err := filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".sql"}, filepath.Ext(name)) || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(filepath.Dir(name), "test") {
			return err
		}
		relative, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		if relative = filepath.ToSlash(relative); below(relative, "migrations") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found := changesTurns.FindAll(source, -1)
		if below(relative, "adapters/postgres/pgsession") && strings.HasPrefix(path.Base(relative), "life") {
			in += len(found)
		} else if len(found) > 0 {
			t.Errorf("%s changes turns (%q): such statements stand in life*.go of adapters/postgres/pgsession", relative, found[0])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if in < 20 {
		t.Errorf("only %d statements that change turns were found in their place", in)
	}
}

func TestFilesStaySmallAndPackagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	for _, f := range repository(t) {
		if f.lines > 500 {
			t.Errorf("%s has %d lines; split it by concept (at most 500)", f.name, f.lines)
		}
		if slices.Contains([]string{"util", "utils", "common", "helpers", "types"}, path.Base(f.dir)) {
			t.Errorf("%s: a package is named for what it holds", f.name)
		}
	}
}

func TestTopLevelIsTheDesignCards(t *testing.T) {
	t.Parallel()
	card := []string{"adapters", "bots", "core", "deploy", "migrations", "go.mod", "go.sum", "Makefile", "README.md"}
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(card, e.Name()) {
			t.Errorf("%s stands at the top level, where only %v belong", e.Name(), card)
		}
	}
}

func below(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// corePackage is the entry of coreOrder to which a folder below core belongs: its own, else that of
// the package around it.
func corePackage(dir string) string {
	parts := strings.Split(dir, "/")
	if len(parts) > 2 && slices.Contains(coreOrder, parts[1]+"/"+parts[2]) {
		return parts[1] + "/" + parts[2]
	}
	return parts[1]
}

func adapter(dir string) string { return strings.Split(dir, "/")[1] }

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// module reports whether a folder is a module of its own, with dependencies that are not the
// program's.
func module(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func repository(t *testing.T) []file {
	t.Helper()
	top := root(t)
	var files []file
	err := filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || name != top && module(name)) {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(relative), lines: strings.Count(string(source), "\n")}
		f.dir = path.Dir(f.name)
		f.test = strings.HasSuffix(f.name, "_test.go") || strings.HasSuffix(parsed.Name.Name, "test")
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go file was found")
	}
	return files
}
