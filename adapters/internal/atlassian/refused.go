package atlassian

import (
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// unauthorized converts a 401 error to an error that tells the operator what to do. The result
// wraps index.ErrRevoked, unless the token only lacks a scope. at is the address of a cloud site if
// requests do not use the API gateway, and "" otherwise.
func unauthorized(product, at string, err error) error {
	var refused *sourcehttp.Refused
	switch {
	case errors.As(err, &refused) && strings.Contains(refused.Said, "scope does not match"):
		return fmt.Errorf("the token lacks a scope that %s wants for this: make a new one with the scopes that footnote sources add %s lists, and set it (%w)", product, strings.ToLower(product), err)
	case at != "":
		// "URLs for API tokens with scopes for Confluence:
		// https://api.atlassian.com/ex/confluence/{cloudId}"
		// (https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/)
		return fmt.Errorf("%s does not accept the credential: a token with scopes is accepted only where url is https://%s/ex/%s/CLOUD-ID (the id stands in %s/_edge/tenant_info); "+
			"with any other, make a new token, and set it (%w): %w", product, gateway, strings.ToLower(product), strings.TrimSuffix(at, "/"), err, index.ErrRevoked)
	}
	return fmt.Errorf("%s does not accept the credential: check it, or make a new token, and set it (%w): %w", product, err, index.ErrRevoked)
}
