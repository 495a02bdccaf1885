package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/memory"
)

// history is how many commits are fetched: as far back the date of a file is that of the commit that changed it. Older files have the date of
// the oldest of these.
const history = 200

// maxPacks is how many fetches a mirror takes in before it is made anew: nothing packs what they brought together.
const maxPacks = 50

var (
	errTooMuch  = errors.New("the server sends more than the limit")
	errNoBranch = errors.New("there is no such branch")
)

// head asks the server for the commit of the branch.
func (c *Connector) head(ctx context.Context) (branch plumbing.ReferenceName, commit plumbing.Hash, err error) {
	remote := gogit.NewRemote(memory.NewStorage(), &config.RemoteConfig{Name: "origin", URLs: []string{c.remote.String()}})
	refs, err := remote.ListContext(c.through(ctx), &gogit.ListOptions{Auth: c.auth()})
	if err != nil {
		return "", plumbing.ZeroHash, err
	}
	branch = plumbing.NewBranchReferenceName(c.branch)
	if c.branch == "" {
		for _, ref := range refs {
			if ref.Name() == plumbing.HEAD && ref.Type() == plumbing.SymbolicReference {
				branch = ref.Target()
			}
		}
	}
	for _, ref := range refs {
		if ref.Name() == branch && ref.Type() == plumbing.HashReference {
			return branch, ref.Hash(), nil
		}
	}
	return "", plumbing.ZeroHash, errNoBranch
}

// fetch brings the commit of a branch into the mirror, which is made anew where it cannot be gone on with.
func (c *Connector) fetch(ctx context.Context, branch plumbing.ReferenceName, commit plumbing.Hash) (*gogit.Repository, error) {
	folder := filepath.Join(c.folder, "repository")
	packs, err := filepath.Glob(filepath.Join(folder, "objects", "pack", "*.pack"))
	if err != nil {
		return nil, err
	}
	if len(packs) > 0 && len(packs) < maxPacks {
		if repository, err := gogit.PlainOpen(folder); err == nil {
			if err = c.fetchInto(ctx, repository, branch, commit); err == nil || ctx.Err() != nil {
				return repository, err
			}
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	repository, err := gogit.PlainInit(folder, true)
	if err != nil {
		return nil, err
	}
	return repository, c.fetchInto(ctx, repository, branch, commit)
}

func (c *Connector) fetchInto(ctx context.Context, repository *gogit.Repository, branch plumbing.ReferenceName, commit plumbing.Hash) error {
	remote := gogit.NewRemote(repository.Storer, &config.RemoteConfig{Name: "origin", URLs: []string{c.remote.String()}})
	err := remote.FetchContext(c.through(ctx), &gogit.FetchOptions{
		RefSpecs: []config.RefSpec{config.RefSpec("+" + branch + ":" + branch)}, Depth: history, Auth: c.auth(), Tags: gogit.NoTags, Force: true,
	})
	if err != nil && !errors.Is(err, gogit.NoErrAlreadyUpToDate) {
		return err
	}
	got, err := repository.CommitObject(commit)
	if err != nil { // pushed to between the two questions: the next run sees it
		return fmt.Errorf("the branch moved while it was read: %w", err)
	}
	_, err = got.Tree()
	return err
}

func (c *Connector) auth() transport.AuthMethod {
	if c.options.Token == nil {
		return nil
	}
	token := c.options.Token(c.remote.Host)
	if token == "" {
		return nil
	}
	return &githttp.BasicAuth{Username: "x-access-token", Password: token} // the name counts on no server that takes tokens as passwords
}

// explain turns an error into a sentence that says what to do.
func (c *Connector) explain(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed), errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%s is not there, or may not be read: check the address, and the token for %s in GIT_TOKENS, which must be allowed to read its contents (%w)",
			c.remote, c.remote.Host, err)
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fmt.Errorf("%s holds no commit yet (%w)", c.remote, err)
	case errors.Is(err, errNoBranch):
		return fmt.Errorf("%s has no branch %q: write another one behind #, or none for the server's own (%w)", c.remote, c.branch, err)
	case errors.Is(err, errTooMuch):
		return fmt.Errorf("%s is too large: the server sent more than %d MB (%w)", c.remote, c.options.MaxFetch>>20, err)
	case errors.Is(err, outhttp.ErrRefused):
		return fmt.Errorf("%s may not be asked: %w", c.remote, err)
	}
	if unreachable := (*net.OpError)(nil); errors.As(err, &unreachable) {
		return fmt.Errorf("%s cannot be reached: check the address, the network and the proxy (%w)", c.remote, unreachable)
	}
	return fmt.Errorf("%s cannot be read now: %w", c.remote, err)
}

// connectorKey is the context's key for the connector on whose behalf a request is made: the library has one transport for all of a process.
type connectorKey struct{}

var install sync.Once

func (c *Connector) through(ctx context.Context) context.Context {
	install.Do(func() { client.InstallProtocol("https", githttp.NewClient(&http.Client{Transport: perConnector{}})) })
	return context.WithValue(ctx, connectorKey{}, &allowance{Connector: c, left: c.options.MaxFetch})
}

// allowance is a connector's client and what a server may still send to it.
type allowance struct {
	*Connector
	mu   sync.Mutex
	left int64
}

// perConnector sends each request through the client of the connector that it is made for.
type perConnector struct{}

// RoundTrip implements http.RoundTripper.
func (perConnector) RoundTrip(req *http.Request) (*http.Response, error) {
	by, ok := req.Context().Value(connectorKey{}).(*allowance)
	if !ok || req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s://%s: %w", req.URL.Scheme, req.URL.Host, outhttp.ErrRefused)
	}
	if token := req.Header.Get("Authorization"); token != "" && req.URL.Host != by.remote.Host {
		return nil, fmt.Errorf("it redirects to %s, which the token is not for: %w", req.URL.Host, outhttp.ErrRefused)
	}
	response, err := by.client.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	response.Body = &counted{response.Body, by}
	return response, nil
}

// counted is a body that ends with an error once the server has sent too much.
type counted struct {
	io.ReadCloser
	by *allowance
}

// Read implements io.Reader.
func (r *counted) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.by.mu.Lock()
	defer r.by.mu.Unlock()
	if r.by.left -= int64(n); r.by.left < 0 {
		return 0, errTooMuch
	}
	return n, err
}
