package webconsole

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

//go:embed pages
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"when": func(t time.Time) string {
		if t.IsZero() {
			return "never"
		}
		return t.UTC().Format("2006-01-02 15:04")
	},
	"day":     func(t time.Time) string { return t.UTC().Format("Mon 2 Jan") },
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"took":    took,
	"span":    span,
	"count":   func(n int, thing string) string { return plural.Count(n, thing) },
	"ended":   func(d review.Day, o string) int { return d.Outcomes[session.Outcome(o)] },
	"outcome": outcome,
	"cut":     func(text string) string { return fit(cite.Cut(text, maxShown), maxShown) },
	"safe":    safe,
	"placed":  placed,
	"pieces":  review.Pieces,
	"item":    func(sentence string) string { return strings.TrimPrefix(sentence, "- ") },
}).ParseFS(files, "pages/*.html"))

// These limits keep a page below 100 kB, even for long questions and answers. Lengths are in bytes
// after HTML escaping.
const (
	maxShown    = 450    // a question in a list
	maxAnswer   = 24_000 // an answer, and all passages of a question together
	maxQuestion = 8_000
	maxSentence = 500 // a sentence of a trace or a fault
	maxTitle    = 200
	maxLink     = 500
	maxItems    = 25 // citations, sentences of a trace, questions of a conversation
	maxClusters = 15
	maxSources  = 60
)

// fit cuts a text after the given number of bytes, as counted after HTML escaping, and appends an
// ellipsis. It does not change a shorter text.
func fit(text string, most int) string {
	used := 0
	for i, r := range text {
		if used += len(template.HTMLEscapeString(string(r))); used > most {
			return text[:i] + "…"
		}
	}
	return text
}

// safe returns "" if link is not a web address or is longer than maxLink. Browsers do not follow
// file addresses from a page.
func safe(link string) string {
	address, ok := cite.LinkURL(link)
	if !ok || len(address) > maxLink || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return ""
	}
	return address
}

func took(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// span formats a duration without trailing zeros: 6h, not 6h0m0s.
func span(d time.Duration) string {
	text := d.Truncate(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

var outcomes = []struct{ Key, Words string }{
	{string(session.Answered), "answered"}, {string(session.NoEvidence), "nothing found"}, {string(session.Failed), "failed"}, {string(session.Refused), "declined by the model"},
	{string(session.Limited), "over a quota"}, {string(session.NotPermitted), "not permitted"}, {string(session.Stopped), "stopped"},
}

func outcome(o session.Outcome) string {
	for _, known := range outcomes {
		if known.Key == string(o) {
			return known.Words
		}
	}
	return "waiting"
}

type view struct {
	Title string
	Page  review.Page
	Nav   []navigation // empty if the viewer is not signed in
	Data  any
}

type navigation struct {
	Path, Name string
	Current    bool
}

var names = map[review.Page]string{review.PageToday: "Today", review.PageQuestions: "Questions", review.PageGaps: "Gaps", review.PageSources: "Sources", review.PageSetup: "Setup", review.PageFiles: "Files", review.PageTry: "Try it"}

// render returns a template's text without control characters, marks that reorder text, and
// characters that hide text. Documents, questions and answers may contain them.
func render(name string, v view) (string, error) {
	var b strings.Builder
	err := templates.ExecuteTemplate(&b, name, v)
	return answer.Visible(b.String()), err
}

// show renders the complete page before it sends anything, so that it can still report a failure.
func (s *server) show(w http.ResponseWriter, status int, name string, v view) {
	page, err := render(name+".html", v)
	if err != nil {
		s.Logger.Error("a page of the console cannot be rendered", "page", name, "error", err)
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if _, err := io.WriteString(w, page); err != nil {
		s.Logger.Debug("a page of the console was not read to its end", "error", err)
	}
}

func (s *server) fail(w http.ResponseWriter, status int, sentence string) {
	s.show(w, status, "message", view{Title: http.StatusText(status), Data: sentence})
}

func (s *server) serverError(w http.ResponseWriter, r *http.Request, err error) {
	s.Logger.ErrorContext(r.Context(), "a page of the console cannot be shown", "page", r.URL.Path, "error", err)
	s.fail(w, http.StatusInternalServerError, "Something went wrong. The log of the program has the cause. Try again.")
}

func newView(in visitor, page review.Page, title string, data any) view {
	v := view{Title: title, Page: page, Data: data}
	for _, p := range in.Role.Pages() {
		if names[p] != "" {
			v.Nav = append(v.Nav, navigation{Path: "/" + string(p), Name: names[p], Current: p == page})
		}
	}
	return v
}

func style(w http.ResponseWriter, _ *http.Request) {
	text, err := files.ReadFile("pages/style.css")
	if err != nil {
		http.Error(w, "there is no style", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(text) // a browser that went away needs no style
}

func (s *server) begin(w http.ResponseWriter, r *http.Request, in visitor) {
	pages := in.Role.Pages()
	if len(pages) == 0 {
		s.fail(w, http.StatusForbidden, "Your role opens no page.")
		return
	}
	http.Redirect(w, r, "/"+string(pages[0]), http.StatusSeeOther)
}

func (s *server) today(w http.ResponseWriter, r *http.Request, in visitor) {
	operation := in.Role.Opens(review.PartOperation)
	t, err := s.Today(r.Context(), operation)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	if !operation {
		t.Costs, t.Findings = nil, nil
	}
	s.show(w, http.StatusOK, "today", newView(in, review.PageToday, "Today", struct {
		review.Today
		Operation bool
	}{t, operation}))
}

var periods = []struct {
	Key, Words string
	Days       int
}{{"1d", "a day", 1}, {"7d", "a week", 7}, {"30d", "30 days", 30}, {"365d", "a year", 365}}

const defaultPeriod = "30d"

func since(key string, now time.Time) (string, time.Time) {
	for _, p := range periods {
		if p.Key == key {
			return key, now.AddDate(0, 0, -p.Days)
		}
	}
	return since(defaultPeriod, now)
}

func (s *server) questions(w http.ResponseWriter, r *http.Request, in visitor) {
	given, form := r.URL.Query(), make(url.Values)
	for _, key := range []string{"text", "outcome", "who", "channel", "wanting", "since", "before"} {
		if value := fit(strings.TrimSpace(given.Get(key)), maxTitle); value != "" {
			form.Set(key, value)
		}
	}
	query := review.Query{
		Outcome: session.Outcome(form.Get("outcome")), Person: form.Get("who"), Channel: form.Get("channel"),
		Text: form.Get("text"), Unsatisfying: form.Get("wanting") != "", Before: cursor(form.Get("before")), Limit: review.PageSize + 1,
	}
	var period string
	period, query.Since = since(form.Get("since"), time.Now())
	scope := in.Viewer.Scope()
	found, err := s.Reader.Store.Questions(r.Context(), s.Tenant, scope, query)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	counts, err := s.count(r.Context(), scope, period, query.Since)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	older := ""
	if len(found) > review.PageSize {
		found = found[:review.PageSize]
		last := found[len(found)-1]
		form.Set("before", fmt.Sprintf("%d.%s", last.At.UnixMicro(), last.Turn))
		older = "/questions?" + form.Encode()
	}
	s.show(w, http.StatusOK, "questions", newView(in, review.PageQuestions, "Questions", struct {
		Query     review.Query
		Period    string
		Periods   any
		Outcomes  any
		Questions []review.Question
		Counts    review.Counts
		Older     string
		Paged     bool
		Reveals   bool
	}{query, period, periods, outcomes, found, counts, older, !query.Before.At.IsZero(), in.Role.Opens(review.PartReveal)}))
}

// cursor parses the cursor of a list, which has the form MICROSECONDS.TURN. It returns the start of
// the list for invalid text.
func cursor(text string) review.Cursor {
	at, turn, _ := strings.Cut(text, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	if err != nil || micros < 0 || micros > 1<<52 {
		return review.Cursor{}
	}
	return review.Cursor{At: time.UnixMicro(micros), Turn: session.TurnID(turn)}
}

// loadQuestion returns the question of a request. The details contain only what the viewer may see.
// If ok is false, it has sent an error page.
func (s *server) loadQuestion(w http.ResponseWriter, r *http.Request, in visitor) (d review.Detail, ok bool) {
	d, err := s.Reader.Open(r.Context(), in.Viewer, session.TurnID(r.PathValue("turn")))
	if errors.Is(err, session.ErrUnknownTurn) {
		s.fail(w, http.StatusNotFound, "There is no such question, or you may not see it.")
		return d, false
	}
	if err != nil {
		s.serverError(w, r, err)
		return d, false
	}
	return d, true
}

func (s *server) question(w http.ResponseWriter, r *http.Request, in visitor) {
	d, ok := s.loadQuestion(w, r, in)
	if !ok {
		return
	}
	bound(&d)
	s.show(w, http.StatusOK, "question", newView(in, review.PageQuestions, cite.Cut(d.Text, 80), struct {
		review.Detail
		Costs, Correct, Remove bool
		ForReason              bool
		Done                   string
	}{
		d, in.Role.Opens(review.PartOperation), d.May(in.Viewer, in.Role, thread.ActionCorrect), d.May(in.Viewer, in.Role, thread.ActionRemove), slices.Contains(in.Viewer.Revealed, d.Turn),
		doneSentences[thread.Action(r.URL.Query().Get("done"))],
	}))
}

func bound(d *review.Detail) {
	d.Text, d.Answer = fit(d.Text, maxQuestion), fit(d.Answer, maxAnswer)
	d.Citations, d.Closest = d.Citations[:min(len(d.Citations), maxItems)], d.Closest[:min(len(d.Closest), maxItems)]
	d.Why, d.Thread = d.Why[:min(len(d.Why), maxItems)], d.Thread[max(0, len(d.Thread)-maxItems):]
	for i := range d.Closest {
		d.Closest[i].Title = fit(d.Closest[i].Title, maxTitle)
	}
	room := maxAnswer
	for i := range d.Citations {
		c := &d.Citations[i]
		c.Document.Title, c.Section = fit(c.Document.Title, maxTitle), fit(c.Section, maxTitle)
		passages := d.Citations[i].Passages
		for j := range passages {
			passages[j] = fit(passages[j], room)
			room = max(0, room-len(template.HTMLEscapeString(passages[j])))
		}
	}
	for i := range d.Why {
		d.Why[i] = fit(d.Why[i], maxSentence)
	}
}

func (s *server) gaps(w http.ResponseWriter, r *http.Request, in visitor) {
	period, from := since(r.URL.Query().Get("since"), time.Now())
	report, err := s.Gaps(r.Context(), in.Viewer, from)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	more := max(0, len(report.Clusters)-maxClusters)
	report.Clusters = report.Clusters[:len(report.Clusters)-more]
	for i := range report.Clusters {
		for j := range report.Clusters[i].Closest {
			report.Clusters[i].Closest[j].Title = fit(report.Clusters[i].Closest[j].Title, maxTitle)
		}
	}
	s.show(w, http.StatusOK, "gaps", newView(in, review.PageGaps, "Gaps", struct {
		gaps.Report
		Period  string
		Periods any
		More    int
		Opens   bool
	}{report, period, periods, more, in.Role.Opens(review.PageQuestions)}))
}
