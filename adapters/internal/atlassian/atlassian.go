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

// Cloud and DataCenter are the deployments of a site. Their APIs differ.
const (
	Cloud      = "cloud"
	DataCenter = "data_center"
)

// Hosts of Atlassian's cloud.
const (
	suffix    = ".atlassian.net"
	gateway   = "api.atlassian.com"
	mediaHost = "api.media.atlassian.com" // host of attachments
)

// IsCloud reports whether a site is in Atlassian's cloud. It uses deployment or, if deployment is
// empty, the address.
func IsCloud(address, deployment string) bool {
	site, err := url.Parse(strings.TrimSpace(address))
	if deployment != "" || err != nil {
		return deployment == Cloud
	}
	return strings.HasSuffix(strings.ToLower(site.Hostname()), suffix) || isGateway(site)
}

// isGateway reports whether a URL is at Atlassian's API gateway, which service accounts use.
// Browsers cannot open its URLs.
func isGateway(site *url.URL) bool { return strings.EqualFold(site.Hostname(), gateway) }

// authorize returns a function that sets the Authorization header of a request. It sends the e-mail
// address and the token as Basic, or the token alone as Bearer if email is empty.
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

// ID is an id that the API encodes as a JSON string or a JSON number.
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

// Managed returns an account's address in lower case, or nil if the address is not trusted. An
// address is trusted if its domain is one that the organisation has verified. The organisation owns
// ("manages") such an account, and the person cannot change its address alone
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
