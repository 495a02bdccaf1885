package discord_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
)

func TestCheckNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		server discordtest.Config
		config call.Config
		ok     bool
		want   string
	}{
		{"all is well", discordtest.Config{}, call.Config{}, true, `belongs to the application "Footnote"`},
		{"the token is wrong", discordtest.Config{}, call.Config{Token: "wrong"}, false, "DISCORD_BOT_TOKEN"},
		{"message content is missing", discordtest.Config{NoContent: true}, call.Config{}, false, "MESSAGE CONTENT INTENT is not enabled"},
		{"message content is missed by nobody", discordtest.Config{NoContent: true},
			call.Config{Gateway: call.GatewayConfig{NoMessageContent: true}}, true, "follow-ups in a thread need the button"},
		{"members is missing", discordtest.Config{}, call.Config{Gateway: call.GatewayConfig{Members: true}}, false,
			"SERVER MEMBERS INTENT is not enabled"},
		{"the public key is another application's", discordtest.Config{}, call.Config{PublicKey: strings.Repeat("ab", 32)}, false,
			"DISCORD_PUBLIC_KEY is another application's"},
		{"nobody answers", discordtest.Config{}, call.Config{APIURL: "http://127.0.0.1:1/api"}, false, "DISCORD_API_URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := connect(t, serve(t, tt.server), tt.config)
			ok := true
			var said []string
			for _, f := range client.Check(t.Context()) {
				ok = ok && (f.OK || f.Optional)
				said = append(said, f.Sentence)
			}
			if text := strings.Join(said, "\n"); ok != tt.ok || !strings.Contains(text, tt.want) {
				t.Errorf("ok = %v, want %v and %q:\n%s", ok, tt.ok, tt.want, text)
			}
		})
	}
}

func serve(t *testing.T, config discordtest.Config) *discordtest.Server {
	t.Helper()
	server, err := discordtest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func connect(t *testing.T, server *discordtest.Server, config call.Config) *discord.Client {
	t.Helper()
	if config.Token == "" {
		config.Token = server.Token()
	}
	if config.APIURL == "" {
		config.APIURL = server.URL()
	}
	client, err := discord.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestInviteAsksForWhatIsListedAndNoMore(t *testing.T) {
	t.Parallel()
	link, err := url.Parse(discord.InviteURL("42"))
	if err != nil {
		t.Fatal(err)
	}
	query := link.Query()
	if query.Get("client_id") != "42" || query.Get("scope") != "bot applications.commands" || query.Get("permissions") != "309237763136" {
		t.Errorf("the link is %s", link)
	}
	for _, p := range call.Permissions() {
		if p.Name == "" || p.Reason == "" || p.Bit == 0 {
			t.Errorf("a permission without a reason: %+v", p)
		}
	}
}

func TestNewNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := discord.New(call.Config{APIURL: "discord.com"})
	if err == nil || !strings.Contains(err.Error(), "DISCORD_BOT_TOKEN") || !strings.Contains(err.Error(), "DISCORD_API_URL") {
		t.Errorf("New() = %v, want both settings named", err)
	}
}
