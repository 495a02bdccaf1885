package discordtest

import "net/http"

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`

	content string
}

func (s *Server) upload(u Upload) *attachment {
	a := &attachment{ID: s.id(), Filename: u.Name, ContentType: u.Media, Size: len(u.Content), content: u.Content}
	a.URL = "http://" + s.addr + "/files/" + a.ID + "/" + u.Name
	a.ProxyURL = a.URL
	s.uploads[a.ID] = a
	return a
}

func (s *Server) getFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a := s.uploads[r.PathValue("id")]
	token := r.Header.Get("Authorization")
	s.mu.Unlock()
	if a == nil || token != "" { // a client must not send the bot's token here
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.ContentType)
	_, _ = w.Write([]byte(a.content)) // the client is gone if this fails
}

// Attach writes a message with files to a channel and returns the message's id.
func (p *Person) Attach(channel, text string, files ...Upload) string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.newMessage(p.s.channels[channel], p.ID, text)
	for _, f := range files {
		m.attached = append(m.attached, p.s.upload(f))
	}
	p.s.publish("create", m, nil)
	return m.id
}

// Elsewhere replaces the URL of a message's files, for example with one outside Discord.
func (s *Server) Elsewhere(message, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.messages[message].attached {
		a.URL = address
	}
}

func (s *Server) attachable(ch *channel, file string) *apiError {
	denied := ch.denied
	if parent := s.channels[ch.parent]; parent != nil {
		denied |= parent.denied
	}
	switch {
	case file == "":
		return nil
	case denied&permAttach != 0:
		return errMissingPermission
	case s.config.MaxFile > 0 && len(file) > s.config.MaxFile:
		return errTooLarge
	}
	return nil
}
