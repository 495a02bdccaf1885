package webconsole

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/upload"
)

// Files configures the page on which people upload files to projects.
type Files struct {
	Service *upload.Service
	// Author returns the current account of a person from the platform.
	Author func(ctx context.Context, person access.Account) (access.Account, error)
}

const (
	// uploadWithin is the time limit for an upload request, until its response is sent.
	uploadWithin = 5 * time.Minute
	maxUploads   = 10 // maximum number of files per request
	maxUploading = 2  // maximum number of concurrent requests
	maxKept      = 200
)

// readersMe allows only the author of a file to read it. readersProject allows all readers of the
// project.
const (
	readersMe      = "me"
	readersProject = "project"
)

type project struct {
	Name    string
	Readers access.ACL
}

type keptFile struct {
	upload.File
	Mine bool // the viewer may remove it
}

func (s *server) files(w http.ResponseWriter, r *http.Request, in visitor) {
	done := ""
	if r.URL.Query().Get("done") == "removed" {
		done = "The file is removed. It cannot be found any more."
	}
	s.showFiles(w, r, in, http.StatusOK, done)
}

func (s *server) showFiles(w http.ResponseWriter, r *http.Request, in visitor, status int, done string) {
	all, err := s.Files.Service.List(r.Context(), s.Tenant, in.Viewer.Audience)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	data := struct {
		Done     []string
		Files    []keptFile
		Projects []project
		More     int
		Alone    bool // the person can be the only reader
		Most     int
	}{More: max(0, len(all)-maxKept), Most: maxUploads, Alone: in.Viewer.Audience.MayRead(alone(in.Person))}
	for line := range strings.Lines(done) {
		data.Done = append(data.Done, fit(strings.ReplaceAll(strings.TrimSpace(line), "`", ""), maxAnswer/maxUploads))
	}
	for _, f := range all[:len(all)-data.More] {
		f.Name, f.Project, f.Readers = fit(f.Name, maxTitle), fit(f.Project, maxTitle), f.Readers[:min(len(f.Readers), maxFileReaders)]
		data.Files = append(data.Files, keptFile{f, upload.MayRemove(f, in.Person, in.Role == review.Admin, in.Viewer.Audience)})
	}
	for _, p := range upload.Visible(s.Files.Service.Projects(), in.Viewer.Audience) {
		data.Projects = append(data.Projects, project{p.Name, p.Readers[:min(len(p.Readers), maxFileReaders)]})
	}
	s.show(w, status, "files", newView(in, review.PageFiles, "Files", data))
}

func alone(person access.Account) access.ACL {
	return access.ACL{access.User(person.Platform, person.ID)}
}

// keepFiles reads the files of a form one after the other, so that only one file is in memory at a
// time.
func (s *server) keepFiles(w http.ResponseWriter, r *http.Request, in visitor) {
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(uploadWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.serverError(w, r, err)
		return
	}
	author, err := s.Files.Author(r.Context(), in.Person)
	if err != nil {
		s.Logger.WarnContext(r.Context(), "a person is unknown, so no file is kept", "session", in.Session, "error", err)
		s.showFiles(w, r, in, http.StatusServiceUnavailable, upload.SayUnknownPerson)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxUploads*(upload.MaxBytes+maxForm))
	form, err := r.MultipartReader()
	if err != nil {
		s.fail(w, http.StatusBadRequest, "The form is not complete. Go back and send it again.")
		return
	}
	said, status := s.keepParts(r.Context(), form, in.Viewer, author)
	s.showFiles(w, r, in, status, said)
}

// keepParts stores the files of a form. The other fields must precede the files. It returns the
// text and the HTTP status of the response.
func (s *server) keepParts(ctx context.Context, form *multipart.Reader, v review.Viewer, author access.Account) (said string, status int) {
	request := upload.Request{Tenant: s.Tenant, Author: author, Listens: v.Audience}
	var to upload.Project
	var all []upload.Outcome
	readers := ""
	for {
		part, err := form.NextPart()
		if len(all) == 0 && errors.Is(err, io.EOF) {
			return "Choose at least one file, and send the form again.", http.StatusBadRequest
		}
		if len(all) == 0 && err != nil {
			return "The form did not arrive whole. Send it again.", http.StatusBadRequest
		}
		if errors.Is(err, io.EOF) {
			return upload.SayOutcomes(to, request.Readers, all, false), http.StatusOK
		}
		if err != nil {
			return strings.TrimSpace(upload.SayOutcomes(to, request.Readers, all, false) + "\nThe form did not arrive whole. Send the rest again."), http.StatusBadRequest
		}
		switch part.FormName() {
		case "project", "readers":
			value, err := io.ReadAll(io.LimitReader(part, maxForm))
			if err != nil {
				return "The form did not arrive whole. Send it again.", http.StatusBadRequest
			}
			if part.FormName() == "project" {
				request.Project = string(value)
			} else {
				readers = string(value)
			}
		case "file":
			if part.FileName() == "" { // no file was chosen
				continue
			}
			if to.Name == "" {
				var refused string
				if request.Readers = s.chosen(readers, request, author); request.Project == "" || request.Readers == nil {
					return "Choose a project and who finds the file, and send the form again.", http.StatusBadRequest
				}
				if to, refused = s.Files.Service.Open(request); refused == upload.SayAbsent(request.Project) {
					return "There is no such project any more, or you may not see it. Choose one of the list.", http.StatusForbidden
				} else if refused != "" {
					return refused, http.StatusForbidden
				}
			}
			if len(all) == maxUploads {
				return upload.SayOutcomes(to, request.Readers, all, false) + fmt.Sprintf("\nOnly the first %d files were kept. Send the others after them.", maxUploads), http.StatusOK
			}
			all = append(all, s.keepPart(ctx, part, request, to))
		}
	}
}

func (s *server) keepPart(ctx context.Context, part *multipart.Part, r upload.Request, to upload.Project) upload.Outcome {
	end, err := s.Files.Service.Begin(ctx)
	if err != nil {
		return upload.Outcome{File: upload.File{Name: upload.CleanName(part.FileName())}, Refused: upload.SayBusy}
	}
	defer end()
	given := upload.Given{Name: part.FileName()}
	given.Content, err = io.ReadAll(io.LimitReader(part, upload.MaxBytes+1))
	if err != nil {
		given.Failed = "It did not arrive whole. Send it again."
	}
	return s.Files.Service.Keep(ctx, r, to, given)
}

// chosen returns the readers that a person has chosen in the form, or nil if the choice is unknown.
func (s *server) chosen(readers string, r upload.Request, author access.Account) access.ACL {
	switch readers {
	case readersMe:
		return alone(author)
	case readersProject:
		for _, p := range upload.Visible(s.Files.Service.Projects(), r.Listens) {
			if p.Name == r.Project {
				return slices.Clone(p.Readers)
			}
		}
		return alone(author) // Open refuses the project
	}
	return nil
}

func (s *server) removeFile(w http.ResponseWriter, r *http.Request, in visitor) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	said, gone, err := s.Files.Service.Remove(r.Context(), s.Tenant, upload.ID(r.PostFormValue("id")), in.Person, in.Role == review.Admin, in.Viewer.Audience)
	switch {
	case err != nil:
		s.serverError(w, r, err)
	case !gone:
		s.fail(w, http.StatusNotFound, said)
	default:
		http.Redirect(w, r, "/files?"+url.Values{"done": {"removed"}}.Encode(), http.StatusSeeOther)
	}
}
