package files

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

func (c *Connector) address(folder, name string) *url.URL {
	if c.base != nil {
		return c.base.JoinPath((&url.URL{Path: name}).EscapedPath()) // which takes an escaped path
	}
	return &url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(name)))}
}

// longestClaim is the maximum length in bytes of a URL that a document may state as its own.
const longestClaim = 2000

// believed returns the URL that a document states as its own, or own if no statement is valid. A
// valid URL is below the base URL and belongs to no other file. Otherwise a citation could lead to
// another document's page.
func (c *Connector) believed(root *os.Root, own *url.URL, claims ...string) string {
	for _, claim := range claims {
		if claim = strings.TrimSpace(claim); claim == "" || len(claim) > longestClaim || c.base == nil {
			continue
		}
		if stated, err := own.Parse(claim); err == nil {
			if stated = c.below(stated); stated != nil && (stated.EscapedPath() == own.EscapedPath() || !c.holds(root, stated)) {
				return stated.String()
			}
		}
	}
	return own.String()
}

// below returns the normal form of a URL, or nil if the URL is not below the base URL.
func (c *Connector) below(stated *url.URL) *url.URL {
	if stated.User != nil || stated.Opaque != "" || (stated.Scheme != "https" && stated.Scheme != c.base.Scheme) {
		return nil
	}
	if raw := strings.ToLower(stated.EscapedPath()); strings.Contains(raw, "%2f") || strings.Contains(raw, "%5c") || strings.Contains(stated.Path, "\\") {
		return nil // some servers take these for slashes
	}
	for _, r := range stated.Path {
		if r < ' ' || r == 0x7f {
			return nil
		}
	}
	plain := path.Clean("/" + stated.Path)
	if strings.HasSuffix(stated.Path, "/") && plain != "/" {
		plain += "/"
	}
	if host(stated) != host(c.base) || !strings.HasPrefix(plain, c.base.Path) && plain+"/" != c.base.Path {
		return nil
	}
	return &url.URL{Scheme: stated.Scheme, Host: host(stated), Path: plain, RawQuery: stated.RawQuery, Fragment: stated.Fragment, RawFragment: stated.RawFragment}
}

func host(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
}

func (c *Connector) holds(root *os.Root, stated *url.URL) bool {
	name := strings.Trim(strings.TrimPrefix(stated.Path, c.base.Path), "/")
	if name == "" {
		return false
	}
	info, err := root.Lstat(name)
	return err == nil && !info.IsDir()
}
