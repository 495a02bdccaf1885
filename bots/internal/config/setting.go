package config

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/localmodel"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/tool/openurl"
)

// Setting is one environment variable. --help and deploy/docs/settings.md list all of them.
type Setting struct {
	Env     string
	Default string
	Help    string
	set     func(value string) error
}

// Settings returns all environment variables in the order of the documentation.
func Settings() []Setting { return new(Config).settings() }

func (c *Config) settings() []Setting {
	rows := []Setting{
		{"DATABASE_URL", "", "PostgreSQL 15 or newer with pgvector 0.8 or newer. Unset: a private server that footnote starts and stops itself", secretURL(&c.DatabaseURL, "postgres", "postgresql")},
		{"MIGRATE_DATABASE_URL", "", "direct connection for migrations, where DATABASE_URL is a transaction pooler", secretURL(&c.MigrateDatabaseURL, "postgres", "postgresql")},
		{"SEARCH_DATABASE_URL", "", "ignored, and gone in the next version: DATABASE_URL answers searches", secretURL(&c.SearchDatabaseURL, "postgres", "postgresql")},
		{"INDEX_URL", "", "search engine that answers searches instead of PostgreSQL, once footnote engine move has filled it: opensearch://USER:PASSWORD@HOST:9200,HOST:9200/PREFIX, OpenSearch 2.10 or newer with k-NN. Behind a question mark: ca=FILE (certificates to trust), token_file=FILE instead of a user, tls=off, shards=1 and replicas=1 of new indexes. Unset: none", engineURL(&c.IndexURL)},
		{"FOOTNOTE_DATA", "", "folder of the private server. Unset: ${XDG_DATA_HOME:-~/.local/share}/footnote", text(&c.DataDir)},
		{"REDIS_URL", "", "carries stop signals between processes, and the rates that they share. redis://host:6379?addr=host2:6379 is a cluster, known by some of its nodes. Unset: stop works within one process, and others find it by polling", secretURL(&c.RedisURL, "redis", "rediss", "unix")},
		{"OPENAI_API_KEY", "", "key of an OpenAI-compatible endpoint. Unset, and OPENAI_BASE_URL too: answers quote the documents", secret(&c.OpenAIKey)},
		{"OPENAI_BASE_URL", "", "address of the endpoint, ending in /v1. Unset: OpenAI's own", httpURL(&c.OpenAIBaseURL)},
		{"LOCAL_MODEL", "ask", "what footnote chat does with a model server on this machine where neither OPENAI_API_KEY nor OPENAI_BASE_URL is set: ask once whether it writes the answers, and keep the choice in the data folder; again asks once more; no looks for none and quotes", oneOf(&c.LocalModel, "ask", "again", NoLocalModel)},
		{"LOCAL_MODEL_ADDRESSES", strings.Join(localmodel.Addresses, ","), "where it looks: loopback addresses with ports, separated by commas. The usual ones of Ollama, LM Studio, llama.cpp and llamafile, vLLM, Jan and Docker Model Runner", loopbacks(&c.LocalModelAddresses)},
		{"OLLAMA_HOST", "", "where Ollama listens, as its own programs read it. Another machine's is not looked at", text(&c.OllamaHost)},
		{"LLM_MODEL", "gpt-4.1-mini", "model that writes the answers", text(&c.Model)},
		{"FALLBACK_LLM_MODEL", "", "model of the same endpoint that answers when LLM_MODEL does not, as long as nothing has been shown", text(&c.FallbackModel)},
		{"FAST_LLM_MODEL", "", "model that rewrites follow-ups into search queries. Unset: a rule does it without a model", text(&c.FastModel)},
		{"CONTEXTUAL_ENRICHMENT", "false", "have FAST_LLM_MODEL write what each document and passage is about when it is indexed; searched and embedded with it, never shown. One call for each passage that is new", yesNo(&c.Contextual)},
		{"LLM_TOOLS", "auto", "how models call tools: native through the API, text in what they write, auto natively until the endpoint refuses that", oneOf(&c.ModelTools, "auto", "native", "text")},
		{"LLM_PROFILE", "full", "small suits models of up to about 8 billion parameters, which call tools badly: the documents are searched with the question, and the model is asked once with the five best passages. full lets it search", oneOf(&c.ModelProfile, "full", "small")},
		{"LLM_VISION", "auto", "whether models are sent pictures: true, false, or auto by what is known of the model", oneOf(&c.ModelVision, "auto", "true", "false")},
		{"LLM_WINDOW", "0", "the model's context window in tokens. 0: what is known of the model, else 32000", window(&c.ModelWindow)},
		{"LLM_FIRST_TOKEN_TIMEOUT", "0s", "how long a model may be silent before its first token; keep-alives of the endpoint count. 0s: 90 seconds, and 5 minutes for models that are known to think", duration(&c.FirstToken)},
		{"LLM_TOKEN_TIMEOUT", "45s", "how long a model may be silent between two tokens", longerThanNothing(&c.BetweenTokens)},
		{"EMBEDDER", "", "words: the sentence model in the program, which takes up to 80 MB, is not used: searches compare words and the word table, and answers without a language model decide by words whether to quote. Unset: it is used for English unless the memory limit is below 256 MiB", oneOf(&c.Embedder, "", Words)},
		{"EMBEDDING_MODEL", "", "embedding model of the endpoint at EMBEDDING_BASE_URL or OPENAI_BASE_URL. Unset: the embedder in the program, for English", text(&c.EmbeddingModel)},
		{"EMBEDDING_BASE_URL", "", "address of the embedding endpoint, ending in /v1. Needs EMBEDDING_MODEL. Unset: OPENAI_BASE_URL", httpURL(&c.EmbeddingBaseURL)},
		{"EMBEDDING_DIMENSIONS", "0", "length of the vectors. 0: what is known of the model", number(&c.EmbeddingDimensions, 0, 16_000)},
		{"EMBEDDING_API_KEY", "", "key of the embedding endpoint. Unset: OPENAI_API_KEY", secret(&c.EmbeddingKey)},
		{"RERANK_URL", "", "address of a reranker, which judges the 100 best passages of a search, ending in /rerank or in what stands before that: Cohere, Jina, Voyage, vLLM, llama.cpp, text-embeddings-inference. Unset: none", httpURL(&c.RerankURL)},
		{"RERANK_MODEL", "", "its model. Unset: an endpoint of text-embeddings-inference, which has one model alone", text(&c.RerankModel)},
		{"RERANK_API_KEY", "", "key of the reranker", secret(&c.RerankKey)},
		{"RERANK_TIMEOUT", "300ms", "how long a search waits for it; later the passages stand in the order of the search", longerThanNothing(&c.RerankWait)},
		{"INDEX_PRECISION", "half", "how vectors are kept: half (16 bits a number) or single (32 bits). Those that are there stay as they are until footnote sources reindex --all", oneOf(&c.Precision, "half", "single")},
		{"HYBRID_ALPHA", "", "share of the semantic side of a search: 0 keywords only, 1 vectors only; values outside are clipped. Unset: 0.5, and 0.7 with vectors of the sentence model in the program", alphas(c)},
		{"KNOWLEDGE_MODEL", "", "model of the endpoint that extracts, while serve runs, the people, teams and systems that passages name and what they state of one another, each text once. To see the cost, run footnote knowledge extract --estimate. Unset: nothing is extracted, and what was extracted before is removed", text(&c.KnowledgeModel)},
		{"KNOWLEDGE_STEP", "true", "a search also finds the documents whose titles stand in its best passages", yesNo(&c.KnowledgeStep)},
		{"TITLE_CONTENT_RATIO", "0.10", "share of the title within the keyword side, 0 to 1; values outside are clipped", clipped(&c.TitleRatio, 0, 1)},
		{"MAX_CHUNKS_FED_TO_CHAT", "10", "passages that a search gives the model at most, as far as SEARCH_RESULT_SHARE has room", number(&c.MaxChunks, 1, 1000)},
		{"SEARCH_RESULT_SHARE", "0.4", "share of the model's window that the passages of one search take at most, 0.05 to 1", decimal(&c.SearchShare, 0.05, 1)},
		{"CONTEXT_CHUNKS_ABOVE", "1", "neighbours added before the best passage", number(&c.ChunksAbove, 0, 50)},
		{"CONTEXT_CHUNKS_BELOW", "1", "neighbours added after the best passage", number(&c.ChunksBelow, 0, 50)},
		{"DOC_TIME_DECAY", "0.5", "how fast documents lose weight with age, per year; 0 turns it off", decimal(&c.TimeDecay, 0, 1000)},
		{"FAVOR_RECENT_DECAY_MULTIPLIER", "2.0", "multiplies the decay when the question asks for what is recent", decimal(&c.FavorRecent, 1, 1000)},
		{"RECENCY_FLOOR", "0.9", "share of its score that the oldest document keeps, 0 to 1; at most 0.5 where the question asks for what is recent", decimal(&c.RecencyFloor, 0, 1)},
		{"MAX_DOCUMENT_BYTES", "52428800", "largest file that is indexed, in bytes", bytes(&c.MaxDocumentBytes)},
		{"INDEX_MEMORY_BYTES", "1073741824", "memory for what a process remembers of the index, at most; about 200 bytes a chunk make every search fast, with vectors of 1,536 dimensions 350", bytes(&c.IndexMemoryBytes)},
		{"INDEX_SHARDS", "1", "ignored, and gone in the next version: documents are no longer divided; an index that is divided is searched as before until it is indexed again", number(&c.IndexShards, 1, 1024)},
		{"CRAWL_INTERVAL", "1s", "time between two requests to a site that is indexed; longer where its robots.txt asks for that", duration(&c.CrawlInterval)},
		{"ALLOW_PRIVATE_HOSTS", "", "hosts, addresses and networks (10.1.0.0/16) that may be indexed although they are not on the public internet, separated by commas", list(&c.PrivateHosts)},
		{"DROP_UNSUPPORTED_CITATIONS", "false", "leave out citations whose passages share no word or number with the sentence; one then appears with the end of its sentence", yesNo(&c.DropUnsupported)},
		{"GIT_TOKENS", "", "tokens with which repositories are read, one for each host: github.com=TOKEN,git.acme.example=TOKEN. Each is sent to its host alone", hostTokens(&c.GitTokens)},
		{"MAX_FILE_TOKENS", "100000", "longest file, in tokens, that may come with a question or belong to a project; in chat, all files of a message together", number(&c.MaxFileTokens, 100, 10_000_000)},
		{"OPEN_URL_ALLOW", "", "addresses that the model may open for members at any time, also while it works with documents that are not public: hosts (docs.example.org, *.example.org) and beginnings of addresses, separated by commas", addresses(&c.OpenURLAllow)},
		{"OPEN_URL_PRIVATE_HOSTS", "", "hosts, addresses and networks that pages may be opened on in a conversation although they are not on the public internet, for members only, and never the address of an indexed document that a person present may not read; separated by commas", list(&c.OpenURLPrivateHosts)},
		{"WEB_SEARCH_PROVIDER", "", "who searches the public web for agents that name web_search under tools: in footnote.yaml: searxng, brave, exa, serper or google. The tool is withdrawn once a passage that is not public is in a conversation. Unset: the web is not searched", oneOf(&c.WebSearchProvider, "", "searxng", "brave", "exa", "serper", "google")},
		{"WEB_SEARCH_URL", "", "address of your SearXNG, whose settings.yml allows the format json; for the others, an address instead of the provider's own", httpURL(&c.WebSearchURL)},
		{"WEB_SEARCH_KEY", "", "key of the provider; SearXNG has none", secret(&c.WebSearchKey)},
		{"WEB_SEARCH_ENGINE", "", "id of the search engine (cx), for google", text(&c.WebSearchEngine)},
		{"WEB_SEARCH_PER_DAY", "50", "searches of the web that one person's questions may make on a day (UTC). A search is booked as one token of input of a model of the provider's name: {input: 5000, output: 0} under prices: is 5 for 1,000 searches", number(&c.WebSearchDaily, 1, 1_000_000)},
		{"COST_CAP_DAILY", "", "most that models may cost on a day (UTC), all replicas together, in the currency of prices: in footnote.yaml. What a call can cost at most is set aside before it is made. At the cap answers quote the documents. Unset: no cap", amount(&c.Caps.Daily)},
		{"COST_CAP_MONTHLY", "", "most that models may cost in a month (UTC). Unset: no cap", amount(&c.Caps.Monthly)},
		{"COST_CAP_TENANT_DAILY", "", "most that models may cost on a day for one tenant. Unset: no cap", amount(&c.Caps.TenantDaily)},
		{"COST_CAP_TENANT_MONTHLY", "", "most that models may cost in a month for one tenant. Unset: no cap", amount(&c.Caps.TenantMonthly)},
		{"OUTPUT_FILTER_URL", "", "address that is sent every finished paragraph of an answer before it is shown, and says allow, replace or block (POST, JSON). Unset: nothing is sent", httpURL(&c.OutputFilterURL)},
		{"OUTPUT_FILTER_TOKEN", "", "sent to it as Authorization: Bearer", secret(&c.OutputFilterToken)},
		{"OUTPUT_FILTER_TIMEOUT", "5s", "how long it may take for a paragraph", longerThanNothing(&c.OutputFilterTimeout)},
		{"OUTPUT_FILTER_FAILURE", "block", "what becomes of an answer that it cannot check: block ends it there, allow shows it", oneOf(&c.OutputFilterFailure, "block", "allow")},
		{"CONSOLE_PRINCIPALS", "members", "who the person at the terminal counts as, a comma-separated access list", acl(&c.ConsoleAudience)},
		{"FOOTNOTE_CONFIG", "", "file with agents, projects, sources and channels; --config goes before it. Unset: footnote.yaml in the working folder, if it is there", text(&c.FilePath)},
		{"CA_FILE", "", "PEM file with additional certificate authorities for all outgoing connections", text(&c.CAFile)},
		{"SLACK_BOT_TOKEN", "", "token of the Slack app, begins with xoxb-; switches Slack on", token(&c.SlackBotToken, "xoxb-")},
		{"SLACK_APP_TOKEN", "", "app-level token, begins with xapp-: events come over sockets (Socket Mode)", token(&c.SlackAppToken, "xapp-")},
		{"SLACK_SIGNING_SECRET", "", "signing secret of the app: events come as signed requests to HTTP_ADDR, path /slack/events", secret(&c.SlackSigningSecret)},
		{"SLACK_API_URL", "", "another address of Slack's Web API, such as GovSlack's, ending in /api/. Unset: Slack's own", httpURL(&c.SlackAPIURL)},
		{"SLACK_STOP_REACTIONS", "octagonal_sign, stop_sign, black_square_for_stop", "names of the emoji that stop an answer, separated by commas", list(&c.SlackStopReactions)},
		{"DISCORD_BOT_TOKEN", "", "token of the Discord bot; switches Discord on", secret(&c.DiscordBotToken)},
		{"DISCORD_API_URL", "", "replaces https://discord.com/api, without a version, for proxies", httpURL(&c.DiscordAPIURL)},
		{"DISCORD_MESSAGE_CONTENT", "true", "ask for the privileged intent to read messages, without which follow-ups need a mention", yesNo(&c.DiscordMessageContent)},
		{"DISCORD_MEMBERS", "false", "ask for the privileged intent to see members, without which a server sees only public documents", yesNo(&c.DiscordMembers)},
		{"DISCORD_GUILDS", "", "ids of the servers whose members count as members, separated by commas, in addition to those of footnote discord allow", list(&c.DiscordGuilds)},
		{"DISCORD_STOP_REACTIONS", "🛑, ⏹️", "emoji that stop an answer, separated by commas; a server's own by name or id", list(&c.DiscordStopReactions)},
		{"DISCORD_PUBLIC_KEY", "", "public key of the application: commands and buttons come as signed requests to HTTP_ADDR, path /discord/interactions", discordKey(&c.DiscordPublicKey)},
		{"DISCORD_GATEWAY", "true", "false connects no socket: only commands and buttons work, by DISCORD_PUBLIC_KEY; no mentions, follow-ups and reactions", yesNo(&c.DiscordGateway)},
		{"DISCORD_SHARDS", "0", "connections among which servers are divided. 0: as many as Discord recommends", number(&c.DiscordShards, 0, 16384)},
		{"DISCORD_COMMAND_GUILDS", "", "ids of the servers to which the commands are registered, at once, separated by commas. Unset: everywhere, direct messages included", list(&c.DiscordCommandGuilds)},
		{"HTTP_ADDR", "127.0.0.1:8080", "address for the signed requests of platforms, of sources that tell of changes, and of assistants", text(&c.HTTPAddr)},
		{"MCP_URL", "", "address under which assistants reach HTTP_ADDR with personal tokens (footnote tokens), ending in /mcp, such as https://footnote.example.org/mcp. Unset: they cannot", mcpURL(&c.MCPURL)},
		{"CONSOLE_URL", "", "address under which browsers reach the console, such as https://console.example.org; http:// for this machine alone. Unset: there is no console", consoleURL(&c.ConsoleURL)},
		{"CONSOLE_ADDR", "127.0.0.1:8082", "address that the console listens at, if CONSOLE_URL is set", text(&c.ConsoleAddr)},
		{"CONSOLE_OIDC_ISSUER", "", "address of an OpenID Connect provider by which people sign in to the console, once they have connected their account there, such as https://login.example.org. Unset: by links alone", issuer(&c.OIDCIssuer)},
		{"CONSOLE_OIDC_CLIENT_ID", "", "id of the console at the provider", text(&c.OIDCClientID)},
		{"CONSOLE_OIDC_CLIENT_SECRET", "", "its secret", secret(&c.OIDCClientSecret)},
		{"CONSOLE_SLACK_CLIENT_ID", "", "client id of your Slack app, with which members sign in to the console by Slack. Unset: they do not", text(&c.SlackClientID)},
		{"CONSOLE_SLACK_CLIENT_SECRET", "", "its client secret", secret(&c.SlackClientSecret)},
		{"MCP_OAUTH_ISSUER", "", "issuer whose access tokens assistants may bring in place of personal tokens, such as https://login.example.org. See mcp.md", issuer(&c.MCPIssuer)},
		{"MCP_OAUTH_AUDIENCE", "", "audience that such tokens must name. Unset: MCP_URL", name(&c.MCPAudience)},
		{"MCP_OAUTH_CLAIM", "", "claim that names the person, as slack:WORKSPACE:USER or discord:USER", name(&c.MCPClaim)},
		{"ADMIN_ADDR", "127.0.0.1:8081", "address of health checks while serving", text(&c.AdminAddr)},
		{"REDELIVERY_MAX_AGE", "15m", "oldest question that is still answered when no replica was running as it came. Older ones are closed, or asked about", longerThanNothing(&c.RedeliveryMaxAge)},
		{"SECRET_KEYS", "", "keys that encrypt interaction tokens in the database and approve sources, separated by commas: the first encrypts and approves, all of them decrypt and check. Unset: a key derived from DISCORD_BOT_TOKEN, and one in the data folder", secretKeys(&c.SecretKeys)},
		{"SHUTDOWN_GRACE", "30s", "how long running answers may take to finish when the process is asked to end", duration(&c.Grace)},
		{"SESSION_RETENTION", "0", "how long untouched conversations are kept, such as 90d; 2d at least. Older ones are deleted every night with their questions, answers and files. 0: for good", age(&c.SessionRetention, 2)},
		{"AUDIT_RETENTION", "0", "how long entries of the audit trail are kept, such as 400d; 7d at least. 0: for good", age(&c.AuditRetention, 7)},
		{"LOG_LEVEL", "", "debug, info, warn or error. Unset: info while serving, warn elsewhere", oneOf(&c.LogLevel, "", "debug", "info", "warn", "error")},
		{"LOG_FORMAT", "text", "text or json", oneOf(&c.LogFormat, "text", "json")},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "", "address of an OpenTelemetry collector (OTLP over HTTP, such as http://collector:4318) that is sent a trace of every question that footnote serve answers. Unset: nothing is traced", httpURL(&c.TraceEndpoint)},
		{"OTEL_EXPORTER_OTLP_HEADERS", "", "headers that the collector asks for: name=value, separated by commas, values percent-encoded", headers(&c.TraceHeaders)},
	}
	at := slices.IndexFunc(rows, func(s Setting) bool { return s.Env == "MAX_FILE_TOKENS" })
	return slices.Insert(rows, at, c.credentials()...)
}

// longestShown is shorter than any token, because a longer value may be a token in the wrong
// setting. It is in bytes.
const longestShown = 20

// wrong is not for secret settings, because the error may show the value.
func wrong(value, want string) error {
	if value == "" || len(value) > longestShown {
		return errors.New("is not " + want)
	}
	return fmt.Errorf("holds %q, which is not %s", value, want)
}

func text(to *string) func(string) error {
	return func(v string) error { *to = v; return nil }
}

func secret(to *Secret) func(string) error {
	return func(v string) error {
		if strings.ContainsAny(v, " \t\r\n") {
			return errors.New("holds a space or line break; paste the bare value")
		}
		*to = Secret(v)
		return nil
	}
}

// token requires a prefix, so that two kinds of token cannot be confused.
func token(to *Secret, prefix string) func(string) error {
	return func(v string) error {
		*to = Secret(v) // set it even if it is wrong, so that no other fault calls it missing
		if v != "" && !strings.HasPrefix(v, prefix) {
			return fmt.Errorf("does not begin with %s: it is another kind of token", prefix)
		}
		return secret(to)(v)
	}
}

func discordKey(to *string) func(string) error {
	return func(v string) error {
		if raw, err := hex.DecodeString(v); err != nil || v != "" && len(raw) != ed25519.PublicKeySize {
			return errors.New("is not a public key: copy the 64 characters from the Developer Portal (General Information, Public Key)")
		}
		*to = v
		return nil
	}
}

// loopbacks accepts only loopback addresses with ports, separated by commas.
func loopbacks(to *[]string) func(string) error {
	return func(v string) error {
		if err := list(to)(v); err != nil {
			return err
		}
		if slices.ContainsFunc(*to, func(address string) bool { return !localmodel.Loopback(address) }) {
			return errors.New("is not a list of loopback addresses with ports, such as 127.0.0.1:11434")
		}
		return nil
	}
}

func yesNo(to *bool) func(string) error {
	return func(v string) error {
		b, err := strconv.ParseBool(v)
		if err != nil {
			return wrong(v, "true or false")
		}
		*to = b
		return nil
	}
}

func list(to *[]string) func(string) error {
	return func(v string) error {
		*to = nil
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*to = append(*to, part)
			}
		}
		return nil
	}
}

func secretURL(to *Secret, schemes ...string) func(string) error {
	return func(v string) error {
		if v != "" {
			u, err := url.Parse(v)
			if err != nil || !slices.Contains(schemes, u.Scheme) {
				return fmt.Errorf("is not an address that begins with %s://", strings.Join(schemes, ":// or "))
			}
		}
		*to = Secret(v)
		return nil
	}
}

// engineURL does not parse the address, because it may name several hosts. The caller does.
func engineURL(to *Secret) func(string) error {
	return func(v string) error {
		if v != "" && !strings.HasPrefix(v, "opensearch://") {
			return errors.New("is not an address that begins with opensearch://")
		}
		*to = Secret(v)
		return nil
	}
}

func number(to *int, low, high int) func(string) error {
	return func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < low || n > high {
			return wrong(v, fmt.Sprintf("a whole number from %d to %d", low, high))
		}
		*to = n
		return nil
	}
}

func wholeNumber(to *int64) func(string) error {
	return func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 {
			return wrong(v, "a whole number of 0 or more")
		}
		*to = n
		return nil
	}
}

// window accepts 0, which means the known context window of the model.
func window(to *int) func(string) error {
	const high = 100_000_000
	known := number(to, budget.MinWindow, high)
	return func(v string) error {
		if v == "0" {
			*to = 0
			return nil
		}
		if known(v) != nil {
			return wrong(v, fmt.Sprintf("0 or a whole number from %d to %d", budget.MinWindow, high))
		}
		return nil
	}
}

func bytes(to *int64) func(string) error {
	return func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return wrong(v, "a number of bytes, such as 52428800")
		}
		*to = n
		return nil
	}
}

func decimal(to *float64, low, high float64) func(string) error {
	return func(v string) error {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || !(f >= low && f <= high) {
			return wrong(v, fmt.Sprintf("a number from %g to %g", low, high))
		}
		*to = f
		return nil
	}
}

// clipped accepts any number and limits it to the range from low to high.
func clipped(to *float64, low, high float64) func(string) error {
	return func(v string) error {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || f != f {
			return wrong(v, "a number")
		}
		*to = min(max(f, low), high)
		return nil
	}
}

func duration(to *time.Duration) func(string) error {
	return func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return wrong(v, "a length of time, such as 30s or 5m")
		}
		*to = d
		return nil
	}
}

func longerThanNothing(to *time.Duration) func(string) error {
	return func(v string) error {
		if err := duration(to)(v); err != nil || *to == 0 {
			return wrong(v, "a length of time above 0, such as 15m")
		}
		return nil
	}
}

// minSecretKey is in characters. 32 hexadecimal characters are 128 bits, which cannot be guessed.
const minSecretKey = 32

func secretKeys(to *[]Secret) func(string) error {
	return func(v string) error {
		var keys []string
		if err := list(&keys)(v); err != nil {
			return err
		}
		*to = nil
		for i, key := range keys {
			if len(key) < minSecretKey || strings.ContainsAny(key, " \t\r\n") || slices.Contains(keys[:i], key) {
				return fmt.Errorf("key %d is shorter than %d characters, holds a space or stands there twice; make one with: openssl rand -hex 32", i+1, minSecretKey)
			}
			*to = append(*to, Secret(key))
		}
		return nil
	}
}

// age accepts 0, which means forever, or a duration of at least days.
func age(to *time.Duration, days int) func(string) error {
	return func(v string) error {
		if v == "0" {
			*to = 0
			return nil
		}
		d, err := sources.ParseEvery(v)
		if least := time.Duration(days) * 24 * time.Hour; err != nil || d < least {
			return wrong(v, fmt.Sprintf("0 or a length of time of %d days or more, such as 90d or 2160h", days))
		}
		*to = d
		return nil
	}
}

func oneOf(to *string, words ...string) func(string) error {
	return func(v string) error {
		if !slices.Contains(words, v) {
			said := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
			if len(said) == 1 {
				return wrong(v, said[0]+", the only value")
			}
			return wrong(v, "one of "+strings.Join(said, ", "))
		}
		*to = v
		return nil
	}
}

func acl(to *access.ACL) func(string) error {
	return func(v string) error {
		list, err := access.ParseACL(v)
		if err != nil {
			return wrong(v, "a comma-separated list of public, members, group:NAME, channel:PLATFORM:ID and user:PLATFORM:ID")
		}
		*to = list
		return nil
	}
}

// headers parses OpenTelemetry's format: name=value pairs, separated by commas, with
// percent-encoded values.
func headers(to *map[string]Secret) func(string) error {
	return func(v string) error {
		var parts []string
		if err := list(&parts)(v); err != nil {
			return err
		}
		*to = nil
		for _, part := range parts {
			name, value, found := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			value, err := url.PathUnescape(strings.TrimSpace(value))
			if !found || err != nil || name == "" || strings.ContainsAny(name, " \t:") || strings.ContainsAny(value, "\r\n") {
				return errors.New("is not a list of headers such as authorization=Bearer%20abc,tenant=blue")
			}
			if *to == nil {
				*to = make(map[string]Secret)
			}
			(*to)[name] = Secret(value)
		}
		return nil
	}
}

// hostTokens parses tokens by host: "github.com=TOKEN,git.acme.example=TOKEN".
func hostTokens(to *map[string]Secret) func(string) error {
	return func(v string) error {
		var parts []string
		if err := list(&parts)(v); err != nil {
			return err
		}
		*to = make(map[string]Secret)
		for _, part := range parts {
			host, token, found := strings.Cut(part, "=")
			if host = strings.ToLower(strings.TrimSpace(host)); !found || host == "" || strings.ContainsAny(host, "/@ ") || token == "" || strings.ContainsAny(token, " \t\r\n") {
				return errors.New("is not a list of hosts with their tokens such as github.com=TOKEN,git.acme.example=TOKEN")
			}
			(*to)[host] = Secret(token)
		}
		return nil
	}
}

// addresses parses the hosts and address prefixes that the tool open_url may fetch.
func addresses(to *[]string) func(string) error {
	return func(v string) error {
		if err := list(to)(v); err != nil {
			return err
		}
		if _, err := openurl.ParseAllow(*to); err != nil {
			return wrong(v, "a list of hosts, such as docs.example.org or *.example.org, and beginnings of addresses")
		}
		return nil
	}
}
