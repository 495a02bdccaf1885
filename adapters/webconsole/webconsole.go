// Package webconsole serves the console. The console consists of web pages for people who look
// after questions, sources and gaps. The pages use no scripts. Package core/review decides what the
// pages show.
package webconsole

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/inbound"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"golang.org/x/time/rate"
)

// Config configures a Handler. All fields are required except Files, OIDC and Slack.
type Config struct {
	Tenant   access.TenantID
	Host     string // host name in browsers, with its port if it has one
	Sessions review.Sessions
	Reader   review.Reader
	// Viewer returns the current access of a person. It returns review.ErrGone if the person has
	// left.
	Viewer func(ctx context.Context, person access.Account) (review.Viewer, error)
	Counts func(ctx context.Context, s review.Scope, since time.Time) (review.Counts, error)
	// Today returns the overview. If operation is set, the overview includes costs and findings.
	Today   func(ctx context.Context, operation bool) (review.Today, error)
	Sources func(ctx context.Context) ([]review.Source, error)
	Gaps    func(ctx context.Context, v review.Viewer, since time.Time) (gaps.Report, error)
	// Act executes an action on an answer. It returns review.ErrAway if this process cannot execute
	// the action.
	Act func(ctx context.Context, r action.Request) (action.Reply, error)
	// ChangeSource executes an action on a source and returns the result as a sentence. It returns
	// a review.InputError if the action is not possible.
	ChangeSource func(ctx context.Context, by access.Account, do sources.Act, id document.SourceID) (string, error)
	// MayRead reports whether an account may read the document at an address. It returns a
	// review.InputError if the account is unknown.
	MayRead func(ctx context.Context, account, address string) (review.Answer, error)
	// Reveal makes another person's question visible for a limited time, and notifies that person.
	// ref is a turn or a reference. Reveal returns the turn of the question. It returns a
	// review.InputError with the reason if the question cannot be shown.
	Reveal func(ctx context.Context, v review.Viewer, ref, reason string) (session.TurnID, error)
	// Revealed returns the questions that are currently revealed to a person.
	Revealed func(ctx context.Context, person access.Account) ([]session.TurnID, error)
	// Ask answers a question of a person. It calls progress while it works. It returns a
	// review.InputError with the reason if there is no answer.
	Ask   func(ctx context.Context, person access.Account, question string, progress func(doing string)) (mcp.Asked, error)
	Setup func(ctx context.Context) (review.Setup, error)
	// Settings shows and changes the settings of channels.
	Settings review.Editing
	Files    *Files // nil: no files are kept
	Logger   *slog.Logger
	OIDC     *OIDC  // nil: people do not sign in with an identity provider
	Slack    *Slack // nil: people do not sign in with Slack
}

const (
	// answerWithin is the time limit for a request, until the client has read the response.
	answerWithin = 30 * time.Second
	maxForm      = 16 << 10
	maxAtOnce    = 32 // concurrent requests
	cookieName   = "__Host-footnote"
)

const (
	signInsPerMinute = 30  // from one address
	pagesPerMinute   = 240 // of one session
)

type server struct {
	Config
	signIns, pages *limiter
	counted        counts
}

// Handler returns the HTTP handler of the console. It is safe for concurrent use. Its cookie
// requires secure connections, so CONSOLE_URL must begin with https:// unless the console runs on
// this machine.
func Handler(config Config) http.Handler {
	s := &server{Config: config, signIns: newLimiter(signInsPerMinute), pages: newLimiter(pagesPerMinute)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /style.css", style)
	mux.HandleFunc("GET /sign-in", s.limited(s.offerSignIn))
	mux.HandleFunc("POST /sign-in", s.limited(s.signIn))
	mux.HandleFunc("POST /sign-out", s.signOut)
	if config.OIDC != nil {
		mux.HandleFunc("GET /oidc", s.limited(s.beginOIDC))
		mux.HandleFunc("GET "+CallbackPath, s.limited(s.finishOIDC))
	}
	if config.Slack != nil {
		mux.HandleFunc("GET /slack", s.limited(s.beginSlack))
		mux.HandleFunc("GET "+SlackCallbackPath, s.limited(s.finishSlack))
	}
	mux.HandleFunc("GET /account", s.page("", s.account))
	mux.HandleFunc("GET /{$}", s.page("", s.begin))
	mux.HandleFunc("GET /today", s.page(review.PageToday, s.today))
	mux.HandleFunc("GET /questions", s.page(review.PageQuestions, s.questions))
	mux.HandleFunc("GET /questions/{turn}", s.page(review.PageQuestions, s.question))
	mux.HandleFunc("GET /reveal", s.page(review.PartReveal, s.offerReveal))
	mux.HandleFunc("POST /reveal", s.page(review.PartReveal, s.reveal))
	mux.HandleFunc("GET /questions/{turn}/{do}", s.page(review.PageQuestions, s.act))
	mux.HandleFunc("POST /questions/{turn}/{do}", s.page(review.PageQuestions, s.act))
	mux.HandleFunc("GET /gaps", s.page(review.PageGaps, s.gaps))
	mux.HandleFunc("GET /sources", s.page(review.PageSources, s.sources))
	mux.HandleFunc("GET /sources/one", s.page(review.PageSources, s.source))
	mux.HandleFunc("POST /sources/one", s.page(review.PageSources, s.changeSource))
	mux.HandleFunc("GET /sources/readers", s.page(review.PageSources, s.readers))
	mux.HandleFunc("GET /try", s.page(review.PageTry, s.offerTry))
	mux.Handle("POST /try", inbound.AtOnce(maxTries, inbound.Everyone, s.page(review.PageTry, s.try)))
	if config.Files != nil {
		mux.HandleFunc("GET /files", s.page(review.PageFiles, s.files))
		mux.Handle("POST /files", inbound.AtOnce(maxUploading, inbound.Everyone, s.page(review.PageFiles, s.keepFiles)))
		mux.HandleFunc("POST /files/remove", s.page(review.PageFiles, s.removeFile))
	}
	mux.HandleFunc("GET /setup", s.page(review.PageSetup, s.setup))
	mux.HandleFunc("GET /setup/{part}", s.page(review.PageSetup, s.setup))
	mux.HandleFunc("GET /setup/channels/edit", s.page(review.PartSettings, s.settings))
	mux.HandleFunc("POST /setup/channels/edit", s.page(review.PartSettings, s.changeSettings))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { s.fail(w, http.StatusNotFound, "There is no such page.") })
	return secured(inbound.OnlyHost(config.Host, "CONSOLE_URL", http.NewCrossOriginProtection().Handler(inbound.AtOnce(maxAtOnce, inbound.Everyone, mux))))
}

// policy is the Content-Security-Policy of every page. It forbids scripts, embedded content, and
// frames on other sites.
const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		// Not no-referrer: browsers would send "Origin: null" with forms.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		within := answerWithin
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/try":
			within = mcp.AskTimeout + answerWithin
		case r.Method == http.MethodPost && r.URL.Path == "/files":
			within = uploadWithin
		}
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(within)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			http.Error(w, "the connection takes no deadline", http.StatusInternalServerError)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// maxKeys is the maximum number of callers in a limiter. A full limiter is emptied.
const maxKeys = 10_000

type limiter struct {
	perMinute int
	mu        sync.Mutex
	of        map[string]*rate.Limiter
}

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, of: make(map[string]*rate.Limiter)}
}

func (l *limiter) allow(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.of) >= maxKeys {
		clear(l.of)
	}
	if l.of[key] == nil {
		l.of[key] = rate.NewLimiter(rate.Every(time.Minute/time.Duration(l.perMinute)), l.perMinute)
	}
	return l.of[key].Allow()
}

func (s *server) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.signIns.allow(addressOf(r)) {
			w.Header().Set("Retry-After", "60")
			s.fail(w, http.StatusTooManyRequests, "Too many attempts to sign in. Try again in a minute.")
			return
		}
		next(w, r)
	}
}

// addressOf returns the address of the client of a request. Behind a proxy, it is the address that
// the proxy appended to X-Forwarded-For. The proxy's own address is not used, because one person
// could then exhaust the sign-in limit of all people.
func addressOf(r *http.Request) string {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	if near := net.ParseIP(address); !near.IsLoopback() && !near.IsPrivate() {
		return address
	}
	all := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	if from := net.ParseIP(strings.TrimSpace(all[strings.LastIndex(all, ",")+1:])); from != nil {
		return from.String()
	}
	return address
}
