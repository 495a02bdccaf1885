package atlassian

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// LacksScope reports whether the API gateway refused a request because the token lacks the scope
// for it. The credential itself is valid.
func LacksScope(err error) bool {
	var refused *sourcehttp.Refused
	return errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && strings.Contains(refused.Said, "scope does not match")
}

// unauthorized converts a 401 error to one that tells the operator what to do. It wraps
// index.ErrRevoked, unless the token only lacks a scope.
func (s *Site) unauthorized(path string, err error) error {
	name, command := s.product.Name, strings.ToLower(s.product.Name)
	switch {
	case LacksScope(err):
		return s.missingScope(path, err)
	case s.direct != "":
		// "URLs for API tokens with scopes for Confluence:
		// https://api.atlassian.com/ex/confluence/{cloudId}"
		// (https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/)
		return fmt.Errorf("%s does not accept the credential: a token with scopes is accepted only where url is https://%s/ex/%s/CLOUD-ID (the id stands in %s/_edge/tenant_info); "+
			"with any other, make a new token, and set it (%w): %w", name, gateway, command, strings.TrimSuffix(s.direct, "/"), err, index.ErrRevoked)
	}
	return fmt.Errorf("%s does not accept the credential: check it, or make a new token, and set it (%w): %w", name, err, index.ErrRevoked)
}

// missingScope names the scope that the token lacks for a path.
func (s *Site) missingScope(path string, err error) error {
	scope := ""
	if s.product.Scope != nil {
		scope = s.product.Scope(path)
	}
	if scope == "" {
		scope = "that " + s.product.Name + " wants for this"
	}
	return fmt.Errorf("the token lacks the scope %s: the scopes of a token cannot be changed, so make a new one with all that footnote sources add %s lists, and set %s (%w)", scope, strings.ToLower(s.product.Name), s.product.Settings+"_TOKEN", err)
}
