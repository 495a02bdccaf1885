// Package trygithub holds adapters/github against peers that were written elsewhere: the examples
// of GitHub's webhooks, and a server that speaks its REST interface as an App sees it. `make
// try-github` runs it.
package trygithub

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
)

// Run tests the GitHub adapter against webhook examples and a third-party server. args[0] is the
// folder in which npm has installed them.
func Run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("name the folder in which npm has installed package.json")
	}
	return errors.Join(hooks(args[0], out), emulated(ctx, args[0], out))
}

// hooks reads every webhook example and checks which events the adapter maps to repositories,
// issues or people.
func hooks(folder string, out io.Writer) error {
	const secret = "secret"
	data, err := os.ReadFile(filepath.Join(folder, "node_modules/@octokit/webhooks-examples/api.github.com/index.json"))
	if err != nil {
		return err
	}
	var events []struct {
		Name     string
		Examples []json.RawMessage
	}
	if err := json.Unmarshal(data, &events); err != nil {
		return err
	}
	about := make(map[string]string)
	read := 0
	for _, e := range events {
		for _, body := range e.Examples {
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write(body)
			subjects, err := github.ReadHook(secret, http.Header{"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}, "X-Github-Event": {e.Name}}.Get, body)
			if err != nil {
				return fmt.Errorf("an example of %s: %w", e.Name, err)
			}
			read++
			for _, s := range subjects {
				word, _, _ := strings.Cut(s, " ")
				about[e.Name] = word
			}
		}
	}
	var faults []error
	for _, name := range []string{
		"issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment", "discussion", "discussion_comment", "push", "gollum",
		"repository", "installation", "installation_repositories", "public", "member", "membership", "team", "team_add", "organization",
	} {
		if about[name] == "" {
			faults = append(faults, fmt.Errorf("no example of %s is about anything", name))
		}
		delete(about, name)
	}
	for _, name := range []string{"label", "milestone"} {
		delete(about, name)
	}
	for name := range about {
		faults = append(faults, fmt.Errorf("%s is about something", name))
	}
	fmt.Fprintf(out, "%d examples of webhooks of %d kinds, %d faults\n", read, len(events), len(faults))
	return errors.Join(faults...)
}

const (
	appID        = "12345"
	installation = 100
)

var seeded = []string{"my-org/handbook", "my-org/website"}

// emulated reads repositories and people from the emulator as a GitHub App. Access is not compared,
// because the emulator lists only individually added collaborators and cannot look up a user by
// number.
func emulated(ctx context.Context, folder string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	file := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	address, stop, err := emulator(ctx, folder, file)
	if err != nil {
		return err
	}
	defer stop()
	server := httptest.NewServer(enterprise(address))
	defer server.Close()
	client, err := github.New(github.Config{
		URL: server.URL, AllowHosts: []string{"127.0.0.1"}, Credential: github.Credential{AppID: appID, InstallationID: installation, Key: file},
	})
	if err != nil {
		return err
	}
	c, err := github.NewConnector(client, github.Options{Name: "try", Repositories: seeded, Issues: true, Public: github.PublicReaders})
	if err != nil {
		return err
	}
	nodes := make(map[string]string)
	for b, err := range c.Nodes(ctx, nil) {
		if err != nil {
			return fmt.Errorf("nodes of the emulator: %w", err)
		}
		for _, n := range b.Nodes {
			nodes[n.Name] = n.ID
		}
	}
	people, groups := make(map[string]string), make(map[string]int)
	for b, err := range c.Groups(ctx, nil) {
		if err != nil {
			return fmt.Errorf("groups of the emulator: %w", err)
		}
		for _, p := range b.People {
			people[p.Name] = p.ID
		}
		for _, g := range b.Groups {
			groups[g.Name] = len(g.Members)
		}
	}
	var faults []error
	if got := slices.Sorted(maps.Keys(nodes)); !slices.Equal(got, seeded) {
		faults = append(faults, fmt.Errorf("the emulator's repositories are %v", got))
	}
	if groups["my-org"] != 2 || people["octocat"] == "" || people["hubot"] == "" {
		faults = append(faults, fmt.Errorf("the emulator's people are %v, and its groups %v", people, groups))
	}
	fmt.Fprintf(out, "the emulator: %d repositories, %d people, groups %v, %+v, %d faults\n", len(nodes), len(people), groups, client.Cost(), len(faults))
	return errors.Join(faults...)
}

// emulator starts the server with key as the App's private key, on a free port.
func emulator(ctx context.Context, folder string, key []byte) (address string, stop func(), err error) {
	seed, err := os.ReadFile(filepath.Join(folder, "seed.yaml"))
	if err != nil {
		return "", nil, err
	}
	quoted, err := json.Marshal(string(key))
	if err != nil {
		return "", nil, err
	}
	place := filepath.Join(folder, "seeded.yaml")
	if err := os.WriteFile(place, bytes.Replace(seed, []byte("KEY"), quoted, 1), 0o600); err != nil {
		return "", nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err = errors.Join(err, listener.Close()); err != nil {
		return "", nil, err
	}
	command := exec.CommandContext(ctx, filepath.Join(folder, "node_modules/node/bin/node"), filepath.Join(folder, "node_modules/emulate/dist/index.js"),
		"start", "--service", "github", "--port", port, "--seed", place)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = command.Process.Kill() // it keeps nothing
		_ = command.Wait()
	}
	address = "http://127.0.0.1:" + port
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/users/octocat", nil)
		if err != nil {
			return "", stop, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			return address, stop, answer.Body.Close()
		}
		if ctx.Err() != nil {
			stop()
			return "", stop, fmt.Errorf("the emulator does not start: %w", err)
		}
	}
}

type listed struct {
	ID         int64  `json:"id"`
	NodeID     string `json:"node_id"`
	FullName   string `json:"full_name"`
	Visibility string `json:"visibility"`
}

// enterprise serves the emulator at the paths of GitHub Enterprise Server. The emulator has no
// GraphQL, so enterprise answers the one query for repository names from REST.
func enterprise(address string) http.Handler {
	target, err := url.Parse(address)
	if err != nil {
		panic(err) // it was made here
	}
	forward := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
		p.Out.URL.Path = strings.TrimPrefix(p.In.URL.Path, "/api/v3")
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/graphql" {
			forward.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		var asked struct {
			Query     string
			Variables struct{ IDs []string }
		}
		if err != nil || json.Unmarshal(body, &asked) != nil || !strings.HasPrefix(asked.Query, "query Names") {
			http.NotFound(w, r)
			return
		}
		all, err := repositories(r, address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		// who went away wants nothing
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"nodes": names(all, asked.Variables.IDs)}})
	})
}

func repositories(r *http.Request, address string) (all []listed, err error) {
	for _, name := range seeded {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, address+"/repos/"+name, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", r.Header.Get("Authorization"))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		var one listed
		if err := errors.Join(json.NewDecoder(answer.Body).Decode(&one), answer.Body.Close()); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func names(all []listed, ids []string) []any {
	nodes := make([]any, len(ids))
	for i, id := range ids {
		for _, r := range all {
			if r.NodeID == id {
				nodes[i] = map[string]any{"id": id, "databaseId": r.ID, "nameWithOwner": r.FullName, "visibility": strings.ToUpper(r.Visibility)}
			}
		}
	}
	return nodes
}
