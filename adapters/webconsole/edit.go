package webconsole

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// prefixValue begins the name of a form field with a submitted value. prefixWas begins the name of
// the field with the value that was stored when the form was shown.
const (
	prefixValue = "v."
	prefixWas   = "was."
)

// place returns the [session.Place] that a settings request names: everywhere, a platform, a
// workspace or a channel. If it returns false, it has sent an error page.
func (s *server) place(w http.ResponseWriter, r *http.Request, in visitor) (session.Place, bool) {
	at := session.Place{Platform: thread.Platform(r.Form.Get("platform")), Workspace: r.Form.Get("workspace"), Channel: strings.TrimSpace(r.Form.Get("channel"))}
	if len(at.Platform)+len(at.Workspace)+len(at.Channel) > maxTitle {
		s.fail(w, http.StatusBadRequest, "No channel has so long an id.")
		return at, false
	}
	found, err := s.Settings.Find(r.Context(), at, in.Person)
	var none *review.InputError
	switch {
	case errors.As(err, &none):
		s.fail(w, http.StatusNotFound, fit(none.Sentence, maxSentence))
	case errors.Is(err, review.ErrNoReply):
		s.Logger.WarnContext(r.Context(), "a channel cannot be looked up for the console", "platform", at.Platform, "channel", at.Channel, "error", err)
		s.fail(w, http.StatusServiceUnavailable, "The platform of this channel does not answer. Try again in a moment.")
	case err != nil:
		s.serverError(w, r, err)
	}
	return found, err == nil
}

func (s *server) settings(w http.ResponseWriter, r *http.Request, in visitor) {
	if err := r.ParseForm(); err != nil {
		s.fail(w, http.StatusBadRequest, sentenceForm)
		return
	}
	at, ok := s.place(w, r, in)
	if !ok {
		return
	}
	form, err := s.Settings.Form(r.Context(), at)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	s.showSettings(w, in, http.StatusOK, form, nil)
}

const sentenceForm = "The form is not complete, or too long. Go back and send it again."

func (s *server) changeSettings(w http.ResponseWriter, r *http.Request, in visitor) {
	r.Body = http.MaxBytesReader(w, r.Body, maxText)
	if err := r.ParseForm(); err != nil {
		s.fail(w, http.StatusBadRequest, sentenceForm)
		return
	}
	at, ok := s.place(w, r, in)
	if !ok {
		return
	}
	var given []review.Given
	for name, values := range r.PostForm {
		key, is := strings.CutPrefix(name, prefixValue)
		if !is {
			continue
		}
		was := r.PostForm[prefixWas+key]
		if len(values) != 1 || len(was) != 1 {
			s.fail(w, http.StatusBadRequest, sentenceForm)
			return
		}
		given = append(given, review.Given{Key: key, Value: values[0], Was: was[0]})
	}
	form, done, err := s.Settings.Save(r.Context(), at, in.SignedIn, given)
	var refused *review.InputError
	switch {
	case errors.As(err, &refused):
		s.fail(w, http.StatusBadRequest, plain(refused.Sentence))
	case err != nil:
		s.serverError(w, r, err)
	case len(form.Refused()) > 0:
		s.showSettings(w, in, http.StatusConflict, form, nil)
	default:
		s.showSettings(w, in, http.StatusOK, form, done)
	}
}

func plain(sentence string) string {
	return fit(strings.ReplaceAll(sentence, "`", ""), maxSentence)
}

func (s *server) showSettings(w http.ResponseWriter, in visitor, status int, form review.PlaceForm, done []session.SettingChange) {
	data := struct {
		review.PlaceForm
		Done []string
		Undo []review.Given
		Most int
	}{PlaceForm: form, Undo: form.Undo(done), Most: review.MaxValue}
	for _, c := range done {
		to := c.Value
		if to == "" {
			to = "not changed here any more"
		}
		data.Done = append(data.Done, fmt.Sprintf("%s: %s", c.Key, fit(to, maxTitle)))
	}
	if len(done) > 0 {
		data.Done = append([]string{plural.Count(len(done), "setting") + " changed, which counts from the next question on."}, data.Done...)
	}
	data.Fields = slices.Clone(form.Fields)
	for i := range data.Fields {
		f := &data.Fields[i]
		f.Holds, f.Refused, f.Names = fit(f.Holds, maxTitle), plain(f.Refused), f.Names[:min(len(f.Names), maxItems)]
		f.From = fit(f.From, maxSentence)
		if len(f.Choices) > maxChoices {
			f.Choices = nil // the form then has a text field
		}
	}
	s.show(w, status, "settings", newView(in, review.PageSetup, "Settings: "+placed(form.Place), data))
}

// maxChoices is the maximum number of choices that a form offers for a setting. For more, the form
// has a text field.
const maxChoices = 60
