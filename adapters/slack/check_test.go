package slack_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestDeployHoldsTheManifest(t *testing.T) {
	t.Parallel()
	const file = "../../deploy/slack-manifest.yaml"
	got := "# Printed by `footnote slack manifest`.\n" + slack.Manifest(slack.ManifestOptions{})
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("print it anew with footnote slack manifest (-file +got):\n%s", diff)
	}
}

func TestManifestAsksForWhatIsUsed(t *testing.T) {
	t.Parallel()
	type app struct {
		Features struct {
			Shortcuts []struct {
				Name, Type, Description string
				Callback                string `yaml:"callback_id"`
			}
			Commands []struct{ Command, URL, Description string } `yaml:"slash_commands"`
			Agent    struct {
				Description string                            `yaml:"agent_description"`
				Prompts     []struct{ Title, Message string } `yaml:"suggested_prompts"`
			} `yaml:"agent_view"`
		}
		OAuth struct {
			Scopes struct{ Bot []string }
		} `yaml:"oauth_config"`
		Settings struct {
			Events struct {
				URL string   `yaml:"request_url"`
				Bot []string `yaml:"bot_events"`
			} `yaml:"event_subscriptions"`
			Sockets bool `yaml:"socket_mode_enabled"`
		}
	}
	tests := []struct {
		name     string
		options  slack.ManifestOptions
		scopes   int
		sockets  bool
		followed bool
	}{
		{"all", slack.ManifestOptions{}, len(call.Scopes), true, true},
		{"mentions only", slack.ManifestOptions{MentionOnly: true}, len(call.Scopes) - 6, true, false},
		{"mentions only, and history as a source", slack.ManifestOptions{MentionOnly: true, History: true}, len(call.Scopes) - 4, true, false},
		{"mentions only, and groups", slack.ManifestOptions{MentionOnly: true, Groups: true}, len(call.Scopes) - 5, true, false},
		{"over HTTP", slack.ManifestOptions{RequestURL: "https://bot.example/slack/events"}, len(call.Scopes), false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got app
			if err := yaml.Unmarshal([]byte(slack.Manifest(tt.options)), &got); err != nil {
				t.Fatal(err)
			}
			if n := len(got.OAuth.Scopes.Bot); n != tt.scopes {
				t.Errorf("%d scopes, want %d", n, tt.scopes)
			}
			if got.Settings.Sockets != tt.sockets || got.Settings.Events.URL != tt.options.RequestURL {
				t.Errorf("delivery: %+v", got.Settings)
			}
			for _, event := range []string{"app_mention", "message.im", "agent_session_stopped", "app_home_opened", "user_change", "reaction_added"} {
				if !slices.Contains(got.Settings.Events.Bot, event) {
					t.Errorf("%s is not subscribed to", event)
				}
			}
			if n := len(got.Features.Shortcuts); n == 0 || n > 10 || len(got.Features.Commands) != 2 || len(got.Features.Agent.Prompts) == 0 ||
				len(got.Features.Agent.Prompts) > 4 || got.Features.Agent.Description == "" {
				t.Errorf("features: %+v", got.Features)
			}
			for _, shortcut := range got.Features.Shortcuts {
				if len(shortcut.Name) > 24 || len(shortcut.Description) > 150 || shortcut.Type != "message" || !strings.HasPrefix(shortcut.Callback, "footnote:") {
					t.Errorf("shortcut %+v", shortcut)
				}
			}
			for _, command := range got.Features.Commands {
				if command.URL != tt.options.RequestURL || len(command.Description) > 100 {
					t.Errorf("command %+v", command)
				}
			}
			if followed := slices.Contains(got.Settings.Events.Bot, "message.channels"); followed != tt.followed {
				t.Errorf("events: %v", got.Settings.Events.Bot)
			}
		})
	}
}

func TestEveryScopeHasAReason(t *testing.T) {
	t.Parallel()
	for _, s := range call.Scopes {
		if s.Reason == "" || !slices.Contains(slacktest.AllScopes, s.Name) {
			t.Errorf("scope %+v", s)
		}
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(slacktest.AllScopes), func(s string) bool { return slices.Contains(names, s) })
	}
	tests := []struct {
		name     string
		scopes   []string
		bot, app string
		bad      []string // what each finding that is not OK says
		optional int
	}{
		{name: "all is well"},
		{name: "scope missing", scopes: without("reactions:read"), bad: []string{"needed to stop an answer by a reaction; add it"}},
		{name: "scope that can be done without", scopes: without("channels:history"), bad: []string{"mentions are answered all the same"}, optional: 1},
		{name: "wrong bot token", bot: "xoxb-wrong", bad: []string{"copy it again"}},
		{name: "wrong app token", app: "xapp-wrong", bad: []string{"copy it again"}},
		{name: "no app token", app: "none", bad: []string{"SLACK_APP_TOKEN is not set"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.Start(slacktest.Config{Scopes: tt.scopes})
			t.Cleanup(s.Close)
			config := call.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: s.URL()}
			if tt.bot != "" {
				config.BotToken = tt.bot
			}
			if tt.app != "" {
				config.AppToken = strings.TrimPrefix(tt.app, "none")
			}
			client, err := slack.New(config)
			if err != nil {
				t.Fatal(err)
			}
			var bad []string
			optional := 0
			for _, f := range client.Check(t.Context()) {
				if !f.OK {
					bad = append(bad, f.Text)
				}
				if f.Optional {
					optional++
				}
			}
			if len(bad) != len(tt.bad) || optional != tt.optional {
				t.Fatalf("findings %q, %d optional; want %q, %d", bad, optional, tt.bad, tt.optional)
			}
			for i, want := range tt.bad {
				if !strings.Contains(bad[i], want) {
					t.Errorf("%q does not say %q", bad[i], want)
				}
			}
		})
	}
}
