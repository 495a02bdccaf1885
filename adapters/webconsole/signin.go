package webconsole

import (
	"errors"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/core/review"
)

// offerSignIn shows the sign-in page. For a sign-in link, the page has a button that uses the link.
// Opening the link does not use it, because link previews open it too.
func (s *server) offerSignIn(w http.ResponseWriter, r *http.Request) {
	secret := r.URL.Query().Get("link")
	if secret == "" {
		s.show(w, http.StatusOK, "sign-in", view{Title: "Sign in", Data: offer{OIDC: s.OIDC != nil, Slack: s.Slack != nil}})
		return
	}
	of, err := s.Sessions.Link(r.Context(), s.Tenant, review.HashOf(secret))
	if errors.Is(err, review.ErrLink) {
		s.fail(w, http.StatusForbidden, sentenceLink)
		return
	}
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	s.show(w, http.StatusOK, "sign-in", view{Title: "Sign in", Data: offer{Link: secret, Person: of.Person.Platform + ":" + of.Person.ID, Role: string(of.Role)}})
}

type offer struct {
	Link, Person, Role string
	OIDC               bool // an identity provider is configured
	Slack              bool // people may sign in with Slack
}

const sentenceGone = "Your account has left the workspace."

const sentenceLink = "This link is not valid: it expired, or was used before. Ask for a new one: footnote console link."

// signIn starts a session with a new secret, even if the browser sent a session cookie.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	secret := r.PostFormValue("link")
	session := review.NewSecret()
	in, err := s.Sessions.SignIn(r.Context(), s.Tenant, review.HashOf(secret), review.HashOf(session), review.NewID())
	if errors.Is(err, review.ErrLink) {
		s.fail(w, http.StatusForbidden, sentenceLink)
		return
	}
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	s.startSession(w, r, session, in)
}

// startSession gives the browser a new session and ends its previous one. An account that has left
// gets none. If the platform does not respond, the session starts: page asks the platform again.
func (s *server) startSession(w http.ResponseWriter, r *http.Request, session string, in review.SignedIn) {
	if _, err := s.Viewer(r.Context(), in.Person); errors.Is(err, review.ErrGone) {
		if err := s.Sessions.SignOut(r.Context(), s.Tenant, review.HashOf(session)); err != nil {
			s.serverError(w, r, err)
			return
		}
		s.fail(w, http.StatusForbidden, sentenceGone)
		return
	}
	s.endSession(r)
	http.SetCookie(w, cookie(session, in.Expires))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func cookie(value string, expires time.Time) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: value, Path: "/", Expires: expires, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

func (s *server) signOut(w http.ResponseWriter, r *http.Request) {
	s.endSession(r)
	gone := cookie("", time.Unix(1, 0))
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

func (s *server) endSession(r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		if err := s.Sessions.SignOut(r.Context(), s.Tenant, review.HashOf(c.Value)); err != nil {
			s.Logger.ErrorContext(r.Context(), "a session of the console was not ended", "error", err)
		}
	}
}

// visitor is a person who is signed in, with what the platform says about the person now.
type visitor struct {
	review.SignedIn
	Viewer review.Viewer
}

// page returns a handler that calls next for a person with a valid session, a role that may open
// the page and an account that has not left. It checks all three at every request. If of is empty,
// every role may open the page.
func (s *server) page(of review.Page, next func(http.ResponseWriter, *http.Request, visitor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(cookieName)
		if err != nil {
			http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
			return
		}
		in, err := s.Sessions.Session(r.Context(), s.Tenant, review.HashOf(c.Value))
		switch {
		case errors.Is(err, review.ErrSession):
			http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
			return
		case err != nil:
			s.serverError(w, r, err)
			return
		case !s.pages.allow(in.Session):
			w.Header().Set("Retry-After", "10")
			s.fail(w, http.StatusTooManyRequests, "Too many pages in a minute. Try again in a moment.")
			return
		case of != "" && !in.Role.Opens(of):
			s.fail(w, http.StatusForbidden, "Your role does not open this page.")
			return
		}
		if v, ok := s.viewer(w, r, in); ok {
			next(w, r, visitor{in, v})
		}
	}
}

// viewer returns the current access of a person. If the platform does not respond, it sends an
// error page and returns false. The person may have left, and must then not read even public
// documents.
func (s *server) viewer(w http.ResponseWriter, r *http.Request, in review.SignedIn) (review.Viewer, bool) {
	v, err := s.Viewer(r.Context(), in.Person)
	switch {
	case errors.Is(err, review.ErrGone):
		s.fail(w, http.StatusForbidden, sentenceGone)
		return v, false
	case err != nil:
		s.Logger.WarnContext(r.Context(), "the platform does not say what a person of the console may read", "session", in.Session, "error", err)
		w.Header().Set("Retry-After", "30")
		s.fail(w, http.StatusServiceUnavailable, "It is not known at the moment what you may read, so nothing is shown. Try again in a minute.")
		return v, false
	case !in.Role.Opens(review.PartReveal):
		return v, true
	}
	if v.Revealed, err = s.Revealed(r.Context(), in.Person); err != nil {
		s.serverError(w, r, err)
		return v, false
	}
	return v, true
}
