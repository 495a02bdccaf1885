package main_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// secure puts TLS before a server, with a certificate of an authority that nobody knows, and has it
// name its sockets accordingly.
func secure(t *testing.T, address string) *httptest.Server {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var front *httptest.Server
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasSuffix(r.Request.URL.Path, "apps.connections.open") {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = bytes.ReplaceAll(body, []byte("ws://"+target.Host), []byte("wss://"+strings.TrimPrefix(front.URL, "https://")))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return nil
		},
	}
	front = httptest.NewTLSServer(proxy)
	t.Cleanup(front.Close)
	return front
}

// An authority of the organisation's own is trusted by requests and by sockets alike.
func TestOwnAuthorityIsTrusted(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	model := openaitest.New(t, openaitest.Reply{Text: "It is trusted."})
	slackFront, modelFront := secure(t, slack.URL()), secure(t, model.URL())
	file := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: slackFront.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	p := newProgram(t, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken, "SLACK_API_URL="+slackFront.URL+"/api/",
		"OPENAI_BASE_URL="+modelFront.URL+"/v1")
	if r := p.try(t, "", "doctor"); r.code == 0 || !strings.Contains(r.stdout+r.stderr, "certificate") {
		t.Errorf("without CA_FILE: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	s := serve(t, p.with("CA_FILE="+file))
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	root := alice.Say(room, "", slacktest.Mention()+" is it?")
	if err := slack.Wait(ctx, "the answer", func() bool {
		answers := slack.Answers(room, root)
		return len(answers) > 0 && strings.Contains(answers[0].Shown(), "It is trusted.")
	}); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
}
