package files

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// address is where readers find a file: below the base URL, else on this machine.
func (c *Connector) address(folder, name string) *url.URL {
	if c.base != nil {
		return c.base.JoinPath(strings.Split(name, "/")...)
	}
	return &url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(name)))}
}

// believed returns the first of the addresses that a document may claim as its own, else own. A claim may be relative. It is believed only
// on the hosts that the source was set up with, since whoever can write a document could otherwise make a citation lead anywhere.
func (c *Connector) believed(own *url.URL, claims ...string) string {
	for _, claim := range claims {
		if claim = strings.TrimSpace(claim); claim == "" {
			continue
		}
		stated, err := url.Parse(claim)
		if err != nil {
			continue
		}
		if c.base != nil {
			stated = own.ResolveReference(stated)
		}
		if c.trusted(stated) {
			return stated.String()
		}
	}
	return own.String()
}

func (c *Connector) trusted(stated *url.URL) bool {
	if (stated.Scheme != "https" && stated.Scheme != "http") || stated.Host == "" || stated.User != nil {
		return false
	}
	if c.base != nil && strings.EqualFold(stated.Host, c.base.Host) {
		return true
	}
	return slices.ContainsFunc(c.options.Hosts, func(host string) bool { return strings.EqualFold(stated.Host, host) })
}
