package index

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestSecretRules(t *testing.T) {
	t.Parallel()
	rules := secretRules()
	if len(rules) < 150 {
		t.Errorf("%d rules", len(rules))
	}
	for _, r := range rules {
		if r.whole().NumSubexp() < r.group {
			t.Errorf("rule %q has no group %d", r.name, r.group)
		}
		for _, keyword := range r.keywords {
			if len(keyword) < 2 || keyword != strings.ToLower(keyword) {
				t.Errorf("rule %q: keyword %q is never found", r.name, keyword)
			}
		}
	}
}

func TestCredentialsAreFoundByRules(t *testing.T) {
	t.Parallel()
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for name, text := range map[string]string{
		"JWT":                        "Use " + encode(`{"alg":"HS256","typ":"JWT"}`) + "." + encode(`{"sub":"build","iat":1790000000,"role":"`+drawn(t, letters, 8)+`"}`) + "." + drawn(t, letters, 43) + " as the bearer.",
		"Google":                     "maps key: AIza" + drawn(t, letters, 35) + "\n",
		"Amazon without a word":      "The pair is AKIA" + drawn(t, base32, 16) + " / " + drawn(t, letters+"+/", 40) + ".",
		"Amazon in a table":          "AKIA" + drawn(t, base32, 16) + "\t" + drawn(t, letters+"+/", 40),
		"PostgreSQL":                 "DATABASE_URL=postgres://app:k7Vq-" + drawn(t, letters, 8) + "@db1.internal.net:5432/prod",
		"MongoDB":                    "mongodb+srv://svc:Zx9" + drawn(t, letters, 10) + "@cluster0.mongodb.net/app",
		"Redis without a user":       "redis://:q8" + drawn(t, letters, 10) + "@cache:6379/0",
		"Hugging Face":               "export HF=hf_" + drawn(t, "abcdefghijklmnopqrstuvwxyz", 34) + "\nrun8" + drawn(t, letters, 14),
		"DigitalOcean":               "dop_v1_" + drawn(t, "0123456789abcdef", 64),
		"Grafana":                    "glsa_" + drawn(t, letters, 32) + "_" + drawn(t, "0123456789abcdef", 8),
		"incoming webhooks of Slack": "https://hooks.slack.com/services/T" + drawn(t, base32, 8) + "/B" + drawn(t, base32, 10) + "/" + drawn(t, letters, 24),
	} {
		if secretIn(text) == "" {
			t.Errorf("%s was not found: %q", name, text)
		}
	}
}

func TestExamplesOfCredentialsAreKept(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"addresses of a manual": "postgresql://user:secret@localhost and postgres://user:password@host:5432/db, mysql://root:$PASSWORD@db/x, redis://:<password>@cache, postgres://app:{{ .pw }}@db, https://user:s3cr3t@example.com",
		"the user's own name":   "postgres://postgres:postgres@localhost/test and amqp://guest:guest@localhost",
		"a port":                "http://localhost:8080/a@b and https://host:443/x@2",
		"a JWT of a manual":     "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		"an id and a commit":    "AKIA" + drawn(t, base32, 16) + " was last seen at 3f786850e387550fdab836ed7e6dc881de23001b",
		"a long name":           "kubernetes_service_account_token_projection_v1beta1 and org.example.HttpServletRequest2Wrapper",
	} {
		if kind := secretIn(text); kind != "" {
			t.Errorf("%s: %q is taken for %s", name, text, kind)
		}
	}
}
