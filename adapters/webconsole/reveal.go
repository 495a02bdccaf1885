package webconsole

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/core/review"
)

func (s *server) offerReveal(w http.ResponseWriter, _ *http.Request, in visitor) {
	s.show(w, http.StatusOK, "reveal", newView(in, review.PageQuestions, "See a question for a reason", nil))
}

// reveal notifies the author of a question and shows the question for a limited time.
func (s *server) reveal(w http.ResponseWriter, r *http.Request, in visitor) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	ref, reason := strings.TrimSpace(r.PostFormValue("ref")), r.PostFormValue("reason")
	if ref == "" || len(ref) > maxLink {
		s.fail(w, http.StatusBadRequest, "The form is not complete. Go back and send it again.")
		return
	}
	turn, err := s.Reveal(r.Context(), in.Viewer, ref, reason)
	var refused *review.InputError
	switch {
	case errors.As(err, &refused):
		s.fail(w, http.StatusConflict, refused.Sentence)
	case err != nil:
		s.serverError(w, r, err)
	default:
		http.Redirect(w, r, "/questions/"+url.PathEscape(string(turn)), http.StatusSeeOther)
	}
}
