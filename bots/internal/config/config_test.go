package config_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
)

func env(pairs ...string) func(string) string {
	values := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	c, err := config.Load(env())
	if err != nil {
		t.Fatal(err)
	}
	if c.HybridAlpha != 0.5 || c.SentenceAlpha != 0.7 || c.TitleRatio != 0.1 || c.MaxChunks != 10 || c.ChunksAbove != 1 || c.TimeDecay != 0.5 || c.FavorRecent != 2 || c.RecencyFloor != 0.9 {
		t.Errorf("defaults differ from the documented ones: %+v", c)
	}
	if c.HasModel() {
		t.Error("a model is configured without a key or an address")
	}
}

func TestAllFaultsAreNamedAtOnceWithoutSecrets(t *testing.T) {
	t.Parallel()
	_, err := config.Load(env(
		"DATABASE_URL", "mysql://root:hunter2@db/x", "REDIS_URL", "hunter2", "OPENAI_BASE_URL", "hunter2", "OPENAI_API_KEY", "hunter2 hunter2",
		"HYBRID_ALPHA", "hunter2-hunter2-hunter2", "MAX_CHUNKS_FED_TO_CHAT", "0", "RECENCY_FLOOR", "2", "SHUTDOWN_GRACE", "hunter2-hunter2-hunter2", "LOG_LEVEL", "hunter2-hunter2-hunter2",
		"CONSOLE_PRINCIPALS", "somebody", "MAX_DOCUMENT_BYTES", "-1", "DOC_TIME_DECAY", "NaN",
	))
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, name := range []string{"DATABASE_URL", "REDIS_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "HYBRID_ALPHA", "MAX_CHUNKS_FED_TO_CHAT",
		"RECENCY_FLOOR", "SHUTDOWN_GRACE", "LOG_LEVEL", "CONSOLE_PRINCIPALS", "MAX_DOCUMENT_BYTES", "DOC_TIME_DECAY"} {
		if !strings.Contains(err.Error(), name+":") {
			t.Errorf("%s is not named in:\n%v", name, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a value is printed:\n%v", err)
	}
}

func TestFaultsShowTheValue(t *testing.T) {
	t.Parallel()
	for setting, tt := range map[string]struct{ value, want string }{
		"COST_CAP_DAILY":     {"ten", `holds "ten", which is not an amount above 0`},
		"SESSION_RETENTION":  {"1d", `holds "1d", which is not 0 or a length of time of 2 days or more`},
		"MAX_DOCUMENT_BYTES": {"50M", `holds "50M", which is not a number of bytes`},
		"LOG_LEVEL":          {"verbose", `holds "verbose", which is not one of debug, info, warn, error`},
		"EMBEDDER":           {"word", `holds "word", which is not words, the only value`},
		"CONSOLE_PRINCIPALS": {"member", `holds "member", which is not a comma-separated list`},
		"OPEN_URL_ALLOW":     {"http://", `holds "http://", which is not a list of hosts`},
		"DISCORD_MEMBERS":    {"maybe", `holds "maybe", which is not true or false`},
	} {
		if _, err := config.Load(env(setting, tt.value)); err == nil || !strings.Contains(err.Error(), setting+": "+tt.want) {
			t.Errorf("%s=%s: %v, want %q", setting, tt.value, err, tt.want)
		}
	}
}

// No fault of a setting that holds secrets shows its value, however short it is.
func TestFaultsHideSecrets(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"DATABASE_URL", "MIGRATE_DATABASE_URL", "SEARCH_DATABASE_URL", "INDEX_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "EMBEDDING_API_KEY", "RERANK_API_KEY", "GIT_TOKENS",
		"OUTPUT_FILTER_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "DISCORD_BOT_TOKEN", "DISCORD_PUBLIC_KEY", "SECRET_KEYS", "OTEL_EXPORTER_OTLP_HEADERS",
	}
	for _, kind := range config.StatedKinds() {
		for _, c := range kind.Credentials {
			if !c.File && !c.Number { // any text is the name of a file, and numbers are no secrets
				secrets = append(secrets, c.Env)
			}
		}
	}
	for _, setting := range secrets {
		if _, err := config.Load(env(setting, "s3 cret")); err == nil || !strings.Contains(err.Error(), setting+": ") || strings.Contains(err.Error(), "s3") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// Every setting that can be wrong is wrong, and every one of them is named. The others take any
// text.
func TestEverySettingIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	const value = "hunter2 \t hunter2 hunter2"
	var all, wrong, free []string
	for _, s := range config.Settings() {
		all = append(all, s.Env, value)
		if _, err := config.Load(env(s.Env, value)); err != nil && strings.Contains(err.Error(), s.Env+": ") {
			wrong = append(wrong, s.Env)
		} else {
			free = append(free, s.Env)
		}
	}
	_, err := config.Load(env(all...))
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, name := range wrong {
		if !strings.Contains(err.Error(), name+": ") {
			t.Errorf("%s is not named in:\n%v", name, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a value is printed:\n%v", err)
	}
	for _, name := range free {
		if !slices.Contains([]string{
			"FOOTNOTE_DATA", "OLLAMA_HOST", "LLM_MODEL", "FALLBACK_LLM_MODEL", "FAST_LLM_MODEL", "EMBEDDING_MODEL", "FOOTNOTE_CONFIG", "CA_FILE", "ALLOW_PRIVATE_HOSTS", "OPEN_URL_PRIVATE_HOSTS",
			"DISCORD_GUILDS", "DISCORD_COMMAND_GUILDS", "SLACK_STOP_REACTIONS", "DISCORD_STOP_REACTIONS", "HTTP_ADDR", "ADMIN_ADDR", "CONSOLE_ADDR", "GITHUB_APP_KEY_FILE", "GOOGLE_KEY_FILE",
		}, name) {
			t.Errorf("%s takes %q, and nobody has said that it takes any text", name, value)
		}
	}
}

func TestReadings(t *testing.T) {
	t.Parallel()
	c, err := config.Load(env("HYBRID_ALPHA", "7", "TITLE_CONTENT_RATIO", "-1", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1/", "MAX_CHUNKS_FED_TO_CHAT", ""))
	if err != nil {
		t.Fatal(err)
	}
	if c.HybridAlpha != 1 || c.SentenceAlpha != 1 || c.TitleRatio != 0 {
		t.Errorf("alpha %g and ratio %g, want both clipped", c.HybridAlpha, c.TitleRatio)
	}
	if c.OpenAIBaseURL != "http://127.0.0.1:1/v1" || !c.HasModel() {
		t.Errorf("base URL %q", c.OpenAIBaseURL)
	}
	if c.MaxChunks != 10 {
		t.Errorf("an empty variable gave %d, want the default", c.MaxChunks)
	}
}

func TestEmbeddingModelNeedsAnEndpoint(t *testing.T) {
	t.Parallel()
	if _, err := config.Load(env("EMBEDDING_MODEL", "m", "FAST_LLM_MODEL", "f")); err == nil ||
		!strings.Contains(err.Error(), "EMBEDDING_MODEL") || !strings.Contains(err.Error(), "FAST_LLM_MODEL") {
		t.Errorf("error = %v, want both settings named", err)
	}
	for _, name := range []string{"EMBEDDING_BASE_URL", "OPENAI_BASE_URL", "EMBEDDING_API_KEY", "OPENAI_API_KEY"} {
		if _, err := config.Load(env("EMBEDDING_MODEL", "m")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error = %v, which does not name %s", err, name)
		}
		if _, err := config.Load(env("EMBEDDING_MODEL", "m", name, "http://127.0.0.1:1/v1")); err != nil {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// What an endpoint is asked with has no effect without the endpoint, so it is a fault.
func TestSettingsWithoutTheirEndpointAreRefused(t *testing.T) {
	t.Parallel()
	for name, needs := range map[string]string{
		"EMBEDDING_BASE_URL": "EMBEDDING_MODEL", "EMBEDDING_API_KEY": "EMBEDDING_MODEL", "RERANK_MODEL": "RERANK_URL", "RERANK_API_KEY": "RERANK_URL",
	} {
		// Another endpoint does not make up for it.
		if _, err := config.Load(env(name, "http://127.0.0.1:1/v1", "OPENAI_API_KEY", "k")); err == nil || !strings.Contains(err.Error(), name+": needs "+needs) {
			t.Errorf("error = %v, want %s to need %s", err, name, needs)
		}
	}
}

// Keys of tokens come from an issuer, and tokens name it letter by letter.
func TestIssuersAreExactAndHaveTLS(t *testing.T) {
	t.Parallel()
	load := func(issuer string) (*config.Config, error) {
		return config.Load(env(
			"CONSOLE_URL", "https://console.example", "CONSOLE_OIDC_ISSUER", issuer, "CONSOLE_OIDC_CLIENT_ID", "id", "CONSOLE_OIDC_CLIENT_SECRET", "hush",
			"MCP_URL", "https://footnote.example/mcp", "MCP_OAUTH_ISSUER", issuer, "MCP_OAUTH_CLAIM", "account",
		))
	}
	for _, good := range []string{"https://id.example/", "https://id.example/realms/a", "http://127.0.0.1:8080"} {
		if c, err := load(good); err != nil || c.OIDCIssuer != good || c.MCPIssuer != good {
			t.Errorf("%s: %+v", good, err)
		}
	}
	for _, bad := range []string{"http://id.example", "https://ada:hush@id.example", "https://id.example?a=b"} {
		if _, err := load(bad); err == nil || strings.Count(err.Error(), "https://") < 2 {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	s := struct{ Key config.Secret }{"hunter2"}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q", s, s, s.Key, s.Key), string(data)} {
		if strings.Contains(out, "hunter2") {
			t.Errorf("the secret shows in %q", out)
		}
	}
	if s.Key.Reveal() != "hunter2" {
		t.Error("Reveal does not give the value")
	}
}

func TestWrongTokenIsNotCalledMissing(t *testing.T) {
	t.Parallel()
	_, err := config.Load(env("SLACK_BOT_TOKEN", "xoxp-1", "SLACK_APP_TOKEN", "xapp-1"))
	if err == nil || !strings.Contains(err.Error(), "does not begin with xoxb-") || strings.Contains(err.Error(), "is not set") {
		t.Errorf("error = %v", err)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"0": "", "1000": "", "200000": "", "5": `holds "5", which is not 0 or a whole number from 1000`, "large": `holds "large", which is not 0`} {
		c, err := config.Load(env("LLM_WINDOW", value))
		switch {
		case want == "" && (err != nil || fmt.Sprint(c.ModelWindow) != value):
			t.Errorf("%s: %+v, %v", value, c, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "LLM_WINDOW: "+want)):
			t.Errorf("%s: error = %v, want %q", value, err, want)
		}
	}
}

func TestSettingsThatDoNothingAreWarnedOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"INDEX_SHARDS", "", 0},
		{"INDEX_SHARDS", "1", 0},
		{"INDEX_SHARDS", "8", 1},
		{"SEARCH_DATABASE_URL", "postgres://replica/footnote", 1},
	} {
		settings, err := config.Load(env(c.name, c.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := settings.Warnings(); len(got) != c.want || c.want > 0 && !strings.HasPrefix(got[0], c.name+" is ignored") {
			t.Errorf("%s=%s: warnings %q, want %d", c.name, c.value, got, c.want)
		}
	}
}
