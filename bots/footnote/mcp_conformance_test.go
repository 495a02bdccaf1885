//go:build conformance

package main_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The protocol's own tests pass against the program. They send no token, so a proxy adds one.
//
// TRY_MCP is the folder into which "make try-mcp" installed them.
func TestConformance(t *testing.T) {
	folder := os.Getenv("TRY_MCP")
	a := newAssistants(t)
	alice := a.slack.Person("alice", nil)
	library(t, a.program, map[string]string{"wordpublic": "public"})
	a.serve(0)
	secret, _ := a.token(alice)
	target, err := url.Parse(a.urls[0])
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Host, r.Out.URL.Scheme = target.Host, target.Scheme
		if at, _ := r.In.Context().Value(http.LocalAddrContextKey).(net.Addr); at.String() == r.In.Host {
			r.Out.Host = target.Host // other hosts are forged by a scenario, and reach the program
			if r.In.Header.Get("Origin") != "" {
				r.Out.Header.Set("Origin", "http://"+target.Host)
			}
		}
		r.Out.Header.Set("Authorization", "Bearer "+secret)
	}})
	t.Cleanup(proxy.Close)
	for _, c := range []struct {
		scenario string
		missing  map[string]string // checks that cannot pass, with the reason
	}{
		{scenario: "server-initialize"},
		{scenario: "ping"},
		{scenario: "tools-list"},
		{scenario: "http-header-validation"},
		{scenario: "caching", missing: map[string]string{
			"sep-2549-prompts-list-caching-hints":             "no prompts are offered",
			"sep-2549-resources-list-caching-hints":           "no resources are offered",
			"sep-2549-resources-templates-list-caching-hints": "no resources are offered",
		}},
		{scenario: "dns-rebinding-protection"},
		{scenario: "input-required-result-unsupported-methods"},
		{scenario: "server-stateless", missing: map[string]string{
			"sep-2575-server-rejects-undeclared-capability":          "it calls a tool of a test server",
			"sep-2575-missing-capability-http-400":                   "it calls a tool of a test server",
			"sep-2575-http-server-no-independent-requests-on-stream": "it calls a tool of a test server",
			"sep-2575-server-no-log-without-loglevel":                "it calls a tool of a test server",
		}},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			out := t.TempDir()
			run := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules/.bin/node"), filepath.Join(folder, "node_modules/.bin/conformance"),
				"server", "--url", proxy.URL+"/mcp", "--scenario", c.scenario, "-o", out)
			said, failed := run.CombinedOutput()
			files, err := filepath.Glob(filepath.Join(out, "*", "checks.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, %v, %v: %s", err, failed, files, said)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var checks []struct{ ID, Status, ErrorMessage string }
			if err := json.Unmarshal(data, &checks); err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, check := range checks {
				switch _, known := c.missing[check.ID]; {
				case check.Status == "SUCCESS":
					passed++
					if known {
						t.Errorf("%s passes now: take it off the list", check.ID)
					}
				case check.Status == "FAILURE" && !known:
					t.Errorf("%s: %s", check.ID, check.ErrorMessage)
				}
			}
			if passed == 0 {
				t.Errorf("no check passed: %s", said)
			}
			t.Logf("%d checks passed", passed)
		})
	}
}
