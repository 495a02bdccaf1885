package webconsole

import (
	"context"
	"errors"
	"net/http"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
)

// Slack signs people in with Slack by OpenID Connect. The ID tokens contain the team and the user
// (https://docs.slack.dev/authentication/sign-in-with-slack). People do not need to connect an
// identity first. Slack is safe for concurrent use.
type Slack struct {
	OIDC
	// Member reports whether an account is a full member of the workspace that this installation
	// serves. It returns false for guests, apps, deactivated accounts, and accounts of other
	// workspaces.
	Member func(ctx context.Context, person access.Account) (bool, error)
}

// SlackIssuer is the issuer of Slack's ID tokens.
const SlackIssuer = "https://slack.com"

// SlackCallbackPath is the path to which Slack redirects the browser after sign-in.
const SlackCallbackPath = "/slack/callback"

const slackCookie = "__Host-footnote-slack"

// NewSlack returns a Slack for the app with the given client id and secret. callback is the full
// address of the console with the path SlackCallbackPath.
func NewSlack(issuer, id, secret, callback string, client *http.Client, member func(context.Context, access.Account) (bool, error)) *Slack {
	return &Slack{OIDC: OIDC{Issuer: issuer, ClientID: id, ClientSecret: secret, CallbackURL: callback, HTTP: client, plain: true}, Member: member}
}

// slackClaims are the claims in Slack's ID tokens that the OpenID Connect standard does not define
// (https://docs.slack.dev/reference/methods/openid.connect.token).
type slackClaims struct {
	Team string `json:"https://slack.com/team_id"`
	User string `json:"https://slack.com/user_id"`
}

func (s *server) beginSlack(w http.ResponseWriter, r *http.Request) {
	s.redirectToProvider(w, r, &s.Slack.OIDC, attempt{State: review.NewSecret(), Nonce: review.NewSecret()}, slackCookie)
}

const (
	sentenceNoMember = "Only full members of the Slack workspace that Footnote serves can sign in with Slack."
	sentenceNoRole   = "You have no role in the console. Ask the people who run Footnote for one: footnote console link."
)

func (s *server) finishSlack(w http.ResponseWriter, r *http.Request) {
	_, id, ok := s.handleCallback(w, r, &s.Slack.OIDC, slackCookie)
	if !ok {
		return
	}
	var claims slackClaims
	if err := id.Claims(&claims); err != nil {
		s.providerFailed(w, r, err)
		return
	}
	if claims.Team == "" || claims.User == "" {
		s.providerFailed(w, r, errors.New("check an ID token: it names no team or no user"))
		return
	}
	person := access.Account{Workspace: access.Workspace{Platform: "slack", ID: claims.Team}, ID: claims.User}
	asking, cancel := context.WithTimeout(r.Context(), discoverWithin)
	defer cancel()
	switch member, err := s.Slack.Member(asking, person); {
	case err != nil:
		s.providerFailed(w, r, err)
		return
	case !member:
		s.fail(w, http.StatusForbidden, sentenceNoMember)
		return
	}
	session := review.NewSecret()
	in, err := s.Sessions.SignInPerson(r.Context(), s.Tenant, person, review.HashOf(session), review.NewID())
	switch {
	case errors.Is(err, review.ErrIdentity):
		s.fail(w, http.StatusForbidden, sentenceNoRole)
	case err != nil:
		s.serverError(w, r, err)
	default:
		s.startSession(w, r, session, in)
	}
}
