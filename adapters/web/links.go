package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// directions are a page's instructions for crawlers.
type directions struct {
	links     []*url.URL
	canonical *url.URL // nil if the page names none
	noIndex   bool
	noFollow  bool
}

const mostLinks = 5000

// readDirections returns the links of an HTML page as absolute addresses, and its instructions for
// crawlers. It accepts any input.
func readDirections(text string, at *url.URL) directions {
	var d directions
	base := at
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken { // the end: a reader of a string has no other errors
			return d
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := tokens.TagName()
		tag := atom.Lookup(name)
		if tag != atom.A && tag != atom.Base && tag != atom.Meta && tag != atom.Area && tag != atom.Link {
			continue
		}
		attributes := make(map[string]string)
		for more {
			var key, value []byte
			key, value, more = tokens.TagAttr()
			attributes[string(key)] = string(value)
		}
		switch tag {
		case atom.Base:
			if u, err := at.Parse(strings.TrimSpace(attributes["href"])); err == nil && base == at {
				base = u
			}
		case atom.Meta:
			if n := strings.ToLower(attributes["name"]); n == "robots" || n == agent {
				d.obey(attributes["content"])
			}
		case atom.Link:
			if u, err := base.Parse(strings.TrimSpace(attributes["href"])); err == nil && strings.EqualFold(attributes["rel"], "canonical") && d.canonical == nil {
				d.canonical = u
			}
		default:
			href, written := attributes["href"]
			if !written || len(d.links) >= mostLinks || strings.Contains(strings.ToLower(attributes["rel"]), "nofollow") {
				continue
			}
			if u, err := base.Parse(strings.TrimSpace(href)); err == nil {
				d.links = append(d.links, u)
			}
		}
	}
}

// obeyHeader reads instructions from headers, which all formats can have: X-Robots-Tag, and Link
// with a canonical address (RFC 8288).
func (d *directions) obeyHeader(header http.Header, at *url.URL) {
	for _, list := range header.Values("X-Robots-Tag") {
		who, rest, named := strings.Cut(list, ":")
		switch who = strings.ToLower(strings.TrimSpace(who)); {
		case named && who == agent:
			d.obey(rest)
		// for all crawlers; the colon may be part of a date
		case !named || strings.ContainsAny(who, ", "):
			d.obey(list)
		}
	}
	for _, link := range header.Values("Link") {
		address, parameters, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(link), "<"), ">")
		if !found || d.canonical != nil || !canonicalRelation.MatchString(parameters) {
			continue
		}
		if u, err := at.Parse(strings.TrimSpace(address)); err == nil {
			d.canonical = u
		}
	}
}

var canonicalRelation = regexp.MustCompile(`(?i)^[^,<]*;\s*rel\s*=\s*"?canonical"?\s*(?:[;,]|$)`)

func (d *directions) obey(list string) {
	for word := range strings.SplitSeq(strings.ToLower(list), ",") {
		switch strings.TrimSpace(word) {
		case "noindex":
			d.noIndex = true
		case "nofollow":
			d.noFollow = true
		case "none":
			d.noIndex, d.noFollow = true, true
		}
	}
}
