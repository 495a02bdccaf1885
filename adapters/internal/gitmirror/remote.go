package gitmirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
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

// history is the number of commits to fetch. A file that none of these commits changed gets the
// date of the oldest commit.
const history = 200

// maxPacks is the number of packs after which the mirror is cloned again, because packs are never
// merged.
const maxPacks = 50

var (
	errTooMuch  = errors.New("the server sends more than the limit")
	errRefs     = errors.New("the server's answer before the pack is larger than the limit")
	errNoBranch = errors.New("there is no such branch")
)

// Head returns the branch and its current commit, without fetching anything. Errors are sentences
// that tell the operator what to do.
func (m *Mirror) Head(ctx context.Context) (branch, commit string, err error) {
	asking, err := m.through(ctx)
	if err != nil {
		return "", "", m.explain(ctx, err)
	}
	name, hash, err := m.head(asking)
	if err != nil {
		return "", "", m.explain(ctx, err)
	}
	return name.Short(), hash.String(), nil
}

func (m *Mirror) head(ctx context.Context) (branch plumbing.ReferenceName, commit plumbing.Hash, err error) {
	remote := gogit.NewRemote(memory.NewStorage(), &config.RemoteConfig{Name: "origin", URLs: []string{m.Remote.String()}})
	refs, err := remote.ListContext(ctx, &gogit.ListOptions{Auth: auth(ctx)})
	if err != nil {
		return "", plumbing.ZeroHash, withCause(ctx, err)
	}
	branch = plumbing.NewBranchReferenceName(m.Branch)
	if m.Branch == "" {
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

func (m *Mirror) fetch(ctx context.Context, branch plumbing.ReferenceName, commit plumbing.Hash) (*gogit.Repository, error) {
	folder := filepath.Join(m.Folder, "repository")
	packs, err := filepath.Glob(filepath.Join(folder, "objects", "pack", "*.pack"))
	if err != nil {
		return nil, err
	}
	if len(packs) > 0 && len(packs) < maxPacks {
		if repository, err := gogit.PlainOpen(folder); err == nil {
			repository, err = m.fetchInto(ctx, repository, folder, branch, commit)
			if err == nil || ctx.Err() != nil || TooLarge(err) || errors.Is(err, outhttp.ErrSilent) {
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
	return m.fetchInto(ctx, repository, folder, branch, commit)
}

func (m *Mirror) fetchInto(ctx context.Context, in *gogit.Repository, folder string, branch plumbing.ReferenceName, commit plumbing.Hash) (*gogit.Repository, error) {
	repository, err := m.open(ctx, in, folder, func() { expectPack(ctx) })
	if err != nil {
		return nil, err
	}
	remote := gogit.NewRemote(repository.Storer, &config.RemoteConfig{Name: "origin", URLs: []string{m.Remote.String()}})
	depth := history
	if m.Withhold != nil {
		depth = commitHistory
	}
	err = remote.FetchContext(ctx, &gogit.FetchOptions{
		RefSpecs: []config.RefSpec{config.RefSpec("+" + branch + ":" + branch)}, Depth: depth, Auth: auth(ctx), Tags: gogit.NoTags, Force: true,
	})
	if err == nil || errors.Is(err, gogit.NoErrAlreadyUpToDate) {
		err = check(repository, commit)
	}
	if err != nil {
		return nil, errors.Join(withCause(ctx, err), closeStorage(repository))
	}
	return repository, nil
}

func closeStorage(of *gogit.Repository) error {
	if c, ok := of.Storer.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func check(repository *gogit.Repository, commit plumbing.Hash) error {
	got, err := repository.CommitObject(commit)
	if err != nil { // the branch moved after head read it: the next run fetches the new commit
		return fmt.Errorf("the branch moved while it was read, or its commit has more than %d kB: %w", maxCommit>>10, err)
	}
	if err := repository.Storer.HasEncodedObject(got.TreeHash); err != nil {
		return fmt.Errorf("%w: %w", errObject, err)
	}
	return nil
}

// TooLarge reports whether an error means that a repository is too large to be read. Trying again
// is then useless.
func TooLarge(err error) bool {
	for _, e := range []error{errTooMuch, errRefs, errPack, errEntries, errObject} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func auth(ctx context.Context) transport.AuthMethod {
	by, ok := ctx.Value(mirrorKey{}).(*allowance)
	if !ok || by.token == "" {
		return nil
	}
	// servers that accept tokens as passwords ignore the user name
	return &githttp.BasicAuth{Username: "x-access-token", Password: by.token}
}

// Absent reports whether an error of [Mirror.Update] means that the repository is missing, empty,
// or not readable with the token.
func Absent(err error) bool {
	for _, e := range []error{transport.ErrAuthenticationRequired, transport.ErrAuthorizationFailed, transport.ErrRepositoryNotFound, transport.ErrEmptyRemoteRepository} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (m *Mirror) explain(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed), errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%s is not there, or may not be read: check the address, and %s (%w)", m.Remote, m.Access, err)
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fmt.Errorf("%s holds no commit yet (%w)", m.Remote, err)
	case errors.Is(err, errNoBranch):
		return fmt.Errorf("%s has no branch %q: write another one behind #, or none for the server's own (%w)", m.Remote, m.Branch, err)
	case errors.Is(err, errPack), errors.Is(err, errObject):
		return fmt.Errorf("%s is not read further, and what was read of it before stays: %w. Split the repository, or remove the source if it is not yours", m.Remote, err)
	case errors.Is(err, errEntries):
		return fmt.Errorf("%s is not read further, and what was read of it before stays: %w. Name fewer files with files:, or split the repository", m.Remote, err)
	case errors.Is(err, errRefs):
		return fmt.Errorf("%s has more branches and tags than are read: the server named them in more than %d MB. Delete old ones, or mirror the branch to a separate repository (%w)", m.Remote, maxBeforePack>>20, err)
	case errors.Is(err, errTooMuch):
		return fmt.Errorf("%s is too large: the server sent more than %d MB (%w)", m.Remote, m.MaxFetch>>20, err)
	case errors.Is(err, errUnauthorized):
		return err
	case errors.Is(err, outhttp.ErrSilent):
		return fmt.Errorf("%s is not read further now: %w. Check the server and the network; the next run asks again, and what was read before stays", m.Remote, err)
	case errors.Is(err, outhttp.ErrRefused):
		return fmt.Errorf("%s may not be asked: %w", m.Remote, err)
	}
	if unreachable := (*net.OpError)(nil); errors.As(err, &unreachable) {
		return fmt.Errorf("%s cannot be reached: check the address, the network and the proxy (%w)", m.Remote, unreachable)
	}
	return fmt.Errorf("%s cannot be read now: %w", m.Remote, err)
}

// mirrorKey is the context key for the *allowance of the mirror that sends a request. go-git has a
// single transport for the whole process.
type mirrorKey struct{}

var install sync.Once

var errUnauthorized = errors.New("the repository is not asked without one")

func (m *Mirror) through(ctx context.Context) (context.Context, error) {
	install.Do(func() { client.InstallProtocol("https", githttp.NewClient(&http.Client{Transport: perMirror{}})) })
	by := &allowance{Mirror: m, remaining: m.MaxFetch, early: maxBeforePack}
	if m.Token != nil {
		var err error
		if by.token, err = m.Token(ctx); err != nil {
			return nil, fmt.Errorf("%w: %w", err, errUnauthorized)
		}
	}
	return context.WithValue(ctx, mirrorKey{}, by), nil
}

type allowance struct {
	*Mirror
	token     string
	mu        sync.Mutex
	remaining int64
	early     int64 // limit for the responses before the pack, which the library holds in memory
	broken    error // why the last response could not be read to its end
}

// withCause returns why a response could not be read to its end, if the library's error does not
// wrap that, and err otherwise. The library drops causes in some places, and takes a pack that ends
// at once for an empty one.
func withCause(ctx context.Context, err error) error {
	if by, ok := ctx.Value(mirrorKey{}).(*allowance); ok {
		by.mu.Lock()
		defer by.mu.Unlock()
		broken := by.broken
		by.broken = nil // the next fetch has its own
		if broken != nil && !errors.Is(err, broken) {
			return broken
		}
	}
	return err
}

// maxBeforePack limits the bytes that a server may send in one run before the pack with the
// objects. These bytes contain the lists of branches and tags.
const maxBeforePack = 48 << 20

func expectPack(ctx context.Context) {
	if by, ok := ctx.Value(mirrorKey{}).(*allowance); ok {
		by.mu.Lock()
		defer by.mu.Unlock()
		by.early = math.MaxInt64
	}
}

type perMirror struct{}

// RoundTrip implements http.RoundTripper.
func (perMirror) RoundTrip(req *http.Request) (*http.Response, error) {
	by, ok := req.Context().Value(mirrorKey{}).(*allowance)
	if !ok || req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s://%s: %w", req.URL.Scheme, req.URL.Host, outhttp.ErrRefused)
	}
	if token := req.Header.Get("Authorization"); token != "" && req.URL.Host != by.Remote.Host {
		return nil, fmt.Errorf("it redirects to %s, which the token is not for: %w", req.URL.Host, outhttp.ErrRefused)
	}
	response, err := by.Client.Transport.RoundTrip(req)
	// A server that was reached and did not answer is as silent as one that stops within an answer.
	if late := net.Error(nil); errors.As(err, &late) && late.Timeout() && req.Context().Err() == nil && !errors.As(err, new(*net.OpError)) {
		err = fmt.Errorf("%w (%w)", outhttp.ErrSilent, err)
	}
	if err != nil {
		by.mu.Lock()
		defer by.mu.Unlock()
		by.broken = err
		return nil, err
	}
	response.Body = &counted{response.Body, by}
	return response, nil
}

// counted is a response body that fails once the server has sent more than the mirror may receive.
type counted struct {
	io.ReadCloser
	by *allowance
}

// Read implements io.Reader.
func (r *counted) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.by.mu.Lock()
	defer r.by.mu.Unlock()
	if r.by.remaining -= int64(n); r.by.remaining < 0 {
		n, err = 0, errTooMuch
	} else if r.by.early -= int64(n); r.by.early < 0 {
		n, err = 0, errRefs
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.by.broken = err
	}
	return n, err
}
