package opensearch

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Address is the parsed INDEX_URL: opensearch://USER:PASSWORD@HOST:PORT,HOST:PORT/PREFIX?OPTIONS.
type Address struct {
	Hosts          []string // host:port
	User, Password string
	TokenFile      string // bearer token file; read again for each connection
	Prefix         string // prefix of index names
	Plain          bool   // no TLS
	CAFile         string // certificates to trust in addition to the system's
	Shards         int    // shards of a new index; default 1
	Replicas       int    // replicas of a new index; default 1
}

// Scheme is the prefix of every INDEX_URL.
const Scheme = "opensearch://"

// defaultPrefix is the index prefix if the address has no path.
const defaultPrefix = "footnote"

// indexName matches allowed OpenSearch index names. It excludes characters with a meaning in
// OpenSearch URLs.
var indexName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)

var errUserinfo = errors.New("user or password contain characters that must be written as %XX")

// ParseAddress parses INDEX_URL. Its errors are full sentences. They never contain the address,
// which may include a password.
func ParseAddress(text string) (Address, error) {
	a := Address{Shards: 1, Replicas: 1}
	rest, ours := strings.CutPrefix(text, Scheme)
	if !ours {
		return a, errors.New("it must begin with " + Scheme)
	}
	rest, options, _ := strings.Cut(rest, "?")
	authority, prefix, _ := strings.Cut(rest, "/")
	hosts := authority
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		hosts = authority[at+1:]
		u, err := url.Parse("https://" + authority[:at] + "@host")
		if err != nil {
			return a, errUserinfo
		}
		a.User = u.User.Username()
		a.Password, _ = u.User.Password()
	}
	for host := range strings.SplitSeq(hosts, ",") {
		u, err := url.Parse("https://" + host)
		if err != nil || u.Hostname() == "" || u.Host != host {
			return a, errors.New("it has no valid host: write HOST:PORT, separated by commas")
		}
		port := u.Port()
		if port == "" {
			port = "9200"
		}
		a.Hosts = append(a.Hosts, net.JoinHostPort(u.Hostname(), port))
	}
	if a.Prefix = strings.Trim(prefix, "/"); a.Prefix == "" {
		a.Prefix = defaultPrefix
	}
	if strings.Contains(prefix, "@") { // the password contains a slash
		return a, errUserinfo
	}
	if !indexName.MatchString(a.Prefix) {
		return a, fmt.Errorf("indexes cannot be named after %q: use small letters, digits, - and _", a.Prefix)
	}
	return a, a.options(options)
}

func (a *Address) options(text string) error {
	options, err := url.ParseQuery(text)
	if err != nil {
		return errors.New("the options after the question mark are invalid")
	}
	for name, values := range options {
		value := values[len(values)-1]
		var err error
		switch name {
		case "tls":
			if value != "on" && value != "off" {
				err = errors.New("tls must be on or off")
			}
			a.Plain = value == "off"
		case "ca":
			a.CAFile = value
		case "token_file":
			a.TokenFile = value
		case "shards":
			a.Shards, err = parseCount(name, value, 1)
		case "replicas":
			a.Replicas, err = parseCount(name, value, 0)
		default:
			if strings.Contains(name, "@") { // the password contains a question mark
				return errUserinfo
			}
			err = fmt.Errorf("unknown option %q: the options are tls, ca, token_file, shards and replicas", name)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case a.Plain && a.CAFile != "":
		return errors.New("ca and tls=off exclude each other: remove one of them")
	case a.User != "" && a.TokenFile != "":
		return errors.New("it has both a user and a token_file: remove one of them")
	}
	return nil
}

func parseCount(name, value string, least int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > 1024 {
		return 0, fmt.Errorf("%s must be a number from %d to 1024", name, least)
	}
	return n, nil
}

func (a *Address) token() (string, error) {
	text, err := os.ReadFile(a.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read the token of INDEX_URL: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
