package files

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// address returns the address at which readers open a file. It is below the base URL, or a file
// address if there is no base URL.
func (c *Connector) address(folder, name string) *url.URL {
	if c.base != nil {
		return c.base.JoinPath(strings.Split(name, "/")...)
	}
	return &url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(name)))}
}

// longestClaim is the maximum length in bytes of a claimed address.
const longestClaim = 2000

// believed returns the first address that a document may claim as its own, or own if there is none.
// A claim may be relative. It must be below the base URL, and must not be the address of another
// file of the folder. Otherwise an author could make citations of a document lead to someone else's
// page. Addresses of other sources are checked when the document is stored.
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

// below returns the normal form of an address if it is below the base URL, otherwise nil.
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

// host returns the host of an address, with the port if it is not the default port.
func host(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
}

// holds reports whether an address is that of a file in the folder.
func (c *Connector) holds(root *os.Root, stated *url.URL) bool {
	name := strings.Trim(strings.TrimPrefix(stated.Path, c.base.Path), "/")
	if name == "" {
		return false
	}
	info, err := root.Lstat(name)
	return err == nil && !info.IsDir()
}
