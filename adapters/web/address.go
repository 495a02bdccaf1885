package web

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// scope is the part of a site that a source covers: the addresses below one path of one host.
type scope struct {
	start  *url.URL
	prefix string // path of the folder; ends in a slash
}

// newScope parses the address that a person entered. For a page ("/guide/index.html") or a sitemap
// ("/guide/sitemap.xml"), the scope is its folder. Any other path is the folder itself.
func newScope(address string) (scope, error) {
	start, err := url.Parse(strings.TrimSpace(address))
	if err != nil || start.Host == "" || start.Scheme != "https" && start.Scheme != "http" {
		return scope{}, fmt.Errorf("%q is not an address of the web: write it like https://docs.example.org/guide/", address)
	}
	if start.User != nil {
		return scope{}, fmt.Errorf("the address of %s holds a user or a password: pages behind a login cannot be indexed this way, so leave it out", start.Host)
	}
	start = clean(start)
	prefix := start.EscapedPath()
	if path.Ext(prefix) != "" {
		prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	}
	if !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	return scope{start, prefix}, nil
}

// holds reports whether an address is in the scope. An https address is in the scope of an http
// address, but not the other way round.
func (s scope) holds(u *url.URL) bool {
	if !s.sameHost(u) {
		return false
	}
	p := u.EscapedPath()
	return strings.HasPrefix(p, s.prefix) || p+"/" == s.prefix
}

// below returns the decoded path of a page relative to the folder, without a leading slash.
func (s scope) below(u *url.URL) string {
	rest, _ := strings.CutPrefix(u.EscapedPath(), s.prefix)
	if plain, err := url.PathUnescape(rest); err == nil {
		return plain
	}
	return rest
}

func (s scope) sameHost(u *url.URL) bool {
	return strings.EqualFold(u.Host, s.start.Host) && (u.Scheme == s.start.Scheme || u.Scheme == "https") && u.User == nil
}

func (s scope) resource(name string) *url.URL {
	return &url.URL{Scheme: s.start.Scheme, Host: s.start.Host, Path: name}
}

// tracking reports whether a query parameter, such as "utm_source" or "sessionid", does not affect
// which page is returned.
func tracking(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "yclid", "dclid", "_ga", "igshid", "phpsessid", "jsessionid", "sessionid", "session_id", "sid", "s_id",
		"cfid", "cftoken", "zenid", "oscsid", "session", "replytocom":
		return true
	}
	return strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "aspsessionid")
}

// inPath matches a session id that ASP.NET puts into a path: "/(S(abc123))/".
var inPath = regexp.MustCompile(`/\([A-Z]\([0-9a-zA-Z]+\)\)/`)

// clean returns the normal form of a page's address. It has no fragment or tracking parameters, and
// no dot segments in the path.
func clean(u *url.URL) *url.URL {
	c := &url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host), User: u.User, Path: u.Path, RawPath: u.RawPath}
	c.Host = strings.TrimSuffix(c.Host, map[string]string{"http": ":80", "https": ":443"}[c.Scheme])
	if before, _, session := strings.Cut(c.Path, ";jsessionid="); session {
		c.Path, c.RawPath = before, ""
	}
	if inPath.MatchString(c.Path) { // ASP.NET
		c.Path, c.RawPath = inPath.ReplaceAllString(c.Path, "/"), ""
	}
	if c.Path == "" {
		c.Path = "/"
	}
	c = c.JoinPath() // resolves dots and double slashes
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); part != "" && !tracking(name) {
			kept = append(kept, part)
		}
	}
	c.RawQuery = strings.Join(kept, "&")
	return c
}

// name identifies a page within its source by the path and query of its address.
func name(u *url.URL) string {
	n := u.EscapedPath()
	if u.RawQuery != "" {
		n += "?" + u.RawQuery
	}
	return n
}

// longestAddress, deepestPath and mostRepeats limit the addresses that are requested. Longer
// addresses are probably generated without end.
const (
	longestAddress = 2000
	deepestPath    = 20
	mostRepeats    = 2 // occurrences of one segment in a path
)

// endless reports whether an address looks like part of a crawl trap.
func endless(u *url.URL) bool {
	if len(u.String()) > longestAddress {
		return true
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	count := make(map[string]int)
	for _, s := range segments {
		// dots that are left here were hidden as %2e
		if count[s]++; s == ".." || s != "" && count[s] > mostRepeats {
			return true
		}
	}
	return len(segments) > deepestPath
}
