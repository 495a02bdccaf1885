// Package atlassian holds what Atlassian's products have in common: where their sites are asked, by
// what credential, how they write ids, and which addresses of accounts are vouched for.
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

// Deployments, whose APIs differ.
const (
	Cloud      = "cloud"
	DataCenter = "data_center"
)

// Hosts of Atlassian's cloud.
const (
	suffix    = ".atlassian.net"
	gateway   = "api.atlassian.com"
	mediaHost = "api.media.atlassian.com" // where attached files are kept
)

// IsCloud reports whether a site is one of Atlassian's cloud: by what is said of it, else by its
// address.
func IsCloud(address, deployment string) bool {
	site, err := url.Parse(strings.TrimSpace(address))
	if deployment != "" || err != nil {
		return deployment == Cloud
	}
	return strings.HasSuffix(strings.ToLower(site.Hostname()), suffix) || isGateway(site)
}

// isGateway reports whether an address is that of the gateway through which the tokens of service
// accounts are used. It is not where people open anything.
func isGateway(site *url.URL) bool { return strings.EqualFold(site.Hostname(), gateway) }

// authorize returns what adds a credential to a request (sourcehttp.Config.Authorize): the API
// token of an account with an address, or a token by itself.
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

// ID is an id, which one API writes as a text and another as a number.
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

// Managed returns the address of an account in small letters where the source vouches for it; none
// else. It does where the address is below one of the domains that the organisation has verified:
// then the account is the organisation's own, "managed", and its address cannot be changed by the
// person alone (https://support.atlassian.com/user-management/docs/what-are-managed-accounts/). Any
// other that a profile shows is none.
func Managed(address string, domains []string) []string {
	address = strings.ToLower(strings.TrimSpace(address))
	_, domain, _ := strings.Cut(address, "@")
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || !slices.ContainsFunc(domains, func(d string) bool { return strings.EqualFold(d, domain) }) {
		return nil
	}
	return []string{address}
}
