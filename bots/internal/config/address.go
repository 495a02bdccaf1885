package config

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

func httpURL(to *string) func(string) error {
	return func(v string) error {
		if v != "" {
			u, err := url.Parse(v)
			if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
				return errors.New("is not an address that begins with http:// or https://")
			}
		}
		*to = strings.TrimRight(v, "/")
		return nil
	}
}

// consoleURL returns a parser for an address without a path. The address must be HTTPS or on this
// machine, because the console's cookies need a secure connection.
func consoleURL(to *string) func(string) error {
	return func(v string) error {
		if err := httpURL(to)(v); err != nil {
			return err
		}
		u, err := url.Parse(*to)
		switch {
		case *to == "":
			return nil
		case err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery+u.Fragment != "" || u.User != nil:
			return errors.New("has more than a scheme and a host: the console needs its own host")
		case u.Scheme != "https" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
			return errors.New("begins with http:// and leads to another machine: browsers send its cookie over https:// alone")
		}
		*to = strings.TrimRight(*to, "/")
		return nil
	}
}
