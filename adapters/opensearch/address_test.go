package opensearch_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/google/go-cmp/cmp"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]opensearch.Address{
		"opensearch://search.example": {Hosts: []string{"search.example:9200"}, Prefix: "footnote", Shards: 1, Replicas: 1},
		"opensearch://me:p%40ss@a:1,b:2/acme?ca=/etc/ca.pem&shards=3&replicas=2": {Hosts: []string{"a:1", "b:2"}, User: "me", Password: "p@ss", Prefix: "acme",
			CAFile: "/etc/ca.pem", Shards: 3, Replicas: 2},
		"opensearch://[::1]:9200/?tls=off&replicas=0":   {Hosts: []string{"[::1]:9200"}, Prefix: "footnote", Plain: true, Shards: 1},
		"opensearch://host?token_file=/run/secrets/tok": {Hosts: []string{"host:9200"}, Prefix: "footnote", TokenFile: "/run/secrets/tok", Shards: 1, Replicas: 1},
	} {
		got, err := opensearch.ParseAddress(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		"https://search.example":                          "begin with opensearch://",
		"opensearch://":                                   "no valid host",
		"opensearch://a b":                                "no valid host",
		"opensearch://host/Acme":                          "small letters",
		"opensearch://host/a?verify=no":                   `unknown option "verify"`,
		"opensearch://host/a?tls=maybe":                   "on or off",
		"opensearch://host/a?tls=off&ca=/x":               "remove one of them",
		"opensearch://me:hunter2@host/a?token_file=/x":    "remove one of them",
		"opensearch://me:hunter2@host/a?shards=none":      "shards must be a number",
		"opensearch://me:hunter2%@host/a":                 "%XX",
		"opensearch://me:12/hunter2@host/a":               "%XX",
		"opensearch://me:12?hunter2@host/a":               "%XX",
		"opensearch://me:a@b?hunter2@host/a":              "%XX",
		"opensearch://me:hunter2@host:port,other/../_all": "no valid host",
	} {
		_, err := opensearch.ParseAddress(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want a sentence with %q", text, err, want)
		}
	}
}
