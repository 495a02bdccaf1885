// Package atlassian contains code that the connectors of Atlassian's products share: site
// addresses, credentials, ids, and the rule that decides which e-mail addresses of accounts are
// trusted.
package atlassian

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"
)

// Cloud and DataCenter are the two ways to deploy a site. Their APIs differ.
const (
	Cloud      = "cloud"
	DataCenter = "data_center"
)

// suffix is the end of the host names of cloud sites. gateway and mediaHost are the hosts of
// Atlassian's API gateway and of attachments.
const (
	suffix    = ".atlassian.net"
	gateway   = "api.atlassian.com"
	mediaHost = "api.media.atlassian.com" // host of attachments
)

// IsCloud reports whether a site is in Atlassian's cloud. If deployment is empty, IsCloud decides
// by the site's address.
func IsCloud(address, deployment string) bool {
	site, err := url.Parse(strings.TrimSpace(address))
	if deployment != "" || err != nil {
		return deployment == Cloud
	}
	return strings.HasSuffix(strings.ToLower(site.Hostname()), suffix) || isGateway(site)
}

// isGateway reports whether a URL belongs to Atlassian's API gateway, whose URLs browsers cannot
// open.
func isGateway(site *url.URL) bool { return strings.EqualFold(site.Hostname(), gateway) }

func authorize(email, token string) func(context.Context, *http.Request) error {
	authorization := "Bearer " + token
	if email != "" {
		authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(email+":"+token))
	}
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", authorization)
		return nil
	}
}

// ID is an id that Atlassian's APIs encode either as a JSON string or as a JSON number.
type ID string

// UnmarshalJSON implements json.Unmarshaler.
func (i *ID) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(i))
	}
	var n json.Number
	err := json.Unmarshal(text, &n)
	*i = ID(n)
	return err
}

// Managed returns a list of one e-mail address in lower case, or nil if the address is not trusted.
// A trusted address is valid and in one of the given domains, which must be verified at Atlassian.
// Only the organisation can change such an address, and not the person
// (https://support.atlassian.com/user-management/docs/what-are-managed-accounts/).
func Managed(address string, domains []string) []string {
	address = strings.ToLower(strings.TrimSpace(address))
	_, domain, _ := strings.Cut(address, "@")
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || !slices.ContainsFunc(domains, func(d string) bool { return strings.EqualFold(d, domain) }) {
		return nil
	}
	return []string{address}
}
