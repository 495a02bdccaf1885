package slack

import (
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/goccy/go-yaml"
)

// ManifestOptions selects what the app manifest contains. The zero value selects the full app with
// sockets.
type ManifestOptions struct {
	Name string // name of the bot; default Footnote
	// request the fewest scopes: the bot sees only mentions, commands and direct messages, and does
	// not follow threads
	MentionOnly bool
	// request the scopes for reading channels as a source, even if MentionOnly is set
	History bool
	Groups  bool // same for the scope for reading user groups
	// RequestURL is the address to which Slack sends events: https://host/slack/events. Empty means
	// that the app uses sockets.
	RequestURL string
	// MCP is the address of the MCP server whose tools Slackbot calls (https://host/mcp). Empty
	// means no server.
	MCP string
}

// manifest is the part of Slack's app manifest, version 2, that this package uses.
type manifest struct {
	Metadata struct {
		Major int `yaml:"major_version"`
		Minor int `yaml:"minor_version"`
	} `yaml:"_metadata"`
	Display  display  `yaml:"display_information"`
	Features features `yaml:"features"`
	OAuth    oauth    `yaml:"oauth_config"`
	Settings settings `yaml:"settings"`

	Servers map[string]server `yaml:"mcp_servers,omitempty"`
}

// server is an MCP server whose tools Slackbot calls.
type server struct {
	URL  string `yaml:"url"`
	Auth string `yaml:"auth_type"`
}

type display struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Color       string `yaml:"background_color"`
}

type features struct {
	Home struct {
		Home     bool `yaml:"home_tab_enabled"`
		Messages bool `yaml:"messages_tab_enabled"`
		ReadOnly bool `yaml:"messages_tab_read_only_enabled"`
	} `yaml:"app_home"`
	Bot struct {
		Name   string `yaml:"display_name"`
		Online bool   `yaml:"always_online"`
	} `yaml:"bot_user"`
	Shortcuts []shortcut `yaml:"shortcuts"`
	Commands  []command  `yaml:"slash_commands"`
	Agent     struct {
		Description string      `yaml:"agent_description"`
		Prompts     []suggested `yaml:"suggested_prompts"`
	} `yaml:"agent_view"`
}

type shortcut struct {
	Name        string `yaml:"name"`
	Type        string `yaml:"type"`
	Callback    string `yaml:"callback_id"`
	Description string `yaml:"description"`
}

type suggested struct {
	Title   string `yaml:"title"`
	Message string `yaml:"message"`
}

type command struct {
	Command     string `yaml:"command"`
	URL         string `yaml:"url,omitempty"`
	Description string `yaml:"description"`
	Hint        string `yaml:"usage_hint,omitempty"`
	Escape      bool   `yaml:"should_escape"`
}

type oauth struct {
	Scopes struct {
		Bot []string `yaml:"bot"`
	} `yaml:"scopes"`
}

type settings struct {
	Events struct {
		URL string   `yaml:"request_url,omitempty"`
		Bot []string `yaml:"bot_events"`
	} `yaml:"event_subscriptions"`
	Interactivity struct {
		Enabled bool   `yaml:"is_enabled"`
		URL     string `yaml:"request_url,omitempty"`
	} `yaml:"interactivity"`
	Org      bool `yaml:"org_deploy_enabled"`
	Sockets  bool `yaml:"socket_mode_enabled"`
	Rotation bool `yaml:"token_rotation_enabled"`
}

// Manifest returns the manifest of the app as YAML. Paste it in Slack under "Create New App", "From
// an app manifest". It needs no edits.
func Manifest(o ManifestOptions) string {
	if o.Name == "" {
		o.Name = "Footnote"
	}
	var m manifest
	m.Metadata.Major = 2
	m.Display = display{Name: o.Name, Description: "Answers questions from your documents, with numbered links to them.", Color: "#1f3a5f"}
	m.Features.Home.Home, m.Features.Home.Messages = true, true
	m.Features.Bot.Name, m.Features.Bot.Online = o.Name, true
	m.Features.Agent.Description = "Answers questions from your documents, with numbered links to them."
	m.Features.Commands = []command{
		{Command: "/ask", URL: o.RequestURL, Description: "Ask a question, answered in a thread", Hint: "[private] question"},
		{Command: "/footnote", URL: o.RequestURL, Description: "Settings, what you may read, and why an answer came about", Hint: "help | status | why | whoami | token | stop"},
	}
	for _, p := range write.Prompts {
		m.Features.Agent.Prompts = append(m.Features.Agent.Prompts, suggested(p))
	}
	m.Features.Shortcuts = []shortcut{{"Ask about this", "message", event.ActionID(event.ActionAsk, ""), "Answers the message from your documents, in its thread"}}
	for _, a := range thread.Menu() {
		m.Features.Shortcuts = append(m.Features.Shortcuts, shortcut{a.Label(), "message", event.ActionID(a, ""), "For answers of " + o.Name})
	}
	// Besides messages and presses, the app subscribes to changes of membership, guests and
	// partners, because answers depend on the audience.
	events := []string{
		"agent_session_stopped", "app_home_opened", "app_mention", "app_uninstalled", "channel_shared", "channel_unshared", "member_joined_channel",
		"member_left_channel", "message.im", "reaction_added", "team_join", "tokens_revoked", "user_change",
	}
	for _, s := range call.Scopes {
		if s.Mention || !o.MentionOnly || o.History && s.History || o.Groups && s.Name == call.GroupScope {
			m.OAuth.Scopes.Bot = append(m.OAuth.Scopes.Bot, s.Name)
		}
	}
	if o.MCP != "" {
		m.OAuth.Scopes.Bot = append(m.OAuth.Scopes.Bot, "mcp:connect")
		m.Servers = map[string]server{"footnote": {URL: o.MCP, Auth: "slack_identity_auth"}}
	}
	if !o.MentionOnly {
		events = append(events, "message.channels", "message.groups")
	}
	if slices.Contains(m.OAuth.Scopes.Bot, call.GroupScope) {
		events = append(events, "subteam_members_changed", "subteam_updated")
	}
	m.Settings.Events.Bot, m.Settings.Events.URL = events, o.RequestURL
	m.Settings.Interactivity.Enabled, m.Settings.Interactivity.URL = true, o.RequestURL
	m.Settings.Sockets = o.RequestURL == ""
	out, err := yaml.MarshalWithOptions(m, yaml.IndentSequence(true))
	if err != nil {
		// never fails: it prints only strings and booleans
		panic(fmt.Sprintf("print the manifest: %v", err))
	}
	return string(out)
}
