// Package config parses the environment and footnote.yaml into typed settings. No other package
// reads environment variables by name.
package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/spend"
)

// Secret is a text that must not appear in logs. Printing, logging or marshalling it gives "***".
type Secret string

// String implements fmt.Stringer.
func (s Secret) String() string { return "***" }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return "***" }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// Reveal returns the plain text. Call it only where the secret is used.
func (s Secret) Reveal() string { return string(s) }

// Words is the value of Config.Embedder that disables the sentence model.
const Words = "words"

// NoLocalModel is the value of Config.LocalModel that disables looking for a model server on this
// machine.
const NoLocalModel = "no"

// OpenAI is the default address of the model endpoint.
const OpenAI = "https://api.openai.com/v1"

// Config holds every setting from the environment. The zero value is not valid; use Load.
type Config struct {
	DatabaseURL        Secret // empty: a private cluster
	MigrateDatabaseURL Secret // empty: DatabaseURL
	SearchDatabaseURL  Secret // ignored; see Warnings
	IndexURL           Secret // address of a search engine; empty: PostgreSQL searches
	// DataDir is the data directory of the private cluster. Default:
	// ${XDG_DATA_HOME:-~/.local/share}/footnote
	DataDir  string
	RedisURL Secret // empty: stop signals stay in this process

	OpenAIKey     Secret
	OpenAIBaseURL string
	Model         string
	FallbackModel string
	FastModel     string
	Contextual    bool          // FastModel writes a context for each indexed chunk
	ModelWindow   int           // tokens; 0: the known window of the model
	FirstToken    time.Duration // timeout for a model's first token; 0: depends on the model
	BetweenTokens time.Duration
	ModelTools    string // "native", "text", or "auto": natively until the endpoint refuses
	ModelProfile  string // "full" or "small"
	ModelVision   string // "true", "false", or "auto": as known of the model
	CAFile        string

	LocalModel          string   // "ask", "again" or NoLocalModel
	LocalModelAddresses []string // loopback, host:port
	OllamaHost          string   // Ollama's own setting
	FoundModel          bool     // Model was found on this machine, not set

	TraceEndpoint string            // OpenTelemetry collector; empty: no traces
	TraceHeaders  map[string]Secret // headers that the collector requires

	Embedder            string // Words disables the built-in sentence model
	EmbeddingModel      string // empty: the built-in embedder
	EmbeddingDimensions int    // 0: the model's own
	EmbeddingKey        Secret // empty: OpenAIKey
	EmbeddingBaseURL    string // empty: OpenAIBaseURL

	RerankURL      string // empty: no reranker
	RerankModel    string // empty: the endpoint has only one model
	RerankKey      Secret
	RerankWait     time.Duration
	KnowledgeModel string // extracts facts from passages; empty: none
	KnowledgeStep  bool   // searches follow the names in their best passages
	Precision      string // precision of vectors of new models: "half" or "single"

	SentenceAlpha    float64 // HybridAlpha for the built-in sentence model
	HybridAlpha      float64
	TitleRatio       float64
	MaxChunks        int
	SearchShare      float64
	ChunksAbove      int
	ChunksBelow      int
	TimeDecay        float64
	FavorRecent      float64
	RecencyFloor     float64
	ConsoleAudience  access.ACL // principals of the person at the terminal
	MaxDocumentBytes int64
	IndexMemoryBytes int64 // maximum size of the index cache per process
	IndexShards      int   // ignored; see Warnings
	CrawlInterval    time.Duration
	PrivateHosts     []string          // private hosts that may be indexed
	GitTokens        map[string]Secret // by host
	Credentials      map[string]Secret // by setting, for kinds that adapters declare
	DropUnsupported  bool              // omit citations that share no word with their sentence
	MaxFileTokens    int               // tokens of one file attached to a question
	OpenURLAllow     []string          // addresses that the model may always open

	OpenURLPrivateHosts []string // private hosts that may be opened in conversations

	WebSearchProvider string // empty: no web search
	WebSearchURL      string
	WebSearchKey      Secret
	WebSearchEngine   string
	WebSearchDaily    int // searches a day per person

	FilePath string // footnote.yaml; empty: FileName in the working folder, if it exists
	File     *File  // parsed content; never nil

	SlackBotToken         Secret
	SlackAppToken         Secret // receives events over sockets
	SlackSigningSecret    Secret // receives events as signed requests to HTTPAddr
	SlackAPIURL           string // empty: Slack's own
	SlackStopReactions    []string
	DiscordStopReactions  []string
	DiscordBotToken       Secret
	DiscordAPIURL         string // empty: Discord's own
	DiscordMessageContent bool
	DiscordMembers        bool
	DiscordGuilds         []string // servers whose members are the tenant's
	DiscordPublicKey      string   // receives interactions as signed requests to HTTPAddr
	// DiscordGateway receives messages and reactions over sockets, and interactions unless they
	// arrive as requests.
	DiscordGateway       bool
	DiscordShards        int      // 0: Discord's recommendation
	DiscordCommandGuilds []string // servers that get the commands; none: all

	HTTPAddr string
	MCPURL   string // public address of HTTPAddr for assistants; empty: none
	// Assistants sign in with access tokens that MCPIssuer issued for MCPAudience. The claim
	// MCPClaim names the person. If MCPIssuer is empty, no access tokens are accepted.
	MCPIssuer, MCPAudience, MCPClaim string

	AdminAddr string

	ConsoleURL  string // public address of ConsoleAddr; empty: no console
	ConsoleAddr string

	OIDCIssuer       string // issuer for console sign-in; empty: sign-in by links
	OIDCClientID     string
	OIDCClientSecret Secret

	SlackClientID     string // for Sign in with Slack to the console; empty: off
	SlackClientSecret Secret
	LogLevel          string
	LogFormat         string
	Grace             time.Duration

	SessionRetention time.Duration // 0 keeps conversations forever
	AuditRetention   time.Duration // 0 keeps the audit trail forever

	Caps                spend.Caps // in the currency of File.Prices
	OutputFilterURL     string     // checks every paragraph before it is shown
	OutputFilterToken   Secret
	OutputFilterTimeout time.Duration
	OutputFilterFailure string // "block" or "allow" unchecked paragraphs

	RedeliveryMaxAge time.Duration // maximum age of a question that arrived while no replica ran
	// SecretKeys encrypt confidential columns of the database, newest first. Empty: a key derived
	// from tokens
	SecretKeys []Secret
}

// GitToken returns the token for reading Git repositories of a host, or "".
func (c *Config) GitToken(host string) string { return c.GitTokens[host].Reveal() }

// HasModel reports whether a language model is configured. Without one, answers only quote
// documents.
func (c *Config) HasModel() bool { return c.OpenAIKey != "" || c.OpenAIBaseURL != "" }

// Load reads every setting from the environment. An empty variable counts as unset. The error lists
// all wrong settings by name and never contains a secret.
func Load(getenv func(string) string) (*Config, error) {
	c := &Config{File: &File{}}
	var faults []error
	for _, s := range c.settings() {
		value := getenv(s.Env)
		if value == "" {
			value = s.Default
		}
		if err := s.set(value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.Env, err))
		}
	}
	faults = append(faults, c.conflicts()...)
	if len(faults) > 0 {
		return nil, fmt.Errorf("these settings are wrong:\n%w", errors.Join(faults...))
	}
	return c, nil
}

// Warnings returns a sentence for each setting that is still read but has no effect.
func (c *Config) Warnings() []string {
	var warnings []string
	if c.IndexShards > 1 {
		warnings = append(warnings, "INDEX_SHARDS is ignored: new documents are no longer divided, an index that is divided is searched as before, and the next version "+
			"does not know the setting; take it out")
	}
	if c.SearchDatabaseURL != "" {
		warnings = append(warnings, "SEARCH_DATABASE_URL is ignored: DATABASE_URL answers searches, which compare vectors in the memory of this process, and the next version "+
			"does not know the setting; take it out")
	}
	return warnings
}

func (c *Config) conflicts() []error {
	var faults []error
	if c.EmbeddingModel != "" && c.EmbeddingKey == "" && c.EmbeddingBaseURL == "" && !c.HasModel() {
		faults = append(faults, errors.New("EMBEDDING_MODEL: needs the address of its endpoint (EMBEDDING_BASE_URL or OPENAI_BASE_URL), or a key of OpenAI "+
			"(EMBEDDING_API_KEY or OPENAI_API_KEY); unset it to use the embedder in the program"))
	}
	for _, s := range []struct {
		name, needs string
		ignored     bool
	}{
		{"CONSOLE_OIDC_ISSUER", "CONSOLE_URL, the console that people sign in to", c.ConsoleURL == "" && c.OIDCIssuer != ""},
		{"CONSOLE_OIDC_ISSUER", "CONSOLE_OIDC_CLIENT_ID and CONSOLE_OIDC_CLIENT_SECRET", c.OIDCIssuer != "" && (c.OIDCClientID == "" || c.OIDCClientSecret == "")},
		{"CONSOLE_SLACK_CLIENT_ID", "CONSOLE_URL, the console that people sign in to", c.ConsoleURL == "" && c.SlackClientID != ""},
		{"CONSOLE_SLACK_CLIENT_ID", "CONSOLE_SLACK_CLIENT_SECRET", c.SlackClientID != "" && c.SlackClientSecret == ""},
		{"CONSOLE_SLACK_CLIENT_SECRET", "CONSOLE_SLACK_CLIENT_ID", c.SlackClientID == "" && c.SlackClientSecret != ""},
		{"CONSOLE_SLACK_CLIENT_ID", "SLACK_BOT_TOKEN, the workspace whose members sign in", c.SlackClientID != "" && c.SlackBotToken == ""},
		{"CONSOLE_OIDC_CLIENT_ID", "CONSOLE_OIDC_ISSUER, the provider that knows it", c.OIDCIssuer == "" && c.OIDCClientID != ""},
		{"EMBEDDING_BASE_URL", "EMBEDDING_MODEL, the model to ask for there", c.EmbeddingModel == "" && c.EmbeddingBaseURL != ""},
		{"EMBEDDING_API_KEY", "EMBEDDING_MODEL, the model to ask for with it", c.EmbeddingModel == "" && c.EmbeddingKey != ""},
		{"RERANK_MODEL", "RERANK_URL, the address of the reranker", c.RerankURL == "" && c.RerankModel != ""},
		{"RERANK_API_KEY", "RERANK_URL, the address of the reranker", c.RerankURL == "" && c.RerankKey != ""},
		{"WEB_SEARCH_URL", "WEB_SEARCH_PROVIDER, which search it is", c.WebSearchProvider == "" && c.WebSearchURL != ""},
		{"WEB_SEARCH_KEY", "WEB_SEARCH_PROVIDER, whose key it is", c.WebSearchProvider == "" && c.WebSearchKey != ""},
		{"WEB_SEARCH_ENGINE", "WEB_SEARCH_PROVIDER=google", c.WebSearchProvider != "google" && c.WebSearchEngine != ""},
	} {
		if s.ignored {
			faults = append(faults, fmt.Errorf("%s: needs %s; unset it otherwise", s.name, s.needs))
		}
	}
	if c.FastModel != "" && !c.HasModel() {
		faults = append(faults, errors.New("FAST_LLM_MODEL: needs OPENAI_API_KEY or OPENAI_BASE_URL"))
	}
	if c.Contextual && c.FastModel == "" {
		faults = append(faults, errors.New("CONTEXTUAL_ENRICHMENT: needs FAST_LLM_MODEL, which writes what is added"))
	}
	if c.KnowledgeModel != "" && !c.HasModel() {
		faults = append(faults, errors.New("KNOWLEDGE_MODEL: needs OPENAI_API_KEY or OPENAI_BASE_URL"))
	}
	if c.FallbackModel != "" && !c.HasModel() {
		faults = append(faults, errors.New("FALLBACK_LLM_MODEL: needs OPENAI_API_KEY or OPENAI_BASE_URL"))
	}
	if c.OutputFilterURL == "" && c.OutputFilterToken != "" {
		faults = append(faults, errors.New("OUTPUT_FILTER_TOKEN: needs OUTPUT_FILTER_URL"))
	}
	if c.SlackBotToken != "" && c.SlackAppToken == "" && c.SlackSigningSecret == "" {
		faults = append(faults, errors.New("SLACK_BOT_TOKEN: needs SLACK_APP_TOKEN (events over sockets) or SLACK_SIGNING_SECRET (signed requests) as well"))
	}
	if c.SlackBotToken == "" && (c.SlackAppToken != "" || c.SlackSigningSecret != "") {
		faults = append(faults, errors.New("SLACK_BOT_TOKEN: is not set, but SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is"))
	}
	if c.MCPIssuer != "" && (c.MCPURL == "" || c.MCPClaim == "") {
		faults = append(faults, errors.New("MCP_OAUTH_ISSUER: needs MCP_URL, and MCP_OAUTH_CLAIM, which says which claim names the person"))
	}
	if c.MCPIssuer == "" && c.MCPAudience+c.MCPClaim != "" {
		faults = append(faults, errors.New("MCP_OAUTH_AUDIENCE, MCP_OAUTH_CLAIM: need MCP_OAUTH_ISSUER"))
	}
	return faults
}
