// Package trydrive holds adapters/gdrive against two servers that were written elsewhere: one
// speaks Google Drive's files, changes and exports, the other its files, lists by pages and who is
// signed in. They know no shared drives, grants or directory: those stand before them, as little of
// them as there can be. `make try-drive` runs it.
package trydrive

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

const (
	driveID = "0Apeer"
	token   = "valid-token"
	folder  = "application/vnd.google-apps.folder"
)

// peer is a third-party Drive server and the proxy in front of it, which adds what the server
// lacks.
type peer struct {
	address string
	front   *httptest.Server
	logless bool // it keeps no log of changes
}

// Run tests the Google Drive adapter against third-party servers. args[0] is the folder in which
// npm has installed them.
func Run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("name the folder in which npm has installed package.json")
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	return errors.Join(changing(ctx, args[0], out), paged(ctx, args[0], out))
}

func (p *peer) connector() (*gdrive.Connector, error) {
	key, err := serviceKey(p.front.URL)
	if err != nil {
		return nil, err
	}
	client, err := gdrive.New(gdrive.Config{Key: key, URL: p.front.URL, AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		return nil, err
	}
	return gdrive.NewConnector(client, gdrive.Options{Name: "peer", SweepEvery: p.sweep(), Wanted: files.MayHold, Read: func(path string) (index.Connector, error) {
		return files.New(files.Options{Path: path})
	}})
}

// sweep returns how often the adapter lists all files: every time if the server has no change log,
// otherwise the default.
func (p *peer) sweep() time.Duration {
	if p.logless {
		return time.Nanosecond
	}
	return 0
}

const mostListed, pagedFiles = 100, 250

func paged(ctx context.Context, dir string, out io.Writer) (err error) {
	p, end, err := begin(ctx, dir, func(port string) *exec.Cmd {
		return exec.CommandContext(ctx, filepath.Join("node_modules", "node", "bin", "node"), filepath.Join("node_modules", "emulate", "dist", "index.js"),
			"start", "--service", "google", "--port", port, "--seed", "seed.yaml")
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	p.logless = true
	c, err := p.connector()
	if err != nil {
		return err
	}
	in, err := p.make(ctx, "minutes", folder, driveID, "")
	if err != nil {
		return err
	}
	var last string
	for n := range pagedFiles {
		if last, err = p.make(ctx, fmt.Sprintf("%d.txt", n), "text/plain", in, fmt.Sprintf("The minutes of meeting %d.", n)); err != nil {
			return err
		}
	}
	first, at, err := read(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("the first look at pages: %w", err)
	}
	if want := fmt.Sprintf("The minutes of meeting %d.", pagedFiles-1); len(first.texts) != pagedFiles || !strings.Contains(first.texts[last], want) {
		return fmt.Errorf("of %d files %d were read, the last as %q", pagedFiles, len(first.texts), first.texts[last])
	}
	if err := p.ask(ctx, http.MethodPatch, "/drive/v3/files/"+last, map[string]any{"name": "the last meeting.txt"}, nil); err != nil {
		return err
	}
	again, _, err := read(ctx, c, at)
	if err != nil {
		return fmt.Errorf("the second look at pages: %w", err)
	}
	if again.titles[last] != "the last meeting.txt" || len(again.gone) > 0 {
		return fmt.Errorf("the renamed file is %q, gone are %v", again.titles[last], again.gone)
	}
	fmt.Fprintf(out, "another one: %d files by pages of %d, 1 renamed: read as they are\n", pagedFiles, mostListed)
	return nil
}

func changing(ctx context.Context, dir string, out io.Writer) (err error) {
	p, end, err := begin(ctx, dir, func(port string) *exec.Cmd {
		return exec.CommandContext(ctx, "node", "-e", "require('google-drive-mock').startServer("+port+", '127.0.0.1')")
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	c, err := p.connector()
	if err != nil {
		return err
	}
	plans, err := p.make(ctx, "plans", folder, driveID, "")
	if err != nil {
		return err
	}
	var ids []string
	for name, in := range map[string]string{"top.txt": driveID, "plan.md": plans} {
		id, err := p.make(ctx, name, "text/plain", in, "# Goal\n\nThe words of "+name+".\n")
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	first, at, err := read(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("the first look: %w", err)
	}
	if len(first.texts) != 2 || !strings.Contains(first.texts[ids[0]]+first.texts[ids[1]], "The words of plan.md.") {
		return fmt.Errorf("at first there are %v", first.texts)
	}
	quiet, at, err := read(ctx, c, at)
	if err != nil {
		return fmt.Errorf("a look without changes: %w", err)
	}
	if len(quiet.texts)+len(quiet.gone) > 0 {
		return fmt.Errorf("without changes there are %v, gone are %v", quiet.texts, quiet.gone)
	}
	if err := p.ask(ctx, http.MethodPatch, "/drive/v3/files/"+ids[0], map[string]any{"name": "another name.txt"}, nil); err != nil {
		return err
	}
	if err := p.ask(ctx, http.MethodPatch, "/drive/v3/files/"+ids[0], map[string]any{"name": "the last name.txt"}, nil); err != nil {
		return err
	}
	if err := p.ask(ctx, http.MethodDelete, "/drive/v3/files/"+ids[1], struct{}{}, nil); err != nil {
		return err
	}
	changed, _, err := read(ctx, c, at)
	if err != nil {
		return fmt.Errorf("a look at changes: %w", err)
	}
	if changed.titles[ids[0]] != "the last name.txt" || len(changed.texts) != 1 || !slices.Equal(changed.gone, []string{ids[1]}) {
		return fmt.Errorf("changed are %v, gone are %v", changed.titles, changed.gone)
	}
	fmt.Fprintf(out, "a third-party server of Drive: 2 files, 1 renamed twice, 1 deleted, all read correctly\n")
	return nil
}

type found struct {
	texts, titles map[string]string // by file
	gone          []string
}

func read(ctx context.Context, c *gdrive.Connector, since index.Checkpoint) (f found, at index.Checkpoint, err error) {
	f, at = found{texts: make(map[string]string), titles: make(map[string]string)}, since
	bare := func(id document.ID) string { return strings.TrimPrefix(string(id), "gdrive-peer:") }
	for batch, err := range c.Sync(ctx, since) {
		if err != nil {
			return f, at, err
		}
		for _, item := range batch.Documents {
			d, err := item.Load(ctx)
			if err != nil {
				return f, at, err
			}
			f.texts[bare(item.ID)], f.titles[bare(item.ID)] = d.Text(), d.Title
		}
		for _, id := range batch.Deleted {
			f.gone = append(f.gone, bare(id))
		}
		at = batch.Next
	}
	return f, at, nil
}

// begin starts command on a free port and a proxy in front of it. The returned function stops both.
func begin(ctx context.Context, dir string, command func(port string) *exec.Cmd) (*peer, func() error, error) {
	var config net.ListenConfig
	free, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, nil, err
	}
	_, port, _ := strings.Cut(address, ":")
	server := command(port)
	server.Dir, server.Stderr = filepath.Clean(dir), os.Stderr
	if err := server.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the server: %w", err)
	}
	p := &peer{address: "http://" + address}
	p.front = httptest.NewServer(http.HandlerFunc(p.serve))
	end := func() error {
		p.front.Close()
		err := server.Process.Kill()
		_ = server.Wait() // it was killed
		return err
	}
	for ctx.Err() == nil {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return p, end, connection.Close()
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil, nil, errors.Join(errors.New("the server does not start"), end())
}

// serve proxies the server. It answers for tokens and shared drives itself, and adds driveId to
// every file, because the servers have none of these.
func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/token":
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
		return
	case r.URL.Path == "/drive/v3/drives":
		_ = json.NewEncoder(w).Encode(map[string]any{"drives": []any{map[string]any{"id": driveID, "name": "Peer"}}})
		return
	}
	if p.logless && strings.HasPrefix(r.URL.Path, "/drive/v3/changes") {
		_ = json.NewEncoder(w).Encode(map[string]any{"startPageToken": "1", "newStartPageToken": "1", "changes": []any{}})
		return
	}
	asked := r.URL.Query()
	asked.Del("fields") // what it leaves out is added below
	if asked.Has("pageSize") {
		asked.Set("pageSize", fmt.Sprint(mostListed))
	}
	status, body, err := p.send(r.Context(), r.Method, r.URL.Path+"?"+asked.Encode(), nil, "")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(status)
	var answer map[string]any
	if asked.Get("alt") != "media" && json.Unmarshal(body, &answer) == nil {
		for _, list := range []string{"files", "changes"} {
			entries, _ := answer[list].([]any)
			for _, e := range entries {
				file, _ := e.(map[string]any)
				if list == "changes" {
					file, _ = file["file"].(map[string]any)
				}
				if file != nil {
					file["driveId"] = driveID
					if size, ok := file["size"].(float64); ok {
						file["size"] = fmt.Sprint(int64(size))
					}
				}
			}
		}
		body, _ = json.Marshal(answer) // it was JSON
	}
	_, _ = w.Write(body)
}

func (p *peer) send(ctx context.Context, method, path string, body []byte, kind string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.address+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, errors.Join(err, answer.Body.Close())
}

// ask bypasses the proxy. Any status from 300 is an error.
func (p *peer) ask(ctx context.Context, method, path string, what, to any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	status, text, err := p.send(ctx, method, path, body, "application/json")
	if err != nil {
		return err
	}
	if status >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %d %s", method, path, status, text)
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(text, to)
}

// make uploads a file as multipart/related, as Drive clients do. A folder has no text.
func (p *peer) make(ctx context.Context, name, kind, parent, text string) (string, error) {
	about, err := json.Marshal(map[string]any{"name": name, "mimeType": kind, "parents": []string{parent}})
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	if kind == folder {
		err := p.ask(ctx, http.MethodPost, "/drive/v3/files", json.RawMessage(about), &made)
		return made.ID, err
	}
	const border = "border"
	body := "--" + border + "\r\nContent-Type: application/json\r\n\r\n" + string(about) + "\r\n--" + border + "\r\nContent-Type: " + kind + "\r\n\r\n" + text + "\r\n--" + border + "--\r\n"
	status, answer, err := p.send(ctx, http.MethodPost, "/upload/drive/v3/files?uploadType=multipart", []byte(body), "multipart/related; boundary="+border)
	if err != nil {
		return "", err
	}
	if status >= http.StatusMultipleChoices {
		return "", fmt.Errorf("add %s: %d %s", name, status, answer)
	}
	err = json.Unmarshal(answer, &made)
	return made.ID, err
}

func serviceKey(server string) ([]byte, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]string{
		"type": "service_account", "client_email": "reader@project.iam.gserviceaccount.com", "token_uri": server + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
}
