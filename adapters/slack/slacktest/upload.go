package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// Slack's documentation of uploads says under https://docs.slack.dev/reference/methods:
//
//   - files.getUploadURLExternal: "length: Size in bytes of the file being uploaded." "Files can be
//     sent as raw bytes or can be multipart form encoded." The error missing_argument "Typically
//     only occurs when the `length` provided is 0".
//   - files.completeUploadExternal: "Never use a reply's ts value; use its parent instead." "This
//     method can only be called once."
//   - files.delete: "cant_delete_file: Authenticated user does not have permission to delete this
//     file." "file_not_found: The file does not exist, or is not visible to the calling user."
//
// The error of a second completion is not documented. This server returns file_not_found.

func (s *Server) uploadURL(form url.Values) (reply, error) {
	length, err := strconv.Atoi(form.Get("length"))
	if err != nil || length <= 0 || form.Get("filename") == "" {
		return nil, fail("missing_argument")
	}
	id := "F" + s.ts()
	s.files[id] = &upload{File: File{Name: form.Get("filename"), Media: "text/markdown"}, id: id, length: length}
	return reply{"upload_url": s.http.URL + "/upload/v1/" + id, "file_id": id}, nil
}

// serveUpload receives the content of a file. A [Fault] for the method "upload" affects it.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	part, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, "no file", http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(part)
	s.mu.Lock()
	fault, f := s.fault("upload", nil), s.files[r.PathValue("id")]
	took := fault == nil && err == nil && f != nil && f.length == len(data)
	if took {
		f.Data = data
	}
	s.mu.Unlock()
	switch {
	case fault != nil:
		fault.answer(w, r)
	case !took:
		http.Error(w, "not what was announced", http.StatusBadRequest)
	default:
		_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(data))) // the client has gone when this fails
	}
}

func (s *Server) completeUpload(form url.Values) (reply, error) {
	var list []struct{ ID, Title string }
	if json.Unmarshal([]byte(form.Get("files")), &list) != nil || len(list) != 1 {
		return nil, fail("invalid_arguments")
	}
	f := s.files[list[0].ID]
	if f == nil || f.length == 0 || len(f.Data) != f.length {
		return nil, fail("file_not_found")
	}
	form.Set("channel", form.Get("channel_id"))
	m, err := s.postTo(form)
	if err != nil {
		return nil, err
	}
	if root := s.messages[place{m.Channel, m.Thread}]; root != nil && root.Thread != "" && root.Thread != m.Thread {
		return nil, fail("invalid_thread_ts")
	}
	m.Files = []string{f.id}
	f.length, f.title, f.message = 0, list[0].Title, s.add("files.completeUploadExternal", m)
	s.announce(f.message)
	return reply{"files": []any{map[string]any{"id": f.id, "title": f.title}}}, nil
}

func (s *Server) deleteFile(form url.Values) (reply, error) {
	f := s.files[form.Get("file")]
	switch {
	case f == nil || f.length > 0:
		return nil, fail("file_not_found")
	case f.message == nil:
		return nil, fail("cant_delete_file")
	}
	f.message.Deleted = true
	s.keep("files.delete", f.message)
	delete(s.files, f.id)
	return nil, nil
}

// Content returns the content of a file in a message. It returns "" if the file was deleted.
func (s *Server) Content(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[id]; f != nil {
		return string(f.Data)
	}
	return ""
}
