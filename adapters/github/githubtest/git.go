package githubtest

import (
	"crypto/tls"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/git/gittest"
)

func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, name, rest string) {
	s.Log.Add("git " + name + " " + rest)
	if fault, ok := s.Faults.Next(func(f Fault) bool { return f.Path == "git" }); ok {
		if fault.Then != nil {
			fault.Then()
		}
		if fault.Answer != nil {
			fault.Answer(w, r)
			return
		}
	}
	bare, isWiki := strings.CutSuffix(name, ".wiki")
	_, password, _ := r.BasicAuth()
	var to *gittest.Server
	s.World.Mu.Lock()
	if repo, _ := s.find(bare); repo != nil && !repo.Hidden {
		if to = repo.Git; isWiki {
			to = repo.Wiki
		}
	}
	s.World.Mu.Unlock()
	s.mu.Lock()
	known := !s.Revoked() && (password == s.Token || s.Key != nil && password == s.installation())
	s.mu.Unlock()
	switch {
	case !known:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Invalid username or token. Password authentication is not supported for Git operations.", http.StatusUnauthorized)
	case to == nil:
		http.Error(w, "Repository not found.", http.StatusNotFound)
	default:
		target, err := url.Parse(to.URL)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		forward := &httputil.ReverseProxy{
			Rewrite: func(p *httputil.ProxyRequest) {
				p.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
				p.Out.URL.Path = target.Path + "/" + rest
				p.Out.Header.Del("Authorization")
			},
			Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, //nolint:gosec // of this test alone
		}
		forward.ServeHTTP(w, r)
	}
}
