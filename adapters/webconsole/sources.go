package webconsole

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/sources"
)

func (s *server) sources(w http.ResponseWriter, r *http.Request, in visitor) {
	all, err := s.Sources(r.Context())
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	more := max(0, len(all)-maxSources)
	all = all[:len(all)-more]
	for i := range all {
		fitSource(&all[i])
	}
	s.show(w, http.StatusOK, "sources", newView(in, review.PageSources, "Sources", struct {
		Sources []review.Source
		More    int
	}{all, more}))
}

func fitSource(s *review.Source) {
	s.Faults = slices.Clone(s.Faults[:min(len(s.Faults), maxItems)])
	for j := range s.Faults {
		s.Faults[j] = fit(s.Faults[j], maxSentence)
	}
}

var sourceActs = map[sources.Act]struct{ Button, Means string }{
	sources.Run:    {"Read now", "before it is due"},
	sources.Pause:  {"Pause", "it is not read until it is resumed; a source with its own readers is hidden meanwhile"},
	sources.Resume: {"Resume", "it is read again"},
	sources.Resync: {"Read from the beginning", "with the next run, and who may read it; what has not changed is not stored again"},
}

// findSource returns the source with an id. If there is none, it sends an error page and returns
// false.
func (s *server) findSource(w http.ResponseWriter, r *http.Request, id string) (review.Source, bool) {
	all, err := s.Sources(r.Context())
	if err != nil {
		s.serverError(w, r, err)
		return review.Source{}, false
	}
	at := slices.IndexFunc(all, func(o review.Source) bool { return string(o.ID) == id })
	if at < 0 {
		s.fail(w, http.StatusNotFound, "There is no such source.")
		return review.Source{}, false
	}
	fitSource(&all[at])
	return all[at], true
}

func (s *server) source(w http.ResponseWriter, r *http.Request, in visitor) {
	one, ok := s.findSource(w, r, r.URL.Query().Get("id"))
	if !ok {
		return
	}
	done := ""
	if act := sourceActs[sources.Act(r.URL.Query().Get("done"))]; act.Button != "" {
		done = act.Button + ": " + act.Means + "."
	}
	s.show(w, http.StatusOK, "source", newView(in, review.PageSources, fit(one.Name, maxTitle), struct {
		review.Source
		Done string
		Acts any
	}{one, done, sourceActs}))
}

func (s *server) changeSource(w http.ResponseWriter, r *http.Request, in visitor) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	id, do := r.PostFormValue("id"), sources.Act(r.PostFormValue("do"))
	one, ok := s.findSource(w, r, id)
	if !ok {
		return
	}
	if sourceActs[do].Button == "" {
		s.fail(w, http.StatusBadRequest, "The form is not complete. Go back and send it again.")
		return
	}
	_, err := s.ChangeSource(r.Context(), in.Person, do, one.ID)
	var refused *review.InputError
	switch {
	case errors.As(err, &refused):
		s.fail(w, http.StatusConflict, fit(refused.Sentence, maxSentence))
	case err != nil:
		s.serverError(w, r, err)
	default:
		http.Redirect(w, r, "/sources/one?"+url.Values{"id": {id}, "done": {string(do)}}.Encode(), http.StatusSeeOther)
	}
}

// readers shows whether a person may read a document, and the reason. It shows the document's
// readers but not the title, because the administrator may not have access to the document.
func (s *server) readers(w http.ResponseWriter, r *http.Request, in visitor) {
	data := struct {
		For, Address string
		Sentence     string
		Asked        bool
		review.Answer
	}{For: fit(strings.TrimSpace(r.URL.Query().Get("for")), maxTitle), Address: strings.TrimSpace(r.URL.Query().Get("address"))}
	if len(data.Address) > maxLink {
		s.fail(w, http.StatusBadRequest, "The address is too long.")
		return
	}
	if data.Asked = data.For != "" && data.Address != ""; data.Asked {
		var err error
		data.Answer, err = s.MayRead(r.Context(), data.For, data.Address)
		var wrong *review.InputError
		if errors.As(err, &wrong) {
			data.Asked, data.Sentence = false, fit(wrong.Sentence, maxSentence)
		} else if err != nil {
			s.serverError(w, r, err)
			return
		}
		fitAnswer(&data.Answer)
	}
	s.show(w, http.StatusOK, "readers", newView(in, review.PageSources, "Who may read a document", data))
}

func fitAnswer(a *review.Answer) {
	a.Documents = a.Documents[:min(len(a.Documents), maxItems)]
	for i := range a.Documents {
		d := &a.Documents[i]
		d.Readers, d.Through = d.Readers[:min(len(d.Readers), maxReaders)], d.Through[:min(len(d.Through), maxItems)]
	}
}

const maxReaders = 40
