// Package git reads the files of a repository from any Git server over https. It keeps a mirror in
// a cache folder and writes the files of one branch into a folder. Another connector reads that
// folder. It runs nothing of a repository: no hooks, no filters, no submodules.
package git

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/gitmirror"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of Git repositories.
const Kind document.Kind = "git"

// Options configure a Connector. URL and Read are required.
type Options struct {
	// URL is the repository's address, as for "git clone": https://host/group/name.git. A "#name"
	// at its end selects a branch. The default is the server's default branch.
	URL string
	// BaseURL is the address at which readers find the files. A document's address is BaseURL plus
	// its path. The default is known for github.com, gitlab.com and codeberg.org.
	BaseURL string
	// Token returns the token for a host, or "" if there is none. A token is sent only to its host.
	// If nil, there are no tokens.
	Token func(host string) string
	// AllowHosts lists hosts, addresses and networks that may be called although they are not on
	// the public internet.
	AllowHosts []string
	CAFile     string
	MaxBytes   int64 // larger files are skipped; default 50 MB
	MaxFetch   int64 // maximum bytes that the server may send in one run; default 4 GB
	// Silence is the longest wait for data from the server; default 3 min.
	Silence time.Duration
	// CacheDir is the folder of the mirrors. The default is a folder below the user's cache. It may
	// be deleted at any time.
	CacheDir string
	// Wanted reports whether a file may contain a document, by its path. Other files are not
	// written. If nil, all files are wanted.
	Wanted func(path string) bool
	// Commits makes each commit a document. Its readers are those of ACL, or members if ACL is
	// empty.
	Commits bool
	ACL     access.ACL
	// Told reports whether a commit's document may name a changed file, by path. If nil, all files
	// may be named. A commit without such a file is skipped.
	Told func(path string) bool
	// Withhold reports whether some people in ACL may not read a file, by the file's path and
	// beginning. Commits that change such a file are skipped.
	Withhold func(path string, begins []byte) bool
	// Read returns a connector that reads the files of a local folder as documents of source. Their
	// addresses are below base.
	Read func(folder, base string, source document.Source) (index.Connector, error)
}

const (
	defaultMaxBytes = 50 << 20
	defaultMaxFetch = 4 << 30
)

// Connector reads one branch of one repository.
type Connector struct {
	options Options
	remote  *url.URL
	branch  string // empty: the server's default branch
	source  document.Source
	mirror  *gitmirror.Mirror
	files   index.Connector
	unknown bool // the web address of the files is unknown
}

var _ index.Connector = (*Connector)(nil)

// New checks the options and returns a connector. It sends no request.
func New(options Options) (*Connector, error) {
	options.MaxBytes, options.MaxFetch = cmp.Or(options.MaxBytes, defaultMaxBytes), cmp.Or(options.MaxFetch, defaultMaxFetch)
	if len(options.ACL) == 0 {
		options.ACL = access.ACL{access.Members} // the default of package files
	}
	c := &Connector{options: options}
	if err := c.parse(); err != nil {
		return nil, err
	}
	base := c.base()
	c.unknown = base == ""
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", options.AllowHosts)
	if err != nil {
		return nil, err
	}
	client, err := outhttp.New(outhttp.Config{CAFile: options.CAFile, Guard: guard, HeaderTimeout: options.Silence})
	if err != nil {
		return nil, err
	}
	folder, err := gitmirror.Folder(options.CacheDir, string(c.source.ID))
	if err != nil {
		return nil, err
	}
	withhold := options.Withhold
	if !options.Commits {
		withhold = nil
	} else if withhold == nil {
		withhold = func(string, []byte) bool { return false }
	}
	c.mirror, err = gitmirror.New(gitmirror.Options{
		Withhold: withhold,
		Remote:   c.remote, Branch: c.branch, Client: client, Folder: folder, MaxBytes: options.MaxBytes, MaxFetch: options.MaxFetch, Wanted: options.Wanted,
		Access: fmt.Sprintf("the token for %s in GIT_TOKENS, which must be allowed to read its contents", c.remote.Host),
		Token: func(context.Context) (string, error) {
			if options.Token == nil {
				return "", nil
			}
			return options.Token(c.remote.Host), nil
		},
	})
	if err != nil {
		return nil, err
	}
	c.files, err = options.Read(c.mirror.Files(), base, c.source)
	return c, err
}

// IsURL reports whether place is the address of a repository, which ends in .git. A "#branch" may
// follow. New refuses http.
func IsURL(place string) bool {
	u, err := url.Parse(place)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && strings.HasSuffix(u.Path, ".git")
}

func (c *Connector) parse() error {
	u, err := url.Parse(strings.TrimSpace(c.options.URL))
	switch {
	case err != nil || u.Scheme != "https" && !IsURL(u.String()) || u.Host == "" || strings.Trim(u.Path, "/") == "":
		return fmt.Errorf("%q is not the address of a repository: write it like https://github.com/acme/handbook.git, with #name at its end for another branch", c.options.URL)
	case u.User != nil:
		return errors.New("the address of a repository holds no name or password: put the host's token into GIT_TOKENS (github.com=TOKEN)")
	case u.Scheme != "https":
		u.Scheme = "https"
		return fmt.Errorf("repositories are read over https: write %s", u)
	case u.RawQuery != "":
		return fmt.Errorf("the address of a repository has no question mark: %q", c.options.URL)
	}
	c.branch, u.Fragment, u.RawFragment = u.Fragment, "", ""
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), ""
	c.remote = u
	name := u.String()
	if c.branch != "" {
		name += "#" + c.branch
	}
	c.source = document.Source{ID: sourceID(name), Kind: Kind, Name: name}
	return nil
}

// SourceOf returns the source that a [Connector] for the address would have. It sends no request.
func SourceOf(address string) (document.Source, error) {
	c := &Connector{options: Options{URL: address}}
	err := c.parse()
	return c.source, err
}

// sourceID derives the id of a source from its address and branch. All processes therefore use the
// same document ids.
func sourceID(name string) document.SourceID {
	sum := sha256.Sum256([]byte(name))
	bare, _, _ := strings.Cut(name, "#")
	short := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimSuffix(path.Base(bare), ".git")))
	return document.SourceID("git-" + strings.Trim(short, "-.") + "-" + hex.EncodeToString(sum[:4]))
}

// base returns the web address below which readers find the files, or "" if it is unknown.
func (c *Connector) base() string {
	if c.options.BaseURL != "" {
		return c.options.BaseURL
	}
	below := map[string]string{"github.com": "blob/" + cmp.Or(c.branch, "HEAD"), "gitlab.com": "-/blob/" + cmp.Or(c.branch, "HEAD")}
	if c.branch != "" {
		below["codeberg.org"] = "src/branch/" + c.branch
	}
	place, known := below[c.remote.Host]
	if !known {
		return ""
	}
	at := *c.remote
	at.Path = strings.TrimSuffix(at.Path, ".git") + "/" + place + "/"
	return at.String()
}

// Source implements index.Connector. The source's name is the address.
func (c *Connector) Source() document.Source { return c.source }

// Settings implements index.Connector.
func (c *Connector) Settings() string {
	if c.options.Commits {
		return "git 1 " + c.files.Settings() + fmt.Sprintf(" commits 1 %q", c.options.ACL)
	}
	return "git 1 " + c.files.Settings()
}

// Sync implements index.Connector. It yields all files of the branch. If Options.Commits is set, it
// also yields the commits.
func (c *Connector) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		if c.unknown { // reported here and not by New, because the setting may be added until then
			yield(index.Batch{}, c.unpublished())
			return
		}
		release, err := c.mirror.Lock()
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		defer release()
		held, err := c.mirror.Update(ctx, "")
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		skipped := held.Skipped
		if c.options.Commits {
			if !yield(c.commits(), nil) {
				return
			}
		}
		for batch, err := range c.files.Sync(ctx, since) {
			batch.Skipped, skipped = append(batch.Skipped, skipped...), nil
			if !yield(batch, err) {
				return
			}
		}
	}
}
