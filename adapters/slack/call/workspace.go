// Package call makes calls to Slack. It holds the authenticated connection, the rate limit of each
// method, the meaning of Slack's errors, and the state of the sockets. It does not interpret
// messages or channels.
package call

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// Platform identifies Slack in references to threads and in permissions.
const Platform thread.Platform = "slack"

// Config holds the credentials and limits for calling a workspace. BotToken is required. Listen
// also needs AppToken, and Handler needs SigningSecret.
type Config struct {
	BotToken      string
	AppToken      string
	SigningSecret string
	APIURL        string // ends in /api/ or /api; empty: Slack's own
	Tenant        access.TenantID
	HTTP          *http.Client // with proxy and certificates; nil: default client
	CAFile        string       // additional certificates for sockets only
	Logger        *slog.Logger // nil: silent
	// Changes, People and Accounts hold the facts about people and channels that replicas share. If
	// they are nil, this process is the only replica, and the facts are lost when it ends.
	Changes  access.Changes
	People   access.People
	Accounts access.Accounts
	// Groups returns the user groups that are currently mapped in the configuration. nil means no
	// groups.
	Groups func() []access.BoundGroup
	// Domains returns the e-mail domains whose addresses currently identify people, in lower case.
	// nil means no domains.
	Domains func() []string

	Sockets int // open sockets; default 2, so that one can reconnect without a gap
	// age at which a stream continues in a new message. Default: 4 min 30 s. Slack closes a stream
	// after 5 min.
	StreamAge time.Duration
	Timeout   time.Duration // timeout of a Web API call; default 10 s
	// Reconnect is the minimum average time between two new connections. The first few connections
	// may follow at once. Default: 15 s.
	Reconnect time.Duration
	// Scan is the time between two idle calls. Idle calls read messages that were sent while no
	// replica ran. Default: 5 s.
	Scan time.Duration
	// History is the time between two calls that read messages for the index. Default: 3.5 s.
	History time.Duration
	// Interruption is the minimum duration of a reported interruption. Messages sent during a
	// shorter period without a socket do not count as missed. Default: 15 s.
	Interruption time.Duration
	// MaxFileTokens is the maximum text of all files of one message, in tokens. Default: 100,000.
	MaxFileTokens int
}

// Workspace makes the calls to one Slack workspace. It holds the bot's identity and the rate
// limiters. It is safe for concurrent use.
type Workspace struct {
	Config  Config
	trusted *tls.Config // TLS settings of sockets
	API     *api.Client
	Logger  *slog.Logger
	pacing  *Pacing

	identity  atomic.Pointer[Identity]
	Statuses  *pace.Part
	Prompts   *pace.Part
	Sessions  *pace.Part // starts of agent sessions; each end is another call
	Reads     *pace.Part // reads of threads for answers
	Scans     *pace.Part // idle calls
	Lists     *pace.Part // lists of the workspace's members
	Homes     *pace.Part // look-ups of a person's channels
	Infos     *pace.Part // look-ups of single people
	Groups    *pace.Part // reads of user groups
	Histories *pace.Part // reads for the index; lowest priority
	Names     *pace.Part // look-ups of names for the index
	Sockets   *Sockets
	processes atomic.Int32 // known processes that serve the workspace
}

// Identity identifies the bot and its workspace.
type Identity struct {
	Team string // workspace id
	Name string // workspace name
	URL  string // workspace address, such as https://example.slack.com/
	// Enterprise is the id of the organisation of the workspace. It is empty if the workspace
	// belongs to no organisation.
	Enterprise string
	User       string // the bot's user id
	Bot        string // the bot's id
	Scopes     []string
}

// NewWorkspace returns a workspace. It makes no calls before Connect.
func NewWorkspace(config Config) (*Workspace, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if config.Tenant == "" {
		config.Tenant = access.DefaultTenant
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&config.StreamAge, 4*time.Minute + 30*time.Second}, {&config.Timeout, 10 * time.Second}, {&config.Reconnect, 15 * time.Second}, {&config.Scan, scanQuota.Every}, {&config.History, historyQuota.Every}, {&config.Interruption, 15 * time.Second}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if config.Sockets <= 0 {
		config.Sockets = 2
	}
	trusted, err := outhttp.Trust(config.CAFile)
	if err != nil {
		return nil, fmt.Errorf("set up Slack: %w", err)
	}
	c := &Workspace{
		Config: config, trusted: trusted, Logger: config.Logger, pacing: &Pacing{}, Sockets: newSockets(),
		Statuses: statusQuota.Part(), Prompts: promptQuota.Part(), Sessions: sessionQuota.Part(), Reads: readQuota.Part(), Scans: pace.Quota{Every: config.Scan, Burst: scanQuota.Burst}.Part(),
		Lists: listQuota.Part(), Homes: homeQuota.Part(), Infos: infoQuota.Part(), Groups: groupQuota.Part(),
		Histories: pace.Quota{Every: config.History, Burst: historyQuota.Burst}.Part(),
		Names:     pace.Quota{Every: min(nameQuota.Every, config.History), Burst: nameQuota.Burst}.Part(),
	}
	options := []api.Option{
		api.OptionHTTPClient(c.httpClient()), api.OptionAppLevelToken(config.AppToken),
		api.OptionLog(log.New(io.Discard, "", 0)), // its lines may hold message text
	}
	if config.APIURL != "" {
		options = append(options, api.OptionAPIURL(strings.TrimSuffix(config.APIURL, "/")+"/"))
	}
	c.API = api.New(config.BotToken, options...)
	return c, nil
}

// validate returns one error that lists every fault of the tokens. The error never contains a
// token.
func (c Config) validate() error {
	var faults []error
	switch {
	case c.BotToken == "":
		faults = append(faults, errors.New("SLACK_BOT_TOKEN is not set: copy the Bot User OAuth Token of your app (it begins with xoxb-)"))
	case strings.HasPrefix(c.BotToken, "xapp-"):
		faults = append(faults, errors.New("SLACK_BOT_TOKEN holds an app-level token (xapp-): put that into SLACK_APP_TOKEN, and the Bot User OAuth Token (xoxb-) here"))
	case !strings.HasPrefix(c.BotToken, "xoxb-"):
		faults = append(faults, errors.New("SLACK_BOT_TOKEN is no bot token: copy the Bot User OAuth Token of your app (it begins with xoxb-)"))
	}
	if c.AppToken != "" && !strings.HasPrefix(c.AppToken, "xapp-") {
		faults = append(faults, errors.New("SLACK_APP_TOKEN is no app-level token: make one with the scope connections:write under Basic Information (it begins with xapp-)"))
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("set up Slack: %w", err)
	}
	return nil
}

// Connect signs in and returns the bot's identity. Call Connect before any other method. The text
// of an error tells an operator what to do.
func (c *Workspace) Connect(ctx context.Context) (Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Config.Timeout)
	defer cancel()
	res, err := c.API.AuthTestContext(ctx)
	if err != nil {
		return Identity{}, fmt.Errorf("sign in to Slack: %w", Explain("auth.test", err))
	}
	id := Identity{Team: res.TeamID, Name: res.Team, URL: res.URL, User: res.UserID, Bot: res.BotID, Enterprise: res.EnterpriseID}
	for scope := range strings.SplitSeq(res.Header.Get("X-Oauth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			id.Scopes = append(id.Scopes, scope)
		}
	}
	c.Is(id)
	return id, nil
}

// Processes returns the number of processes that serve the workspace, as set by Share. It is 0
// before Share.
func (c *Workspace) Processes() int { return int(c.processes.Load()) }

// Is sets the bot's identity. Connect calls Is after sign-in.
func (c *Workspace) Is(id Identity) { c.identity.Store(&id) }

// Identity returns the bot's identity. It is zero before Connect has succeeded.
func (c *Workspace) Identity() Identity {
	if id := c.identity.Load(); id != nil {
		return *id
	}
	return Identity{}
}

// Share sets the number of processes that serve the workspace. Each process then uses only its part
// of Slack's rate limits. Share may be called at any time.
func (c *Workspace) Share(processes int) {
	n := max(processes, 1)
	c.processes.Store(int32(min(n, 1<<16)))
	c.pacing.Share(n)
	// Only one process lists people at a time, so the list's limit is not divided.
	for _, p := range []*pace.Part{c.Statuses, c.Prompts, c.Sessions, c.Reads, c.Scans, c.Homes, c.Infos, c.Groups, c.Histories, c.Names} {
		p.Share(n)
	}
}

// Pacing returns the rate limiter that all answers of the workspace share.
func (c *Workspace) Pacing() *Pacing { return c.pacing }

// Connected returns the number of open sockets of this process.
func (c *Workspace) Connected() int { return c.Sockets.connected() }

// Interruptions returns a channel that receives the start time of each interruption after it has
// ended. An interruption is a period of at least Config.Interruption without an open socket. If a
// time is not received before the next interruption, only the earlier one is kept.
func (c *Workspace) Interruptions() <-chan time.Time { return c.Sockets.ended }

// Ref returns a reference to the thread whose first message has the id root. If root is empty, the
// reference is to the channel.
func (c *Workspace) Ref(channel, root string) thread.Ref {
	return thread.Ref{Platform: Platform, Workspace: c.Identity().Team, Channel: channel, Thread: root}
}

// Replies reads one page of a thread. more reports whether there are further messages, and next is
// the cursor of their page.
func (c *Workspace) Replies(ctx context.Context, p *api.GetConversationRepliesParameters) (messages []api.Message, more bool, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Config.Timeout)
	defer cancel()
	messages, more, next, err = c.API.GetConversationRepliesContext(ctx, p)
	if err != nil {
		return nil, false, "", fmt.Errorf("read a thread: %w", Explain("conversations.replies", err))
	}
	return messages, more, next, nil
}

// History reads one page of a channel's messages outside threads, newest first.
func (c *Workspace) History(ctx context.Context, p *api.GetConversationHistoryParameters) (*api.GetConversationHistoryResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Config.Timeout)
	defer cancel()
	found, err := c.API.GetConversationHistoryContext(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("read a channel: %w", Explain("conversations.history", err))
	}
	return found, nil
}
