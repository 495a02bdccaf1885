package webconsole

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

var doneSentences = map[thread.Action]string{
	thread.ActionCorrect: "Your text takes the place of the answer. Its messages are changed in a moment.",
	thread.ActionRemove:  "The answer is removed. Its messages are changed in a moment.",
}

func (s *server) act(w http.ResponseWriter, r *http.Request, in visitor) {
	d, ok := s.loadQuestion(w, r, in)
	if !ok {
		return
	}
	do := review.Act{Do: thread.Action(r.PathValue("do"))}
	if doneSentences[do.Do] == "" {
		s.fail(w, http.StatusNotFound, "There is no such page.")
		return
	}
	if do.Do == thread.ActionRemove && d.Removed { // the form was sent twice
		s.fail(w, http.StatusConflict, "The answer is removed already.")
		return
	}
	if !d.May(in.Viewer, in.Role, do.Do) {
		s.fail(w, http.StatusForbidden, "This cannot be done to this answer, or not by you.")
		return
	}
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, maxText)
		if err := r.ParseForm(); err != nil || r.PostForm.Get("key") == "" {
			s.fail(w, http.StatusBadRequest, "The form is not complete, or too long. Go back and send it again.")
			return
		}
		do.Key, do.Text, do.Submitted = in.Session+":"+fit(r.PostForm.Get("key"), maxKey), r.PostForm.Get("text"), true
		if do.Do == thread.ActionCorrect {
			// The text of a form that is sent twice is the answer already.
			if d.CorrectedBy != "" && strings.TrimSpace(do.Text) == strings.TrimSpace(d.Answer) {
				http.Redirect(w, r, "/questions/"+string(d.Turn)+"?done="+string(do.Do), http.StatusSeeOther)
				return
			}
			// A person may go back and send the form again with another text, which then counts.
			do.Key += fmt.Sprintf(":%x", review.HashOf(d.Answer+"\x00"+do.Text))
		}
	} else {
		do.Key = "form"
	}
	reply, err := s.Act(r.Context(), d.Request(s.Tenant, in.Viewer, in.Role, do))
	switch {
	case errors.Is(err, review.ErrAway):
		s.fail(w, http.StatusServiceUnavailable, "Answers of this platform cannot be changed here: the process that serves the console does not serve the platform.")
	case err != nil:
		s.serverError(w, r, err)
	case reply.Refused, reply.Form == nil && !do.Submitted:
		s.fail(w, http.StatusConflict, reply.Sentence)
	case !do.Submitted:
		s.show(w, http.StatusOK, "form", newView(in, review.PageQuestions, reply.Form.Title, struct {
			*action.Form
			Key, Question string
			Turn          session.TurnID
		}{reply.Form, review.NewSecret(), cite.Cut(d.Text, maxTitle), d.Turn}))
	default:
		http.Redirect(w, r, "/questions/"+string(d.Turn)+"?done="+string(do.Do), http.StatusSeeOther)
	}
}

const (
	maxKey  = 64       // bytes of a form's key
	maxText = 64 << 10 // bytes of a form with a text, as browsers encode it
)
