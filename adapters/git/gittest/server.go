// Package gittest is a Git server for tests. It serves a repository with Git's own "git
// http-backend" over https. Git must be installed.
package gittest

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/cgi" //nolint:gosec // a fixed program, on this machine alone
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Server is a Git server with one repository.
type Server struct {
	URL    string // address of the repository
	Host   string
	CAFile string // file of the server's certificate authority
	Token  string // the required password, unless empty
	// Fail, if set, may answer a request instead of Git. It reports whether it answered.
	Fail func(http.ResponseWriter, *http.Request) bool

	requests atomic.Int64
	t        testing.TB
	work     string // the working copy
	bare     string // the served repository
	clock    time.Time
	author   [2]string // name and email address
}

// New starts a server with an empty repository.
func New(t testing.TB) *Server {
	t.Helper()
	root := t.TempDir()
	s := &Server{t: t, work: filepath.Join(root, "work"), clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), author: [2]string{"Ada", "ada@acme.example"}}
	bare := filepath.Join(root, "served", "acme", "handbook.git")
	s.bare = bare
	s.run(root, "init", "--quiet", "--bare", "--initial-branch=trunk", bare)
	s.run(root, "-C", bare, "config", "uploadpack.allowAnySHA1InWant", "false")
	s.run(root, "clone", "--quiet", bare, s.work)
	backend := strings.TrimSpace(s.run(root, "--exec-path")) + "/git-http-backend"
	handler := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Join(root, "served"), "GIT_HTTP_EXPORT_ALL=1"}}
	web := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.Fail != nil && s.Fail(w, r) {
			return
		}
		if _, password, _ := r.BasicAuth(); s.Token != "" && password != s.Token {
			w.Header().Set("WWW-Authenticate", `Basic realm="Git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s.Host = strings.TrimPrefix(web.URL, "https://")
	s.URL = web.URL + "/acme/handbook.git"
	s.CAFile = filepath.Join(root, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := os.WriteFile(s.CAFile, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Requests returns the number of requests so far.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Silent is a [Server.Fail] with which the server accepts a request for the service, sends the
// beginning of an answer, and then nothing, until the client leaves. If begins is empty, it does
// not even send a header. "Smart servers MUST respond with the smart server reply format", which
// begins with the Content-Type (https://git-scm.com/docs/http-protocol).
func Silent(service, answer, begins string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, service) {
			return false
		}
		// a server notices that a client left once it has read the request
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return true
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-"+answer)
		if begins != "" {
			_, _ = io.WriteString(w, begins) // a client that left is no fault
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		return true
	}
}

// At sets the time of the next commits.
func (s *Server) At(at time.Time) { s.clock = at }

// By sets the author of the next commits.
func (s *Server) By(name, mail string) { s.author = [2]string{name, mail} }

// Git runs git in the working copy and returns its output. The clock advances by one hour with each
// call.
func (s *Server) Git(args ...string) string {
	s.t.Helper()
	s.clock = s.clock.Add(time.Hour)
	return s.run(s.work, args...)
}

// Commit writes, commits and pushes files. A file or folder with nil contents is deleted. Commit
// returns the time of the commit.
func (s *Server) Commit(message string, files map[string][]byte) time.Time {
	s.t.Helper()
	for name, data := range files {
		if data == nil {
			if err := os.RemoveAll(filepath.Join(s.work, filepath.FromSlash(name))); err != nil && !errors.Is(err, syscall.ENOTDIR) {
				s.t.Fatal(err)
			}
		}
	}
	for name, data := range files {
		if data == nil {
			continue
		}
		place := filepath.Join(s.work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			s.t.Fatal(err)
		}
		// an empty folder, which Git does not track
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			if err := os.RemoveAll(place); err != nil {
				s.t.Fatal(err)
			}
		}
		if err := os.WriteFile(place, data, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	s.Git("add", "--all")
	s.Git("commit", "--quiet", "--allow-empty", "--message", message)
	at := s.clock
	s.Git("push", "--quiet", "--force", "origin", "HEAD")
	return at
}

func (s *Server) run(dir string, args ...string) string {
	s.t.Helper()
	command := exec.CommandContext(context.WithoutCancel(s.t.Context()), "git", append([]string{"-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"}, args...)...)
	command.Dir = dir
	at := s.clock.Format(time.RFC3339)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME="+s.author[0], "GIT_AUTHOR_EMAIL="+s.author[1],
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@acme.example", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}
