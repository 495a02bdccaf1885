package analyse

import (
	"strings"
	"sync"

	snowball "github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

type stemFunc func(*snowball.Env) bool

func algorithm(language string) stemFunc {
	switch language {
	case "ar":
		return arabic.Stem
	case "da":
		return danish.Stem
	case "de":
		return german.Stem
	case "en":
		return english.Stem
	case "es":
		return spanish.Stem
	case "fi":
		return finnish.Stem
	case "fr":
		return french.Stem
	case "ga":
		return irish.Stem
	case "hu":
		return hungarian.Stem
	case "it":
		return italian.Stem
	case "nl":
		return dutch.Stem
	case "no", "nb", "nn":
		return norwegian.Stem
	case "pt":
		return portuguese.Stem
	case "ro":
		return romanian.Stem
	case "ru":
		return russian.Stem
	case "sv":
		return swedish.Stem
	case "ta":
		return tamil.Stem
	case "tr":
		return turkish.Stem
	}
	return nil
}

// stemmerPool pools the stemmers of a language together with their caches. Stemming costs far more
// than a look-up, and texts repeat their words.
type stemmerPool struct{ pool sync.Pool }

// mostStems limits the cached stems of a stemmer. A larger cache is cleared when the stemmer
// returns to the pool. The limit keeps a cache to a few megabytes.
const mostStems = 1 << 15

func (p *stemmerPool) borrow(lang language) *stemmer {
	if s, ok := p.pool.Get().(*stemmer); ok {
		return s
	}
	return &stemmer{lang: lang}
}

func (p *stemmerPool) release(s *stemmer) {
	if len(s.known) > mostStems {
		clear(s.known)
	}
	p.pool.Put(s)
}

// stemmer computes and caches the stems of words in one language. It is not safe for concurrent
// use.
type stemmer struct {
	lang  language
	env   *snowball.Env
	known map[string]string
}

func (s *stemmer) stem(w string) string {
	if s.lang.stem == nil || len(w) > MaxTerm || len(w) < 2 {
		return w
	}
	if stem, found := s.known[w]; found {
		return stem
	}
	if s.env == nil {
		s.env = snowball.NewEnv("")
		s.known = make(map[string]string, 64)
	}
	s.env.SetCurrent(w)
	s.lang.stem(s.env)
	stem := s.env.Current()
	if stem == "" {
		stem = w
	}
	// clone, because the words would retain a large text
	s.known[strings.Clone(w)] = strings.Clone(stem)
	return stem
}
