package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

const whole = `
agent: helper
agents:
  helper:
    instructions: |
      Answer for engineers.
      Be brief.
    tools: [internal_search, read_file]
    document_sets: handbook
    model: gpt-4.1
    reminder: Name the release.
    grounding: strict
  pirate: {instructions: Arr., replace_system_prompt: true}
document_sets:
  handbook: [docs, files-123456]
projects:
  launch:
    acl: group:launch
    files:
      - notes/plan.md
      - {path: /srv/public.md, acl: [public], base_url: "https://docs.example/launch"}
sources:
  docs:
    path: ./docs
    base_url: https://docs.example
    acl: [members, "user:slack:U1"]
    include: ["**/*.md"]
    exclude: drafts
  site: {url: https://www.example, acl: public}
  chat: {slack: {channels: [general, C0123], public: true, since: 90d, public_channels: public}}
channels:
  - platform: slack
    follow: mention
  - {platform: slack, workspace: T1, channel: C1, agent: pirate, follow: dialogue}
  - {platform: discord, channel: 123456789012345678901, enabled: false, bots: true, bot_turns: 5, project: launch}
`

func TestConfigurationFile(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("/etc/footnote/footnote.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	wantAgents := []config.Agent{
		{Agent: prompt.Agent{
			Name: "helper", Instructions: "Answer for engineers.\nBe brief.", Tools: []string{"internal_search", "read_file"}, Model: "gpt-4.1",
			Reminder: "Name the release.", Grounding: prompt.Strict,
		}, DocumentSets: []string{"handbook"}},
		{Agent: prompt.Agent{Name: "pirate", Instructions: "Arr.", ReplaceSystem: true}},
	}
	if diff := cmp.Diff(wantAgents, f.Agents); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	wantProjects := []config.Project{{Name: "launch", Files: []config.ProjectFile{
		{Path: "/etc/footnote/notes/plan.md", ACL: access.ACL{"group:launch"}},
		{Path: "/srv/public.md", BaseURL: "https://docs.example/launch", ACL: access.ACL{"public"}},
	}}}
	if diff := cmp.Diff(wantProjects, f.Projects); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
	wantSources := []config.Source{
		{Name: "docs", Path: "/etc/footnote/docs", BaseURL: "https://docs.example", ACL: access.ACL{"members", "user:slack:U1"},
			Include: []string{"**/*.md"}, Exclude: []string{"drafts"}},
		{Name: "site", URL: "https://www.example", ACL: access.ACL{"public"}},
		{Name: "chat", Every: 5 * time.Minute, Systems: config.Systems{Slack: &config.SlackHistory{
			Channels: []string{"general", "C0123"}, Public: true, Since: 90 * 24 * time.Hour, PublicChannels: access.Public,
		}}},
	}
	if diff := cmp.Diff(wantSources, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		name                string
		platform, team, cha string
		want                func(p *policy.Policy)
	}{
		{"no rule", "console", "x", "y", func(p *policy.Policy) { p.Agent = "helper" }},
		{"the platform's", "slack", "T1", "C2", func(p *policy.Policy) { p.Agent, p.Follow = "helper", policy.FollowMention }},
		{"the channel's goes before it", "slack", "T1", "C1", func(p *policy.Policy) { p.Agent = "pirate" }},
		{"a long number keeps its digits", "discord", "G", "123456789012345678901", func(p *policy.Policy) {
			p.Agent, p.Project, p.Enabled, p.Bots, p.BotTurns = "helper", "launch", false, true, 5
		}},
		{"another workspace", "slack", "T2", "C1", func(p *policy.Policy) { p.Agent, p.Follow = "helper", policy.FollowMention }},
	} {
		want := policy.DefaultPolicy()
		tt.want(&want)
		got := at(f, thread.Platform(tt.platform), tt.team, tt.cha)
		if diff := cmp.Diff(want, got.Policy); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := at(f, "slack", "T1", "C1").Origins("agent"); len(got) != 1 || got[0].String() != "footnote.yaml:34" {
		t.Errorf("the agent of the channel comes from %v", got)
	}
}

func TestEveryFaultOfTheFileHasItsLine(t *testing.T) {
	t.Parallel()
	_, err := config.ParseFile("footnote.yaml", []byte(`agent: nobody
agnets: {}
agents:
  helper:
    grounding: maybe
    tools: [internal_search, browse]
    replace_system_prompt: true
    colour: blue
  empty:
    instructions: ""
  lost:
    replace_system_prompt: true
    document_sets: nowhere
projects:
  launch: {files: []}
  plan:
    acl: everybody
    files: [a.md, {acl: public}]
sources:
  both: {path: docs, url: https://x.example}
  web: {url: ftp://x.example}
channels:
  - {channel: C1}
  - platform: irc
    follow: sometimes
    enabled: 1
    private: true
    bot_turns: 0
    agent: ghost
`))
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{
		`:1: agent names the agent "nobody", which does not exist: write helper, empty or lost`,
		`:2: agnets is not a setting: did you mean agents?`,
		`:5: agents.helper.grounding holds "maybe": write open or strict`,
		`:6: agents.helper.tools[2] holds "browse": write internal_search`,
		`:8: agents.helper.colour is not a setting`,
		`:10: agents.empty.instructions is empty`,
		`:11: agents.lost: agent "lost": it replaces the system prompt but has no instructions`,
		`:11: agents.lost.document_sets names the document set "nowhere", which does not exist: none is defined`,
		`:15: projects.launch.files is an empty list`,
		`:17: projects.plan.acl: access list entry "everybody" is not known`,
		`:18: projects.plan.files[2] has no path`,
		`:20: sources.both: write either path: FOLDER, url: ADDRESS`,
		`:21: sources.web.url holds "ftp://x.example": write an address`,
		`:23: channels[1] names a channel but no platform`,
		`:24: channels[2].platform holds "irc": write slack, discord or console`,
		`:25: channels[2].follow holds "sometimes": write mention, dialogue or always`,
		`:26: channels[2].enabled holds "1": write true or false`,
		`:27: channels[2].private holds "true": write off, on_request or always`,
		`:28: channels[2].bot_turns holds "0": write a whole number from 1 to 100`,
		`channels[2].agent names the agent "ghost"`,
	} {
		if !strings.Contains(err.Error(), "footnote.yaml"+want) && !(want[0] != ':' && strings.Contains(err.Error(), want)) {
			t.Errorf("%q is missing", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"broken":        {"agents: [\n", "f.yaml:1: this is not YAML"},
		"a list":        {"- a\n- b\n", "f.yaml:1: the file holds a list: write keys and values"},
		"a word":        {"agents\n", "f.yaml:1: the file holds \"agents\": write keys and values"},
		"an odd key":    {"<<: {agent: x}\n", "f.yaml:1: the file has a key that is not a plain word"},
		"twice":         {"agent: a\nagent: b\n", ":2: "},
		"two documents": {"agent: a\n---\nagent: b\n", "a second document"},
		"a reference":   {"agents: {a: {instructions: &x hello}, b: {instructions: *x}}", "a reference, which is not followed"},
	} {
		if _, err := config.ParseFile("f.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want something with %q", name, err, tt.want)
		}
	}
	for name, text := range map[string]string{"empty": "", "a comment": "# nothing yet\n", "keys without values": "agents:\nchannels:\n", "a byte order mark": "\ufeffagents:\r\n  x: {instructions: y}\r\n", "a byte order mark alone": "\ufeff"} {
		if _, err := config.ParseFile("f.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModelsOfAnAgent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ agent, want string }{
		"one":       {"models: [a]", "f.yaml:3: agents.x.models names one model: list 2 to 3 that answer at once, or write model: a"},
		"four":      {"models: [a, b, c, d]", "f.yaml:3: agents.x.models names 4 models: at most 3 answer at once"},
		"twice":     {"models: [a, b, a]", "f.yaml:3: agents.x.models names the model a twice"},
		"no text":   {"models: [a, {b: c}]", "f.yaml:3: agents.x.models[2] holds"},
		"none":      {"models: []", "f.yaml:3: agents.x.models is an empty list"},
		"and model": {"models: [a, b]\n    model: c", "f.yaml:2: agents.x has model and models"},
	} {
		if _, err := config.ParseFile("f.yaml", []byte("agents:\n  x:\n    "+tt.agent+"\n")); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	f, err := config.ParseFile("f.yaml", []byte("agents: {x: {models: [a, b, c]}}"))
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := f.Find("x"); !slices.Equal(a.Models, []string{"a", "b", "c"}) {
		t.Errorf("models = %q", a.Models)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	if _, err := config.ReadFile(filepath.Join(t.TempDir(), "missing.yaml")); err == nil || !strings.Contains(err.Error(), "FOOTNOTE_CONFIG") {
		t.Errorf("a file that was named and is missing: %v", err)
	}
	path := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(path, []byte("agents: {a: {instructions: hello}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := config.ReadFile(path)
	if err != nil || len(f.Agents) != 1 || f.Path != path {
		t.Errorf("file %+v, error %v", f, err)
	}
}

func TestReplicasShareTheHashUnlessTheyAnswerDifferently(t *testing.T) {
	t.Parallel()
	hash := func(yaml string, pairs ...string) string {
		c, err := config.Load(env(pairs...))
		if err != nil {
			t.Fatal(err)
		}
		if c.File, err = config.ParseFile("/etc/f.yaml", []byte(yaml)); err != nil {
			t.Fatal(err)
		}
		h, err := c.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	agent := "agents: {a: {instructions: hello}}"
	base := hash(agent, "OPENAI_API_KEY", "k1")
	for name, same := range map[string]string{
		"another key":     hash(agent, "OPENAI_API_KEY", "k2"),
		"another machine": hash("# moved\n"+agent, "OPENAI_API_KEY", "k1", "ADMIN_ADDR", "0.0.0.0:9", "LOG_LEVEL", "debug", "DATABASE_URL", "postgres://h/d"),
	} {
		if same != base {
			t.Errorf("%s changes the hash", name)
		}
	}
	for name, other := range map[string]string{
		"no model":      hash(agent),
		"another alpha": hash(agent, "OPENAI_API_KEY", "k1", "HYBRID_ALPHA", "0.4"),
		"another agent": hash("agents: {a: {instructions: hallo}}", "OPENAI_API_KEY", "k1"),
	} {
		if other == base {
			t.Errorf("%s leaves the hash as it is", name)
		}
	}
}

// Whatever the file holds, reading it ends, and a fault says where it is.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{whole, "", "agents: [", "a: &a [*a]", "? [x]\n: y", "agents: {a: !!binary x}", "<<: {agent: a}", "- \n- |\n  x", "\x00", "channels: [[[[]]]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := config.ParseFile("f.yaml", []byte(text))
		if (file == nil) == (err == nil) {
			t.Fatalf("file %v and error %v", file, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("a fault without its place: %v", err)
		}
	})
}

func TestTheExampleIsValid(t *testing.T) {
	t.Parallel()
	f, err := config.ReadFile("../../../deploy/footnote.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Agents) != 2 || len(f.Channels) != 6 || len(f.Projects) != 1 || len(f.Sources) != 3 || len(f.Knowledge.Entities) != 4 || len(f.Knowledge.Relations) != 3 || f.Knowledge.Notes == "" {
		t.Errorf("the example holds %+v", f)
	}
	if e := at(f, "slack", "T1", "C0123456780"); e.Follow != policy.FollowAlways || e.Ambient.Evidence != 0.7 || len(e.Quotas) != 3 || len(e.Ignored) != 0 {
		t.Errorf("in its ambient channel holds %+v", e)
	}
}

func TestDocumentSetsThatLeaveNothing(t *testing.T) {
	t.Parallel()
	_, err := config.ParseFile("f.yaml", []byte(`document_sets: {a: [x], b: [y]}
agents: {one: {document_sets: a}}
channels:
  - agent: one
    document_sets: b
  - document_sets: c
`))
	for _, want := range []string{
		`f.yaml:5: channels[1].document_sets leaves no documents to the agent one, which is limited to a: name one of these`,
		`f.yaml:6: channels[2].document_sets names the document set "c", which does not exist: write a or b`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from %v", want, err)
		}
	}
}

func TestSynonymsOfTheFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 101)
	for name, tt := range map[string]struct{ sets, want string }{
		"no list":            {"k8s", ":1: synonyms holds \"k8s\": write a list of sets"},
		"keys and values":    {"\n  k8s: kubernetes", "synonyms holds keys and values: write a list of sets"},
		"a rule":             {"\n  - k8s -> kubernetes", ":2: synonyms[1] holds \"k8s -> kubernetes\": write a list of words"},
		"one word":           {"\n  - [k8s]", ":2: synonyms[1] names 1 words: a set has two or more"},
		"none":               {"\n  - []", ":2: synonyms[1] names 0 words"},
		"empty":              {"\n  - [k8s, \"\"]", ":2: synonyms[1][2] is empty"},
		"a list within":      {"\n  - [k8s, [kubernetes]]", ":2: synonyms[1][2] holds a list: write text"},
		"small words":        {"\n  - [a, b]\n  - [IT, information technology]", ":3: synonyms[2][1] holds \"IT\", which no search looks for"},
		"signs":              {"\n  - [\"++\", plus]", ":2: synonyms[1][1] holds \"++\", which no search looks for"},
		"twice in a set":     {"\n  - [vacation, Vacations]", ":2: synonyms[1][2] holds \"Vacations\", which stands in line 2 already"},
		"in two sets":        {"\n  - [log, journal]\n  - [journal, diary]", ":3: synonyms[2][1] holds \"journal\", which stands in line 2 already"},
		"another form of it": {"\n  - [WAL, write-ahead log]\n  - [redo, Write ahead logs]", ":3: synonyms[2][2] holds \"Write ahead logs\", which stands in line 2 already"},
		"long":               {"\n  - [k8s, " + long + "]", ":2: synonyms[1][2] holds \"xxxx"},
		"a sentence":         {"\n  - [k8s, run many containers across several machines]", "is too long: a phrase has at most 5 words"},
		"many":               {"\n  - [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13]", ":2: synonyms[1] has 13 words and phrases: at most 12"},
		"very many":          {strings.Repeat("\n  - [k8s]", 1001), "synonyms has 1001 sets: at most 1000"},
	} {
		if _, err := config.ParseFile("f.yaml", []byte("synonyms: "+tt.sets+"\n")); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want something with %q", name, err, tt.want)
		}
	}
	f, err := config.ParseFile("f.yaml", []byte("synonyms:\n  - [k8s, kubernetes]\n  - - WAL\n    - write-ahead   log\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"k8s", "kubernetes"}, {"WAL", "write-ahead log"}}, f.SynonymSets); diff != "" {
		t.Errorf("sets (-want +got):\n%s", diff)
	}
	if _, told := f.Synonyms().Query("restart k8s", nil); len(told) != 1 {
		t.Errorf("told %q", told)
	}
	if none, err := config.ParseFile("f.yaml", nil); err != nil || none.Synonyms() != nil {
		t.Errorf("a file without synonyms has some (%v)", err)
	}
}

func TestForcedToolOfAnAgent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ agent, want string }{
		"unknown":      {"force_use_tool: browse", "f.yaml:3: agents.x.force_use_tool holds \"browse\": write internal_search, knowledge, read_file, open_url or web_search"},
		"not its tool": {"force_use_tool: internal_search\n    tools: [read_file]", "f.yaml:2: agents.x.force_use_tool names internal_search, which is none of its tools"},
		"a list":       {"force_use_tool: [internal_search]", "f.yaml:3: agents.x.force_use_tool holds a list"},
	} {
		if _, err := config.ParseFile("f.yaml", []byte("agents:\n  x:\n    "+tt.agent+"\n")); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	f, err := config.ParseFile("f.yaml", []byte("agents: {x: {force_use_tool: internal_search, tools: [internal_search, read_file]}, y: {force_use_tool: open_url}, z: {force_use_tool: knowledge, tools: [knowledge]}}"))
	if err != nil {
		t.Fatal(err)
	}
	if x, _ := f.Find("x"); x.ForceTool != "internal_search" {
		t.Errorf("the forced tool is %q", x.ForceTool)
	}
}

// A Discord server is a source by its id, however long the number is; what is wrong is told with
// its line.
func TestADiscordSource(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte(`sources:
  help:
    discord:
      guild: 123456789012345678
      channels: [help, 123456789012345679]
      since: 30d
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Source{{Name: "help", Every: 5 * time.Minute, Systems: config.Systems{Discord: &config.DiscordHistory{
		Guild: "123456789012345678", Channels: []string{"help", "123456789012345679"}, Since: 30 * 24 * time.Hour,
	}}}}
	if diff := cmp.Diff(want, f.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	_, err = config.ParseFile("f.yaml", []byte(`sources:
  none: {discord: {guild: 12}}
  nowhere: {discord: {public: true}}
  twice: {slack: {public: true}, discord: {guild: 12, public: true}}
  readers: {discord: {guild: 12, public: true}, acl: members}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.none.discord chooses no channel", "f.yaml:3: sources.nowhere.discord names no server", "f.yaml:4: sources.twice: write either",
		"f.yaml:5: sources.readers: base_url, acl, include and exclude are not for Discord",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}

// What is wrong with a Slack source is told with its line.
func TestFaultsOfASlackSource(t *testing.T) {
	t.Parallel()
	_, err := config.ParseFile("f.yaml", []byte(`sources:
  none: {slack: {since: 30d}}
  twice: {path: docs, slack: {public: true}}
  readers: {slack: {public: true}, acl: members}
  open:
    slack:
      public: true
      public_channels: everybody
      since: long
      private: true
  text: {slack: general}
`))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, want := range []string{
		"f.yaml:2: sources.none.slack chooses no channel", "f.yaml:3: sources.twice: write either path: FOLDER, url: ADDRESS",
		"f.yaml:4: sources.readers: base_url, acl, include and exclude are not for Slack", `f.yaml:8: sources.open.slack.public_channels holds "everybody": write members or public`,
		`f.yaml:9: sources.open.slack.since holds "long"`, "f.yaml:10: sources.open.slack.private is not a setting", `f.yaml:11: sources.text.slack holds "general": write keys`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told:\n%v", want, err)
		}
	}
}

// at is what holds in a channel as far as a file says it.
func at(f *config.File, platform thread.Platform, workspace, channel string) policy.Effective {
	return policy.Resolve(f.Said(session.Place{Platform: platform, Workspace: workspace, Channel: channel})...)
}

// A key that is nearly right, or another name of one, is answered with the right one; any other
// with all keys.
func TestWrongKeysAreAnsweredWithTheRightOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"channels: [{folow: always}]":                  "channels[1].folow is not a setting: did you mean follow?",
		"channels: [{user_qota: 20/hour}]":             "channels[1].user_qota is not a setting: did you mean user_quota?",
		"sources: {code: {git: https://x.example/a}}":  "sources.code.git is not a setting: did you mean url?",
		"sources: {docs: {folder: docs}}":              "sources.docs.folder is not a setting: did you mean path?",
		"sources: {docs: {path: docs, colour: green}}": "sources.docs.colour is not a setting: the keys here are path, url,",
		"channels: [{box: 1}]":                         "channels[1].box is not a setting: the keys here are platform,",
	} {
		if _, err := config.ParseFile("f.yaml", []byte(text+"\n")); err == nil || !strings.Contains(err.Error(), "f.yaml:1: "+want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err := config.ParseFile("f.yaml", []byte("channels: [{platform: slak, channel: C1}]\n"))
	if err == nil || !strings.Contains(err.Error(), `platform holds "slak"`) || strings.Contains(err.Error(), "no platform") {
		t.Errorf("a wrong platform: %v", err)
	}
}

func TestToolsOfAssistants(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte("assistants:\n  tools:\n    ask: [group:eng, members]\n    search: group:eng"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]access.ACL{"ask": {access.Group("eng"), access.Members}, "search": {access.Group("eng")}}
	if diff := cmp.Diff(want, f.AssistantTools); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for yaml, says := range map[string]string{
		"assistants: {tools: {delete: members}}": "the keys here are search, read_document, ask, related, list_sources", "assistants: {tools: {ask: [staff]}}": "assistants.tools.ask",
	} {
		if _, err := config.ParseFile("f.yaml", []byte(yaml)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", yaml, err)
		}
	}
}
