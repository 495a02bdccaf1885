// Package atlassiantest is what fakes of Atlassian's products have in common.
package atlassiantest

import "net/http"

// Credential tells whether a request has the credential that is accepted: an account's address and API token on Cloud, a personal access token on a Data
// Center. Anonymous requests have none, and are a visitor's.
func Credential(r *http.Request, cloud bool, email, token string) (right, anonymous bool) {
	said := r.Header.Get("Authorization")
	if !cloud {
		return said == "Bearer "+token, said == ""
	}
	name, password, basic := r.BasicAuth()
	return basic && name == email && password == token, said == ""
}
