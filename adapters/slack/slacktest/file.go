package slacktest

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
)

// File is a file that a person sends.
type File struct {
	Name, Media string
	Data        []byte
	Size        int    // size that Slack reports; 0: the real size
	URL         string // address of a remote file; empty: stored here
	NoAccess    bool   // the bot may not read it
	Ask         bool   // only files.info describes it
}

type upload struct {
	File
	id      string
	length  int      // announced size of an incomplete upload by the bot, else 0
	title   string   // displayed title; empty: the name
	message *Message // message that shows the bot's file
}

func (s *Server) keepFile(f File) string {
	id := "F" + s.ts()
	s.files[id] = &upload{File: f, id: id}
	return id
}

func (s *Server) wired(m *Message, metadata bool) map[string]any {
	out := m.wire(metadata)
	if len(m.Files) == 0 {
		return out
	}
	list := []map[string]any{}
	for _, id := range m.Files {
		if f := s.files[id]; f.Ask {
			list = append(list, map[string]any{"id": id, "file_access": "check_file_info"})
		} else {
			list = append(list, s.fileWire(f))
		}
	}
	out["files"] = list
	return out
}

func (s *Server) fileWire(f *upload) map[string]any {
	size, address := f.Size, f.URL
	if size == 0 {
		size = len(f.Data)
	}
	mode := "hosted"
	if address == "" {
		address = s.http.URL + "/files/" + f.id
	} else {
		mode = "external"
	}
	wire := map[string]any{
		"id": f.id, "name": f.Name, "title": cmp.Or(f.title, f.Name), "mimetype": f.Media, "mode": mode, "size": size, "is_external": mode == "external",
		"url_private": address, "url_private_download": address,
	}
	if m := f.message; m != nil {
		wire["shares"] = map[string]any{"private": map[string]any{m.Channel: []any{map[string]any{"ts": m.TS, "thread_ts": m.Thread}}}}
	}
	return wire
}

func (s *Server) fileInfo(form url.Values) (reply, error) {
	f := s.files[form.Get("file")]
	if f == nil || f.length > 0 {
		return nil, fail("file_not_found")
	}
	return reply{"file": s.fileWire(f), "comments": []any{}, "paging": map[string]any{}}, nil
}

// serveFile serves a file to requests with the bot's token. Other requests are redirected to the
// sign-in page, as in Slack.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.files[r.PathValue("id")]
	allowed := s.granted("files:read") && r.Header.Get("Authorization") == "Bearer "+BotToken && f != nil && !f.NoAccess
	s.mu.Unlock()
	if !allowed {
		http.Redirect(w, r, "/signin?redir="+url.QueryEscape(r.URL.Path), http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", f.Media)
	w.Header().Set("Content-Length", strconv.Itoa(len(f.Data)))
	_, _ = w.Write(f.Data) // the client has gone when this fails
}
