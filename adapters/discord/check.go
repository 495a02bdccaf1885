package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
)

// Finding is the result of one setup check, with a sentence for the operator.
type Finding struct {
	OK       bool
	Optional bool   // if not OK, the bot works with limits
	Sentence string // the result and, if not OK, what to do
}

// Knows reports whether a channel exists and the bot may see it.
func (c *Client) Knows(ctx context.Context, channel string) (bool, error) {
	_, err := c.discord.API.Channel(ctx, channel)
	var stated *call.APIError
	if errors.As(err, &stated) && (stated.Status == http.StatusNotFound || stated.Status == http.StatusForbidden) {
		return false, nil
	}
	return err == nil, err
}

// Check checks the API address, the token and the privileged intents. It does not connect to the
// gateway. It returns one Finding per check.
func (c *Client) Check(ctx context.Context) []Finding {
	var app struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Flags int    `json:"flags"`

		Key      string  `json:"verify_key"`
		Endpoint *string `json:"interactions_endpoint_url"`
	}
	err := c.discord.API.Do(ctx, call.Request{
		Doing: "look up the Discord application", Method: http.MethodGet, URL: discordgo.EndpointAPI + "applications/@me", Bucket: "GET application",
	}, &app)
	var stated *call.APIError
	switch {
	case errors.As(err, &stated) && stated.Status == http.StatusUnauthorized:
		return []Finding{{Sentence: call.FatalSentences[4004]}}
	case err != nil:
		return []Finding{{Sentence: fmt.Sprintf("Discord cannot be reached: %v. Check the network, the proxy and DISCORD_API_URL.", err)}}
	}
	findings := []Finding{{OK: true, Sentence: fmt.Sprintf("The token belongs to the application %q (%s).", app.Name, app.ID)}}
	findings = append(findings, intent(
		"MESSAGE CONTENT INTENT", app.Flags&(call.FlagContent|call.FlagContentLimited) != 0, !c.discord.Config.Gateway.NoMessageContent,
		"follow-ups in a thread need the button, a reply, a mention or /ask, and messages that do not address the bot are not answered", "DISCORD_MESSAGE_CONTENT",
	))
	set := app.Endpoint != nil && *app.Endpoint != ""
	switch {
	case c.discord.Config.PublicKey != "" && app.Key != "" && !strings.EqualFold(app.Key, c.discord.Config.PublicKey):
		findings = append(findings, Finding{Sentence: "DISCORD_PUBLIC_KEY is another application's. Copy it from the Developer Portal (General Information → Public Key)."})
	case set && c.discord.Config.PublicKey == "":
		findings = append(findings, Finding{Sentence: fmt.Sprintf(
			"Discord sends commands and buttons to %s, and not over the socket. Set DISCORD_PUBLIC_KEY to take them there, or empty the Interactions Endpoint URL in the "+
				"Developer Portal (General Information).", *app.Endpoint)})
	case set:
		findings = append(findings, Finding{OK: true, Sentence: "Commands and buttons come as signed requests to " + *app.Endpoint + "."})
	case c.discord.Config.PublicKey != "":
		findings = append(findings, Finding{Optional: !c.discord.Config.NoGateway, Sentence: "DISCORD_PUBLIC_KEY is set, but the application has no Interactions Endpoint URL. Enter " +
			"https://HOST/discord/interactions in the Developer Portal (General Information) while footnote serve runs."})
	}
	return append(findings, intent(
		"SERVER MEMBERS INTENT", app.Flags&(call.FlagMembers|call.FlagMembersLimited) != 0, c.discord.Config.Gateway.Members,
		"answers in servers use public documents only", "DISCORD_MEMBERS",
	))
}

// intent returns a Finding about a privileged intent. enabled is Discord's setting, and asked means
// that the bot requests the intent. without names what does not work without the intent.
func intent(name string, enabled, asked bool, without, setting string) Finding {
	switch {
	case enabled && asked:
		return Finding{OK: true, Sentence: name + " is enabled."}
	case asked:
		return Finding{Sentence: fmt.Sprintf(
			"%s is not enabled, and Discord refuses the connection. Enable it in the Developer Portal (Bot → Privileged Gateway Intents), or set %s=false: then %s.",
			name, setting, without)}
	case enabled:
		return Finding{Optional: true, Sentence: fmt.Sprintf("%s is enabled but not used: %s. Set %s=true to use it.", name, without, setting)}
	default:
		return Finding{Optional: true, Sentence: fmt.Sprintf("%s is not used: %s.", name, without)}
	}
}

// Scope is an OAuth2 scope of the bot's application, and the reason for it.
type Scope struct{ Name, Reason string }

// Scopes lists the scopes that the invite link requests.
func Scopes() []Scope {
	return []Scope{
		{"bot", "is a member of the server, and hears mentions"},
		{"applications.commands", "offers /ask and /stop"},
	}
}

// InviteURL returns the link that adds the bot to a server. A manager of the server has to open the
// link.
func InviteURL(app string) string {
	var bits int64
	for _, p := range call.Permissions() {
		bits |= p.Bit
	}
	var scopes []string
	for _, s := range Scopes() {
		scopes = append(scopes, s.Name)
	}
	query := url.Values{"client_id": {app}, "permissions": {strconv.FormatInt(bits, 10)}, "scope": {strings.Join(scopes, " ")}}
	return "https://discord.com/oauth2/authorize?" + query.Encode()
}

// Application fetches the id of the bot's application.
func (c *Client) Application(ctx context.Context) (string, error) { return c.discord.Application(ctx) }
